//! Values of a type that a column had, as values of the type that it has now: the casts of Paimon's schema evolution.
//! Where a zone matters (timestamps with local time zone against wall clock and text), it is UTC.

mod calendar;
pub(crate) mod digits;
pub(crate) mod float;
mod moment;
mod number;
pub(crate) mod text;

use arrow_array::ArrayRef;
use arrow_array::builder::{BinaryBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    Time32MillisecondType, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{Array, BooleanArray, Decimal128Array, Int64Array, PrimitiveArray, make_array};
use arrow_schema::TimeUnit;
use lakefold_base::{Error, Result};
use lakefold_task::Type;
use std::sync::Arc;

use crate::guard::arrow_error;
use crate::types::{arrow_type, unit_of};

/// A value of a primitive type.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    Boolean(bool),
    /// Any integer.
    Int(i64),
    Float(f32),
    Double(f64),
    /// Unscaled, and its scale.
    Decimal(i128, i8),
    Text(String),
    Bytes(Vec<u8>),
    /// Days since 1970.
    Date(i32),
    /// Millis of the day.
    Time(i32),
    /// Nanoseconds since 1970.
    Timestamp(i128),
}

/// What kind of type, as far as the rules look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Boolean,
    Integer,
    Approximate,
    Decimal,
    Text,
    Bytes,
    Date,
    Time,
    Timestamp,
}

fn family(field_type: &Type) -> Option<Family> {
    Some(match field_type {
        Type::Boolean => Family::Boolean,
        Type::TinyInt | Type::SmallInt | Type::Int | Type::Long => Family::Integer,
        Type::Float | Type::Double => Family::Approximate,
        Type::Decimal(..) => Family::Decimal,
        Type::Char(_) | Type::Varchar(_) | Type::String => Family::Text,
        Type::BinaryOf(_) | Type::Varbinary(_) | Type::Binary => Family::Bytes,
        Type::Date => Family::Date,
        Type::TimeOf(_) => Family::Time,
        Type::TimestampOf(_) | Type::TimestamptzOf(_) => Family::Timestamp,
        _ => return None,
    })
}

/// Fails with `Unsupported` if there is no cast between two types.
pub(crate) fn check(from: &Type, to: &Type) -> Result<()> {
    use Family::*;
    let known = match (family(from), family(to)) {
        (Some(Integer | Approximate | Decimal), Some(Integer | Approximate | Decimal)) => true,
        (Some(Boolean), Some(Integer | Approximate | Decimal | Boolean | Text)) => true,
        (Some(Integer), Some(Boolean)) => true,
        (Some(Integer), Some(Timestamp)) => matches!(from, Type::Int | Type::Long),
        (Some(Timestamp), Some(Integer)) => matches!(to, Type::Int | Type::Long),
        (Some(Bytes), Some(Bytes | Text)) => true,
        (Some(Text), Some(_)) => true,
        (Some(_), Some(Text)) => true,
        (Some(Date | Time | Timestamp), Some(Timestamp)) => true,
        (Some(Timestamp), Some(Date | Time)) => true,
        (Some(a), Some(b)) => a == b,
        _ => false,
    };
    match known {
        true => Ok(()),
        false => Err(Error::unsupported(format!("a column that was {from} and is {to} now"))),
    }
}

/// Casts values. A decimal that does not fit becomes null; a text that is no value of the type is an error.
pub(crate) fn cast(array: &ArrayRef, from: &Type, to: &Type) -> Result<ArrayRef> {
    check(from, to)?;
    let wide = matches!(
        (from, to),
        (Type::TinyInt, Type::SmallInt | Type::Int | Type::Long | Type::Double)
            | (Type::SmallInt, Type::Int | Type::Long | Type::Double)
            | (Type::Int, Type::Long | Type::Double)
            | (Type::Float, Type::Double)
    );
    let same = matches!((from, to), (Type::Char(_) | Type::Varchar(_), Type::String))
        || matches!((from, to), (Type::BinaryOf(_) | Type::Varbinary(_), Type::Binary))
        || matches!((from, to), (Type::TimeOf(a), Type::TimeOf(b)) if a <= b);
    if same {
        return Ok(Arc::clone(array));
    }
    if wide {
        return arrow_cast::cast(array, &arrow_type(to)?).map_err(arrow_error);
    }
    let mut cells = Vec::with_capacity(array.len());
    for row in 0..array.len() {
        cells.push(match array.is_null(row) {
            true => None,
            false => one(cell(array, row, from)?, from, to)?,
        });
    }
    build(cells, to)
}

