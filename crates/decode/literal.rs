use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, FixedSizeBinaryArray, Float32Array,
    Float64Array, Int8Array, Int16Array, Int32Array, Int64Array, StringArray, Time32MillisecondArray,
    Time64MicrosecondArray, TimestampMicrosecondArray, TimestampNanosecondArray, make_array, new_null_array,
};
use arrow_schema::TimeUnit;
use lakefold_base::{Code, Error, Result};
use lakefold_task::{Literal, Type};
use serde_json::Value;
use std::sync::Arc;

use crate::civil::{parse_date, parse_time_nanos, parse_timestamp_nanos};
use crate::guard::own_arrow_error;
use crate::types::{arrow_type, unit_of};

fn bad(field_type: &Type, value: &Value) -> Error {
    Error::new(Code::InvalidArgument, format!("not a value of type {field_type}")).with("value", value)
}

pub(crate) fn parse_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let nibble = |b: u8| (b as char).to_digit(16).map(|d| d as u8);
    digits.chunks_exact(2).map(|pair| Some(nibble(pair[0])? << 4 | nibble(pair[1])?)).collect()
}

fn parse_float(value: &Value) -> Option<f64> {
    match value {
        Value::Number(n) => n.as_f64(),
        Value::String(s) => match s.as_str() {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            other => other.parse().ok(),
        },
        _ => None,
    }
}

/// A float is parsed as a float: going through double would round twice.
fn parse_float32(value: &Value) -> Option<f32> {
    match value {
        Value::Number(n) => n.to_string().parse().ok(),
        _ => parse_float(value).map(|v| v as f32),
    }
}

fn parse_integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(n) => n.as_i64(),
        Value::String(s) => s.parse().ok(),
        _ => None,
    }
}

fn integer_as<T: TryFrom<i64>>(value: &Value) -> Option<T> {
    parse_integer(value).and_then(|v| T::try_from(v).ok())
}

/// Nanoseconds in the unit that holds a timestamp of so many fraction digits.
fn nanos_in(digits: u8) -> i128 {
    match unit_of(digits) {
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1000,
        _ => 1,
    }
}

fn parse_decimal(text: &str, scale: i8) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let scale = usize::try_from(scale).ok()?;
    if whole.is_empty() && fraction.is_empty()
        || fraction.len() > scale && !fraction[scale..].bytes().all(|b| b == b'0')
    {
        return None;
    }
    let mut unscaled: i128 = 0;
    let padded = fraction.bytes().take(scale).chain(std::iter::repeat_n(b'0', scale.saturating_sub(fraction.len())));
    for digit in whole.bytes().chain(padded) {
        if !digit.is_ascii_digit() {
            return None;
        }
        unscaled = unscaled.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
    }
    Some(if negative { -unscaled } else { unscaled })
}

/// Reads the single-value JSON of defaults and partition values (Iceberg spec, "JSON single-value serialization").
/// Null gives none. Integers are taken for date and time types too, in the type's own unit.
pub(crate) fn from_single_value(field_type: &Type, value: &Value) -> Result<Option<Literal>> {
    if value.is_null() {
        return Ok(None);
    }
    let text = value.as_str();
    let parsed = match field_type {
        Type::Boolean => value.as_bool().map(Literal::Boolean),
        Type::Int => parse_integer(value).and_then(|v| i32::try_from(v).ok()).map(Literal::Int),
        Type::Long => parse_integer(value).map(Literal::Long),
        Type::Float => parse_float32(value).map(Literal::Float),
        Type::Double => parse_float(value).map(Literal::Double),
        Type::Decimal(_, scale) => match value {
            Value::String(s) => parse_decimal(s, *scale),
            Value::Number(n) => parse_decimal(&n.to_string(), *scale),
            _ => None,
        }
        .map(Literal::Decimal),
        Type::Date => match text {
            Some(s) => parse_date(s).and_then(|d| i32::try_from(d).ok()),
            None => parse_integer(value).and_then(|v| i32::try_from(v).ok()),
        }
        .map(Literal::Int),
        Type::Time => match text {
            Some(s) => parse_time_nanos(s).map(|n| n / 1000),
            None => parse_integer(value),
        }
        .map(Literal::Long),
        Type::Timestamp | Type::Timestamptz => match text {
            Some(s) => parse_timestamp_nanos(s).and_then(|n| i64::try_from(n.div_euclid(1000)).ok()),
            None => parse_integer(value),
        }
        .map(Literal::Long),
        Type::TimestampNs | Type::TimestamptzNs => match text {
            Some(s) => parse_timestamp_nanos(s).and_then(|n| i64::try_from(n).ok()),
            None => parse_integer(value),
        }
        .map(Literal::Long),
        Type::String => text.map(|s| Literal::String(s.to_string())),
        Type::Uuid => {
            text.and_then(|s| parse_hex(&s.replace('-', ""))).filter(|bytes| bytes.len() == 16).map(Literal::Binary)
        }
        Type::Fixed(length) => {
            text.and_then(parse_hex).filter(|bytes| bytes.len() == *length as usize).map(Literal::Binary)
        }
        Type::Binary | Type::Geometry(_) | Type::Geography(_) => text.and_then(parse_hex).map(Literal::Binary),
        Type::TinyInt => integer_as::<i8>(value).map(i32::from).map(Literal::Int),
        Type::SmallInt => integer_as::<i16>(value).map(i32::from).map(Literal::Int),
        Type::TimeOf(_) => match text {
            Some(s) => parse_time_nanos(s).and_then(|n| i32::try_from(n / 1_000_000).ok()),
            None => integer_as(value),
        }
        .map(Literal::Int),
        Type::TimestampOf(digits) | Type::TimestamptzOf(digits) => match text.filter(|s| s.contains(['T', ' '])) {
            Some(s) => parse_timestamp_nanos(s).and_then(|n| i64::try_from(n.div_euclid(nanos_in(*digits))).ok()),
            None => parse_integer(value),
        }
        .map(Literal::Long),
        Type::Char(_) | Type::Varchar(_) => text.map(|s| Literal::String(s.to_string())),
        Type::BinaryOf(_) | Type::Varbinary(_) => text.and_then(parse_hex).map(Literal::Binary),
        Type::Unknown | Type::Variant | Type::Struct(_) | Type::List(_) | Type::Map(..) => {
            return Err(
                Error::unsupported(format!("a value of type {field_type} other than null")).with("value", value)
            );
        }
    };
    parsed.map(Some).ok_or_else(|| bad(field_type, value))
}

