//! Floating-point numbers in text by Java's grammar: blanks around them are cut, `NaN` and `Infinity` are words, a
//! type suffix may follow, and hexadecimal numbers are known.

/// A double; none if the text is no number.
pub(crate) fn double(text: &str) -> Option<f64> {
    match form(text)? {
        Form::Word(value) => Some(value),
        Form::Decimal(text) => text.parse().ok(),
        Form::Hex { negative, digits } => hex(digits, 53, -1074, 1023).map(|v| if negative { -v } else { v }),
    }
}

/// A float; none if the text is no number.
pub(crate) fn float(text: &str) -> Option<f32> {
    match form(text)? {
        Form::Word(value) => Some(value as f32),
        Form::Decimal(text) => text.parse().ok(),
        // Each float is a double, so this conversion does not round.
        Form::Hex { negative, digits } => hex(digits, 24, -149, 127).map(|v| if negative { -v } else { v } as f32),
    }
}

enum Form<'a> {
    Word(f64),
    /// With a sign, as Rust's parser takes it.
    Decimal(&'a str),
    /// What follows `0x`.
    Hex {
        negative: bool,
        digits: &'a str,
    },
}

fn form(text: &str) -> Option<Form<'_>> {
    let text = text.trim_matches(|c: char| c <= ' ');
    let (negative, unsigned) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    match unsigned {
        "NaN" => return Some(Form::Word(f64::NAN)),
        "Infinity" => return Some(Form::Word(if negative { f64::NEG_INFINITY } else { f64::INFINITY })),
        _ => {}
    }
    if let Some(digits) = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
        let digits = digits.strip_suffix(['f', 'F', 'd', 'D']).unwrap_or(digits);
        return Some(Form::Hex { negative, digits });
    }
    let text = text.strip_suffix(['f', 'F', 'd', 'D']).unwrap_or(text);
    // Rust knows more words than Java.
    let known = |b: u8| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'-' | b'+');
    text.bytes().all(known).then_some(Form::Decimal(text))
}

/// `digits[.digits]p[sign]exponent`, rounded half to even to `precision` bits, not below 2^`least`.
fn hex(text: &str, precision: i64, least: i64, most: i64) -> Option<f64> {
    let (mantissa, exponent) = text.split_once(['p', 'P'])?;
    let unsigned = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    if unsigned.is_empty() || !unsigned.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    // Beyond that the value is zero or infinite whatever the mantissa is: one of 2^60 digits fits no memory.
    let far = if exponent.starts_with('-') { i64::MIN / 4 } else { i64::MAX / 4 };
    let mut exponent = exponent.parse::<i64>().unwrap_or(far).clamp(i64::MIN / 4, i64::MAX / 4);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.len() + fraction.len() == 0 {
        return None;
    }
    // The first 60 significant bits, and whether any later one is set.
    let (mut bits, mut rest) = (0_u64, false);
    for (at, c) in whole.chars().chain(fraction.chars()).enumerate() {
        let value = u64::from(c.to_digit(16)?);
        let behind = at >= whole.len();
        if bits >> 60 == 0 {
            bits = bits << 4 | value;
            exponent -= if behind { 4 } else { 0 };
        } else {
            rest |= value != 0;
            exponent += if behind { 0 } else { 4 };
        }
    }
    if bits == 0 {
        return Some(0.0);
    }
    let length = i64::from(64 - bits.leading_zeros());
    let top = exponent + length - 1;
    if top > most {
        return Some(f64::INFINITY);
    }
    // How many of the lowest bits the result has no room for.
    let excess = (length - precision).max(least - exponent);
    let (value, exponent) = if excess <= 0 {
        (bits, exponent)
    } else if excess > length {
        return Some(0.0);
    } else {
        let kept = bits.checked_shr(excess as u32).unwrap_or(0);
        let cut = bits & (u64::MAX >> (64 - excess));
        let half = 1_u64 << (excess - 1);
        let up = cut > half || cut == half && (rest || kept & 1 == 1);
        (kept + u64::from(up), exponent + excess)
    };
    let length = i64::from(64 - value.leading_zeros());
    if exponent + length - 1 > most {
        return Some(f64::INFINITY);
    }
    // Both factors and all partial products are doubles exactly.
    let mut result = value as f64;
    let mut left = exponent;
    while left != 0 {
        let step = left.clamp(-512, 512);
        result *= 2_f64.powi(step as i32);
        left -= step;
    }
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_is_that_of_java() {
        for (text, value) in [
            (" 1.5 ", Some(1.5)),
            ("1.", Some(1.0)),
            (".5", Some(0.5)),
            ("+.5e-1", Some(0.05)),
            ("1d", Some(1.0)),
            ("1e2F", Some(100.0)),
            ("1e999999999999999999999", Some(f64::INFINITY)),
            ("-Infinity", Some(f64::NEG_INFINITY)),
            ("0x1p3", Some(8.0)),
            ("0X.8p1d", Some(1.0)),
            ("-0x1.8p1", Some(-3.0)),
            ("0x1p-1074", Some(f64::from_bits(1))),
            ("0x1p-1075", Some(0.0)),
            ("0x1.8p-1075", Some(f64::from_bits(1))),
            ("0x1.00000000000008p0", Some(1.0)),
            ("0x1.000000000000080001p0", Some(f64::from_bits(0x3ff0_0000_0000_0001))),
            ("0x1.fffffffffffff8p1023", Some(f64::INFINITY)),
            ("0x1.fffffffffffffp1023", Some(f64::MAX)),
            ("0x1p99999999999999999999", Some(f64::INFINITY)),
            ("", None),
            (".", None),
            ("1e", None),
            ("inf", None),
            ("nan", None),
            ("infinity", None),
            ("1_0", None),
            ("0x1", None),
            ("0xp1", None),
            ("1 2", None),
            ("1dd", None),
        ] {
            assert_eq!(double(text), value, "{text:?}");
        }
        assert!(double("+NaN").is_some_and(f64::is_nan));
        assert_eq!(float("0x1.000001p0"), Some(1.0));
        assert_eq!(float("0x1.0000011p0"), Some(f32::from_bits(0x3f80_0001)));
        assert_eq!(float("0x1p-149"), Some(f32::from_bits(1)));
        assert_eq!(float("0x1p128"), Some(f32::INFINITY));
        assert_eq!(float("16777217"), Some(16_777_216.0));
    }
}
