use lakefold_base::{Error, Result};
use lakefold_task::Type;

use super::{Cell, beyond, calendar, float, moment, number};

/// The text of a value as the reference writes it.
pub(super) fn of(value: Cell, from: &Type) -> Result<String> {
    Ok(match value {
        Cell::Boolean(value) => value.to_string(),
        Cell::Int(value) => value.to_string(),
        Cell::Float(value) => java_float(&format!("{value:e}"), value.is_nan(), f64::from(value)),
        Cell::Double(value) => of_double(value),
        Cell::Decimal(unscaled, scale) => plain(unscaled, scale),
        Cell::Text(text) => text,
        Cell::Bytes(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Cell::Date(days) => calendar::date(days.into()),
        Cell::Time(millis) => calendar::time(millis, if let Type::TimeOf(digits) = from { *digits } else { 0 }),
        Cell::Timestamp(nanos) => match from {
            Type::TimestampOf(digits) | Type::TimestamptzOf(digits) => calendar::timestamp(nanos, *digits),
            other => return Err(Error::internal(format!("a timestamp of type {other}"))),
        },
    })
}

fn plain(unscaled: i128, scale: i8) -> String {
    let digits = unscaled.unsigned_abs().to_string();
    let scale = usize::try_from(scale).unwrap_or(0);
    let sign = if unscaled < 0 { "-" } else { "" };
    if scale == 0 {
        return format!("{sign}{digits}");
    }
    let padded = format!("{digits:0>width$}", width = scale + 1);
    let (whole, fraction) = padded.split_at(padded.len() - scale);
    format!("{sign}{whole}.{fraction}")
}

/// A double as Java prints it.
pub(crate) fn of_double(value: f64) -> String {
    java_float(&format!("{value:e}"), value.is_nan(), value)
}

/// A float as Java prints it: plain from 10^-3 to below 10^7, else with `E`; always with a fraction. `shortest` is
/// the shortest form that reads back, with an exponent.
fn java_float(shortest: &str, nan: bool, value: f64) -> String {
    if nan {
        return "NaN".into();
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_infinite() {
        return format!("{sign}Infinity");
    }
    if value == 0.0 {
        return format!("{sign}0.0");
    }
    let unsigned = shortest.trim_start_matches('-');
    let (mantissa, exponent) = unsigned.split_once('e').unwrap_or((unsigned, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    if !(-3..7).contains(&exponent) {
        let (first, rest) = digits.split_at(1);
        let rest = if rest.is_empty() { "0" } else { rest };
        return format!("{sign}{first}.{rest}E{exponent}");
    }
    if exponent < 0 {
        return format!("{sign}0.{}{digits}", "0".repeat(exponent.unsigned_abs() as usize - 1));
    }
    let whole = exponent as usize + 1;
    let padded = format!("{digits:0<width$}", width = whole + 1);
    let (whole, fraction) = padded.split_at(whole);
    format!("{sign}{whole}.{fraction}")
}

/// Text cut, and for `char` padded with blanks, to the length of its type in code points.
pub(super) fn sized(mut text: String, to: &Type) -> String {
    let (Type::Char(length) | Type::Varchar(length)) = to else { return text };
    let length = *length as usize;
    let (mut count, mut cut) = (0, None);
    for (at, _) in text.char_indices() {
        if count == length {
            cut = Some(at);
            break;
        }
        count += 1;
    }
    match cut {
        Some(at) => text.truncate(at),
        // A column's padding is bounded by its batch: a type of absurd length is refused long before.
        None if matches!(to, Type::Char(_)) => text.extend(std::iter::repeat_n(' ', (length - count).min(1 << 20))),
        None => {}
    }
    text
}

/// Bytes cut, and for `binary(N)` padded with zeros, to the length of their type.
pub(super) fn sized_bytes(mut bytes: Vec<u8>, to: &Type) -> Vec<u8> {
    match to {
        Type::BinaryOf(length) if bytes.len() < *length as usize => bytes.resize((*length as usize).min(1 << 20), 0),
        Type::BinaryOf(length) | Type::Varbinary(length) => bytes.truncate(*length as usize),
        _ => {}
    }
    bytes
}

/// Reads a value from text.
pub(crate) fn parse(text: &str, to: &Type) -> Result<Option<Cell>> {
    let bad = || beyond(format!("{text:?}"), to);
    let digits = text.strip_prefix('-').unwrap_or(text);
    let numeric = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let within = |low: i64, high: i64| integer(text).filter(|v| (low..=high).contains(v)).ok_or_else(bad);
    let cell = match to {
        Type::Boolean => match text.to_lowercase().as_str() {
            "t" | "true" | "y" | "yes" | "1" => Cell::Boolean(true),
            "f" | "false" | "n" | "no" | "0" => Cell::Boolean(false),
            _ => return Err(bad()),
        },
        Type::TinyInt => Cell::Int(within(i8::MIN.into(), i8::MAX.into())?),
        Type::SmallInt => Cell::Int(within(i16::MIN.into(), i16::MAX.into())?),
        Type::Int => Cell::Int(within(i32::MIN.into(), i32::MAX.into())?),
        Type::Long => Cell::Int(within(i64::MIN, i64::MAX)?),
        Type::Float => Cell::Float(float::float(text).ok_or_else(bad)?),
        Type::Double => Cell::Double(float::double(text).ok_or_else(bad)?),
        Type::Decimal(precision, scale) => return number::decimal(text, to, *precision, *scale),
        // Digits alone are the number that the type is stored as.
        Type::Date if numeric => Cell::Date(within(i32::MIN.into(), i32::MAX.into())? as i32),
        Type::Date => Cell::Date(moment::date(text).ok_or_else(bad)?),
        Type::TimeOf(_) if numeric => Cell::Time(within(0, 86_399_999)? as i32),
        Type::TimeOf(_) => Cell::Time(moment::time(text).ok_or_else(bad)?),
        Type::TimestampOf(digits) if numeric => {
            // Of other precisions the reference does not know what such a number counts.
            let per = match digits {
                0 => 1_000_000_000,
                3 => 1_000_000,
                6 => 1000,
                9 => 1,
                _ => return Err(bad()),
            };
            Cell::Timestamp(i128::from(integer(text).ok_or_else(bad)?) * per)
        }
        Type::TimestampOf(_) | Type::TimestamptzOf(_) => Cell::Timestamp(moment::timestamp(text).ok_or_else(bad)?),
        Type::BinaryOf(_) | Type::Varbinary(_) | Type::Binary => Cell::Bytes(sized_bytes(text.as_bytes().to_vec(), to)),
        _ => return Err(Error::internal(format!("a cast of text to {to}"))),
    };
    Ok(Some(cell))
}

/// A sign, digits, and a fraction that is dropped.
fn integer(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let digits = whole.strip_prefix(['-', '+']).unwrap_or(whole);
    if !digits.bytes().all(|b| b.is_ascii_digit()) || text.len() == 1 && digits.is_empty() || text.is_empty() {
        return None;
    }
    // No digits before the point count as zero.
    if digits.is_empty() { Some(0) } else { whole.parse().ok() }
}
