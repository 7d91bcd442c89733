//! Between the types that orc-rust decodes and those that are handed out.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{
    Array, ArrayRef, FixedSizeBinaryArray, ListArray, MapArray, StringArray, StructArray, Time64MicrosecondArray,
};
use arrow_buffer::MutableBuffer;
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields};
use lakefold_base::{Error, Result};
use orc_rust::proto::Type;
use orc_rust::proto::r#type::Kind;
use std::sync::Arc;

use super::types::{CHAR, kind};

/// The field as orc-rust decodes it; `at` is its place in the wanted types.
pub(super) fn native(types: &[Type], at: usize, field: &FieldRef) -> Result<FieldRef> {
    let child = |i: usize, field: &FieldRef| native(types, types[at].subtypes[i] as usize, field);
    let data_type = match (field.data_type(), kind(&types[at])?) {
        (DataType::Struct(fields), _) => DataType::Struct(native_fields(types, at, fields)?),
        (DataType::List(element), _) => DataType::List(child(0, element)?),
        (DataType::Map(entries, sorted), _) => {
            let pair = entry_fields(entries)?;
            let pair = Fields::from(vec![child(0, &pair[0])?, child(1, &pair[1])?]);
            DataType::Map(Arc::new(Field::new("entries", DataType::Struct(pair), false)), *sorted)
        }
        (DataType::Time64(_), _) => DataType::Int64,
        (DataType::FixedSizeBinary(_), _) => DataType::Binary,
        (DataType::Int32, Kind::Byte) => DataType::Int8,
        (DataType::Int32, Kind::Short) => DataType::Int16,
        (other, _) => other.clone(),
    };
    Ok(Arc::new(Field::new(field.name(), data_type, field.is_nullable())))
}

/// The children of a struct, see [`native`].
pub(super) fn native_fields(types: &[Type], at: usize, fields: &Fields) -> Result<Fields> {
    fields.iter().zip(&types[at].subtypes).map(|(field, &child)| native(types, child as usize, field)).collect()
}

fn entry_fields(entries: &FieldRef) -> Result<&Fields> {
    match entries.data_type() {
        DataType::Struct(pair) if pair.len() == 2 => Ok(pair),
        other => Err(Error::internal(format!("a map with entries of {other}"))),
    }
}

/// An array of [`native`] as the field wants it.
pub(super) fn conform(array: &ArrayRef, field: &FieldRef) -> Result<ArrayRef> {
    let invalid = |e: ArrowError| Error::corrupt("broken values").with("field", field.name()).caused_by(e);
    Ok(match (field.data_type(), array.data_type()) {
        (DataType::Struct(fields), DataType::Struct(_)) => {
            let source = array.as_struct();
            let children = source.columns().iter().zip(fields).map(|(c, f)| conform(c, f)).collect::<Result<_>>()?;
            let array =
                StructArray::try_new_with_length(fields.clone(), children, source.nulls().cloned(), array.len());
            Arc::new(array.map_err(invalid)?)
        }
        (DataType::List(element), DataType::List(_)) => {
            let source = array.as_list::<i32>();
            let values = conform(source.values(), element)?;
            let (offsets, nulls) = (source.offsets().clone(), source.nulls().cloned());
            Arc::new(ListArray::try_new(element.clone(), offsets, values, nulls).map_err(invalid)?)
        }
        (DataType::Map(entries, sorted), DataType::Map(..)) => {
            let source = array.as_map();
            let pair = entry_fields(entries)?;
            let sides = vec![conform(source.keys(), &pair[0])?, conform(source.values(), &pair[1])?];
            let pairs = StructArray::try_new(pair.clone(), sides, None).map_err(invalid)?;
            let (offsets, nulls) = (source.offsets().clone(), source.nulls().cloned());
            Arc::new(MapArray::try_new(entries.clone(), offsets, pairs, nulls, *sorted).map_err(invalid)?)
        }
        (DataType::Time64(_), DataType::Int64) => {
            let source = array.as_primitive::<Int64Type>();
            Arc::new(Time64MicrosecondArray::new(source.values().clone(), source.nulls().cloned()))
        }
        (DataType::FixedSizeBinary(size), DataType::Binary) => fixed(array, *size, field)?,
        (DataType::Int32, DataType::Int8 | DataType::Int16) => cast(array, &DataType::Int32).map_err(invalid)?,
        (DataType::Utf8, DataType::Utf8) if field.metadata().contains_key(CHAR) => {
            let texts = array.as_string::<i32>().iter().map(|text| text.map(|text| text.trim_end_matches(' ')));
            Arc::new(texts.collect::<StringArray>())
        }
        (wanted, found) if wanted == found => array.clone(),
        (wanted, found) => return Err(Error::internal(format!("{found} was decoded where {wanted} is due"))),
    })
}

fn fixed(array: &ArrayRef, size: i32, field: &FieldRef) -> Result<ArrayRef> {
    let source = array.as_binary::<i32>();
    let width = size as usize;
    let values = (0..source.len()).filter(|&i| source.is_valid(i)).map(|i| source.value(i).len());
    if let Some(length) = values.into_iter().find(|length| *length != width) {
        return Err(Error::corrupt(format!("{length} bytes where {width} are due")).with("field", field.name()));
    }
    let total = width.checked_mul(source.len()).filter(|n| *n <= i32::MAX as usize);
    let total = total.ok_or_else(|| Error::corrupt(format!("{} values of {width} bytes", source.len())))?;
    let mut data = MutableBuffer::with_capacity(total);
    for i in 0..source.len() {
        if source.is_valid(i) {
            data.extend_from_slice(source.value(i));
        } else {
            data.extend_zeros(width);
        }
    }
    let array = FixedSizeBinaryArray::try_new_with_len(size, data.into(), source.nulls().cloned(), source.len());
    Ok(Arc::new(array.map_err(|e| Error::internal("cannot build an array").caused_by(e))?))
}
