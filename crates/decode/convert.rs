use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt32Type,
    UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, Decimal128Array, FixedSizeBinaryArray, Int32Array, Int64Array, PrimitiveArray,
    StringArray, make_array, new_null_array,
};
use arrow_buffer::{MutableBuffer, i256};
use arrow_schema::{DataType, TimeUnit};
use lakefold_base::{Error, Result};
use lakefold_task::Type;
use std::sync::Arc;

use crate::guard::arrow_error;
use crate::tree::{Note, Unit};
use crate::types::{arrow_type, unit_of};

const MICROS_A_DAY: i64 = 86_400_000_000;
const NANOS_A_DAY: i64 = 86_400_000_000_000;
const JULIAN_EPOCH: i64 = 2_440_588;

fn mismatch(array: &dyn Array, note: Note, to: &Type) -> Error {
    Error::corrupt(format!("a column stored as {} ({note:?}) cannot be read as {to}", array.data_type()))
}

fn too_large(to: &Type, value: impl std::fmt::Display) -> Error {
    Error::corrupt(format!("a stored value does not fit type {to}")).with("value", value)
}

/// Brings a leaf as it is stored to its type in the table: promotions, units, representations. The stored form
/// decides what the values are (Iceberg spec, "Schema Evolution" and "Parquet").
pub(crate) fn leaf(array: &ArrayRef, note: Note, to: &Type) -> Result<ArrayRef> {
    if note == Note::Null || array.data_type() == &DataType::Null {
        return Ok(new_null_array(&arrow_type(to)?, array.len()));
    }
    let no = || mismatch(array, note, to);
    let data_type = array.data_type();
    Ok(match to {
        Type::Boolean if data_type == &DataType::Boolean => Arc::clone(array),
        Type::TinyInt => narrow::<Int8Type>(array, note, to)?,
        Type::SmallInt => narrow::<Int16Type>(array, note, to)?,
        Type::Int => int(array, note, to)?,
        Type::Long => long(array, note, to)?,
        Type::Float => match data_type {
            DataType::Float32 => Arc::clone(array),
            DataType::Float16 => arrow_cast::cast(array, &DataType::Float32).map_err(arrow_error)?,
            _ => return Err(no()),
        },
        Type::Double => match data_type {
            DataType::Float64 => Arc::clone(array),
            DataType::Float32 => {
                Arc::new(array.as_primitive::<Float32Type>().unary::<_, Float64Type>(f64::from)) as ArrayRef
            }
            _ => return Err(no()),
        },
        Type::Decimal(precision, scale) => decimal(array, note, to, *precision, *scale)?,
        Type::Date => match (data_type, note) {
            (DataType::Date32, _) => Arc::clone(array),
            (DataType::Int32, Note::Date | Note::Plain) => {
                Arc::new(array.as_primitive::<Int32Type>().reinterpret_cast::<Date32Type>())
            }
            _ => return Err(no()),
        },
        Type::Time => time(array, note, to)?,
        Type::TimeOf(_) => match (array.data_type(), note) {
            (DataType::Int32, Note::Time(Unit::Millis) | Note::Plain | Note::Native) => {
                Arc::new(array.as_primitive::<Int32Type>().reinterpret_cast::<Time32MillisecondType>())
            }
            (DataType::Time32(TimeUnit::Millisecond), _) => Arc::clone(array),
            _ => {
                let micros = time(array, note, to)?;
                let micros = micros.as_primitive::<Time64MicrosecondType>();
                Arc::new(micros.unary::<_, Time32MillisecondType>(|v| v.div_euclid(1000) as i32))
            }
        },
        Type::TimestampOf(digits) | Type::TimestamptzOf(digits) => {
            let unit = match unit_of(*digits) {
                TimeUnit::Millisecond => Unit::Millis,
                TimeUnit::Microsecond => Unit::Micros,
                _ => Unit::Nanos,
            };
            let data = since_epoch(array, note, to, unit)?.into_data().into_builder().data_type(arrow_type(to)?);
            make_array(data.build().map_err(arrow_error)?)
        }
        Type::Timestamp | Type::Timestamptz => {
            let micros = since_epoch(array, note, to, Unit::Micros)?;
            let typed = micros.reinterpret_cast::<TimestampMicrosecondType>();
            Arc::new(if *to == Type::Timestamptz { typed.with_timezone("UTC") } else { typed })
        }
        Type::TimestampNs | Type::TimestamptzNs => {
            let nanos = since_epoch(array, note, to, Unit::Nanos)?;
            let typed = nanos.reinterpret_cast::<TimestampNanosecondType>();
            Arc::new(if *to == Type::TimestamptzNs { typed.with_timezone("UTC") } else { typed })
        }
        Type::String | Type::Char(_) | Type::Varchar(_) => string(array, note, to)?,
        Type::Uuid => fixed(array, note, to, 16)?,
        Type::Fixed(length) => fixed(array, note, to, i32::try_from(*length).map_err(|_| no())?)?,
        Type::Binary | Type::BinaryOf(_) | Type::Varbinary(_) | Type::Geometry(_) | Type::Geography(_) => {
            binary(array, note, to)?
        }
        _ => return Err(no()),
    })
}

