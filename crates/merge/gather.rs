//! Makes a column of picked rows of others. Picks are checked once for all columns, so that taking a value is a move without
//! a jump.

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, BinaryType, ByteArrayType, Utf8Type};
use arrow_array::{Array, ArrayRef, GenericByteArray, PrimitiveArray, StringViewArray, downcast_primitive};
use arrow_buffer::{BooleanBuffer, NullBuffer, OffsetBuffer};
use arrow_data::ByteView;
use arrow_schema::{ArrowError, DataType};
use arrow_select::interleave::interleave;
use lakefold_base::{Error, Result};
use std::sync::Arc;

use crate::keys::arrow;

/// Short values are copied in steps of so many bytes, the last of them beyond their end.
const STEP: usize = 16;

/// Longer values than this are left to the C library.
const SHORT: usize = 4 * STEP;

/// Where a source has no nulls, this bit stands for all of its rows.
static VALID: [u8; 1] = [1];

/// A row of one of the sources.
#[derive(Debug, Clone, Copy)]
pub(crate) struct At {
    pub(crate) source: u32,
    pub(crate) row: u32,
}

/// Rows to pick, none of which lies beyond its source.
pub(crate) struct Picks<'a> {
    rows: &'a [At],
    /// How many rows each source has.
    lengths: Vec<usize>,
}

impl<'a> Picks<'a> {
    /// Picks from sources that have so many rows.
    pub(crate) fn new(rows: &'a [At], lengths: Vec<usize>) -> Result<Self> {
        let inside = |at: &At| lengths.get(at.source as usize).is_some_and(|length| (at.row as usize) < *length);
        match rows.iter().all(inside) {
            true => Ok(Self { rows, lengths }),
            false => Err(Error::internal("a merge picks a row that is not there")),
        }
    }

    /// The picked rows as one column of the wanted type, which the sources have; strings may also be views.
    pub(crate) fn gather(&self, sources: &[&dyn Array], wanted: &DataType) -> Result<ArrayRef> {
        // Beyond this, rows are taken unchecked.
        let whole = sources.len() == self.lengths.len()
            && sources.iter().zip(&self.lengths).all(|(source, length)| source.len() >= *length);
        if !whole {
            return Err(Error::internal("columns of a merge differ in their number of rows"));
        }
        let all = |data_type: &DataType| sources.iter().all(|source| source.data_type() == data_type);
        macro_rules! fixed {
            ($t:ty) => {
                match all(wanted) {
                    true => self.fixed::<$t>(sources, wanted),
                    false => Err(unlike()),
                }
            };
        }
        match wanted {
            DataType::Utf8 if all(&DataType::Utf8) => self.bytes::<Utf8Type>(sources),
            DataType::Utf8 => self.views(sources),
            DataType::Binary if all(wanted) => self.bytes::<BinaryType>(sources),
            _ => downcast_primitive! {
                wanted => (fixed),
                _ => {
                    let rows: Vec<_> = self.rows.iter().map(|at| (at.source as usize, at.row as usize)).collect();
                    interleave(sources, &rows).map_err(arrow)
                }
            },
        }
    }

    fn fixed<T: ArrowPrimitiveType>(&self, sources: &[&dyn Array], wanted: &DataType) -> Result<ArrayRef> {
        let values: Vec<*const T::Native> =
            sources.iter().map(|source| source.as_primitive::<T>().values().as_ptr()).collect();
        // SAFETY: each row is in its source, as was checked.
        let value = |at: &At| unsafe { *values.get_unchecked(at.source as usize).add(at.row as usize) };
        let picked: Vec<T::Native> = self.rows.iter().map(value).collect();
        let array = PrimitiveArray::<T>::try_new(picked.into(), self.nulls(sources)).map_err(arrow)?;
        Ok(Arc::new(array.with_data_type(wanted.clone())))
    }

    /// The nulls among the picked rows, if there are any.
    fn nulls(&self, sources: &[&dyn Array]) -> Option<NullBuffer> {
        struct Bits {
            bytes: *const u8,
            offset: usize,
            mask: usize,
        }
        if sources.iter().all(|source| source.null_count() == 0) {
            return None;
        }
        let bits = |source: &&dyn Array| match source.nulls() {
            Some(nulls) => Bits { bytes: nulls.buffer().as_ptr(), offset: nulls.offset(), mask: usize::MAX },
            None => Bits { bytes: VALID.as_ptr(), offset: 0, mask: 0 },
        };
        let bits: Vec<Bits> = sources.iter().map(bits).collect();
        let valid = BooleanBuffer::collect_bool(self.rows.len(), |index| {
            // SAFETY: as many rows as are asked for, each in its source, as was checked.
            unsafe {
                let at = self.rows.get_unchecked(index);
                let Bits { bytes, offset, mask } = bits.get_unchecked(at.source as usize);
                let bit = (offset + at.row as usize) & mask;
                *bytes.add(bit / 8) >> (bit % 8) & 1 != 0
            }
        });
        Some(NullBuffer::new(valid)).filter(|nulls| nulls.null_count() > 0)
    }