fn cell(array: &ArrayRef, row: usize, of: &Type) -> Result<Cell> {
    let nanos = |digits: u8| match unit_of(digits) {
        TimeUnit::Millisecond => i128::from(array.as_primitive::<TimestampMillisecondType>().value(row)) * 1_000_000,
        TimeUnit::Microsecond => i128::from(array.as_primitive::<TimestampMicrosecondType>().value(row)) * 1000,
        _ => i128::from(array.as_primitive::<TimestampNanosecondType>().value(row)),
    };
    Ok(match of {
        Type::Boolean => Cell::Boolean(array.as_boolean().value(row)),
        Type::TinyInt => Cell::Int(array.as_primitive::<Int8Type>().value(row).into()),
        Type::SmallInt => Cell::Int(array.as_primitive::<Int16Type>().value(row).into()),
        Type::Int => Cell::Int(array.as_primitive::<Int32Type>().value(row).into()),
        Type::Long => Cell::Int(array.as_primitive::<Int64Type>().value(row)),
        Type::Float => Cell::Float(array.as_primitive::<Float32Type>().value(row)),
        Type::Double => Cell::Double(array.as_primitive::<Float64Type>().value(row)),
        Type::Decimal(_, scale) => Cell::Decimal(array.as_primitive::<Decimal128Type>().value(row), *scale),
        Type::Char(_) | Type::Varchar(_) | Type::String => Cell::Text(array.as_string::<i32>().value(row).to_string()),
        Type::BinaryOf(_) | Type::Varbinary(_) | Type::Binary => {
            Cell::Bytes(array.as_binary::<i32>().value(row).to_vec())
        }
        Type::Date => Cell::Date(array.as_primitive::<Date32Type>().value(row)),
        Type::TimeOf(_) => Cell::Time(array.as_primitive::<Time32MillisecondType>().value(row)),
        Type::TimestampOf(digits) | Type::TimestamptzOf(digits) => Cell::Timestamp(nanos(*digits)),
        other => return Err(Error::internal(format!("a cast from {other}"))),
    })
}

/// One value; none where it becomes null.
fn one(value: Cell, from: &Type, to: &Type) -> Result<Option<Cell>> {
    const NANOS_A_DAY: i128 = 86_400_000_000_000;
    Ok(match (family(to), value) {
        (Some(Family::Text), value) => Some(Cell::Text(text::sized(text::of(value, from)?, to))),
        (Some(_), Cell::Text(value)) => text::parse(&value, to)?,
        (Some(Family::Integer | Family::Approximate | Family::Decimal | Family::Boolean), value) => {
            number::convert(value, to)?
        }
        (Some(Family::Bytes), Cell::Bytes(value)) => Some(Cell::Bytes(text::sized_bytes(value, to))),
        (Some(Family::Date), Cell::Timestamp(nanos)) => {
            Some(Cell::Date(i32::try_from(nanos.div_euclid(NANOS_A_DAY)).map_err(|_| beyond(nanos, to))?))
        }
        (Some(Family::Time), Cell::Timestamp(nanos)) => {
            Some(Cell::Time((nanos.rem_euclid(NANOS_A_DAY) / 1_000_000) as i32))
        }
        (Some(Family::Timestamp), value) => {
            let nanos = match value {
                Cell::Timestamp(nanos) => shortened(nanos, to),
                Cell::Date(days) => i128::from(days) * NANOS_A_DAY,
                Cell::Time(millis) => i128::from(millis) * 1_000_000,
                // Numbers count seconds.
                Cell::Int(seconds) => i128::from(seconds) * 1_000_000_000,
                other => return Err(Error::internal(format!("a cast of {other:?} to {to}"))),
            };
            Some(Cell::Timestamp(nanos))
        }
        (_, same) => Some(same),
    })
}

fn beyond(value: impl std::fmt::Display, to: &Type) -> Error {
    Error::corrupt(format!("a stored value cannot be cast to {to}")).with("value", value)
}

