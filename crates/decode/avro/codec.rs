use lakefold_base::{Code, Error, Result};
use std::borrow::Cow;
use std::io::Read;

/// Blocks are some ten KiB as a rule; a bomb must not grow without end.
const MAX_BLOCK: u64 = 256 << 20;

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
        Ok(Cow::Owned(match self {
            Codec::Null => return Ok(Cow::Borrowed(bytes)),
            Codec::Deflate => limited(flate2::read::DeflateDecoder::new(bytes))?,
            Codec::Zstandard => limited(zstd::stream::read::Decoder::with_buffer(bytes).map_err(failed)?)?,
            Codec::Bzip2 => limited(bzip2::read::BzDecoder::new(bytes))?,
            Codec::Snappy => snappy(bytes)?,
        }))
    }
}

fn failed(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::corrupt("a block cannot be decompressed").caused_by(error)
}

fn too_large() -> Error {
    Error::new(Code::LimitExceeded, format!("a block of more than {MAX_BLOCK} bytes"))
}

fn limited(reader: impl Read) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    reader.take(MAX_BLOCK + 1).read_to_end(&mut out).map_err(failed)?;
    if out.len() as u64 > MAX_BLOCK { Err(too_large()) } else { Ok(out) }
}

/// Avro's snappy blocks end in the CRC-32 of the decompressed bytes.
fn snappy(bytes: &[u8]) -> Result<Vec<u8>> {
    let Some((body, crc)) = bytes.split_last_chunk::<4>() else {
        return Err(Error::corrupt("a snappy block without a checksum"));
    };
    let length = snap::raw::decompress_len(body).map_err(failed)?;
    if length as u64 > MAX_BLOCK {
        return Err(too_large());
    }
    // Snappy copies at most 64 bytes for three: what claims more is broken, and is not allocated.
    if length > body.len().saturating_mul(64) {
        return Err(Error::corrupt(format!("a snappy block of {} bytes that claims {length}", body.len())));
    }
    let out = snap::raw::Decoder::new().decompress_vec(body).map_err(failed)?;
    if crc32fast::hash(&out) != u32::from_be_bytes(*crc) {
        return Err(Error::corrupt("CRC mismatch in a snappy block"));
    }
    Ok(out)
}