/// Reads a literal of a task's filter (see [`lakefold_task::Filter`]).
pub(crate) fn from_filter_value(field_type: &Type, value: &Value) -> Result<Literal> {
    let parsed = match field_type {
        Type::Boolean => value.as_bool().map(Literal::Boolean),
        Type::TinyInt => integer_as::<i8>(value).map(i32::from).map(Literal::Int),
        Type::SmallInt => integer_as::<i16>(value).map(i32::from).map(Literal::Int),
        Type::Int | Type::Date | Type::TimeOf(_) => integer_as(value).map(Literal::Int),
        Type::Long
        | Type::Time
        | Type::Timestamp
        | Type::Timestamptz
        | Type::TimestampNs
        | Type::TimestamptzNs
        | Type::TimestampOf(_)
        | Type::TimestamptzOf(_) => parse_integer(value).map(Literal::Long),
        Type::Float => parse_float32(value).map(Literal::Float),
        Type::Double => parse_float(value).map(Literal::Double),
        Type::Decimal(..) => match value {
            Value::String(s) => s.parse().ok(),
            Value::Number(n) => n.to_string().parse().ok(),
            _ => None,
        }
        .map(Literal::Decimal),
        Type::String | Type::Char(_) | Type::Varchar(_) => value.as_str().map(|s| Literal::String(s.to_string())),
        Type::Uuid | Type::Fixed(_) | Type::Binary | Type::BinaryOf(_) | Type::Varbinary(_) => {
            value.as_str().and_then(|s| parse_hex(&s.replace('-', ""))).map(Literal::Binary)
        }
        _ => None,
    };
    parsed.ok_or_else(|| bad(field_type, value))
}

/// Brings a value to a wider type of the table (Iceberg spec, "Schema Evolution").
pub(crate) fn promote(literal: Literal, from: &Type, to: &Type) -> Result<Literal> {
    let days_to = |days: i32, per_day: i64| {
        i64::from(days)
            .checked_mul(per_day)
            .map(Literal::Long)
            .ok_or_else(|| Error::corrupt(format!("a date does not fit type {to}")).with("value", days))
    };
    Ok(match (literal, from, to) {
        (literal, from, to) if from == to => literal,
        (Literal::Int(v), Type::Int, Type::Long) => Literal::Long(v.into()),
        (Literal::Float(v), Type::Float, Type::Double) => Literal::Double(v.into()),
        (literal @ Literal::Decimal(_), Type::Decimal(p, s), Type::Decimal(q, t)) if s == t && p <= q => literal,
        (Literal::Int(v), Type::Date, Type::Timestamp) => days_to(v, 86_400_000_000)?,
        (Literal::Int(v), Type::Date, Type::TimestampNs) => days_to(v, 86_400_000_000_000)?,
        (literal @ Literal::Binary(_), Type::Binary | Type::Fixed(_), Type::Binary | Type::Fixed(_)) => literal,
        (_, from, to) => {
            return Err(Error::unsupported(format!("a value of type {from} cannot be read as {to}")));
        }
    })
}

