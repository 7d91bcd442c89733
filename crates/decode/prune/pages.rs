use arrow_array::{ArrayRef, BinaryArray, BooleanArray, Float32Array, Float64Array, Int32Array, Int64Array};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use bytes::Bytes;
use lakefold_base::{Error, Result};
use lakefold_store::Source;
use lakefold_task::{Op, Type};
use parquet::basic::Type as Physical;
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData,
};
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use parquet::file::page_index::offset_index::OffsetIndexMetaData;
use parquet::file::reader::{ChunkReader, Length};
use parquet::schema::types::{SchemaDescriptor, Type as ParquetType};
use std::ops::Range;
use std::sync::Arc;

use super::bounds::Bounds;
use super::column::Column;
use crate::filter::Predicate;
use crate::guard::{carry, parquet_error};
use crate::thrift;
use crate::tree::Note;

/// Which rows lie in pages that may satisfy a predicate; none without a usable index.
pub(super) fn may(
    column: &Column,
    predicate: &Predicate,
    chunk: &ColumnChunkMetaData,
    rows: usize,
    source: &Arc<dyn Source>,
) -> Result<Option<BooleanBuffer>> {
    if matches!(column.note, Note::Int96 | Note::Float16 | Note::Null) || predicate.op == Op::NotNan {
        return Ok(None);
    }
    let Some((index, offsets)) = read(chunk, source)? else { return Ok(None) };
    let starts: Vec<usize> = offsets.page_locations().iter().map(|l| l.first_row_index.max(0) as usize).collect();
    let ascending = starts.windows(2).all(|w| w[0] < w[1]);
    let pages = starts.len();
    if starts.first() != Some(&0) || !ascending || starts.last().is_some_and(|s| *s >= rows) {
        return Ok(None);
    }
    let ends = || starts.iter().skip(1).copied().chain(std::iter::once(rows));
    let page_rows: Vec<u64> = starts.iter().zip(ends()).map(|(s, e)| (e - s) as u64).collect();
    let Some(bounds) = bounds(column, &index, page_rows) else { return Ok(None) };
    if bounds.nulls.len() != pages {
        return Ok(None);
    }
    let mut mask = BooleanBufferBuilder::new(rows);
    for (page, rows) in bounds.rows.iter().enumerate() {
        mask.append_n(*rows as usize, bounds.may(predicate, page));
    }
    Ok(Some(mask.finish()))
}

fn bounds(column: &Column, index: &ColumnIndexMetaData, rows: Vec<u64>) -> Option<Bounds> {
    let pages = rows.len();
    macro_rules! arrays {
        ($array:ident, $index:expr) => {{
            if $index.num_pages() as usize != pages {
                return None;
            }
            let min = (0..pages).map(|p| $index.min_value(p).copied()).collect::<Vec<_>>();
            let max = (0..pages).map(|p| $index.max_value(p).copied()).collect::<Vec<_>>();
            (Arc::new($array::from(min)) as ArrayRef, Arc::new($array::from(max)) as ArrayRef)
        }};
    }
    let (min, max) = match index {
        ColumnIndexMetaData::BOOLEAN(i) => arrays!(BooleanArray, i),
        ColumnIndexMetaData::INT32(i) => arrays!(Int32Array, i),
        ColumnIndexMetaData::INT64(i) => arrays!(Int64Array, i),
        ColumnIndexMetaData::FLOAT(i) => arrays!(Float32Array, i),
        ColumnIndexMetaData::DOUBLE(i) => arrays!(Float64Array, i),
        ColumnIndexMetaData::BYTE_ARRAY(i) | ColumnIndexMetaData::FIXED_LEN_BYTE_ARRAY(i) => {
            // Bounds in an index may be cut, and a decimal that was cut is another number.
            if matches!(column.target, Type::Decimal(..)) && column.physical == Physical::BYTE_ARRAY
                || i.num_pages() as usize != pages
            {
                return None;
            }
            let min = (0..pages).map(|p| i.min_value(p)).collect::<Vec<_>>();
            let max = (0..pages).map(|p| i.max_value(p)).collect::<Vec<_>>();
            (Arc::new(BinaryArray::from(min)) as ArrayRef, Arc::new(BinaryArray::from(max)) as ArrayRef)
        }
        ColumnIndexMetaData::INT96(_) | ColumnIndexMetaData::NONE => return None,
    };
    let nulls = (0..pages).map(|p| match index.is_null_page(p) {
        true => Some(rows[p]),
        false => index.null_count(p).and_then(|n| u64::try_from(n).ok()),
    });
    Some(Bounds {
        min: column.typed(&min),
        max: column.typed(&max),
        nulls: nulls.collect(),
        exact: !column.is_bytes(),
        rows,
    })
}

