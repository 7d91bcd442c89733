use lakefold_base::{Error, Result};
use lakefold_task::Type;
use std::borrow::Cow;

use super::{Cell, beyond, digits};

/// Numbers and booleans to numbers and booleans: integers wrap, floats saturate (NaN gives 0), decimals round half
/// up, and become null where they do not fit.
pub(super) fn convert(value: Cell, to: &Type) -> Result<Option<Cell>> {
    let value = match value {
        // Seconds, cut towards zero as the reference divides.
        Cell::Timestamp(nanos) => Cell::Int(i64::try_from(nanos.div_euclid(1_000_000) / 1000).unwrap_or(i64::MAX)),
        Cell::Boolean(value) if *to != Type::Boolean => Cell::Int(value.into()),
        other => other,
    };
    Ok(Some(match (to, value) {
        (Type::Boolean, Cell::Int(v)) => Cell::Boolean(v != 0),
        (Type::Boolean, Cell::Boolean(v)) => Cell::Boolean(v),
        (Type::TinyInt | Type::SmallInt | Type::Int | Type::Long, value) => {
            let small = !matches!(to, Type::Long);
            let wide = match value {
                Cell::Int(v) => v,
                Cell::Float(v) if small => (v as i32).into(),
                Cell::Double(v) if small => (v as i32).into(),
                Cell::Float(v) => v as i64,
                Cell::Double(v) => v as i64,
                Cell::Decimal(v, scale) => (v / power(scale)) as i64,
                other => return Err(Error::internal(format!("a cast of {other:?} to {to}"))),
            };
            Cell::Int(match to {
                Type::TinyInt => (wide as i8).into(),
                Type::SmallInt => (wide as i16).into(),
                Type::Int => (wide as i32).into(),
                _ => wide,
            })
        }
        (Type::Float, value) => Cell::Float(match value {
            Cell::Int(v) => v as f32,
            Cell::Float(v) => v,
            Cell::Double(v) => v as f32,
            Cell::Decimal(v, scale) => double(v, scale)? as f32,
            other => return Err(Error::internal(format!("a cast of {other:?} to {to}"))),
        }),
        (Type::Double, value) => Cell::Double(match value {
            Cell::Int(v) => v as f64,
            Cell::Float(v) => v.into(),
            Cell::Double(v) => v,
            Cell::Decimal(v, scale) => double(v, scale)?,
            other => return Err(Error::internal(format!("a cast of {other:?} to {to}"))),
        }),
        (Type::Decimal(precision, scale), value) => {
            let fit = |v, s| Ok(rescale(v, s, *precision, *scale).map(|v| Cell::Decimal(v, *scale)));
            return match value {
                Cell::Int(v) => fit(v.into(), 0),
                Cell::Decimal(v, s) => fit(v, i32::from(s)),
                Cell::Float(v) => decimal(&f64::from(v).to_string(), to, *precision, *scale),
                Cell::Double(v) => decimal(&v.to_string(), to, *precision, *scale),
                other => Err(Error::internal(format!("a cast of {other:?} to {to}"))),
            };
        }
        (_, other) => return Err(Error::internal(format!("a cast of {other:?} to {to}"))),
    }))
}

fn power(scale: i8) -> i128 {
    10_i128.pow(u32::try_from(scale).unwrap_or(0).min(38))
}

fn double(unscaled: i128, scale: i8) -> Result<f64> {
    // The parser rounds correctly; dividing would round twice.
    format!("{unscaled}e-{scale}").parse().map_err(|_| Error::internal("a decimal that is no number"))
}

/// A decimal with another scale, rounded half up; none if it has more digits than the precision.
pub(super) fn rescale(unscaled: i128, from: i32, precision: u8, to: i8) -> Option<i128> {
    let shift = i32::from(to) - from;
    let value = if unscaled == 0 {
        0
    } else if shift >= 0 {
        unscaled.checked_mul(10_i128.checked_pow(shift.unsigned_abs())?)?
    } else {
        match 10_i128.checked_pow(shift.unsigned_abs()) {
            None => 0,
            Some(per) => {
                let (whole, rest) = (unscaled / per, unscaled % per);
                let up = rest.unsigned_abs() >= per.unsigned_abs() - rest.unsigned_abs();
                whole + if up { unscaled.signum() } else { 0 }
            }
        }
    };
    (value.unsigned_abs() < 10_u128.pow(u32::from(precision.min(38)))).then_some(value)
}

/// Decimal text with an optional exponent; text that is no number is an error, one that does not fit null.
pub(super) fn decimal(text: &str, to: &Type, precision: u8, scale: i8) -> Result<Option<Cell>> {
    let bad = || beyond(format!("{text:?}"), to);
    // Digits of any script count.
    let ascii = |c: char| digits::digit(c).map_or(c, |digit| (b'0' + digit) as char);
    let plain = if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(text.chars().map(ascii).collect()) };
    let text = plain.as_ref();
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], text[at + 1..].parse::<i32>().map_err(|_| bad())?),
        None => (text, 0),
    };
    let (negative, unsigned) = match mantissa.as_bytes().first() {
        Some(b'-') => (true, &mantissa[1..]),
        Some(b'+') => (false, &mantissa[1..]),
        _ => (false, mantissa),
    };
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    if whole.len() + fraction.len() == 0 || !whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit()) {
        return Err(bad());
    }
    let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).skip_while(|b| *b == b'0').map(|b| b - b'0').collect();
    if digits.is_empty() {
        return Ok(Some(Cell::Decimal(0, scale)));
    }
    // How many of the digits stand before the last one that the type keeps, zeros behind them included.
    let kept = digits.len() as i64 - fraction.len() as i64 + i64::from(exponent) + i64::from(scale);
    if kept > i64::from(precision.min(38)) {
        return Ok(None);
    }
    let mut unscaled: i128 = 0;
    for at in 0..kept.max(0) as usize {
        unscaled = unscaled * 10 + i128::from(digits.get(at).copied().unwrap_or(0));
    }
    let next = usize::try_from(kept).ok().and_then(|at| digits.get(at)).copied().unwrap_or(0);
    unscaled += i128::from(next >= 5);
    let fits = unscaled < 10_i128.pow(u32::from(precision.min(38)));
    let signed = if negative { -unscaled } else { unscaled };
    Ok(fits.then_some(Cell::Decimal(signed, scale)))
}
