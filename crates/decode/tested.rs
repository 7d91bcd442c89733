//! Which of many values satisfy a test, 64 at a time.

use arrow_buffer::{BooleanBuffer, Buffer};

/// A byte for each value first, which compilers turn into vector instructions, then a bit for each byte.
pub(crate) fn tested<T: Copy>(values: &[T], test: impl Fn(T) -> bool) -> BooleanBuffer {
    let word = |values: &[T]| {
        let mut flags = [0u8; 64];
        for (flag, value) in flags.iter_mut().zip(values) {
            *flag = u8::from(test(*value));
        }
        bits(&flags)
    };
    let (chunks, rest) = values.as_chunks::<64>();
    let mut words: Vec<u64> = Vec::with_capacity(values.len().div_ceil(64));
    words.extend(chunks.iter().map(|chunk| word(chunk)));
    if !rest.is_empty() {
        words.push(word(rest));
    }
    BooleanBuffer::new(Buffer::from_vec(words), 0, values.len())
}

/// The lowest bits of 64 bytes, the first byte's lowest.
fn bits(flags: &[u8; 64]) -> u64 {
    // Brings the lowest bit of byte i to bit 56 + i, and nothing else there.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let (eights, _) = flags.as_chunks::<8>();
    let byte = |eight: &[u8; 8]| u64::from_le_bytes(*eight).wrapping_mul(GATHER) >> 56;
    eights.iter().rev().fold(0, |word, eight| word << 8 | byte(eight))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_each_value_at_every_length() {
        let values: Vec<i32> = (0..300).map(|i| i * 7919 % 101).collect();
        for len in 0..values.len() {
            for limit in [0, 1, 50, 100, 101] {
                let hits = tested(&values[..len], |v| v < limit);
                let wanted: Vec<bool> = values[..len].iter().map(|v| *v < limit).collect();
                assert_eq!(hits.iter().collect::<Vec<_>>(), wanted, "{len} values below {limit}");
            }
        }
    }

    #[test]
    fn bits_lie_where_their_bytes_do() {
        for at in 0..64 {
            let mut flags = [0u8; 64];
            flags[at] = 1;
            assert_eq!(bits(&flags), 1 << at);
            let all_but_it = flags.map(|flag| 1 - flag);
            assert_eq!(bits(&all_but_it), !(1 << at));
        }
    }
}
