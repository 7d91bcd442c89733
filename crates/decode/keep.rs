//! Leaves rows out of decoded columns, in the columns' own memory where nobody else holds it: a selection of very many
//! short runs costs more to decode than the few rows that it spares.

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, BinaryType, ByteArrayType, Int32Type, Utf8Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, FixedSizeBinaryArray, GenericByteArray, PrimitiveArray,
    StructArray, downcast_primitive,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;
use arrow_select::filter::{FilterBuilder, FilterPredicate};
use lakefold_base::Result;
use std::sync::Arc;

use crate::guard::own_arrow_error;

/// Which rows of a batch stay.
pub(crate) struct Keep {
    runs: Vec<(usize, usize)>,
    rows: usize,
    predicate: FilterPredicate,
}

impl Keep {
    /// The rows that are set.
    pub(crate) fn new(mask: &BooleanBuffer) -> Self {
        let predicate = FilterBuilder::new(&BooleanArray::new(mask.clone(), None)).optimize().build();
        Self { runs: mask.set_slices().collect(), rows: predicate.count(), predicate }
    }

    /// How many rows stay.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The rows of each column that stay.
    pub(crate) fn columns(&self, columns: Vec<ArrayRef>) -> Result<Vec<ArrayRef>> {
        columns.into_iter().map(|column| self.column(column)).collect()
    }

    fn column(&self, array: ArrayRef) -> Result<ArrayRef> {
        // In place, what little stays would hold the memory of all.
        if self.rows < array.len() / 2 {
            return self.copied(&array);
        }
        macro_rules! fixed {
            ($t:ty) => {
                self.primitive::<$t>(array)
            };
        }
        let data_type = array.data_type().clone();
        downcast_primitive! {
            data_type => (fixed),
            DataType::Utf8 => self.bytes::<Utf8Type>(array),
            DataType::Binary => self.bytes::<BinaryType>(array),
            DataType::FixedSizeBinary(_) => self.fixed(array),
            DataType::Dictionary(ref key, _) if **key == DataType::Int32 => self.keys(array),
            DataType::Struct(ref fields) if !fields.is_empty() => self.structs(array),
            _ => self.copied(&array),
        }
    }

    /// The rows of a column that stay, in memory of their own.
    pub(crate) fn copied(&self, array: &dyn Array) -> Result<ArrayRef> {
        let kept = self.predicate.filter(array).map_err(own_arrow_error)?;
        match kept.as_string_view_opt() {
            Some(views) => Ok(Arc::new(views.gc())),
            None => Ok(kept),
        }
    }

    fn nulls(&self, nulls: Option<NullBuffer>) -> Result<Option<NullBuffer>> {
        let Some(nulls) = nulls.filter(|nulls| nulls.null_count() > 0) else { return Ok(None) };
        let kept = self.copied(&BooleanArray::new(nulls.into_inner(), None))?;
        Ok(Some(NullBuffer::new(kept.as_boolean().values().clone())))
    }

    /// Moves values of `width` bytes together; none if someone else holds them.
    fn pack(&self, values: Buffer, width: usize) -> std::result::Result<Buffer, Buffer> {
        let mut values = values.into_mutable()?;
        let bytes = values.as_slice_mut();
        let mut end = 0;
        for (start, stop) in &self.runs {
            bytes.copy_within(start * width..stop * width, end);
            end += (stop - start) * width;
        }
        values.truncate(end);
        Ok(values.into())
    }

    fn primitive<T: ArrowPrimitiveType>(&self, array: ArrayRef) -> Result<ArrayRef> {
        let typed: PrimitiveArray<T> = array.as_primitive().clone();
        drop(array);
        let (data_type, values, nulls) = typed.into_parts();
        match self.pack(values.into_inner(), size_of::<T::Native>()) {
            Ok(packed) => {
                let values = ScalarBuffer::new(packed, 0, self.rows);
                let kept = PrimitiveArray::<T>::try_new(values, self.nulls(nulls)?).map_err(own_arrow_error)?;
                Ok(Arc::new(kept.with_data_type(data_type)))
            }
            Err(shared) => {
                let length = shared.len() / size_of::<T::Native>();
                let whole = PrimitiveArray::<T>::try_new(ScalarBuffer::new(shared, 0, length), nulls);
                self.copied(&whole.map_err(own_arrow_error)?.with_data_type(data_type))
            }
        }
    }

