use lakefold_base::{Error, Result};
use std::borrow::Cow;

/// Blocks are some ten KiB as a rule; a bomb must not grow without end.
const MAX_BLOCK: usize = 256 << 20;

/// A block codec.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Codec {
    Null,
    Deflate,
    Snappy,
    Zstandard,
    Bzip2,
}

impl Codec {
    pub(super) fn parse(name: &[u8]) -> Result<Self> {
        match name {
            b"null" | b"" => Ok(Codec::Null),
            b"deflate" => Ok(Codec::Deflate),
            b"snappy" => Ok(Codec::Snappy),
            b"zstandard" => Ok(Codec::Zstandard),
            b"bzip2" => Ok(Codec::Bzip2),
            other => {
                let name = String::from_utf8_lossy(other).into_owned();
                Err(Error::unsupported(format!("Avro codec {name:?}")).with("field", "avro.codec").with("value", name))
            }
        }
    }

    pub(super) fn decompress(self, bytes: &[u8]) -> Result<Cow<'_, [u8]>> {
        let unpack = match self {
            Codec::Null => return Ok(Cow::Borrowed(bytes)),
            Codec::Deflate => lakefold_codec::deflate,
            Codec::Zstandard => lakefold_codec::zstd,
            Codec::Bzip2 => lakefold_codec::bzip2,
            Codec::Snappy => lakefold_codec::snappy_with_crc,
        };
        unpack(bytes, MAX_BLOCK).map(Cow::Owned)
    }
}
