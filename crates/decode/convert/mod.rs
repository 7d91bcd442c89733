mod bytes;
mod decimal;
mod integer;
mod time;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Time32MillisecondType, Time64MicrosecondType,
    TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef, make_array, new_null_array};
use arrow_schema::{DataType, TimeUnit};
use lakefold_base::{Error, Result};
use lakefold_task::Type;
use std::sync::Arc;

use crate::guard::arrow_error;
use crate::tree::{Note, Unit};
use crate::types::{arrow_type, unit_of};

pub(crate) use decimal::big_endian;

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
        Type::TinyInt => integer::narrow::<Int8Type>(array, note, to)?,
        Type::SmallInt => integer::narrow::<Int16Type>(array, note, to)?,
        Type::Int => integer::int(array, note, to)?,
        Type::Long => integer::long(array, note, to)?,
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
        Type::Decimal(precision, scale) => decimal::decimal(array, note, to, *precision, *scale)?,
        Type::Date => match (data_type, note) {
            (DataType::Date32, _) => Arc::clone(array),
            (DataType::Int32, Note::Date | Note::Plain) => {
                Arc::new(array.as_primitive::<Int32Type>().reinterpret_cast::<Date32Type>())
            }
            _ => return Err(no()),
        },
        Type::Time => time::time_of_day(array, note, to)?,
        Type::TimeOf(_) => match (array.data_type(), note) {
            (DataType::Int32, Note::Time(Unit::Millis) | Note::Plain | Note::Native) => {
                Arc::new(array.as_primitive::<Int32Type>().reinterpret_cast::<Time32MillisecondType>())
            }
            (DataType::Time32(TimeUnit::Millisecond), _) => Arc::clone(array),
            _ => {
                let micros = time::time_of_day(array, note, to)?;
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
            let data = time::since_epoch(array, note, to, unit)?.into_data().into_builder().data_type(arrow_type(to)?);
            make_array(data.build().map_err(arrow_error)?)
        }
        Type::Timestamp | Type::Timestamptz => {
            let micros = time::since_epoch(array, note, to, Unit::Micros)?;
            let typed = micros.reinterpret_cast::<TimestampMicrosecondType>();
            Arc::new(if *to == Type::Timestamptz { typed.with_timezone("UTC") } else { typed })
        }
        Type::TimestampNs | Type::TimestamptzNs => {
            let nanos = time::since_epoch(array, note, to, Unit::Nanos)?;
            let typed = nanos.reinterpret_cast::<TimestampNanosecondType>();
            Arc::new(if *to == Type::TimestamptzNs { typed.with_timezone("UTC") } else { typed })
        }
        Type::String | Type::Char(_) | Type::Varchar(_) => bytes::string(array, note, to)?,
        Type::Uuid => bytes::fixed(array, note, to, 16)?,
        Type::Fixed(length) => bytes::fixed(array, note, to, i32::try_from(*length).map_err(|_| no())?)?,
        Type::Binary | Type::BinaryOf(_) | Type::Varbinary(_) | Type::Geometry(_) | Type::Geography(_) => {
            bytes::binary(array, note, to)?
        }
        _ => return Err(no()),
    })
}