fn build(cells: Vec<Option<Cell>>, to: &Type) -> Result<ArrayRef> {
    let wrong = || Error::internal(format!("a cast that gives no {to}"));
    macro_rules! primitive {
        ($type:ty, $pattern:pat => $value:expr) => {{
            let mut values: Vec<Option<<$type as arrow_array::ArrowPrimitiveType>::Native>> =
                Vec::with_capacity(cells.len());
            for cell in cells {
                values.push(match cell {
                    None => None,
                    Some($pattern) => Some($value),
                    Some(_) => return Err(wrong()),
                });
            }
            Arc::new(PrimitiveArray::<$type>::from_iter(values)) as ArrayRef
        }};
    }
    Ok(match to {
        Type::Boolean => {
            let values = cells.into_iter().map(|c| match c {
                None => Ok(None),
                Some(Cell::Boolean(v)) => Ok(Some(v)),
                Some(_) => Err(wrong()),
            });
            Arc::new(values.collect::<Result<BooleanArray>>()?)
        }
        Type::TinyInt => primitive!(Int8Type, Cell::Int(v) => v as i8),
        Type::SmallInt => primitive!(Int16Type, Cell::Int(v) => v as i16),
        Type::Int => primitive!(Int32Type, Cell::Int(v) => v as i32),
        Type::Long => primitive!(Int64Type, Cell::Int(v) => v),
        Type::Float => primitive!(Float32Type, Cell::Float(v) => v),
        Type::Double => primitive!(Float64Type, Cell::Double(v) => v),
        Type::Date => primitive!(Date32Type, Cell::Date(v) => v),
        Type::TimeOf(_) => primitive!(Time32MillisecondType, Cell::Time(v) => v),
        Type::Decimal(precision, scale) => {
            let array = primitive!(Decimal128Type, Cell::Decimal(v, _) => v);
            let array: Decimal128Array = array.as_primitive::<Decimal128Type>().clone();
            Arc::new(array.with_precision_and_scale(*precision, *scale).map_err(arrow_error)?)
        }
        Type::TimestampOf(digits) | Type::TimestamptzOf(digits) => {
            let (digit, unit) = (10_i128.pow(9 - u32::from((*digits).min(9))), unit_of(*digits));
            let per = match unit {
                TimeUnit::Millisecond => 1_000_000,
                TimeUnit::Microsecond => 1000,
                _ => 1,
            };
            let mut values = Vec::with_capacity(cells.len());
            for cell in cells {
                values.push(match cell {
                    None => None,
                    Some(Cell::Timestamp(nanos)) => {
                        let cut = nanos.div_euclid(digit) * digit;
                        Some(i64::try_from(cut.div_euclid(per)).map_err(|_| beyond(nanos, to))?)
                    }
                    Some(_) => return Err(wrong()),
                });
            }
            let data = Int64Array::from_iter(values).into_data().into_builder().data_type(arrow_type(to)?);
            make_array(data.build().map_err(arrow_error)?)
        }
        Type::Char(_) | Type::Varchar(_) | Type::String => {
            let mut builder = StringBuilder::new();
            for cell in cells {
                match cell {
                    None => builder.append_null(),
                    Some(Cell::Text(text)) => builder.append_value(text),
                    Some(_) => return Err(wrong()),
                }
            }
            Arc::new(builder.finish())
        }
        Type::BinaryOf(_) | Type::Varbinary(_) | Type::Binary => {
            let mut builder = BinaryBuilder::new();
            for cell in cells {
                match cell {
                    None => builder.append_null(),
                    Some(Cell::Bytes(bytes)) => builder.append_value(bytes),
                    Some(_) => return Err(wrong()),
                }
            }
            Arc::new(builder.finish())
        }
        _ => return Err(wrong()),
    })
}

/// A timestamp with fewer digits than milliseconds: the reference cuts whole milliseconds towards 1970, also before it.
fn shortened(nanos: i128, to: &Type) -> i128 {
    match to {
        Type::TimestampOf(digits) | Type::TimestamptzOf(digits) if *digits < 3 => {
            let unit = 10_i128.pow(3 - u32::from(*digits));
            nanos.div_euclid(1_000_000) / unit * unit * 1_000_000
        }
        _ => nanos,
    }
}

#[cfg(test)]
mod tests;