fn read(
    chunk: &ColumnChunkMetaData,
    source: &Arc<dyn Source>,
) -> Result<Option<(ColumnIndexMetaData, OffsetIndexMetaData)>> {
    let range = |offset: Option<i64>, length: Option<i32>| -> Option<Range<u64>> {
        let (start, length) = (u64::try_from(offset?).ok()?, u64::try_from(length?).ok()?);
        (length > 0).then(|| start..start.saturating_add(length))
    };
    let column = range(chunk.column_index_offset(), chunk.column_index_length());
    let offset = range(chunk.offset_index_offset(), chunk.offset_index_length());
    let (Some(column), Some(offset)) = (column, offset) else { return Ok(None) };
    // The parser wants a whole file's indexes; a file of this one column is as good.
    let leaf = ParquetType::primitive_type_builder("c", Physical::INT32).build().map_err(parquet_error)?;
    let root = ParquetType::group_type_builder("f").with_fields(vec![Arc::new(leaf)]).build().map_err(parquet_error)?;
    let schema = Arc::new(SchemaDescriptor::new(Arc::new(root)));
    let group = RowGroupMetaData::builder(Arc::clone(&schema))
        .set_column_metadata(vec![chunk.clone()])
        .build()
        .map_err(parquet_error)?;
    let metadata = ParquetMetaData::new(FileMetaData::new(2, 0, None, None, schema, None), vec![group]);
    let mut parsed = metadata;
    for (policy, range) in [(true, column), (false, offset)] {
        let bytes = source.read(range.clone())?;
        thrift::check(&bytes)?;
        let mut reader = ParquetMetaDataReader::new_with_metadata(parsed)
            .with_column_index_policy(if policy { PageIndexPolicy::Optional } else { PageIndexPolicy::Skip })
            .with_offset_index_policy(if policy { PageIndexPolicy::Skip } else { PageIndexPolicy::Optional });
        let window = Window { start: range.start, bytes, size: source.len() };
        reader.read_page_indexes_sized(&window, source.len()).map_err(parquet_error)?;
        parsed = reader.finish().map_err(parquet_error)?;
    }
    let index = parsed.column_index().and_then(|g| g.first()?.first().cloned());
    let offsets = parsed.offset_index().and_then(|g| g.first()?.first().cloned());
    Ok(index.zip(offsets))
}

/// Bytes of a file that were read already.
struct Window {
    start: u64,
    bytes: Bytes,
    size: u64,
}

impl Length for Window {
    fn len(&self) -> u64 {
        self.size
    }
}

impl ChunkReader for Window {
    type T = std::io::Empty;

    fn get_read(&self, _start: u64) -> ParquetResult<std::io::Empty> {
        Ok(std::io::empty())
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let outside = || carry(Error::corrupt("a page index lies elsewhere than its column says"));
        let at = start.checked_sub(self.start).ok_or_else(outside)? as usize;
        let end = at.checked_add(length).filter(|e| *e <= self.bytes.len()).ok_or_else(outside)?;
        Ok(self.bytes.slice(at..end))
    }
}
