//! Hadoop's block streams: a block is the big-endian length of its plain bytes, then chunks, each a big-endian length and
//! so many compressed bytes, until the block is full.

use super::source::SourceReader;
use lakefold_base::{Code, Error};
use std::io::{Read, Result};

/// Writers make chunks of 256 KiB.
const MAX_CHUNK: usize = 64 << 20;

/// How the chunks are compressed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Packing {
    Snappy,
    Lz4,
}

/// The plain bytes of a block stream.
pub(super) struct Blocks {
    input: SourceReader,
    packing: Packing,
    plain: Vec<u8>,
    at: usize,
    /// Plain bytes of the block that are still to come.
    left: usize,
}

fn corrupt(text: impl Into<String>) -> std::io::Error {
    std::io::Error::other(Error::corrupt(text))
}

impl Blocks {
    pub(super) fn new(input: SourceReader, packing: Packing) -> Self {
        Self { input, packing, plain: Vec::new(), at: 0, left: 0 }
    }

    /// A big-endian length; none at the end of the file.
    fn length(&mut self) -> Result<Option<usize>> {
        let mut bytes = [0; 4];
        let mut have = 0;
        while have < 4 {
            match self.input.read(&mut bytes[have..])? {
                0 if have == 0 => return Ok(None),
                0 => return Err(corrupt("the length of a compressed block is cut")),
                n => have += n,
            }
        }
        Ok(Some(u32::from_be_bytes(bytes) as usize))
    }

    /// Decompresses the next chunk; false at the end.
    fn fill(&mut self) -> Result<bool> {
        while self.left == 0 {
            match self.length()? {
                None => return Ok(false),
                // Writers end a stream with an empty block; another stream may follow.
                Some(length) => self.left = length,
            }
        }
        let packed = self.length()?.ok_or_else(|| corrupt("a compressed block is cut"))?;
        if packed > MAX_CHUNK {
            let error = Error::new(Code::LimitExceeded, format!("a compressed chunk of {packed} bytes"));
            return Err(std::io::Error::other(error.with("maxLength", MAX_CHUNK)));
        }
        let mut bytes = Vec::new();
        (&mut self.input).take(packed as u64).read_to_end(&mut bytes)?;
        if bytes.len() < packed {
            return Err(corrupt("a compressed chunk is cut"));
        }
        let most = self.left.min(MAX_CHUNK);
        self.plain = match self.packing {
            Packing::Snappy => lakefold_codec::snappy(&bytes, most).map_err(std::io::Error::other)?,
            Packing::Lz4 => {
                // A byte of LZ4 gives at most 255.
                let mut plain = vec![0; most.min(bytes.len().saturating_mul(255))];
                let length = lz4_flex::block::decompress_into(&bytes, &mut plain)
                    .map_err(|e| std::io::Error::other(Error::corrupt("broken LZ4 data").caused_by(e)))?;
                plain.truncate(length);
                plain
            }
        };
        if self.plain.is_empty() {
            return Err(corrupt("a compressed chunk without bytes"));
        }
        self.at = 0;
        self.left -= self.plain.len();
        Ok(true)
    }
}

impl Read for Blocks {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        if self.at == self.plain.len() && !self.fill()? {
            return Ok(0);
        }
        let rest = &self.plain[self.at..];
        let n = buffer.len().min(rest.len());
        buffer[..n].copy_from_slice(&rest[..n]);
        self.at += n;
        Ok(n)
    }
}
