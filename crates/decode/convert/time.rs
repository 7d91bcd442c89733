use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Int32Type, Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use arrow_array::{Array, ArrayRef, FixedSizeBinaryArray, Int32Array, Int64Array, PrimitiveArray};
use arrow_schema::{DataType, TimeUnit};
use lakefold_base::{Error, Result};
use lakefold_task::Type;
use std::sync::Arc;

use super::{mismatch, too_large};
use crate::tree::{Note, Unit};

const MICROS_A_DAY: i64 = 86_400_000_000;
const NANOS_A_DAY: i64 = 86_400_000_000_000;
const JULIAN_EPOCH: i64 = 2_440_588;

/// Micros since midnight; finer units are floored.
pub(super) fn time_of_day(array: &ArrayRef, note: Note, to: &Type) -> Result<ArrayRef> {
    let micros: PrimitiveArray<Time64MicrosecondType> = match (array.data_type(), note) {
        (DataType::Int64, Note::Time(Unit::Micros) | Note::Plain) => {
            array.as_primitive::<Int64Type>().reinterpret_cast()
        }
        (DataType::Int64, Note::Time(Unit::Nanos)) => array.as_primitive::<Int64Type>().unary(|v| v.div_euclid(1000)),
        (DataType::Int32, Note::Time(Unit::Millis)) => array.as_primitive::<Int32Type>().unary(|v| i64::from(v) * 1000),
        (DataType::Time64(TimeUnit::Microsecond), _) => return Ok(Arc::clone(array)),
        (DataType::Time64(TimeUnit::Nanosecond), _) => {
            array.as_primitive::<Time64NanosecondType>().unary(|v| v.div_euclid(1000))
        }
        (DataType::Time32(TimeUnit::Millisecond), _) => {
            array.as_primitive::<Time32MillisecondType>().unary(|v| i64::from(v) * 1000)
        }
        (DataType::Time32(TimeUnit::Second), _) => {
            array.as_primitive::<Time32SecondType>().unary(|v| i64::from(v) * 1_000_000)
        }
        // ORC has no time of day: Iceberg stores micros as a bigint.
        (DataType::Int64, Note::Native) => array.as_primitive::<Int64Type>().reinterpret_cast(),
        _ => return Err(mismatch(array, note, to)),
    };
    Ok(Arc::new(micros))
}

/// Timestamps of any stored unit, and dates, in the wanted unit; finer units are floored.
pub(super) fn since_epoch(array: &ArrayRef, note: Note, to: &Type, unit: Unit) -> Result<Int64Array> {
    let scaled = |values: &Int64Array, per: i64| {
        values.try_unary::<_, Int64Type, Error>(|v| v.checked_mul(per).ok_or_else(|| too_large(to, v)))
    };
    let from_unit = |values: &Int64Array, stored: Unit| match (stored, unit) {
        (Unit::Millis, Unit::Micros) | (Unit::Micros, Unit::Nanos) => scaled(values, 1000),
        (Unit::Millis, Unit::Nanos) => scaled(values, 1_000_000),
        (Unit::Micros, Unit::Millis) => Ok(values.unary(|v| v.div_euclid(1000))),
        (Unit::Nanos, Unit::Millis) => Ok(values.unary(|v| v.div_euclid(1_000_000))),
        (Unit::Nanos, Unit::Micros) => Ok(values.unary(|v| v.div_euclid(1000))),
        _ => Ok(values.clone()),
    };
    let days = |values: &Int32Array| {
        let per_day = match unit {
            Unit::Millis => MICROS_A_DAY / 1000,
            Unit::Micros => MICROS_A_DAY,
            Unit::Nanos => NANOS_A_DAY,
        };
        values.try_unary::<_, Int64Type, Error>(|v| i64::from(v).checked_mul(per_day).ok_or_else(|| too_large(to, v)))
    };
    match (array.data_type(), note) {
        (DataType::Int64, Note::Timestamp(stored)) => from_unit(array.as_primitive::<Int64Type>(), stored),
        (DataType::Int64, Note::Plain | Note::Native) => Ok(array.as_primitive::<Int64Type>().clone()),
        (DataType::Int32, Note::Date) => days(array.as_primitive::<Int32Type>()),
        (DataType::Date32, _) => days(&array.as_primitive::<Date32Type>().reinterpret_cast::<Int32Type>()),
        (DataType::FixedSizeBinary(12), Note::Int96) => int96(array.as_fixed_size_binary(), to, unit),
        (DataType::Timestamp(TimeUnit::Second, _), _) => {
            let per = match unit {
                Unit::Millis => 1000,
                Unit::Micros => 1_000_000,
                Unit::Nanos => 1_000_000_000,
            };
            scaled(&array.as_primitive::<TimestampSecondType>().reinterpret_cast(), per)
        }
        (DataType::Timestamp(TimeUnit::Millisecond, _), _) => {
            from_unit(&array.as_primitive::<TimestampMillisecondType>().reinterpret_cast(), Unit::Millis)
        }
        (DataType::Timestamp(TimeUnit::Microsecond, _), _) => {
            from_unit(&array.as_primitive::<TimestampMicrosecondType>().reinterpret_cast(), Unit::Micros)
        }
        (DataType::Timestamp(TimeUnit::Nanosecond, _), _) => {
            from_unit(&array.as_primitive::<TimestampNanosecondType>().reinterpret_cast(), Unit::Nanos)
        }
        _ => Err(mismatch(array, note, to)),
    }
}

fn int96(array: &FixedSizeBinaryArray, to: &Type, unit: Unit) -> Result<Int64Array> {
    let mut values = vec![0_i64; array.len()];
    for (i, slot) in values.iter_mut().enumerate() {
        if array.is_null(i) {
            continue;
        }
        let [n0, n1, n2, n3, n4, n5, n6, n7, d0, d1, d2, d3] = *array.value(i) else {
            return Err(Error::internal("an INT96 of another length than 12"));
        };
        let nanos = i128::from(i64::from_le_bytes([n0, n1, n2, n3, n4, n5, n6, n7]));
        let days = i128::from(i64::from(i32::from_le_bytes([d0, d1, d2, d3])) - JULIAN_EPOCH);
        let total = days * i128::from(NANOS_A_DAY) + nanos;
        let value = match unit {
            Unit::Millis => total.div_euclid(1_000_000),
            Unit::Micros => total.div_euclid(1000),
            Unit::Nanos => total,
        };
        *slot = i64::try_from(value).map_err(|_| too_large(to, value))?;
    }
    Ok(Int64Array::new(values.into(), array.nulls().cloned()))
}