    fn keys(&self, array: ArrayRef) -> Result<ArrayRef> {
        let typed = array.as_dictionary::<Int32Type>().clone();
        drop(array);
        let (keys, values) = typed.into_parts();
        let kept = self.primitive::<Int32Type>(Arc::new(keys))?;
        // SAFETY: keys of a valid array, each as it was.
        Ok(Arc::new(unsafe { DictionaryArray::new_unchecked(kept.as_primitive::<Int32Type>().clone(), values) }))
    }

    fn fixed(&self, array: ArrayRef) -> Result<ArrayRef> {
        let typed = array.as_fixed_size_binary().clone();
        drop(array);
        let (width, values, nulls) = typed.into_parts();
        match self.pack(values, width.max(0) as usize) {
            Ok(packed) => {
                let kept = FixedSizeBinaryArray::try_new_with_len(width, packed, self.nulls(nulls)?, self.rows);
                Ok(Arc::new(kept.map_err(own_arrow_error)?))
            }
            Err(shared) => {
                let whole = FixedSizeBinaryArray::try_new(width, shared, nulls).map_err(own_arrow_error)?;
                self.copied(&whole)
            }
        }
    }

    fn bytes<T: ByteArrayType<Offset = i32>>(&self, array: ArrayRef) -> Result<ArrayRef> {
        let typed: GenericByteArray<T> = array.as_bytes().clone();
        drop(array);
        let (offsets, values, nulls) = typed.into_parts();
        // SAFETY (both): whole values of a valid array, and the same parts put together again.
        let make = |offsets, values, nulls| unsafe { GenericByteArray::<T>::new_unchecked(offsets, values, nulls) };
        let (mut offsets, mut values) = match (offsets.into_inner().into_inner().into_mutable(), values.into_mutable())
        {
            (Ok(offsets), Ok(values)) => (offsets, values),
            (offsets, values) => {
                let offsets = offsets.map_or_else(|shared| shared, Buffer::from);
                let values = values.map_or_else(|shared| shared, Buffer::from);
                let length = offsets.len() / size_of::<i32>();
                return self.copied(&make(OffsetBuffer::new(ScalarBuffer::new(offsets, 0, length)), values, nulls));
            }
        };
        let at: &mut [i32] = offsets.typed_data_mut();
        let (mut row, mut end) = (0, at.first().copied().unwrap_or(0));
        for &(start, stop) in &self.runs {
            let (from, to) = (at[start], at[stop]);
            values.as_slice_mut().copy_within(from as usize..to as usize, end as usize);
            at.copy_within(start + 1..stop + 1, row + 1);
            let count = stop - start;
            for offset in &mut at[row + 1..=row + count] {
                *offset -= from - end;
            }
            row += count;
            end += to - from;
        }
        offsets.truncate((row + 1) * size_of::<i32>());
        values.truncate(end as usize);
        // SAFETY: each run's offsets ascend, and begin where the run before it ended.
        let offsets = unsafe { OffsetBuffer::new_unchecked(ScalarBuffer::new(offsets.into(), 0, row + 1)) };
        Ok(Arc::new(make(offsets, values.into(), self.nulls(nulls)?)))
    }

    fn structs(&self, array: ArrayRef) -> Result<ArrayRef> {
        let typed = array.as_struct().clone();
        drop(array);
        let (fields, columns, nulls) = typed.into_parts();
        let (columns, nulls) = (self.columns(columns)?, self.nulls(nulls)?);
        // SAFETY: the rows of a valid array that stay. Not checked: a required struct in one that is null has no nulls,
        // as decoders give it, but its children have.
        Ok(Arc::new(unsafe { StructArray::new_unchecked(fields, columns, nulls) }))
    }
}

#[cfg(test)]
mod tests;
