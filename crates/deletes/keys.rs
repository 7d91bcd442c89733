//! Key tuples: from record batches to values that hash and compare as Iceberg's equality deletes do.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow_cast::cast;
use arrow_row::{RowConverter, Rows, SortField};
use arrow_schema::{ArrowError, DataType};
use arrow_select::nullif::nullif;
use lakefold_base::{Error, Result};
use std::sync::Arc;

fn failed(error: ArrowError) -> Error {
    Error::internal("cannot encode equality keys").caused_by(error)
}

/// The leaves of the batch in depth-first order. A null struct makes its leaves null; NaNs become one NaN;
/// text and binary come in one layout.
pub(crate) fn leaves(batch: &RecordBatch) -> Result<Vec<ArrayRef>> {
    let mut out = Vec::new();
    for column in batch.columns() {
        flatten(column, &mut out)?;
    }
    Ok(out)
}

fn flatten(array: &ArrayRef, out: &mut Vec<ArrayRef>) -> Result<()> {
    match array.data_type() {
        DataType::Struct(_) => {
            let parent = array.as_struct();
            for child in parent.columns() {
                match parent.nulls() {
                    Some(nulls) if nulls.null_count() > 0 => {
                        let hidden = BooleanArray::new(!nulls.inner(), None);
                        flatten(&hide(child, &hidden)?, out)?;
                    }
                    _ => flatten(child, out)?,
                }
            }
        }
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) | DataType::Map(..) => {
            return Err(Error::corrupt("an equality key cannot lie in a list or map"));
        }
        _ => out.push(normal(array)?),
    }
    Ok(())
}

/// The array with nulls where `hidden`, structs by their children.
fn hide(array: &ArrayRef, hidden: &BooleanArray) -> Result<ArrayRef> {
    nullif(array, hidden).map_err(failed)
}

fn normal(array: &ArrayRef) -> Result<ArrayRef> {
    Ok(match array.data_type() {
        DataType::Float32 => Arc::new(
            array.as_primitive::<Float32Type>().unary::<_, Float32Type>(|v| if v.is_nan() { f32::NAN } else { v }),
        ),
        DataType::Float64 => Arc::new(
            array.as_primitive::<Float64Type>().unary::<_, Float64Type>(|v| if v.is_nan() { f64::NAN } else { v }),
        ),
        DataType::LargeUtf8 | DataType::Utf8View => cast(array, &DataType::Utf8).map_err(failed)?,
        DataType::LargeBinary | DataType::BinaryView => cast(array, &DataType::Binary).map_err(failed)?,
        DataType::Dictionary(_, value) => normal(&cast(array, value).map_err(failed)?)?,
        _ => array.clone(),
    })
}

/// How the keys of an index are held.
pub(crate) enum Encoder {
    /// One integer-like column, as 64 bits.
    Int,
    /// One text or binary column, as it is.
    Bytes,
    /// Anything else, by Arrow's row encoding.
    Rows(RowConverter),
}

/// The keys of one batch.
pub(crate) enum Encoded {
    /// With `Encoder::Int`.
    Int(arrow_array::Int64Array),
    /// With `Encoder::Bytes`.
    Bytes(arrow_array::BinaryArray),
    /// With `Encoder::Rows`; nulls are part of the encoding.
    Rows(Rows),
}

/// One key.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Key<'a> {
    /// The null of a single column.
    Null,
    /// See `Encoder::Int`.
    Int(i64),
    /// See `Encoder::Bytes` and `Encoder::Rows`.
    Bytes(&'a [u8]),
}

impl Encoder {
    pub(crate) fn new(types: &[DataType]) -> Result<Self> {
        Ok(match types {
            [DataType::Int32 | DataType::Int64 | DataType::Date32 | DataType::Time64(_) | DataType::Timestamp(..)] => {
                Encoder::Int
            }
            [DataType::Utf8 | DataType::Binary] => Encoder::Bytes,
            _ => {
                let fields = types.iter().map(|t| SortField::new(t.clone())).collect();
                Encoder::Rows(RowConverter::new(fields).map_err(failed)?)
            }
        })
    }

    /// `columns` have the types that the encoder was made for.
    pub(crate) fn encode(&self, columns: &[ArrayRef]) -> Result<Encoded> {
        match (self, columns) {
            (Encoder::Int, [column]) => {
                let wide = match column.data_type() {
                    DataType::Date32 => cast(&cast(column, &DataType::Int32).map_err(failed)?, &DataType::Int64),
                    _ => cast(column, &DataType::Int64),
                };
                Ok(Encoded::Int(wide.map_err(failed)?.as_primitive().clone()))
            }
            (Encoder::Bytes, [column]) => {
                let bytes = cast(column, &DataType::Binary).map_err(failed)?;
                Ok(Encoded::Bytes(bytes.as_binary().clone()))
            }
            (Encoder::Rows(converter), _) => Ok(Encoded::Rows(converter.convert_columns(columns).map_err(failed)?)),
            _ => Err(Error::internal("equality key with another number of columns")),
        }
    }
}

impl Encoded {
    pub(crate) fn key(&self, row: usize) -> Key<'_> {
        match self {
            Encoded::Int(a) if a.is_null(row) => Key::Null,
            Encoded::Int(a) => Key::Int(a.value(row)),
            Encoded::Bytes(a) if a.is_null(row) => Key::Null,
            Encoded::Bytes(a) => Key::Bytes(a.value(row)),
            Encoded::Rows(rows) => Key::Bytes(rows.row(row).data()),
        }
    }
}
