//! The run-length encodings of LENGTH streams (ORC spec, "Run Length Encoding"), to know what lists and maps
//! claim before anything is allocated for it.

use lakefold_base::{Error, Result};

struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn byte(&mut self) -> Result<u8> {
        let (&byte, rest) = self.0.split_first().ok_or_else(|| Error::corrupt("an ORC length stream is cut"))?;
        self.0 = rest;
        Ok(byte)
    }

    fn varint(&mut self) -> Result<u64> {
        let mut value = 0u64;
        for shift in (0..70).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Error::corrupt("a broken variable-length integer"))
    }

    fn zigzag(&mut self) -> Result<i64> {
        let value = self.varint()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn big_endian(&mut self, bytes: usize) -> Result<u64> {
        (0..bytes).try_fold(0u64, |value, _| Ok(value << 8 | u64::from(self.byte()?)))
    }

    /// `count` values of `width` bits, most significant bit first; then on to the next whole byte.
    fn packed(&mut self, count: usize, width: usize, mut each: impl FnMut(u64)) -> Result<()> {
        let (mut bits, mut have) = (0u128, 0);
        for _ in 0..count {
            while have < width {
                bits = bits << 8 | u128::from(self.byte()?);
                have += 8;
            }
            have -= width;
            each((bits >> have) as u64 & (u64::MAX >> (64 - width.max(1))));
            bits &= (1u128 << have) - 1;
        }
        Ok(())
    }
}

fn width(code: u8) -> usize {
    match code {
        0..=23 => usize::from(code) + 1,
        24 => 26,
        25 => 28,
        26 => 30,
        27 => 32,
        28 => 40,
        29 => 48,
        30 => 56,
        _ => 64,
    }
}

/// The sum of all lengths of a stream; a length that is negative or too large for Arrow is an error.
pub(super) fn total(stream: &[u8], version2: bool) -> Result<u64> {
    let mut sum = 0u64;
    let mut wrong = None;
    let mut add = |length: i64| match u64::try_from(length) {
        Ok(n) if n <= i32::MAX as u64 => sum += n,
        _ => wrong = Some(length),
    };
    let mut bytes = Bytes(stream);
    while !bytes.0.is_empty() {
        if version2 { run2(&mut bytes, &mut add)? } else { run1(&mut bytes, &mut add)? }
    }
    match wrong {
        Some(length) => Err(Error::corrupt(format!("a list or map of {length} items"))),
        None => Ok(sum),
    }
}

fn run1(bytes: &mut Bytes<'_>, add: &mut impl FnMut(i64)) -> Result<()> {
    let control = bytes.byte()? as i8;
    if control < 0 {
        for _ in 0..-i32::from(control) {
            add(bytes.varint()? as i64);
        }
        return Ok(());
    }
    let delta = i64::from(bytes.byte()? as i8);
    let base = bytes.varint()? as i64;
    for i in 0..i64::from(control) + 3 {
        add(base.wrapping_add(i * delta));
    }
    Ok(())
}

fn run2(bytes: &mut Bytes<'_>, add: &mut impl FnMut(i64)) -> Result<()> {
    let first = bytes.byte()?;
    if first >> 6 == 0 {
        let value = bytes.big_endian(usize::from(first >> 3 & 7) + 1)? as i64;
        (0..usize::from(first & 7) + 3).for_each(|_| add(value));
        return Ok(());
    }
    let code = first >> 1 & 31;
    let count = (usize::from(first & 1) << 8 | usize::from(bytes.byte()?)) + 1;
    match first >> 6 {
        1 => bytes.packed(count, width(code), |value| add(value as i64)),
        2 => patched(bytes, count, width(code), add),
        _ => {
            let base = bytes.varint()? as i64;
            let delta = bytes.zigzag()?;
            add(base);
            if count > 1 {
                let mut value = base.wrapping_add(delta);
                add(value);
                if code == 0 {
                    for _ in 2..count {
                        value = value.wrapping_add(delta);
                        add(value);
                    }
                } else {
                    bytes.packed(count - 2, width(code), |step| {
                        let step = step as i64;
                        value = if delta < 0 { value.wrapping_sub(step) } else { value.wrapping_add(step) };
                        add(value);
                    })?;
                }
            }
            Ok(())
        }
    }
}

fn patched(bytes: &mut Bytes<'_>, count: usize, width_of_values: usize, add: &mut impl FnMut(i64)) -> Result<()> {
    let (third, fourth) = (bytes.byte()?, bytes.byte()?);
    let base_bytes = usize::from(third >> 5) + 1;
    let patch_width = width(third & 31);
    let gap_width = usize::from(fourth >> 5) + 1;
    let patches = usize::from(fourth & 31);
    let raw = bytes.big_endian(base_bytes)?;
    let sign = 1u64 << (8 * base_bytes - 1);
    let base = if raw & sign == 0 { raw as i64 } else { -((raw & !sign) as i64) };
    let mut values = Vec::with_capacity(count);
    bytes.packed(count, width_of_values, |value| values.push(value))?;
    // Patch entries take the next legal width that holds gap and patch.
    let entry = (0..32).map(width).find(|w| *w >= patch_width + gap_width).unwrap_or(64);
    let mut at = 0;
    let mut outside = false;
    let mask = u64::MAX >> (64 - patch_width);
    bytes.packed(patches, entry, |patch| {
        at += (patch.checked_shr(patch_width as u32).unwrap_or(0)) as usize;
        match values.get_mut(at) {
            Some(value) => *value |= (patch & mask).checked_shl(width_of_values as u32).unwrap_or(0),
            None => outside = true,
        }
    })?;
    if outside {
        return Err(Error::corrupt("a patch outside of its run"));
    }
    values.iter().for_each(|value| add(base.wrapping_add(*value as i64)));
    Ok(())
}
