use crate::{MAX_BLOCK_BYTES, Source};
use lakefold_base::{Code, Error, Result};
use lakefold_codec as codec;
use std::borrow::Cow;

/// A decompressed block of records.
pub(crate) struct Block<'a> {
    pub(crate) count: usize,
    pub(crate) data: Cow<'a, [u8]>,
}

#[derive(Clone, Copy)]
enum Codec {
    Null,
    Deflate,
    Snappy,
    Zstandard,
}

/// The blocks of a container in order (Avro specification, "Object Container Files").
pub(crate) struct Blocks<'a> {
    source: &'a Source<'a>,
    codec: Codec,
    min_bytes: usize,
    pos: usize,
}

impl<'a> Blocks<'a> {
    pub(crate) fn open(source: &'a Source<'a>, min_bytes: usize) -> Result<Self> {
        let codec = match source.codec {
            "null" => Codec::Null,
            "deflate" => Codec::Deflate,
            "snappy" => Codec::Snappy,
            "zstandard" => Codec::Zstandard,
            other => {
                let text = format!("{}: the Avro codec \"{other}\" is not supported", source.file);
                return Err(Error::unsupported(text).with("file", source.file).with("codec", other));
            }
        };
        Ok(Blocks { source, codec, min_bytes, pos: 0 })
    }

    fn block(&mut self) -> Result<Block<'a>> {
        let start = self.source.offset + self.pos;
        let mut cursor = crate::Cursor::new(&self.source.blocks[self.pos..], self.source.file);
        let count = cursor.long()?;
        let packed = cursor.blob(crate::program::Blob::Bytes)?;
        let sync = cursor.blob(crate::program::Blob::Fixed(self.source.sync.len()))?;
        if sync != self.source.sync {
            let what = format!("the sync marker after the block at byte {start} is not that of the header");
            return Err(damaged(self.source, start, &what));
        }
        self.pos += cursor.position();
        let data = self.decompress(packed, start)?;
        match usize::try_from(count) {
            Ok(count) if count.saturating_mul(self.min_bytes) <= data.len() => Ok(Block { count, data }),
            _ => {
                let size = data.len();
                let what = format!("the block at byte {start} has {size} bytes, too few for {count} records");
                Err(damaged(self.source, start, &what))
            }
        }
    }

    fn decompress(&self, packed: &'a [u8], start: usize) -> Result<Cow<'a, [u8]>> {
        let unpack = match self.codec {
            Codec::Null => return Ok(Cow::Borrowed(packed)),
            Codec::Deflate => codec::deflate,
            Codec::Snappy => codec::snappy_with_crc,
            Codec::Zstandard => codec::zstd,
        };
        let file = self.source.file;
        match unpack(packed, MAX_BLOCK_BYTES) {
            Ok(data) => Ok(Cow::Owned(data)),
            Err(cause) if cause.code() == Code::LimitExceeded => {
                let text =
                    format!("{file}: the block at byte {start} decompresses to more than {MAX_BLOCK_BYTES} bytes");
                Err(Error::new(Code::LimitExceeded, text).with("file", file).with("limit", MAX_BLOCK_BYTES))
            }
            Err(cause) => {
                let what = format!("the block at byte {start} cannot be decompressed");
                Err(damaged(self.source, start, &what).caused_by(cause))
            }
        }
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Result<Block<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.pos >= self.source.blocks.len() {
            return None;
        }
        let block = self.block();
        if block.is_err() {
            self.pos = self.source.blocks.len();
        }
        Some(block)
    }
}

fn damaged(source: &Source, position: usize, what: &str) -> Error {
    Error::corrupt(format!("{} is damaged: {what}", source.file)).with("file", source.file).with("position", position)
}