/// 8 and 16 bit integers, which most formats store in wider ones.
fn narrow<T: ArrowPrimitiveType>(array: &ArrayRef, note: Note, to: &Type) -> Result<ArrayRef>
where
    T::Native: TryFrom<i32>,
{
    if array.data_type() == &T::DATA_TYPE {
        return Ok(Arc::clone(array));
    }
    let wide = int(array, note, to)?;
    let fit = |v: i32| T::Native::try_from(v).map_err(|_| too_large(to, v));
    Ok(Arc::new(wide.as_primitive::<Int32Type>().try_unary::<_, T, Error>(fit)?))
}

fn int(array: &ArrayRef, note: Note, to: &Type) -> Result<ArrayRef> {
    Ok(match (array.data_type(), note) {
        (DataType::Int32, Note::Unsigned) => Arc::new(
            array
                .as_primitive::<Int32Type>()
                .try_unary::<_, Int32Type, Error>(|v| if v < 0 { Err(too_large(to, v as u32)) } else { Ok(v) })?,
        ),
        (DataType::Int32, Note::Plain | Note::Native) => Arc::clone(array),
        (DataType::Int8 | DataType::Int16 | DataType::UInt8 | DataType::UInt16, _) => {
            arrow_cast::cast(array, &DataType::Int32).map_err(arrow_error)?
        }
        _ => return Err(mismatch(array, note, to)),
    })
}

fn long(array: &ArrayRef, note: Note, to: &Type) -> Result<ArrayRef> {
    Ok(match (array.data_type(), note) {
        (DataType::Int32, Note::Unsigned) => {
            Arc::new(array.as_primitive::<Int32Type>().unary::<_, Int64Type>(|v| i64::from(v as u32)))
        }
        (DataType::Int32, Note::Plain | Note::Native) => {
            Arc::new(array.as_primitive::<Int32Type>().unary::<_, Int64Type>(i64::from))
        }
        (DataType::Int64, Note::Unsigned) => Arc::new(
            array
                .as_primitive::<Int64Type>()
                .try_unary::<_, Int64Type, Error>(|v| if v < 0 { Err(too_large(to, v as u64)) } else { Ok(v) })?,
        ),
        (DataType::Int64, Note::Plain | Note::Native) => Arc::clone(array),
        (DataType::UInt32, _) => Arc::new(array.as_primitive::<UInt32Type>().unary::<_, Int64Type>(i64::from)),
        (DataType::UInt64, _) => Arc::new(
            array
                .as_primitive::<UInt64Type>()
                .try_unary::<_, Int64Type, Error>(|v| i64::try_from(v).map_err(|_| too_large(to, v)))?,
        ),
        (DataType::Int8 | DataType::Int16 | DataType::UInt8 | DataType::UInt16, _) => {
            arrow_cast::cast(array, &DataType::Int64).map_err(arrow_error)?
        }
        _ => return Err(mismatch(array, note, to)),
    })
}

/// A big-endian two's complement number of any length; none if it needs more than 128 bits.
pub(crate) fn big_endian(bytes: &[u8]) -> Option<i128> {
    let negative = bytes.first().is_some_and(|b| b & 0x80 != 0);
    let fill = if negative { 0xff } else { 0 };
    let cut = bytes.len().saturating_sub(16);
    if bytes[..cut].iter().any(|b| *b != fill) {
        return None;
    }
    let mut wide = [fill; 16];
    let tail = &bytes[cut..];
    wide[16 - tail.len()..].copy_from_slice(tail);
    let value = i128::from_be_bytes(wide);
    ((value < 0) == negative).then_some(value)
}

