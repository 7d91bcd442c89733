use lakefold_base::{Error, Result};
use roaring::RoaringBitmap;

use super::container::{self, ARRAY, BITS, COOKIE, Packed, RUN, RUN_COOKIE};

/// `rbm32`: the union of 32-bit Roaring bitmaps in the portable format.
pub(super) fn union(a: &[u8], b: &[u8]) -> Result<Vec<u8>> {
    let read = |bytes: &[u8]| {
        RoaringBitmap::deserialize_from(bytes).map_err(|e| Error::corrupt("a broken bitmap in a row").caused_by(e))
    };
    let mut union = read(a)? | read(b)?;
    if union.statistics().n_run_containers == 0 {
        union.optimize();
        return write(&union);
    }
    // Each container by itself: which runs are kept is Java's own rule.
    let packed = split(&write(&union)?)?.into_iter().map(|(key, mut one)| Ok((key, container::pack(&mut one)?)));
    Ok(join(&packed.collect::<Result<Vec<_>>>()?))
}

fn write(bitmap: &RoaringBitmap) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(bitmap.serialized_size());
    bitmap.serialize_into(&mut bytes).map_err(|e| Error::internal("a bitmap was not written").caused_by(e))?;
    Ok(bytes)
}

/// The containers, by key, of a bitmap that has runs.
fn split(bytes: &[u8]) -> Result<Vec<(u16, RoaringBitmap)>> {
    let ended = || Error::internal("a written bitmap ends early");
    let word = |at: usize| -> Result<u16> {
        let pair = bytes.get(at..at + 2).ok_or_else(ended)?;
        Ok(u16::from_le_bytes([pair[0], pair[1]]))
    };
    let count = usize::from(word(2)?) + 1;
    let descriptions = 4 + count.div_ceil(8);
    let mut at = descriptions + 4 * count + offsets(count);
    let mut containers = Vec::with_capacity(count);
    for i in 0..count {
        let (key, cardinality) = (word(descriptions + 4 * i)?, u32::from(word(descriptions + 4 * i + 2)?) + 1);
        let (kind, length) = match (bytes[4 + i / 8] >> (i % 8) & 1 == 1, cardinality > 4096) {
            (true, _) => (RUN, 2 + 4 * usize::from(word(at)?)),
            (_, true) => (BITS, 8192),
            _ => (ARRAY, 2 * cardinality as usize),
        };
        let data = bytes.get(at..at + length).ok_or_else(ended)?;
        containers.push((key, container::open(kind, cardinality, data)?));
        at += length;
    }
    Ok(containers)
}

/// The length of the offsets in a header with runs.
fn offsets(count: usize) -> usize {
    if count < 4 { 0 } else { 4 * count }
}

fn join(containers: &[(u16, Packed)]) -> Vec<u8> {
    let count = containers.len();
    let runs = containers.iter().any(|(_, one)| one.kind == RUN);
    let mut out = Vec::new();
    if runs {
        out.extend((RUN_COOKIE | (count as u32 - 1) << 16).to_le_bytes());
        let mut flags = vec![0_u8; count.div_ceil(8)];
        for (i, _) in containers.iter().enumerate().filter(|(_, (_, one))| one.kind == RUN) {
            flags[i / 8] |= 1 << (i % 8);
        }
        out.extend(flags);
    } else {
        out.extend(COOKIE.to_le_bytes());
        out.extend((count as u32).to_le_bytes());
    }
    for (key, one) in containers {
        out.extend(key.to_le_bytes());
        out.extend(((one.cardinality - 1) as u16).to_le_bytes());
    }
    let length = if runs { offsets(count) } else { 4 * count };
    let mut offset = out.len() + length;
    if length > 0 {
        for (_, one) in containers {
            out.extend((offset as u32).to_le_bytes());
            offset += one.data.len();
        }
    }
    for (_, one) in containers {
        out.extend(&one.data);
    }
    out
}
