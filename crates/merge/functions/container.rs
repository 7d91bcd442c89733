//! The containers of Roaring bitmaps: up to 65536 values with the same high bits, in one of three forms.

use lakefold_base::{Error, Result};
use roaring::RoaringBitmap;

pub(super) const RUN: u8 = 0;
pub(super) const BITS: u8 = 1;
pub(super) const ARRAY: u8 = 2;

/// First word of a portable bitmap of one container, and the low half of the word where there are runs.
pub(super) const COOKIE: u32 = 12_346;
pub(super) const RUN_COOKIE: u32 = 12_347;

/// A container as it is written.
pub(super) struct Packed {
    pub(super) kind: u8,
    pub(super) cardinality: u32,
    /// Runs begin with their number.
    pub(super) data: Vec<u8>,
}

fn broken(what: &str) -> Error {
    Error::corrupt(format!("a broken container in a row's bitmap: {what}"))
}

/// A container as a 32-bit bitmap of values below 65536, by way of the portable format, which holds the same data.
pub(super) fn open(kind: u8, cardinality: u32, data: &[u8]) -> Result<RoaringBitmap> {
    // Java does not look at what is written as a run container's cardinality.
    let cardinality = match (kind, data) {
        (RUN, [_, _, pairs @ ..]) => {
            pairs.chunks_exact(4).map(|p| u32::from(u16::from_le_bytes([p[2], p[3]])) + 1).sum()
        }
        _ => cardinality,
    };
    let Some(last) = cardinality.checked_sub(1) else { return Ok(RoaringBitmap::new()) };
    if kind != RUN && (kind == BITS) != (cardinality > 4096) {
        return convert(kind, data);
    }
    let mut portable = Vec::with_capacity(16 + data.len());
    if kind == RUN {
        portable.extend(RUN_COOKIE.to_le_bytes());
        portable.push(1);
    } else {
        portable.extend(COOKIE.to_le_bytes());
        portable.extend(1_u32.to_le_bytes());
    }
    portable.extend([0, 0]);
    portable.extend(u16::try_from(last).map_err(|_| broken("too many values"))?.to_le_bytes());
    if kind != RUN {
        portable.extend(16_u32.to_le_bytes());
    }
    portable.extend(data);
    RoaringBitmap::deserialize_from(&portable[..]).map_err(|e| broken("its data").caused_by(e))
}

/// An array that is longer, or bits that are fewer, than the portable format has them.
fn convert(kind: u8, data: &[u8]) -> Result<RoaringBitmap> {
    if kind == ARRAY {
        let values = data.chunks_exact(2).map(|v| u32::from(u16::from_le_bytes([v[0], v[1]])));
        return RoaringBitmap::from_sorted_iter(values).map_err(|_| broken("an array that is not sorted"));
    }
    let set = (0..65_536_u32).filter(|v| data[*v as usize / 8] >> (v % 8) & 1 == 1);
    RoaringBitmap::from_sorted_iter(set).map_err(|_| broken("bits out of order"))
}

/// A container, which holds values below 65536, in the form that Java would write.
pub(super) fn pack(container: &mut RoaringBitmap) -> Result<Packed> {
    if !are_runs_kept(container) {
        container.optimize();
    }
    let cardinality = container.len() as u32;
    if container.is_empty() {
        return Ok(Packed { kind: ARRAY, cardinality, data: Vec::new() });
    }
    let mut portable = Vec::with_capacity(container.serialized_size());
    container.serialize_into(&mut portable).map_err(|e| Error::internal("a bitmap was not written").caused_by(e))?;
    // With runs: cookie and count, flags, key and cardinality. Without: cookie, count, key and cardinality, offset.
    let run = portable[0] == RUN_COOKIE.to_le_bytes()[0];
    let kind = match (run, cardinality > 4096) {
        (true, _) => RUN,
        (_, true) => BITS,
        _ => ARRAY,
    };
    Ok(Packed { kind, cardinality, data: portable.split_off(if run { 9 } else { 16 }) })
}

/// Java counts two bytes more for an array where it asks if runs should become one, but not where an array should become runs.
fn are_runs_kept(container: &RoaringBitmap) -> bool {
    let found = container.statistics();
    found.n_run_containers == 1 && found.n_bytes_run_containers == 2 + 2 * found.cardinality
}
