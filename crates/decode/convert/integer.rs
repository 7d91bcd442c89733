use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Int32Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use lakefold_base::{Error, Result};
use lakefold_task::Type;
use std::sync::Arc;

use super::{mismatch, too_large};
use crate::guard::arrow_error;
use crate::tree::Note;

/// 8 and 16 bit integers, which most formats store in wider ones.
pub(super) fn narrow<T: ArrowPrimitiveType>(array: &ArrayRef, note: Note, to: &Type) -> Result<ArrayRef>
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

pub(super) fn int(array: &ArrayRef, note: Note, to: &Type) -> Result<ArrayRef> {
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

pub(super) fn long(array: &ArrayRef, note: Note, to: &Type) -> Result<ArrayRef> {
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
