use lakefold_base::Result;
use lakefold_store::Source;
use lakefold_task::{Op, Type};
use parquet::basic::Type as Physical;
use parquet::bloom_filter::Sbbf;
use parquet::file::metadata::ColumnChunkMetaData;
use std::sync::Arc;

use super::column::Column;
use crate::chunks::SharedChunk;
use crate::filter::Predicate;
use crate::guard::parquet_error;
use crate::operand::Literals;
use crate::tree::{Note, Unit};

/// Larger sets of literals are not worth probing.
const MAX_LITERALS: usize = 1000;

/// Whether the bloom filter lets some literal through.
pub(super) fn may(
    column: &Column,
    predicate: &Predicate,
    chunk: &ColumnChunkMetaData,
    source: &Arc<dyn Source>,
) -> Result<bool> {
    if !matches!(predicate.op, Op::Eq | Op::In)
        || chunk.bloom_filter_offset().is_none()
        || predicate.literals.len() > MAX_LITERALS
        || !same_values(column)
    {
        return Ok(true);
    }
    let reader = SharedChunk::raw(source, 0..source.len());
    let Some(filter) = Sbbf::read_from_column_chunk(chunk, &reader).map_err(parquet_error)? else { return Ok(true) };
    if filter.num_blocks() == 0 {
        return Ok(true);
    }
    let length = chunk.column_descr().type_length();
    Ok((0..predicate.literals.len()).any(|j| probe(&filter, column.physical, length, &predicate.literals, j)))
}

/// Whether stored values and the table's are the same numbers.
fn same_values(column: &Column) -> bool {
    let unit = match column.target {
        Type::Time | Type::Timestamp | Type::Timestamptz => Unit::Micros,
        Type::TimestampNs | Type::TimestamptzNs => Unit::Nanos,
        _ => {
            return match column.note {
                Note::Plain | Note::Utf8 => true,
                Note::Date => column.target == Type::Date,
                // A decimal in a byte array has many forms.
                Note::Decimal { .. } => column.physical != Physical::BYTE_ARRAY,
                _ => false,
            };
        }
    };
    match column.note {
        Note::Time(stored) | Note::Timestamp(stored) => stored == unit,
        Note::Plain => column.physical == Physical::INT64,
        _ => false,
    }
}

/// Whether a literal, in the form that the file stores, may be there.
fn probe(filter: &Sbbf, physical: Physical, length: i32, literals: &Literals, j: usize) -> bool {
    let integer = |value: i128| match physical {
        Physical::INT32 => i32::try_from(value).is_ok_and(|v| filter.check(&v)),
        Physical::INT64 => i64::try_from(value).is_ok_and(|v| filter.check(&v)),
        Physical::FIXED_LEN_BYTE_ARRAY if (1..=16).contains(&length) => {
            let bytes = value.to_be_bytes();
            let (cut, kept) = bytes.split_at(16 - length as usize);
            let fill = if value < 0 { 0xff } else { 0 };
            let fits = cut.iter().all(|b| *b == fill) && (kept[0] & 0x80 != 0) == (value < 0);
            fits && filter.check(kept)
        }
        _ => true,
    };
    let float = |value: f64| match physical {
        Physical::FLOAT => {
            let narrow = value as f32;
            f64::from(narrow).to_bits() == value.to_bits() && filter.check(&narrow)
        }
        Physical::DOUBLE => filter.check(&value),
        _ => true,
    };
    let either = |value: f64| if value == 0.0 { float(0.0) || float(-0.0) } else { float(value) };
    match literals {
        Literals::Bool(_) => true,
        Literals::I32(v) => integer(v[j].into()),
        Literals::I64(v) => integer(v[j].into()),
        Literals::I128(v) => integer(v[j]),
        Literals::F32(v) => either(v[j].into()),
        Literals::F64(v) => either(v[j]),
        Literals::Bytes(v) => match physical {
            Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY => filter.check(&v[j][..]),
            _ => true,
        },
    }
}