    fn bytes<T: ByteArrayType<Offset = i32>>(&self, sources: &[&dyn Array]) -> Result<ArrayRef> {
        let sources: Vec<&GenericByteArray<T>> = sources.iter().map(|source| source.as_bytes::<T>()).collect();
        let parts = |source: &&GenericByteArray<T>| {
            (source.value_offsets().as_ptr(), source.value_data().as_ptr(), source.value_data().len())
        };
        let parts: Vec<_> = sources.iter().map(parts).collect();
        // SAFETY: each row is in its source, as was checked; offsets of an array ascend and end in its values.
        let place = |at: At| unsafe {
            let (offsets, values, end) = *parts.get_unchecked(at.source as usize);
            let offsets = offsets.add(at.row as usize);
            let (from, to) = (*offsets as usize, *offsets.add(1) as usize);
            (values.add(from), to - from, end - from)
        };
        let arrays: Vec<&dyn Array> = sources.iter().map(|source| *source as &dyn Array).collect();
        let copy = |at: At, to: *mut u8| {
            let (from, length, room) = place(at);
            // SAFETY: a value of a source, and room for it, as `lay` promises.
            unsafe { copy(from, length, room, to) }
        };
        // SAFETY: as many bytes are copied as are counted.
        unsafe { self.lay::<T>(self.nulls(&arrays), |at| place(at).1, copy) }
    }

    /// Strings of which some are views.
    fn views(&self, sources: &[&dyn Array]) -> Result<ArrayRef> {
        let view = |source: &&dyn Array| match source.data_type() {
            DataType::Utf8View => Ok(source.as_string_view().clone()),
            DataType::Utf8 => Ok(StringViewArray::from(source.as_string::<i32>())),
            _ => Err(unlike()),
        };
        let views = sources.iter().map(view).collect::<Result<Vec<_>>>()?;
        // The memory of all sources; the views of each point from a place in it on.
        let mut blocks: Vec<(*const u8, usize)> = Vec::new();
        let mut parts = Vec::with_capacity(views.len());
        for source in &views {
            parts.push((source.views().as_ptr(), blocks.len()));
            blocks.extend(source.data_buffers().iter().map(|block| (block.as_ptr(), block.len())));
        }
        // SAFETY: each row is in its source, as was checked.
        let view = |at: At| unsafe {
            let (views, first) = *parts.get_unchecked(at.source as usize);
            (*views.add(at.row as usize), first)
        };
        let copy = |at: At, to: *mut u8| {
            let (view, first) = view(at);
            if view as u32 <= 12 {
                // Such a value is in the view, behind its length.
                // SAFETY: there is room for a step.
                unsafe { to.cast::<[u8; STEP]>().write_unaligned((view >> 32).to_le_bytes()) }
                return;
            }
            let view = ByteView::from(view);
            // SAFETY: views of an array point into its memory; there is room for the value, as `lay` promises.
            unsafe {
                let (block, end) = *blocks.get_unchecked(first + view.buffer_index as usize);
                copy(block.add(view.offset as usize), view.length as usize, end - view.offset as usize, to)
            }
        };
        let arrays: Vec<&dyn Array> = views.iter().map(|source| source as &dyn Array).collect();
        // SAFETY: as many bytes are copied as are counted.
        unsafe { self.lay::<Utf8Type>(self.nulls(&arrays), |at| view(at).0 as u32 as usize, copy) }
    }

    /// Lays values one behind the other. A null has no bytes.
    ///
    /// # Safety
    /// `copy` copies as many bytes as `length` tells, whole values of this type. It may write up to the next whole step,
    /// and one step at least.
    unsafe fn lay<T: ByteArrayType<Offset = i32>>(
        &self,
        nulls: Option<NullBuffer>,
        length: impl Fn(At) -> usize,
        copy: impl Fn(At, *mut u8),
    ) -> Result<ArrayRef> {
        let mut offsets: Vec<i32> = Vec::with_capacity(self.rows.len() + 1);
        let mut end = 0_usize;
        offsets.push(0);
        match &nulls {
            None => offsets.extend(self.rows.iter().map(|at| {
                end += length(*at);
                end as i32
            })),
            Some(nulls) => offsets.extend(nulls.iter().zip(self.rows).map(|(valid, at)| {
                end += if valid { length(*at) } else { 0 };
                end as i32
            })),
        }
        if i32::try_from(end).is_err() {
            return Err(arrow(ArrowError::OffsetOverflowError(end)));
        }
        let mut values: Vec<u8> = Vec::with_capacity(end + STEP);
        let start = values.as_mut_ptr();
        // SAFETY: the lengths add up to `end`, behind which there is room for a step.
        let put = |at: At, offset: i32| copy(at, unsafe { start.add(offset as usize) });
        match &nulls {
            None => self.rows.iter().zip(&offsets).for_each(|(at, offset)| put(*at, *offset)),
            Some(nulls) => nulls.valid_indices().for_each(|row| put(self.rows[row], offsets[row])),
        }
        // SAFETY: so many bytes have been written; offsets ascend from 0 to there, and values are whole.
        unsafe {
            values.set_len(end);
            let offsets = OffsetBuffer::new_unchecked(offsets.into());
            Ok(Arc::new(GenericByteArray::<T>::new_unchecked(offsets, values.into(), nulls)))
        }
    }
}

fn unlike() -> Error {
    Error::internal("columns of a merge differ in their type")
}

/// Copies a value of which `room` bytes lie before the end of its memory.
///
/// # Safety
/// So many bytes can be read, and `length` can be written, up to the next whole step.
unsafe fn copy(from: *const u8, length: usize, room: usize, to: *mut u8) {
    // SAFETY: as the caller promises.
    unsafe {
        if length > SHORT || length.next_multiple_of(STEP) > room {
            return std::ptr::copy_nonoverlapping(from, to, length);
        }
        let mut done = 0;
        while done < length {
            std::ptr::copy_nonoverlapping(from.add(done), to.add(done), STEP);
            done += STEP;
        }
    }
}

#[cfg(test)]
mod tests;
