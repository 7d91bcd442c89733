use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, FixedSizeBinaryArray, StringArray};
use arrow_buffer::MutableBuffer;
use arrow_schema::DataType;
use lakefold_base::{Error, Result};
use lakefold_task::Type;
use std::sync::Arc;

use super::mismatch;
use crate::dictionary::dictionary_type;
use crate::guard::arrow_error;
use crate::tree::Note;

pub(super) fn string(array: &ArrayRef, note: Note, to: &Type) -> Result<ArrayRef> {
    Ok(match array.data_type() {
        DataType::Utf8 => Arc::clone(array),
        // Only where the answer is to be such.
        DataType::Utf8View => Arc::clone(array),
        dictionary if *dictionary == dictionary_type() => Arc::clone(array),
        DataType::LargeUtf8 | DataType::Dictionary(..) => {
            arrow_cast::cast(array, &DataType::Utf8).map_err(arrow_error)?
        }
        DataType::Binary => {
            let (offsets, values, nulls) = array.as_binary::<i32>().clone().into_parts();
            Arc::new(
                StringArray::try_new(offsets, values, nulls)
                    .map_err(|e| Error::corrupt("a string column holds bytes that are not UTF-8").caused_by(e))?,
            )
        }
        _ => return Err(mismatch(array, note, to)),
    })
}

pub(super) fn fixed(array: &ArrayRef, note: Note, to: &Type, length: i32) -> Result<ArrayRef> {
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

pub(super) fn binary(array: &ArrayRef, note: Note, to: &Type) -> Result<ArrayRef> {
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
