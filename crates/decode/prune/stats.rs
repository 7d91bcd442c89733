use arrow_array::{ArrayRef, BinaryArray, BooleanArray, Float32Array, Float64Array, Int32Array, Int64Array};
use lakefold_task::Type;
use parquet::basic::Type as Physical;
use parquet::data_type::AsBytes;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::statistics::Statistics;
use std::sync::Arc;

use super::bounds::Bounds;
use super::column::Column;
use crate::tree::Note;

/// Bounds of one row group.
pub(super) fn bounds(column: &Column, chunk: &ColumnChunkMetaData, rows: u64) -> Bounds {
    let statistics = chunk.statistics();
    let nulls = statistics.and_then(Statistics::null_count_opt);
    let raw = statistics.filter(|s| usable(column, s)).and_then(raw);
    let exact = !column.is_bytes() || statistics.is_some_and(|s| s.min_is_exact() && s.max_is_exact());
    let (min, max) = match raw {
        Some((min, max)) => (column.typed(&min), column.typed(&max)),
        None => (None, None),
    };
    Bounds { min, max, nulls: vec![nulls], rows: vec![rows], exact }
}

/// Whether the order that the writer used is ours.
fn usable(column: &Column, statistics: &Statistics) -> bool {
    if column.physical == Physical::INT96 || matches!(column.note, Note::Float16 | Note::Null) {
        return false;
    }
    let numeric = matches!(
        column.target,
        Type::Int
            | Type::Long
            | Type::Date
            | Type::Time
            | Type::Timestamp
            | Type::Timestamptz
            | Type::TimestampNs
            | Type::TimestamptzNs
            | Type::Float
            | Type::Double
    ) && column.note != Note::Unsigned;
    let same = || statistics.min_bytes_opt().is_some() && statistics.min_bytes_opt() == statistics.max_bytes_opt();
    if statistics.is_min_max_deprecated() && !numeric && !same() {
        return false;
    }
    // A decimal that was cut is another number.
    let cut = !(statistics.min_is_exact() && statistics.max_is_exact());
    !(cut && column.physical == Physical::BYTE_ARRAY && matches!(column.target, Type::Decimal(..)))
}

fn raw(statistics: &Statistics) -> Option<(ArrayRef, ArrayRef)> {
    macro_rules! pair {
        ($array:ident, $values:expr) => {
            (
                Arc::new($array::from(vec![$values.min_opt().copied()])) as ArrayRef,
                Arc::new($array::from(vec![$values.max_opt().copied()])) as ArrayRef,
            )
        };
    }
    let bytes = |b: Option<&[u8]>| Arc::new(BinaryArray::from(vec![b])) as ArrayRef;
    Some(match statistics {
        Statistics::Boolean(v) => pair!(BooleanArray, v),
        Statistics::Int32(v) => pair!(Int32Array, v),
        Statistics::Int64(v) => pair!(Int64Array, v),
        Statistics::Float(v) => pair!(Float32Array, v),
        Statistics::Double(v) => pair!(Float64Array, v),
        Statistics::Int96(_) => return None,
        Statistics::ByteArray(v) => {
            (bytes(v.min_opt().map(|b| b.as_bytes())), bytes(v.max_opt().map(|b| b.as_bytes())))
        }
        Statistics::FixedLenByteArray(v) => {
            (bytes(v.min_opt().map(|b| b.as_bytes())), bytes(v.max_opt().map(|b| b.as_bytes())))
        }
    })
}
