use bytes::Bytes;
use lakefold_base::{Error, Result};
use lakefold_store::Source;
use parquet::errors::Result as ParquetResult;
use parquet::file::reader::{ChunkReader, Length};
use std::io::Read;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use crate::guard::{carry, parquet_error};
use crate::thrift;

/// How much of a column chunk is read at once.
const READ_AHEAD: u64 = 1 << 20;

/// Longest page header, statistics included.
const MAX_HEADER: u64 = 64 * 1024;

/// A page may claim to decompress to this much whatever its size...
const FREE_PAGE: u64 = 16 << 20;

/// ...and to this much for each byte of it: more than zstd's runs (128 KiB in 4 bytes) can reach.
const MOST_RATIO: u64 = 1 << 16;

/// One column chunk of a file, read in windows, so that a chunk is never held whole unless it is small.
pub(crate) struct Chunk {
    source: Arc<dyn Source>,
    range: Range<u64>,
    window: Mutex<(u64, Bytes)>,
}

impl Chunk {
    pub(crate) fn new(source: Arc<dyn Source>, range: Range<u64>) -> Self {
        Self { source, range, window: Mutex::new((0, Bytes::new())) }
    }

    /// At least `length` bytes from `start`, more if they are at hand.
    fn at_least(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let end = start.saturating_add(length as u64);
        // Pages outside of the chunk are left to the source, which knows where the file ends.
        let mut window = match self.window.lock() {
            Ok(guard) => guard,
            Err(poisoned) => poisoned.into_inner(),
        };
        let (at, bytes) = &*window;
        if start >= *at && end <= at + bytes.len() as u64 {
            return Ok(bytes.slice((start - at) as usize..));
        }
        let ahead = start.saturating_add(READ_AHEAD.max(length as u64)).min(self.range.end.max(end));
        let bytes = self.source.read(start..ahead).map_err(carry)?;
        *window = (start, bytes.clone());
        Ok(bytes)
    }
}

impl Length for Chunk {
    fn len(&self) -> u64 {
        self.source.len()
    }
}

/// [`Chunk`], shared between the readers of its column.
#[derive(Clone)]
pub(crate) struct SharedChunk(pub(crate) Arc<Chunk>);

impl SharedChunk {
    /// Refuses a page whose claimed size no codec could reach, before anything of that size is allocated. A header that
    /// cannot be read is left to the real parser.
    fn bound(&self, at: u64) -> Result<()> {
        let left = self.0.range.end.saturating_sub(at).min(MAX_HEADER) as usize;
        let bytes = self.0.at_least(at, left).map_err(parquet_error)?;
        match thrift::page_header(&bytes) {
            Ok(h) if h.uncompressed > FREE_PAGE.saturating_add(h.compressed.saturating_mul(MOST_RATIO)) => {
                Err(Error::corrupt("a page that claims to be larger than its bytes can hold")
                    .with("offset", at)
                    .with("compressed", h.compressed)
                    .with("uncompressed", h.uncompressed))
            }
            _ => Ok(()),
        }
    }

    /// Compares each page that carries a checksum with it.
    pub(crate) fn verify(&self) -> Result<()> {
        let Range { start: mut at, end } = self.0.range.clone();
        while at < end {
            let left = (end - at).min(MAX_HEADER) as usize;
            let header = thrift::page_header(&self.0.at_least(at, left).map_err(parquet_error)?)?;
            at += header.length as u64;
            if header.compressed > end.saturating_sub(at) {
                return Err(Error::corrupt("a page that passes the end of its column"));
            }
            if let Some(crc) = header.crc {
                let page = self.0.at_least(at, header.compressed as usize).map_err(parquet_error)?;
                if crc32fast::hash(&page[..header.compressed as usize]) != crc {
                    return Err(Error::corrupt("a page's checksum does not match").with("offset", at));
                }
            }
            at += header.compressed;
        }
        Ok(())
    }
}

impl Length for SharedChunk {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

/// A reader of page headers, which pulls in more of the chunk as it goes.
pub(crate) struct HeaderReader {
    chunk: SharedChunk,
    at: u64,
    bytes: Bytes,
}

impl Read for HeaderReader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.bytes.is_empty() && self.at < self.chunk.0.range.end {
            self.bytes = self.chunk.0.at_least(self.at, 1).map_err(std::io::Error::other)?;
        }
        let n = buffer.len().min(self.bytes.len());
        buffer[..n].copy_from_slice(&self.bytes.split_to(n));
        self.at += n as u64;
        Ok(n)
    }
}

impl ChunkReader for SharedChunk {
    type T = HeaderReader;

    fn get_read(&self, start: u64) -> ParquetResult<HeaderReader> {
        self.bound(start).map_err(carry)?;
        Ok(HeaderReader { chunk: self.clone(), at: start, bytes: Bytes::new() })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        Ok(self.0.at_least(start, length)?.slice(..length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lakefold_base::Code;

    /// A page header in Thrift's compact protocol: type, uncompressed size, compressed size.
    fn header(uncompressed: i32, compressed: i32) -> Vec<u8> {
        let mut bytes = vec![0x15, 0];
        for value in [uncompressed, compressed] {
            bytes.push(0x15);
            let mut rest = (value as u32) << 1;
            while rest >= 0x80 {
                bytes.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            bytes.push(rest as u8);
        }
        bytes.push(0);
        bytes
    }

    fn read_at_start(bytes: Vec<u8>) -> Result<()> {
        let range = 0..bytes.len() as u64;
        let chunk = SharedChunk(Arc::new(Chunk::new(crate::memory_file::memory(bytes), range)));
        chunk.get_read(0).map(|_| ()).map_err(parquet_error)
    }

    #[test]
    fn a_page_cannot_claim_more_than_a_codec_can_reach() {
        let error = read_at_start(header(1 << 30, 100)).unwrap_err();
        assert_eq!(error.code(), Code::CorruptFile);
        assert!(error.context().any(|(key, value)| key == "uncompressed" && value == "1073741824"), "{error:?}");
        // A page of zeros: 100 bytes of zstd may be a few MiB.
        read_at_start(header(6 << 20, 100)).unwrap();
        read_at_start(header(1 << 30, 20_000)).unwrap();
        // Not a header: the real parser says what is wrong with it.
        read_at_start(vec![0xff; 40]).unwrap();
    }
}
