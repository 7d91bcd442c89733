//! The footer of Puffin files (Iceberg spec, "Puffin file format").

use lakefold_base::{Error, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::Read;
use std::ops::Range;

const MAGIC: &[u8; 4] = b"PFA1";
/// Payload size, flags, magic.
const TAIL: u64 = 12;
/// No footer of a real file comes near; a compressed one must not grow without end.
const MAX_PAYLOAD: u64 = 64 << 20;

/// What the footer says.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Footer {
    /// The blobs, in the footer's order.
    pub blobs: Vec<Blob>,
    /// Properties of the file.
    #[serde(default)]
    pub properties: BTreeMap<String, String>,
}

/// One blob's metadata.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Blob {
    /// The blob's type, such as `deletion-vector-v1`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Field ids that it was computed for.
    #[serde(default)]
    pub fields: Vec<i32>,
    /// The snapshot that it was computed from, -1 if not known.
    pub snapshot_id: i64,
    /// The sequence number of that snapshot, -1 if not known.
    pub sequence_number: i64,
    /// Where it begins, in bytes.
    pub offset: u64,
    /// Its length as stored, in bytes.
    pub length: u64,
    /// `lz4` or `zstd`; absent: not compressed.
    #[serde(default)]
    pub compression_codec: Option<String>,
    /// Properties of the blob.
    #[serde(default)]
    pub properties: BTreeMap<String, String>,
}

fn corrupt(file: &str, problem: impl std::fmt::Display) -> Error {
    Error::corrupt(format!("broken Puffin file: {problem}")).in_file(file)
}

/// The byte range of the footer, from the file's size and its last 12 bytes.
pub fn footer_range(file: &str, size: u64, tail: &[u8; 12]) -> Result<Range<u64>> {
    if &tail[8..] != MAGIC {
        return Err(corrupt(file, "no magic number at the end"));
    }
    let payload = i32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]);
    let payload = u64::try_from(payload).map_err(|_| corrupt(file, format!("footer payload of {payload} bytes")))?;
    // The header's magic, the footer's magic, the payload, the tail.
    match size.checked_sub(payload + TAIL + 4) {
        Some(start) if start >= 4 => Ok(start..size),
        _ => Err(corrupt(file, format!("footer payload of {payload} bytes in a file of {size}"))),
    }
}

/// Parses and checks a footer; `footer` are the bytes of [`footer_range`]. Blobs must lie before it.
pub fn read_footer(file: &str, size: u64, footer: &[u8]) -> Result<Footer> {
    let Some((body, tail)) = footer.split_last_chunk::<12>() else {
        return Err(corrupt(file, "the footer is too short"));
    };
    let start = footer_range(file, size, tail)?.start;
    if size - start != footer.len() as u64 || !body.starts_with(MAGIC) {
        return Err(corrupt(file, "no magic number before the footer"));
    }
    let payload = &body[4..];
    let flags = [tail[4], tail[5], tail[6], tail[7]];
    if flags[0] & !1 != 0 || flags[1..] != [0, 0, 0] {
        return Err(corrupt(file, format!("unknown footer flags {flags:02x?}")));
    }
    let parsed: Footer = if flags[0] & 1 == 1 {
        serde_json::from_slice(&lz4(file, payload, MAX_PAYLOAD)?)
    } else {
        serde_json::from_slice(payload)
    }
    .map_err(|e| corrupt(file, format!("footer: {e}")))?;
    for blob in &parsed.blobs {
        if blob.offset < 4 || blob.offset.checked_add(blob.length).is_none_or(|end| end > start) {
            return Err(corrupt(file, format!("blob of {} bytes at {}", blob.length, blob.offset)));
        }
    }
    Ok(parsed)
}

fn read_limited(file: &str, reader: impl Read, limit: u64) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    reader.take(limit + 1).read_to_end(&mut out).map_err(|e| corrupt(file, format!("decompression failed: {e}")))?;
    if out.len() as u64 > limit {
        return Err(corrupt(file, format!("more than {limit} bytes after decompression")));
    }
    Ok(out)
}

fn lz4(file: &str, bytes: &[u8], limit: u64) -> Result<Vec<u8>> {
    read_limited(file, lz4_flex::frame::FrameDecoder::new(bytes), limit)
}

impl Blob {
    /// The blob's content from its stored bytes, decompressed by its codec; at most `limit` bytes.
    pub fn decode(&self, file: &str, stored: &[u8], limit: u64) -> Result<Vec<u8>> {
        if stored.len() as u64 != self.length {
            return Err(corrupt(file, format!("{} bytes of a blob of {}", stored.len(), self.length)));
        }
        match self.compression_codec.as_deref() {
            None => Ok(stored.to_vec()),
            Some("lz4") => lz4(file, stored, limit),
            Some("zstd") => {
                let decoder = zstd::stream::read::Decoder::with_buffer(stored)
                    .map_err(|e| corrupt(file, format!("decompression failed: {e}")))?;
                read_limited(file, decoder, limit)
            }
            Some(other) => Err(Error::unsupported(format!("Puffin blob codec {other:?}")).in_file(file)),
        }
    }

    /// Checks that this blob is the deletion vector that a manifest entry describes
    /// (`referenced-data-file` and `cardinality` must agree).
    pub fn check_dv(&self, file: &str, data_file: &str, record_count: i64) -> Result<()> {
        if self.kind != "deletion-vector-v1" || self.compression_codec.is_some() {
            return Err(corrupt(file, format!("blob of type {:?} where a deletion vector is due", self.kind)));
        }
        let property = |key: &str| self.properties.get(key).map(String::as_str).unwrap_or_default();
        if property("referenced-data-file") != data_file {
            return Err(corrupt(file, format!("the vector is for {:?}", property("referenced-data-file")))
                .with("data-file", data_file));
        }
        if property("cardinality").parse() != Ok(record_count) {
            return Err(corrupt(
                file,
                format!("cardinality {:?}, the manifest says {record_count}", property("cardinality")),
            )
            .with("data-file", data_file));
        }
        Ok(())
    }
}
