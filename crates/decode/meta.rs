use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array, StringArray, StructArray};
use arrow_schema::Fields;
use lakefold_base::{Error, Result};
use lakefold_task::{Field, Literal, Rows, ScanTask, Type, reserved};
use std::sync::Arc;

use crate::fields::Columns;
use crate::guard::own_arrow_error;
use crate::literal::{from_single_value, promote, repeat};
use crate::project::Constants;
use crate::types::arrow_field;

/// One column of the result (Iceberg spec, "Reserved Field IDs" and "Row Lineage").
pub(crate) enum Output {
    /// A column of the table.
    Data(Field),
    /// The same in every row.
    Constant(Type, Option<Literal>),
    /// `_partition`: constant children.
    Partition(Vec<(Field, Option<Literal>)>),
    /// `_pos`
    Position,
    /// `_deleted`
    Deleted,
    /// The row kind as text, made of `_VALUE_KIND`.
    Kind(Field),
    /// `_row_id`: the stored value, else this plus the position.
    RowId(Field, i64),
    /// `_last_updated_sequence_number`: the stored value, else this.
    UpdatedBy(Field, i64),
}

/// What the rows of a batch are, besides their columns.
pub(crate) struct RowFacts {
    /// Ordinals in the file, if an output column needs them.
    pub positions: Option<Int64Array>,
    /// Which rows are deleted, if an output column needs it.
    pub deleted: Option<BooleanArray>,
    /// How many rows.
    pub rows: usize,
}

/// Identity partition values by source column (Iceberg spec, "Column Projection").
pub(crate) fn constants(task: &ScanTask) -> Result<Constants> {
    let mut constants = Constants::new();
    for field in &task.partition {
        if let ([source], true) = (&field.source_ids[..], field.transform.trim().eq_ignore_ascii_case("identity")) {
            let value = from_single_value(&field.field_type, &field.value)
                .map_err(|e| e.with("partition-field", &field.name))?;
            constants.insert(*source, (field.field_type.clone(), value));
        }
    }
    Ok(constants)
}

impl Output {
    pub(crate) fn of(field: &Field, task: &ScanTask) -> Result<Self> {
        if let Some(value) = task.constants.get(&field.id) {
            let value = from_single_value(&field.field_type, value).map_err(|e| e.with("field", &field.name))?;
            return Ok(Output::Constant(field.field_type.clone(), value));
        }
        let null = || Output::Constant(field.field_type.clone(), None);
        Ok(match field.id {
            reserved::FILE => Output::Constant(Type::String, Some(Literal::String(task.data_file.path.clone()))),
            reserved::SPEC_ID => Output::Constant(Type::Int, Some(Literal::Int(task.spec_id))),
            reserved::POS => Output::Position,
            reserved::DELETED => Output::Deleted,
            reserved::PARTITION => match &field.field_type {
                Type::Struct(children) if !task.partition_type.is_empty() => Output::Partition(
                    children.iter().map(|c| Ok((c.clone(), partition_value(c, task)?))).collect::<Result<_>>()?,
                ),
                _ => null(),
            },
            // Rows of a plain file that holds no kinds are insertions.
            reserved::VALUE_KIND => Output::Data(Field {
                required: false,
                field_type: Type::TinyInt,
                initial_default: Some(0.into()),
                ..field.clone()
            }),
            reserved::ROW_KIND => match &task.rows {
                Rows::Plain | Rows::Stitch(_) => Output::Constant(Type::String, Some(Literal::String("+I".into()))),
                _ => Output::Kind(Field {
                    id: reserved::VALUE_KIND,
                    required: false,
                    field_type: Type::TinyInt,
                    initial_default: Some(0.into()),
                    ..field.clone()
                }),
            },
            reserved::CHANGE_TYPE | reserved::CHANGE_ORDINAL | reserved::COMMIT_SNAPSHOT_ID => null(),
            reserved::ROW_ID | reserved::LAST_UPDATED_SEQUENCE_NUMBER => match task.first_row_id {
                // A Paimon file without an own range may hold the ids of its rows.
                None if field.id == reserved::ROW_ID && task.data_file.fields.is_some() => Output::Data(stored(field)),
                None => null(),
                Some(first) if field.id == reserved::ROW_ID => Output::RowId(stored(field), first),
                Some(_) => Output::UpdatedBy(stored(field), task.data_sequence_number),
            },
            _ => Output::Data(field.clone()),
        })
    }

