//! Values that were read, as arrays.

use super::builder::misfit;
use super::column::Column;
use arrow_array::types::{
    ArrowPrimitiveType, ByteArrayType, Float32Type, Float64Type, GenericBinaryType, GenericStringType,
};
use arrow_array::{
    ArrayRef, BooleanArray, Decimal128Array, FixedSizeBinaryArray, GenericByteArray, ListArray, MapArray, NullArray,
    PrimitiveArray, StructArray, make_array,
};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, FieldRef, Fields};
use lakefold_base::{Error, Result};
use std::mem::take;
use std::sync::Arc;

fn internal(error: ArrowError) -> Error {
    Error::internal("cannot build an array").caused_by(error)
}

/// Arrow's own checks of what a file holds, such as UTF-8 and nulls in map keys.
fn invalid(field: &FieldRef) -> impl Fn(ArrowError) -> Error + '_ {
    |error| Error::corrupt("broken values").with("field", field.name()).caused_by(error)
}

impl Column {
    /// The values since the last call.
    pub(super) fn finish(&mut self, field: &FieldRef, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let data_type = field.data_type();
        Ok(match self {
            Column::Null(n) => Arc::new(NullArray::new(take(n))),
            Column::Boolean(bits) => Arc::new(BooleanArray::new(bits.finish(), nulls)),
            Column::I32(values) => flat(data_type, values.len(), Buffer::from_vec(take(values)), nulls)?,
            Column::I64(values) => flat(data_type, values.len(), Buffer::from_vec(take(values)), nulls)?,
            Column::F32(values) => primitive::<Float32Type>(take(values), nulls),
            Column::F64(values) => primitive::<Float64Type>(take(values), nulls),
            Column::Bytes(offsets, data) | Column::Enum(offsets, data, _) => {
                let (offsets, data) = (offset_buffer(offsets), Buffer::from_vec(take(data)));
                match data_type {
                    DataType::Utf8 => bytes::<GenericStringType<i32>>(field, offsets, data, nulls)?,
                    _ => bytes::<GenericBinaryType<i32>>(field, offsets, data, nulls)?,
                }
            }
            Column::Fixed(size, data, len) => {
                let data = Buffer::from_vec(take(data));
                let len = take(len);
                Arc::new(FixedSizeBinaryArray::try_new_with_len(*size as i32, data, nulls, len).map_err(internal)?)
            }
            Column::Decimal(values, _) => {
                let array = Decimal128Array::new(ScalarBuffer::from(take(values)), nulls);
                Arc::new(array.with_data_type(data_type.clone()))
            }
            Column::List(offsets, item, _) => {
                let offsets = offset_buffer(offsets);
                let values = item.finish()?;
                let array = ListArray::try_new(item.field.clone(), offsets, values, nulls).map_err(invalid(field))?;
                Arc::new(array)
            }
            Column::Map(offsets, slots, _) => {
                let DataType::Map(entries, _) = data_type else { return Err(misfit(field)) };
                let offsets = offset_buffer(offsets);
                let children = vec![slots[0].finish()?, slots[1].finish()?];
                let fields = Fields::from(vec![slots[0].field.clone(), slots[1].field.clone()]);
                let pairs = StructArray::try_new(fields, children, None).map_err(invalid(field))?;
                let map = MapArray::try_new(entries.clone(), offsets, pairs, nulls, false).map_err(invalid(field))?;
                Arc::new(map)
            }
            Column::Struct(record) => {
                let DataType::Struct(fields) = data_type else { return Err(misfit(field)) };
                let len = record.len;
                let children = record.finish()?;
                let array = StructArray::try_new_with_length(fields.clone(), children, nulls, len);
                Arc::new(array.map_err(invalid(field))?)
            }
        })
    }
}

fn offset_buffer(offsets: &mut Vec<i32>) -> OffsetBuffer<i32> {
    OffsetBuffer::new(ScalarBuffer::from(std::mem::replace(offsets, vec![0])))
}

fn flat(data_type: &DataType, len: usize, data: Buffer, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    let data =
        ArrayData::builder(data_type.clone()).len(len).add_buffer(data).nulls(nulls).build().map_err(internal)?;
    Ok(make_array(data))
}

fn primitive<T: ArrowPrimitiveType>(values: Vec<T::Native>, nulls: Option<NullBuffer>) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::new(ScalarBuffer::from(values), nulls))
}

fn bytes<T: ByteArrayType>(
    field: &FieldRef,
    offsets: OffsetBuffer<T::Offset>,
    data: Buffer,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    Ok(Arc::new(GenericByteArray::<T>::try_new(offsets, data, nulls).map_err(invalid(field))?))
}
