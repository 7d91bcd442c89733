//! Integers in text as Java's own parsers take them.

/// The zeros of the decimal digits that fit into one UTF-16 unit (Unicode 13, category Nd): all that Java looks at.
const ZEROS: [u32; 37] = [
    0x0030, 0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0de6,
    0x0e50, 0x0ed0, 0x0f20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40,
    0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10,
];

/// The value of a decimal digit of any script.
pub(crate) fn digit(c: char) -> Option<u8> {
    if c.is_ascii() {
        return c.is_ascii_digit().then(|| c as u8 - b'0');
    }
    let at = ZEROS.partition_point(|zero| *zero <= c as u32);
    let offset = c as u32 - ZEROS[at.checked_sub(1)?];
    (offset < 10).then_some(offset as u8)
}

/// A sign and digits within 64 bits; nothing else, blanks neither.
pub(crate) fn integer(text: &str) -> Option<i64> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if digits.is_empty() {
        return None;
    }
    let mut value: i64 = 0;
    for c in digits.chars() {
        // Counted down, since there is one more negative number than positive ones.
        value = value.checked_mul(10)?.checked_sub(digit(c)?.into())?;
    }
    if negative { Some(value) } else { value.checked_neg() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_those_of_java() {
        for (text, value) in [
            ("0", Some(0)),
            ("-0", Some(0)),
            ("+7", Some(7)),
            ("007", Some(7)),
            ("9223372036854775807", Some(i64::MAX)),
            ("-9223372036854775808", Some(i64::MIN)),
            ("9223372036854775808", None),
            ("", None),
            ("-", None),
            ("+", None),
            (" 1", None),
            ("1.0", None),
            ("--1", None),
            ("\u{661}\u{662}", Some(12)),
            ("\u{ff11}0", Some(10)),
            ("\u{1d7ce}", None),
            ("\u{b2}", None),
        ] {
            assert_eq!(integer(text), value, "{text:?}");
        }
    }
}
