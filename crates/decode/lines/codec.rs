//! Compression of whole files, told by the end of their names as Hadoop's codecs do.

use super::blocks::{Blocks, Packing};
use super::source::SourceReader;
use lakefold_base::{Code, Error, Result};
use std::io::{BufRead, Read};

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Codec {
    None,
    Gzip,
    Zlib,
    Bzip2,
    Zstandard,
    Snappy,
    Lz4,
}

impl Codec {
    pub(super) fn of(path: &str) -> Self {
        // A name must be more than its ending.
        let name = path.rsplit('/').next().unwrap_or(path).trim_start_matches('.');
        match name.rsplit_once('.').map(|(_, ending)| ending) {
            Some("gz") => Codec::Gzip,
            Some("deflate") => Codec::Zlib,
            Some("bz2") => Codec::Bzip2,
            Some("zst") => Codec::Zstandard,
            Some("snappy") => Codec::Snappy,
            Some("lz4") => Codec::Lz4,
            _ => Codec::None,
        }
    }

    /// The plain bytes; members that follow one another are one stream.
    pub(super) fn open(self, input: SourceReader) -> Result<Box<dyn Read + Send>> {
        Ok(match self {
            Codec::None => Box::new(input),
            Codec::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(input)),
            Codec::Zlib => Box::new(Zlib { input, state: flate2::Decompress::new(true), open: false }),
            Codec::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(input)),
            Codec::Zstandard => Box::new(zstd::stream::read::Decoder::with_buffer(input).map_err(broken)?),
            Codec::Snappy => Box::new(Blocks::new(input, Packing::Snappy)),
            Codec::Lz4 => Box::new(Blocks::new(input, Packing::Lz4)),
        })
    }
}

/// What a decoder says. An error of the store that came through it stays what it was.
pub(super) fn broken(error: std::io::Error) -> Error {
    let cut = error.kind() == std::io::ErrorKind::UnexpectedEof;
    match error.into_inner().map(|inner| inner.downcast::<Error>()) {
        Some(Ok(ours)) => *ours,
        Some(Err(other)) => Error::corrupt("the file cannot be decompressed").caused_by(other),
        None if cut => Error::corrupt("the compressed data is cut"),
        None => Error::new(Code::CorruptFile, "the file cannot be decompressed"),
    }
}

/// Zlib streams, one after the other.
struct Zlib {
    input: SourceReader,
    state: flate2::Decompress,
    /// Whether a stream has begun and not ended.
    open: bool,
}

impl Read for Zlib {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        loop {
            let bytes = self.input.fill_buf()?;
            if buffer.is_empty() || bytes.is_empty() && !self.open {
                return Ok(0);
            }
            self.open = true;
            let (taken, given) = (self.state.total_in(), self.state.total_out());
            let status = self.state.decompress(bytes, buffer, flate2::FlushDecompress::None);
            let status = status.map_err(std::io::Error::other)?;
            let (taken, given) = (self.state.total_in() - taken, self.state.total_out() - given);
            self.input.consume(taken as usize);
            if status == flate2::Status::StreamEnd {
                self.state.reset(true);
                self.open = false;
            } else if taken + given == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            if given > 0 {
                return Ok(given as usize);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Codec;

    #[test]
    fn the_end_of_the_name_tells_the_codec() {
        for (path, codec) in [
            ("/a/data-0.csv", Codec::None),
            ("/a/data-0.csv.gz", Codec::Gzip),
            ("/a/x.deflate", Codec::Zlib),
            ("/a/x.bz2", Codec::Bzip2),
            ("/a/x.zst", Codec::Zstandard),
            ("/a/x.snappy", Codec::Snappy),
            ("/a/x.lz4", Codec::Lz4),
            ("/a.gz/x", Codec::None),
            ("/a/.gz", Codec::None),
            ("/a/x.GZ", Codec::None),
            ("/a/x.gz.csv", Codec::None),
        ] {
            assert_eq!(Codec::of(path), codec, "{path}");
        }
    }
}
