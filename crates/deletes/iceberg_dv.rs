//! Deletion vectors (Iceberg spec, "Puffin: deletion-vector-v1 blob type").

use crate::roaring32;
use lakefold_base::{Error, Result};
use roaring::RoaringTreemap;

const MAGIC: [u8; 4] = [0xd1, 0xd3, 0x39, 0x64];

/// Where a vector comes from, for checks and errors.
#[derive(Debug, Clone, Copy)]
pub struct DvSource<'a> {
    /// The Puffin file.
    pub puffin: &'a str,
    /// `content_offset` of the manifest entry.
    pub offset: u64,
    /// The data file whose rows it hides.
    pub data_file: &'a str,
    /// `record_count` of the manifest entry: the number of positions.
    pub record_count: i64,
}

/// Reads a vector from the bytes at `content_offset`, `content_size_in_bytes` long, and checks all of it:
/// length, magic, checksum, key order, every container, the end, and the cardinality.
/// Allocates in proportion to `blob` only. Errors are `CorruptFile` and name file, offset and data file.
pub fn read_dv(blob: &[u8], source: DvSource<'_>) -> Result<RoaringTreemap> {
    parse(blob, source.record_count).map_err(|problem| {
        Error::corrupt(format!("broken deletion vector: {problem}"))
            .in_file(source.puffin)
            .with("offset", source.offset)
            .with("data-file", source.data_file)
    })
}

fn parse(blob: &[u8], record_count: i64) -> Result<RoaringTreemap, String> {
    // 4 length, 4 magic, 8 number of bitmaps, 4 checksum.
    if blob.len() < 20 {
        return Err(format!("{} bytes are too few", blob.len()));
    }
    let word = |at: usize| [blob[at], blob[at + 1], blob[at + 2], blob[at + 3]];
    let length = i32::from_be_bytes(word(0));
    if i64::from(length) != blob.len() as i64 - 8 {
        return Err(format!("length field {length}, expected {}", blob.len() - 8));
    }
    if word(4) != MAGIC {
        return Err(format!("magic number {:02x?}, expected {MAGIC:02x?}", word(4)));
    }
    let (body, declared) = (&blob[4..blob.len() - 4], u32::from_be_bytes(word(blob.len() - 4)));
    let computed = crc32fast::hash(body);
    if computed != declared {
        return Err(format!("CRC mismatch: {computed:#010x}, the file says {declared:#010x}"));
    }
    let map = read_vector(&body[4..])?;
    if i64::try_from(map.len()) != Ok(record_count) {
        return Err(format!("cardinality {}, the manifest says {record_count}", map.len()));
    }
    Ok(map)
}

/// The vector itself: a count, then keys and 32-bit bitmaps.
pub(crate) fn read_vector(bytes: &[u8]) -> Result<RoaringTreemap, String> {
    let mut head = [0; 8];
    head.copy_from_slice(&bytes[..8]);
    let count = i64::from_le_bytes(head);
    if !(0..=i64::from(i32::MAX)).contains(&count) {
        return Err(format!("{count} bitmaps"));
    }
    let mut rest = &bytes[8..];
    let mut last = -1;
    let mut bitmaps = Vec::new();
    for _ in 0..count {
        let Some((key, tail)) = rest.split_first_chunk::<4>() else {
            return Err(format!("{count} bitmaps declared, the bytes end before"));
        };
        let key = i32::from_le_bytes(*key);
        if key < 0 || key == i32::MAX {
            return Err(format!("bitmap key {key}"));
        }
        if key <= last {
            return Err(format!("bitmap key {key} after {last}"));
        }
        last = key;
        let (bitmap, length) = roaring32::read(tail).map_err(|e| format!("bitmap {key}: {e}"))?;
        rest = &tail[length..];
        if !bitmap.is_empty() {
            bitmaps.push((key as u32, bitmap));
        }
    }
    if !rest.is_empty() {
        return Err(format!("{} bytes after the last bitmap", rest.len()));
    }
    Ok(RoaringTreemap::from_bitmaps(bitmaps))
}
