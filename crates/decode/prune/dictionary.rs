use arrow_array::{ArrayRef, BinaryArray, FixedSizeBinaryArray, Float32Array, Float64Array, Int32Array, Int64Array};
use arrow_buffer::{Buffer, ScalarBuffer};
use bytes::Bytes;
use lakefold_base::Result;
use lakefold_store::Source;
use lakefold_task::Op;
use parquet::basic::{Encoding, Type as Physical};
use parquet::column::page::{Page, PageReader};
use parquet::file::metadata::ColumnChunkMetaData;
use std::sync::Arc;

use super::bounds::Bounds;
use super::column::Column;
use crate::chunks::SharedChunk;
use crate::convert;
use crate::filter::Predicate;
use crate::guard::{arrow_error, parquet_error};
use crate::tree::Note;

/// Dictionaries whose pages are larger are not read twice.
const MAX_BYTES: i64 = 1 << 20;

/// Whether some entry of the dictionary, or a null, may satisfy the predicate. Only where all data pages use it.
pub(super) fn may(
    column: &Column,
    predicate: &Predicate,
    chunk: &ColumnChunkMetaData,
    bounds: &Bounds,
    source: &Arc<dyn Source>,
) -> Result<bool> {
    let nulls_match = predicate.op.turned_over().is_some() || predicate.op == Op::NotNan;
    let useless = matches!(predicate.op, Op::IsNull | Op::NotNull) || nulls_match && bounds.nulls[0] != Some(0);
    let length = match chunk.dictionary_page_offset() {
        Some(offset) if offset > 0 => chunk.data_page_offset() - offset,
        _ => return Ok(true),
    };
    if useless || !(1..=MAX_BYTES).contains(&length) || column.note == Note::Int96 || !only_dictionary(chunk) {
        return Ok(true);
    }
    let (start, size) = chunk.byte_range();
    let range = start..start + size.min(length as u64);
    let mut reader = SharedChunk::of(chunk, source, range, None).pages(chunk, 0).map_err(parquet_error)?;
    let Some(Page::DictionaryPage { buf, num_values, .. }) = reader.get_next_page().map_err(parquet_error)? else {
        return Ok(true);
    };
    let length = chunk.column_descr().type_length();
    let Some(raw) = plain(&buf, num_values as usize, column.physical, length)? else { return Ok(true) };
    let values = convert::leaf(&raw, column.note, &column.target)?;
    Ok(predicate.run_on(&values)?.count_set_bits() > 0)
}

/// Whether no data page fell back to another encoding.
pub(crate) fn only_dictionary(chunk: &ColumnChunkMetaData) -> bool {
    let dictionary = |e: Encoding| {
        #[allow(deprecated)]
        let old = e == Encoding::PLAIN_DICTIONARY;
        old || e == Encoding::RLE_DICTIONARY
    };
    if let Some(mask) = chunk.page_encoding_stats_mask() {
        return mask.encodings().all(dictionary);
    }
    // Without counts a dictionary page's own PLAIN hides a fallback; the old name does not.
    chunk.encodings().all(|e| {
        #[allow(deprecated)]
        let levels = matches!(e, Encoding::RLE | Encoding::BIT_PACKED);
        levels || dictionary(e)
    })
}

/// The entries of a dictionary page; none if they are not as many as it says.
fn plain(bytes: &Bytes, count: usize, physical: Physical, length: i32) -> Result<Option<ArrayRef>> {
    let fixed = |width: usize| {
        let size = count.checked_mul(width).filter(|size| *size <= bytes.len())?;
        let values = Buffer::from(bytes.slice(..size));
        // Pages are rarely out of step; where one is, its values move.
        let aligned = values.as_ptr().align_offset(width) == 0;
        Some(if aligned { values } else { Buffer::from_slice_ref(values.as_slice()) })
    };
    macro_rules! numbers {
        ($array:ident, $type:ty) => {
            match fixed(size_of::<$type>()) {
                Some(values) => Arc::new($array::new(ScalarBuffer::from(values), None)) as ArrayRef,
                None => return Ok(None),
            }
        };
    }
    Ok(Some(match physical {
        Physical::INT32 => numbers!(Int32Array, i32),
        Physical::INT64 => numbers!(Int64Array, i64),
        Physical::FLOAT => numbers!(Float32Array, f32),
        Physical::DOUBLE => numbers!(Float64Array, f64),
        Physical::FIXED_LEN_BYTE_ARRAY if length > 0 => {
            let Some(size) = count.checked_mul(length as usize).filter(|n| *n <= bytes.len()) else { return Ok(None) };
            let array = FixedSizeBinaryArray::try_new(length, Buffer::from(bytes.slice(..size)), None);
            Arc::new(array.map_err(arrow_error)?)
        }
        Physical::BYTE_ARRAY => {
            let mut rest: &[u8] = bytes;
            let mut values: Vec<&[u8]> = Vec::new();
            for _ in 0..count {
                let Some((head, tail)) = rest.split_first_chunk::<4>() else { return Ok(None) };
                let size = u32::from_le_bytes(*head) as usize;
                if size > tail.len() {
                    return Ok(None);
                }
                values.push(&tail[..size]);
                rest = &tail[size..];
            }
            Arc::new(BinaryArray::from_iter_values(values))
        }
        _ => return Ok(None),
    }))
}
