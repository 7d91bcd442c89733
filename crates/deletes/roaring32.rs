//! A bounds-checked walk over one 32-bit Roaring bitmap in the portable format, ahead of building it.

use roaring::RoaringBitmap;

const COOKIE: u32 = 12347;
const COOKIE_NO_RUNS: u32 = 12346;
const NO_OFFSET_THRESHOLD: usize = 4;
const ARRAY_LIMIT: u32 = 4096;
const BITMAP_BYTES: usize = 8192;

/// What a container holds, still as little-endian bytes.
enum Container<'a> {
    /// Ascending values of two bytes.
    Array(&'a [u8]),
    /// One bit a value.
    Bitmap(&'a [u8]),
    /// Ascending pairs of start and length less one.
    Runs(&'a [u8]),
}

fn take<'a>(rest: &mut &'a [u8], n: usize, what: &str) -> Result<&'a [u8], String> {
    if n > rest.len() {
        return Err(format!("{what} needs {n} bytes, {} are left", rest.len()));
    }
    let (head, tail) = rest.split_at(n);
    *rest = tail;
    Ok(head)
}

fn u16_at(bytes: &[u8], i: usize) -> u16 {
    u16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]])
}

fn take_u32(rest: &mut &[u8], what: &str) -> Result<u32, String> {
    let b = take(rest, 4, what)?;
    Ok(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

/// Checks the bitmap at the head of `bytes`, calls `visit` with the high half and content of each container,
/// and returns the bitmap's length in bytes.
fn walk(bytes: &[u8], mut visit: impl FnMut(u16, Container<'_>)) -> Result<usize, String> {
    let mut rest = bytes;
    let cookie = take_u32(&mut rest, "a bitmap's cookie")?;
    let (count, run_flags) = if cookie == COOKIE_NO_RUNS {
        (take_u32(&mut rest, "a bitmap's container count")? as usize, None)
    } else if cookie & 0xffff == COOKIE {
        let count = (cookie >> 16) as usize + 1;
        (count, Some(take(&mut rest, count.div_ceil(8), "the run flags")?))
    } else {
        return Err(format!("unknown bitmap cookie {cookie}"));
    };
    if count > 1 << 16 {
        return Err(format!("{count} containers in one bitmap"));
    }
    let headers = take(&mut rest, 4 * count, "the container headers")?;
    let has_offsets = run_flags.is_none() || count >= NO_OFFSET_THRESHOLD;
    let offsets = if has_offsets { Some(take(&mut rest, 4 * count, "the container offsets")?) } else { None };
    let mut last_key = None;
    for i in 0..count {
        let key = u16_at(headers, 2 * i);
        if last_key.is_some_and(|last| last >= key) {
            return Err(format!("container key {key} is not above the one before"));
        }
        last_key = Some(key);
        let cardinality = u32::from(u16_at(headers, 2 * i + 1)) + 1;
        if let Some(offsets) = offsets {
            let o = &offsets[4 * i..4 * i + 4];
            let declared = u32::from_le_bytes([o[0], o[1], o[2], o[3]]) as usize;
            if declared != bytes.len() - rest.len() {
                return Err(format!("container {key} is said to lie at {declared}, not {}", bytes.len() - rest.len()));
            }
        }
        let (container, found) = if run_flags.is_some_and(|flags| flags[i / 8] & (1 << (i % 8)) != 0) {
            let head = take(&mut rest, 2, "a run container")?;
            let runs = take(&mut rest, 4 * usize::from(u16_at(head, 0)), "a run container")?;
            (Container::Runs(runs), count_runs(key, runs)?)
        } else if cardinality <= ARRAY_LIMIT {
            let values = take(&mut rest, 2 * cardinality as usize, "an array container")?;
            for j in 1..cardinality as usize {
                if u16_at(values, j - 1) >= u16_at(values, j) {
                    return Err(format!("the values of container {key} are not strictly ascending"));
                }
            }
            (Container::Array(values), cardinality)
        } else {
            let bits = take(&mut rest, BITMAP_BYTES, "a bitmap container")?;
            (Container::Bitmap(bits), bits.iter().map(|b| b.count_ones()).sum())
        };
        if found != cardinality {
            return Err(format!("container {key} holds {found} values, not {cardinality}"));
        }
        visit(key, container);
    }
    Ok(bytes.len() - rest.len())
}

fn count_runs(key: u16, runs: &[u8]) -> Result<u32, String> {
    let mut total = 0;
    let mut last_end: Option<u32> = None;
    for i in 0..runs.len() / 4 {
        let (start, more) = (u32::from(u16_at(runs, 2 * i)), u32::from(u16_at(runs, 2 * i + 1)));
        if last_end.is_some_and(|end| end >= start) || start + more > 0xffff {
            return Err(format!("the runs of container {key} overlap, are out of order or too long"));
        }
        last_end = Some(start + more);
        total += more + 1;
    }
    Ok(total)
}

fn has_touching_runs(runs: &[u8]) -> bool {
    (1..runs.len() / 4).any(|i| {
        let end = u32::from(u16_at(runs, 2 * i - 2)) + u32::from(u16_at(runs, 2 * i - 1));
        end + 1 == u32::from(u16_at(runs, 2 * i))
    })
}

/// Reads the bitmap at the head of `bytes`; returns it with its length in bytes.
pub(crate) fn read(bytes: &[u8]) -> Result<(RoaringBitmap, usize), String> {
    let mut touching = false;
    let len = walk(bytes, |_, container| {
        if let Container::Runs(runs) = container {
            touching |= has_touching_runs(runs);
        }
    })?;
    if touching {
        // Legal in the format, but the roaring crate wants runs with gaps.
        return Ok((rebuild(bytes)?, len));
    }
    let bitmap = RoaringBitmap::deserialize_unchecked_from(&bytes[..len]).map_err(|e| e.to_string())?;
    Ok((bitmap, len))
}

fn rebuild(bytes: &[u8]) -> Result<RoaringBitmap, String> {
    let mut bitmap = RoaringBitmap::new();
    walk(bytes, |key, container| {
        let base = u32::from(key) << 16;
        match container {
            Container::Array(values) => {
                bitmap.extend((0..values.len() / 2).map(|i| base | u32::from(u16_at(values, i))));
            }
            Container::Bitmap(bits) => bitmap |= RoaringBitmap::from_lsb0_bytes(base, bits),
            Container::Runs(runs) => {
                for i in 0..runs.len() / 4 {
                    let start = base | u32::from(u16_at(runs, 2 * i));
                    bitmap.insert_range(start..=start + u32::from(u16_at(runs, 2 * i + 1)));
                }
            }
        }
    })?;
    Ok(bitmap)
}
