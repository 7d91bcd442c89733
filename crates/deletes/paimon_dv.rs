//! Deletion vectors as Paimon's deletion vector index files hold them, 32 or 64 bit.

use crate::{iceberg_dv, roaring32};
use lakefold_base::{Error, Result};
use roaring::RoaringTreemap;

const MAGIC_32: [u8; 4] = 1_581_511_376_u32.to_be_bytes();
const MAGIC_64: [u8; 4] = 1_681_511_377_u32.to_le_bytes();

/// Reads the block at the head of `bytes`; `length` is the one that the index manifest gives (magic number and bitmap
/// in the 32-bit form, the whole block in the 64-bit form). Checks lengths, magic number, checksum, every container,
/// the end, and the cardinality where it is known. Allocates in proportion to `bytes` only. Errors are `CorruptFile`.
pub fn read_paimon_dv(bytes: &[u8], length: u64, cardinality: Option<u64>) -> Result<RoaringTreemap> {
    let vector = parse(bytes, length)
        .and_then(|vector| match cardinality {
            Some(known) if known != vector.len() => {
                Err(format!("cardinality {}, the manifest says {known}", vector.len()))
            }
            _ => Ok(vector),
        })
        .map_err(|problem| Error::corrupt(format!("broken deletion vector: {problem}")))?;
    Ok(vector)
}

fn word(bytes: &[u8], at: usize) -> Result<[u8; 4], String> {
    let end = at.checked_add(4).ok_or("a length beyond all bounds")?;
    let four = bytes.get(at..end).and_then(|four| four.try_into().ok());
    four.ok_or_else(|| format!("needs {end} bytes, {} are left in the file", bytes.len()))
}

fn parse(bytes: &[u8], length: u64) -> Result<RoaringTreemap, String> {
    let size = i32::from_be_bytes(word(bytes, 0)?);
    let magic = word(bytes, 4)?;
    // What both checksums cover: the magic number and the bitmaps.
    let covered = match magic {
        MAGIC_32 => length,
        MAGIC_64 => length.checked_sub(8).ok_or_else(|| format!("{length} bytes are too few"))?,
        other => return Err(format!("magic number {other:02x?}")),
    };
    if i64::from(size) != i64::try_from(covered).unwrap_or(i64::MAX) {
        return Err(format!("length field {size}, expected {covered}"));
    }
    let covered = usize::try_from(covered).map_err(|_| format!("length {covered}"))?;
    let end = covered.checked_add(4).ok_or("a length beyond all bounds")?;
    let body = bytes.get(4..end).filter(|body| body.len() > 4);
    let body = body.ok_or_else(|| format!("{covered} bytes, {} are left in the file", bytes.len()))?;
    let (declared, computed) = (u32::from_be_bytes(word(bytes, end)?), crc32fast::hash(body));
    if computed != declared {
        return Err(format!("CRC mismatch: {computed:#010x}, the file says {declared:#010x}"));
    }
    if magic == MAGIC_64 {
        if body.len() < 12 {
            return Err(format!("{} bytes are too few", body.len()));
        }
        return iceberg_dv::read_vector(&body[4..]);
    }
    let (bitmap, used) = roaring32::read(&body[4..])?;
    if used != body.len() - 4 {
        return Err(format!("{} bytes after the bitmap", body.len() - 4 - used));
    }
    Ok(RoaringTreemap::from_bitmaps([(0, bitmap)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use roaring::RoaringBitmap;

    fn block_32(positions: &[u32]) -> Vec<u8> {
        let mut body = MAGIC_32.to_vec();
        RoaringBitmap::from_iter(positions).serialize_into(&mut body).unwrap();
        wrap(body)
    }

    fn block_64(positions: &[u64]) -> Vec<u8> {
        let mut body = MAGIC_64.to_vec();
        RoaringTreemap::from_iter(positions).serialize_into(&mut body).unwrap();
        wrap(body)
    }

    fn wrap(body: Vec<u8>) -> Vec<u8> {
        let crc = crc32fast::hash(&body);
        [&(body.len() as u32).to_be_bytes()[..], &body, &crc.to_be_bytes()].concat()
    }

    #[test]
    fn both_forms_are_told_apart_by_their_magic_number() {
        let block = block_32(&[1, 7, 70_000]);
        let read = read_paimon_dv(&block, block.len() as u64 - 8, Some(3)).unwrap();
        assert_eq!(read.iter().collect::<Vec<_>>(), [1, 7, 70_000]);
        let block = block_64(&[2, 1 << 40]);
        let read = read_paimon_dv(&block, block.len() as u64, None).unwrap();
        assert_eq!(read.iter().collect::<Vec<_>>(), [2, 1 << 40]);
    }

    #[test]
    fn each_length_rule_holds_for_its_own_form_only() {
        let block = block_32(&[1]);
        assert!(read_paimon_dv(&block, block.len() as u64, None).is_err());
        let block = block_64(&[1]);
        assert!(read_paimon_dv(&block, block.len() as u64 - 8, None).is_err());
    }

    #[test]
    fn no_changed_or_missing_byte_goes_unseen() {
        for (block, length) in [(block_32(&[3, 9]), -8_i64), (block_64(&[3, 9]), 0)] {
            let length = (block.len() as i64 + length) as u64;
            assert!(read_paimon_dv(&block, length, Some(3)).is_err());
            for at in 0..block.len() {
                let mut broken = block.clone();
                broken[at] ^= 0x10;
                assert!(read_paimon_dv(&broken, length, None).is_err(), "byte {at}");
                assert!(read_paimon_dv(&block[..at], length, None).is_err(), "cut at {at}");
            }
            for length in [0, 4, 7, u64::MAX, u64::MAX - 8] {
                assert!(read_paimon_dv(&block, length, None).is_err(), "length {length}");
            }
        }
    }
}