    /// The column that must be read for it.
    pub(crate) fn reads(&self) -> Option<&Field> {
        match self {
            Output::Data(field) | Output::Kind(field) | Output::RowId(field, _) | Output::UpdatedBy(field, _) => {
                Some(field)
            }
            _ => None,
        }
    }

    /// Whether ordinals must be known.
    pub(crate) fn needs_positions(&self) -> bool {
        matches!(self, Output::Position | Output::RowId(..))
    }

    /// The text that it is in every row.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Output::Constant(_, Some(Literal::String(text))) => Some(text),
            _ => None,
        }
    }

    /// Bytes that a row of a constant takes.
    pub(crate) fn constant_width(&self) -> usize {
        match self {
            Output::Constant(_, Some(Literal::String(text))) => text.len() + 4,
            Output::Constant(_, Some(Literal::Binary(bytes))) => bytes.len() + 4,
            Output::Partition(children) => children.len() * 16,
            // Counted where it comes from.
            Output::Data(_) => 0,
            _ => 8,
        }
    }

    pub(crate) fn build(&self, columns: Columns<'_>, facts: &RowFacts) -> Result<ArrayRef> {
        let positions = || facts.positions.as_ref().ok_or_else(|| Error::internal("row positions were not tracked"));
        Ok(match self {
            Output::Data(field) => columns.column(field)?,
            Output::Kind(field) => {
                let kinds = columns.column(field)?;
                let kinds = kinds.as_primitive_opt::<Int8Type>();
                let kinds = kinds.ok_or_else(|| Error::internal("row kinds of another type"))?;
                Arc::new(kinds.iter().map(|k| k.and_then(lakefold_merge::kind::text)).collect::<StringArray>())
            }
            Output::Constant(field_type, value) => repeat(field_type, value.as_ref(), facts.rows)?,
            Output::Partition(children) => {
                let mut fields = Vec::with_capacity(children.len());
                let mut arrays = Vec::with_capacity(children.len());
                for (field, value) in children {
                    fields.push(arrow_field(field)?);
                    arrays.push(repeat(&field.field_type, value.as_ref(), facts.rows)?);
                }
                if fields.is_empty() {
                    Arc::new(StructArray::new_empty_fields(facts.rows, None))
                } else {
                    Arc::new(StructArray::try_new(Fields::from(fields), arrays, None).map_err(own_arrow_error)?)
                }
            }
            Output::Position => Arc::new(positions()?.clone()),
            Output::Deleted => match &facts.deleted {
                Some(deleted) => Arc::new(deleted.clone()),
                None => Arc::new(BooleanArray::from(vec![false; facts.rows])),
            },
            Output::RowId(field, first) => {
                let positions = positions()?;
                fill(&columns.column(field)?, |row| first.wrapping_add(positions.value(row)))?
            }
            Output::UpdatedBy(field, sequence) => fill(&columns.column(field)?, |_| *sequence)?,
        })
    }
}

/// A lineage column as it may be stored in the file: nullable whatever the request says.
fn stored(field: &Field) -> Field {
    Field { required: false, field_type: Type::Long, initial_default: None, ..field.clone() }
}

fn partition_value(field: &Field, task: &ScanTask) -> Result<Option<Literal>> {
    let Some(own) = task.partition.iter().find(|p| p.field_id == field.id) else { return Ok(None) };
    let named = |e: Error| e.with("partition-field", &own.name);
    match from_single_value(&own.field_type, &own.value).map_err(named)? {
        Some(value) => promote(value, &own.field_type, &field.field_type).map(Some).map_err(named),
        None => Ok(None),
    }
}

fn fill(stored: &ArrayRef, otherwise: impl Fn(usize) -> i64) -> Result<ArrayRef> {
    let stored = stored
        .as_primitive_opt::<Int64Type>()
        .ok_or_else(|| Error::internal("a lineage column that holds no longs"))?;
    if stored.null_count() == 0 {
        return Ok(Arc::new(stored.clone()));
    }
    let value = |row| if stored.is_null(row) { otherwise(row) } else { stored.value(row) };
    Ok(Arc::new(Int64Array::from_iter_values((0..stored.len()).map(value))))
}
