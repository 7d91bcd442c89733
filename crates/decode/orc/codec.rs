use lakefold_base::{Code, Error, Result};
use orc_rust::proto::CompressionKind;
use std::io::Read;

/// Compressed chunks of a file (ORC spec, "Compression").
#[derive(Debug, Clone, Copy)]
pub(super) struct Codec {
    kind: CompressionKind,
    /// Most bytes that a chunk decompresses to.
    block_size: usize,
}

/// The chunk length has 23 bits.
const MAX_BLOCK: u64 = 1 << 23;

fn failed(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::corrupt("a chunk cannot be decompressed").caused_by(error)
}

impl Codec {
    pub(super) fn new(kind: i32, block_size: Option<u64>) -> Result<Self> {
        let kind = CompressionKind::try_from(kind)
            .map_err(|_| Error::unsupported(format!("ORC compression {kind}")).with("value", kind))?;
        if kind == CompressionKind::Lzo {
            return Err(Error::unsupported("ORC compression LZO").with("value", "LZO"));
        }
        let block_size = match block_size {
            None | Some(0) => 256 << 10,
            Some(n) if n <= MAX_BLOCK => n as usize,
            Some(n) => return Err(Error::corrupt(format!("ORC compression blocks of {n} bytes"))),
        };
        Ok(Codec { kind, block_size })
    }

    /// All chunks of a stream, at most `limit` bytes.
    pub(super) fn decompress(self, bytes: &[u8], limit: usize) -> Result<Vec<u8>> {
        let too_large = || Error::new(Code::LimitExceeded, format!("an ORC stream of more than {limit} bytes"));
        if self.kind == CompressionKind::None {
            return if bytes.len() > limit { Err(too_large()) } else { Ok(bytes.to_vec()) };
        }
        let mut out = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let Some((head, tail)) = rest.split_first_chunk::<3>() else {
                return Err(Error::corrupt("an ORC chunk header is cut"));
            };
            let header = u32::from_le_bytes([head[0], head[1], head[2], 0]);
            let length = (header >> 1) as usize;
            if length > tail.len() {
                return Err(Error::corrupt(format!("an ORC chunk of {length} bytes where {} are left", tail.len())));
            }
            let (chunk, tail) = tail.split_at(length);
            rest = tail;
            if header & 1 == 1 {
                out.extend_from_slice(chunk);
            } else {
                self.chunk(chunk, &mut out)?;
            }
            if out.len() > limit {
                return Err(too_large());
            }
        }
        Ok(out)
    }

    fn chunk(self, chunk: &[u8], out: &mut Vec<u8>) -> Result<()> {
        match self.kind {
            CompressionKind::Zlib => self.limited(flate2::read::DeflateDecoder::new(chunk), out),
            CompressionKind::Zstd => {
                self.limited(zstd::stream::read::Decoder::with_buffer(chunk).map_err(failed)?, out)
            }
            CompressionKind::Snappy => {
                let length = snap::raw::decompress_len(chunk).map_err(failed)?;
                let at = self.grow(out, length)?;
                snap::raw::Decoder::new().decompress(chunk, &mut out[at..]).map_err(failed)?;
                Ok(())
            }
            CompressionKind::Lz4 => {
                let at = self.grow(out, self.block_size)?;
                let length = lz4_flex::block::decompress_into(chunk, &mut out[at..]).map_err(failed)?;
                out.truncate(at + length);
                Ok(())
            }
            CompressionKind::None | CompressionKind::Lzo => Err(Error::internal("not a chunked stream")),
        }
    }

    fn grow(self, out: &mut Vec<u8>, length: usize) -> Result<usize> {
        let at = out.len();
        if length > self.block_size {
            return Err(Error::corrupt(format!(
                "an ORC chunk of {length} bytes, at most {} are legal",
                self.block_size
            )));
        }
        out.resize(at + length, 0);
        Ok(at)
    }

    fn limited(self, reader: impl Read, out: &mut Vec<u8>) -> Result<()> {
        let before = out.len();
        reader.take(self.block_size as u64 + 1).read_to_end(out).map_err(failed)?;
        if out.len() - before > self.block_size {
            return Err(Error::corrupt(format!("an ORC chunk of more than {} bytes", self.block_size)));
        }
        Ok(())
    }
}