/// Brings a partition value of the table's latest schema to a type of an earlier one, which the rows of an old snapshot have.
pub(crate) fn fit(literal: Literal, from: &Type, to: &Type) -> Result<Literal> {
    let days = |ticks: i64, per_day: i64| {
        (ticks.rem_euclid(per_day) == 0)
            .then(|| i32::try_from(ticks.div_euclid(per_day)).ok())
            .flatten()
            .map(Literal::Int)
    };
    let narrowed = match (&literal, from, to) {
        (Literal::Long(v), Type::Long, Type::Int) => i32::try_from(*v).ok().map(Literal::Int),
        (Literal::Double(v), Type::Double, Type::Float) => {
            let float = *v as f32;
            (v.is_nan() || f64::from(float) == *v).then_some(Literal::Float(float))
        }
        (Literal::Decimal(v), Type::Decimal(p, s), Type::Decimal(q, t)) if s == t && q < p => {
            (v.unsigned_abs() < 10u128.pow((*q).into())).then(|| literal.clone())
        }
        (Literal::Long(v), Type::Timestamp, Type::Date) => days(*v, 86_400_000_000),
        (Literal::Long(v), Type::TimestampNs, Type::Date) => days(*v, 86_400_000_000_000),
        _ => None,
    };
    narrowed.map_or_else(|| promote(literal, from, to), Ok)
}

/// An array of `len` times the same value, or null.
pub(crate) fn repeat(field_type: &Type, literal: Option<&Literal>, len: usize) -> Result<ArrayRef> {
    let data_type = arrow_type(field_type)?;
    let Some(literal) = literal else { return Ok(new_null_array(&data_type, len)) };
    let mismatch = || Error::internal(format!("a constant {literal:?} for type {field_type}"));
    Ok(match (field_type, literal) {
        (Type::Boolean, Literal::Boolean(v)) => Arc::new(BooleanArray::from(vec![*v; len])),
        (Type::Int, Literal::Int(v)) => Arc::new(Int32Array::from_value(*v, len)),
        (Type::TinyInt, Literal::Int(v)) => {
            Arc::new(Int8Array::from_value(i8::try_from(*v).map_err(|_| mismatch())?, len))
        }
        (Type::SmallInt, Literal::Int(v)) => {
            Arc::new(Int16Array::from_value(i16::try_from(*v).map_err(|_| mismatch())?, len))
        }
        (Type::TimeOf(_), Literal::Int(v)) => Arc::new(Time32MillisecondArray::from_value(*v, len)),
        (Type::TimestampOf(_) | Type::TimestamptzOf(_), Literal::Long(v)) => {
            let data = Int64Array::from_value(*v, len).into_data().into_builder().data_type(data_type);
            make_array(data.build().map_err(own_arrow_error)?)
        }
        (Type::Date, Literal::Int(v)) => Arc::new(Date32Array::from_value(*v, len)),
        (Type::Long, Literal::Long(v)) => Arc::new(Int64Array::from_value(*v, len)),
        (Type::Float, Literal::Float(v)) => Arc::new(Float32Array::from_value(*v, len)),
        (Type::Double, Literal::Double(v)) => Arc::new(Float64Array::from_value(*v, len)),
        (Type::Decimal(p, s), Literal::Decimal(v)) => {
            Arc::new(Decimal128Array::from_value(*v, len).with_precision_and_scale(*p, *s).map_err(own_arrow_error)?)
        }
        (Type::Time, Literal::Long(v)) => Arc::new(Time64MicrosecondArray::from_value(*v, len)),
        (Type::Timestamp, Literal::Long(v)) => Arc::new(TimestampMicrosecondArray::from_value(*v, len)),
        (Type::Timestamptz, Literal::Long(v)) => {
            Arc::new(TimestampMicrosecondArray::from_value(*v, len).with_timezone("UTC"))
        }
        (Type::TimestampNs, Literal::Long(v)) => Arc::new(TimestampNanosecondArray::from_value(*v, len)),
        (Type::TimestamptzNs, Literal::Long(v)) => {
            Arc::new(TimestampNanosecondArray::from_value(*v, len).with_timezone("UTC"))
        }
        (Type::String | Type::Char(_) | Type::Varchar(_), Literal::String(v)) => {
            Arc::new(StringArray::from_iter_values(std::iter::repeat_n(v, len)))
        }
        (Type::Uuid | Type::Fixed(_), Literal::Binary(v)) => {
            let size = i32::try_from(v.len()).map_err(|_| mismatch())?;
            Arc::new(
                FixedSizeBinaryArray::try_new(size, arrow_buffer::Buffer::from(v.repeat(len)), None)
                    .map_err(own_arrow_error)?,
            )
        }
        (
            Type::Binary | Type::BinaryOf(_) | Type::Varbinary(_) | Type::Geometry(_) | Type::Geography(_),
            Literal::Binary(v),
        ) => Arc::new(BinaryArray::from_iter_values(std::iter::repeat_n(v, len))),
        _ => return Err(mismatch()),
    })
}