fn decimal(array: &ArrayRef, note: Note, to: &Type, precision: u8, scale: i8) -> Result<ArrayRef> {
    let no = || mismatch(array, note, to);
    let stored_precision = match (note, array.data_type()) {
        (Note::Decimal { precision, scale: stored }, _) if stored == i32::from(scale) => precision,
        (
            _,
            DataType::Decimal32(p, s)
            | DataType::Decimal64(p, s)
            | DataType::Decimal128(p, s)
            | DataType::Decimal256(p, s),
        ) if *s == scale => u32::from(*p),
        _ => return Err(no()),
    };
    let wide = |bytes: &[u8]| big_endian(bytes).ok_or_else(|| too_large(to, format!("{bytes:02x?}")));
    let unscaled: Decimal128Array = match array.data_type() {
        DataType::Int32 => array.as_primitive::<Int32Type>().unary(i128::from),
        DataType::Int64 => array.as_primitive::<Int64Type>().unary(i128::from),
        DataType::FixedSizeBinary(_) => {
            let fixed = array.as_fixed_size_binary();
            build_decimals(fixed.len(), fixed.nulls(), |i| wide(fixed.value(i)))?
        }
        DataType::Binary => {
            let bytes = array.as_binary::<i32>();
            build_decimals(bytes.len(), bytes.nulls(), |i| wide(bytes.value(i)))?
        }
        DataType::Decimal128(..) => array.as_primitive::<Decimal128Type>().clone(),
        DataType::Decimal32(..) | DataType::Decimal64(..) => {
            let cast = arrow_cast::cast(array, &DataType::Decimal128(38, scale)).map_err(arrow_error)?;
            cast.as_primitive::<Decimal128Type>().clone()
        }
        DataType::Decimal256(..) => {
            let wider = array.as_primitive::<arrow_array::types::Decimal256Type>();
            let narrow = |i: usize| {
                let value: i256 = wider.value(i);
                value.to_i128().ok_or_else(|| too_large(to, value))
            };
            build_decimals(wider.len(), wider.nulls(), narrow)?
        }
        _ => return Err(no()),
    };
    if stored_precision > u32::from(precision) {
        let limit = 10_i128.pow(precision.into());
        for value in unscaled.iter().flatten() {
            if value.unsigned_abs() >= limit.unsigned_abs() {
                return Err(too_large(to, value));
            }
        }
    }
    Ok(Arc::new(unscaled.with_precision_and_scale(precision, scale).map_err(arrow_error)?))
}

fn build_decimals(
    len: usize,
    nulls: Option<&arrow_buffer::NullBuffer>,
    value: impl Fn(usize) -> Result<i128>,
) -> Result<Decimal128Array> {
    let mut values = vec![0_i128; len];
    for (i, slot) in values.iter_mut().enumerate() {
        if nulls.is_none_or(|n| n.is_valid(i)) {
            *slot = value(i)?;
        }
    }
    Ok(Decimal128Array::new(values.into(), nulls.cloned()))
}

fn time(array: &ArrayRef, note: Note, to: &Type) -> Result<ArrayRef> {
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
fn since_epoch(array: &ArrayRef, note: Note, to: &Type, unit: Unit) -> Result<Int64Array> {
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

fn string(array: &ArrayRef, note: Note, to: &Type) -> Result<ArrayRef> {
    Ok(match array.data_type() {
        DataType::Utf8 => Arc::clone(array),
        DataType::LargeUtf8 | DataType::Utf8View | DataType::Dictionary(..) => {
            arrow_cast::cast(array, &DataType::Utf8).map_err(arrow_error)?
        }
        DataType::Binary if note != Note::Native || !matches!(note, Note::Decimal { .. }) => {
            let (offsets, values, nulls) = array.as_binary::<i32>().clone().into_parts();
            Arc::new(
                StringArray::try_new(offsets, values, nulls)
                    .map_err(|e| Error::corrupt("a string column holds bytes that are not UTF-8").caused_by(e))?,
            )
        }
        _ => return Err(mismatch(array, note, to)),
    })
}

fn fixed(array: &ArrayRef, note: Note, to: &Type, length: i32) -> Result<ArrayRef> {
    match array.data_type() {
        DataType::FixedSizeBinary(stored) if *stored == length && note != Note::Int96 => Ok(Arc::clone(array)),
        DataType::Binary => {
            let bytes = array.as_binary::<i32>();
            let width = length as usize;
            let mut values = MutableBuffer::from_len_zeroed(
                width.checked_mul(bytes.len()).ok_or_else(|| mismatch(array, note, to))?,
            );
            for i in 0..bytes.len() {
                if bytes.is_valid(i) {
                    let value = bytes.value(i);
                    if value.len() != width {
                        return Err(Error::corrupt(format!(
                            "a value of {} bytes in a column of type {to}",
                            value.len()
                        )));
                    }
                    values.as_slice_mut()[i * width..(i + 1) * width].copy_from_slice(value);
                }
            }
            let array = FixedSizeBinaryArray::try_new(length, values.into(), bytes.nulls().cloned());
            Ok(Arc::new(array.map_err(arrow_error)?))
        }
        _ => Err(mismatch(array, note, to)),
    }
}

fn binary(array: &ArrayRef, note: Note, to: &Type) -> Result<ArrayRef> {
    Ok(match array.data_type() {
        DataType::Binary => Arc::clone(array),
        DataType::Utf8 => {
            let (offsets, values, nulls) = array.as_string::<i32>().clone().into_parts();
            Arc::new(BinaryArray::try_new(offsets, values, nulls).map_err(arrow_error)?)
        }
        DataType::FixedSizeBinary(_) if note != Note::Int96 => {
            arrow_cast::cast(array, &DataType::Binary).map_err(arrow_error)?
        }
        DataType::LargeBinary | DataType::BinaryView | DataType::LargeUtf8 | DataType::Utf8View => {
            arrow_cast::cast(array, &DataType::Binary).map_err(arrow_error)?
        }
        _ => return Err(mismatch(array, note, to)),
    })
}
