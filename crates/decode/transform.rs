use arrow_array::{Array, BinaryArray, StringArray};
use arrow_buffer::{BooleanBuffer, NullBuffer, ScalarBuffer};
use arrow_schema::DataType;
use lakefold_base::{Error, Result};
use lakefold_task::{Transform, Type};

use crate::murmur::murmur3_32;
use crate::operand::{Operand, Values};

const MICROS_AN_HOUR: i64 = 3_600_000_000;
const HOURS_A_DAY: i64 = 24;

/// The type of a transform's literals (Iceberg spec, "Partition Transforms").
pub(crate) fn result_type(transform: Transform, source: &Type) -> Result<Type> {
    let no = || Err(Error::unsupported(format!("transform {transform:?} of type {source}")));
    let timed = matches!(source, Type::Timestamp | Type::Timestamptz | Type::TimestampNs | Type::TimestamptzNs);
    Ok(match transform {
        Transform::Identity | Transform::Void => source.clone(),
        Transform::Bucket(0) | Transform::Truncate(0) => return no(),
        Transform::Bucket(_) => match source {
            Type::Int | Type::Long | Type::Decimal(..) | Type::Date | Type::Time | Type::String => Type::Int,
            Type::Uuid | Type::Fixed(_) | Type::Binary => Type::Int,
            _ if timed => Type::Int,
            _ => return no(),
        },
        Transform::Truncate(_) => match source {
            Type::Int | Type::Long | Type::Decimal(..) | Type::String | Type::Binary => source.clone(),
            _ => return no(),
        },
        Transform::Year | Transform::Month | Transform::Day if *source == Type::Date => Type::Int,
        Transform::Year | Transform::Month | Transform::Day | Transform::Hour if timed => Type::Int,
        _ => return no(),
    })
}

/// The shortest two's complement of a number, big-endian.
fn shortest(value: i128) -> ([u8; 16], usize) {
    let bytes = value.to_be_bytes();
    let fill = if value < 0 { 0xff } else { 0 };
    let mut start = 0;
    while start < 15 && bytes[start] == fill && (bytes[start + 1] & 0x80 != 0) == (value < 0) {
        start += 1;
    }
    (bytes, start)
}

/// Applies a transform to a column of the given type.
pub(crate) fn apply(transform: Transform, source: &Type, operand: Operand) -> Result<Operand> {
    let Operand { nulls, values, len } = operand;
    let wrong = || Error::internal(format!("transform {transform:?} of type {source} on another column"));
    let nanos = matches!(source, Type::TimestampNs | Type::TimestamptzNs);
    let i32s = |f: &dyn Fn(usize) -> i32| Values::I32((0..len).map(f).collect::<Vec<_>>().into());
    let values = match (transform, values) {
        (Transform::Identity, values) => values,
        (Transform::Void, _) => {
            let all = Some(NullBuffer::new(BooleanBuffer::new_unset(len)));
            return Ok(Operand { nulls: all, values: Values::Opaque, len });
        }
        (Transform::Bucket(n), values) => {
            let bucket = |bytes: &[u8]| ((murmur3_32(bytes) & i32::MAX) as u32 % n) as i32;
            match &values {
                Values::I32(v) => i32s(&|i| bucket(&i64::from(v[i]).to_le_bytes())),
                Values::I64(v) if nanos => i32s(&|i| bucket(&v[i].div_euclid(1000).to_le_bytes())),
                Values::I64(v) => i32s(&|i| bucket(&v[i].to_le_bytes())),
                Values::I128(v) => i32s(&|i| {
                    let (bytes, start) = shortest(v[i]);
                    bucket(&bytes[start..])
                }),
                Values::Text(v) => i32s(&|i| bucket(v.value(i).as_bytes())),
                Values::Bytes(v) => i32s(&|i| bucket(v.value(i))),
                Values::Fixed(v) => i32s(&|i| bucket(v.value(i))),
                _ => return Err(wrong()),
            }
        }
        (Transform::Truncate(width), values) => truncate(values, width, &nulls).ok_or_else(wrong)?,
        (unit, Values::I32(days)) => match unit {
            Transform::Day => Values::I32(days),
            Transform::Month => i32s(&|i| months(days[i].into())),
            Transform::Year => i32s(&|i| months(days[i].into()).div_euclid(12)),
            _ => return Err(wrong()),
        },
        (unit, Values::I64(times)) => {
            let hours = |i: usize| times[i].div_euclid(if nanos { MICROS_AN_HOUR * 1000 } else { MICROS_AN_HOUR });
            let days = |i: usize| hours(i).div_euclid(HOURS_A_DAY);
            match unit {
                Transform::Hour => {
                    let values: ScalarBuffer<i64> = (0..len).map(hours).collect::<Vec<_>>().into();
                    // Beyond the range of an int the result is clamped: no literal lies there.
                    i32s(&|i| values[i].clamp(i32::MIN.into(), i32::MAX.into()) as i32)
                }
                Transform::Day => i32s(&|i| days(i) as i32),
                Transform::Month => i32s(&|i| months(days(i))),
                Transform::Year => i32s(&|i| months(days(i)).div_euclid(12)),
                _ => return Err(wrong()),
            }
        }
        _ => return Err(wrong()),
    };
    Ok(Operand { nulls, values, len })
}

/// Months since 1970-01 of a day since 1970-01-01 (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
fn months(days: i64) -> i32 {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    ((year - 1970) * 12 + month - 1) as i32
}

/// Integers come out one size wider, so that nothing wraps near the smallest value.
fn truncate(values: Values, width: u32, nulls: &Option<NullBuffer>) -> Option<Values> {
    let valid = |i: usize| nulls.as_ref().is_none_or(|n| n.is_valid(i));
    Some(match values {
        Values::I32(v) => {
            let w = i64::from(width);
            Values::I64(v.iter().map(|v| i64::from(*v) - i64::from(*v).rem_euclid(w)).collect::<Vec<_>>().into())
        }
        Values::I64(v) => {
            let w = i128::from(width);
            Values::I128(v.iter().map(|v| i128::from(*v) - i128::from(*v).rem_euclid(w)).collect::<Vec<_>>().into())
        }
        Values::I128(v) => {
            let w = i128::from(width);
            Values::I128(v.iter().map(|v| v.wrapping_sub(v.rem_euclid(w))).collect::<Vec<_>>().into())
        }
        Values::Text(v) => {
            let cut = |i: usize| {
                let text = if valid(i) { v.value(i) } else { "" };
                text.char_indices().nth(width as usize).map_or(text, |(at, _)| &text[..at])
            };
            Values::Text(StringArray::from_iter_values((0..v.len()).map(cut)))
        }
        Values::Bytes(v) => {
            debug_assert_eq!(v.data_type(), &DataType::Binary);
            let cut = |i: usize| {
                let bytes: &[u8] = if valid(i) { v.value(i) } else { &[] };
                &bytes[..bytes.len().min(width as usize)]
            };
            Values::Bytes(BinaryArray::from_iter_values((0..v.len()).map(cut)))
        }
        _ => return None,
    })
}
