use arrow_schema::{DataType, SchemaRef, SortOptions};
use lakefold_base::{Code, Error, Result};
use lakefold_task::{Engine, Field, Merge, SortOrder, Type, reserved};
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::keys::arrow;

/// How to merge batches of one schema: the columns by what they mean.
pub struct Spec {
    /// The schema of the runs' batches.
    pub(crate) schema: SchemaRef,
    /// How many of their columns, from the first on, merged batches have. The others only decide.
    pub(crate) shown: usize,
    /// The schema of merged batches.
    pub(crate) shown_schema: SchemaRef,
    /// The table's fields, one a column.
    pub(crate) fields: Vec<Field>,
    /// The key columns in the order that sorts.
    pub(crate) keys: Vec<usize>,
    /// The user's sequence columns.
    pub(crate) sequence: Vec<(usize, SortOptions)>,
    /// `_SEQUENCE_NUMBER`; none where the order of the runs says as much.
    pub(crate) number: Option<usize>,
    /// `_VALUE_KIND`; none where all rows are known to add.
    pub(crate) kind: Option<usize>,
    /// The engine as the task names it.
    pub(crate) engine: Engine,
    /// Whether retractions are returned.
    pub(crate) keep_deletes: bool,
    /// Most rows in a batch.
    pub(crate) batch_rows: usize,
    /// About how many bytes a batch takes.
    pub(crate) batch_bytes: usize,
}

impl Spec {
    /// Finds the columns that the merge needs among the fields of its batches, of which merged batches `shown` have, at
    /// most so many rows and about so many bytes. A column that is missing is `InvalidArgument`. Without
    /// `_SEQUENCE_NUMBER`, of the rows of a key those of a later run are newer, and within a run later ones; without
    /// `_VALUE_KIND` none is a retraction.
    pub fn new(
        merge: &Merge,
        fields: &[Field],
        shown: usize,
        schema: SchemaRef,
        (batch_rows, batch_bytes): (usize, usize),
    ) -> Result<Self> {
        let at = |id: i32, what: &str| {
            let index = fields.iter().position(|f| f.id == id);
            index.ok_or_else(|| {
                Error::new(Code::InvalidArgument, format!("the merge lacks a column: {what}")).with("field-id", id)
            })
        };
        let keys = merge.keys.iter().map(|id| at(*id, "key")).collect::<Result<Vec<_>>>()?;
        if keys.is_empty() {
            return Err(Error::new(Code::InvalidArgument, "a merge without key columns"));
        }
        let mut sequence = Vec::with_capacity(merge.sequence.len());
        for field in &merge.sequence {
            let options = SortOptions { descending: field.order == SortOrder::Desc, nulls_first: true };
            sequence.push((at(field.field_id, "sequence field")?, options));
        }
        let system = |id: i32| fields.iter().position(|f| f.id == id);
        let (number, kind) = (system(reserved::SEQUENCE_NUMBER), system(reserved::VALUE_KIND));
        let typed = [(number, DataType::Int64), (kind, DataType::Int8)];
        if typed.iter().any(|(index, wanted)| index.is_some_and(|index| schema.field(index).data_type() != wanted)) {
            return Err(Error::internal("sequence numbers or row kinds of another type"));
        }
        let shown = shown.min(fields.len());
        let shown_schema = match shown == fields.len() {
            true => Arc::clone(&schema),
            false => Arc::new(schema.project(&(0..shown).collect::<Vec<_>>()).map_err(arrow)?),
        };
        Ok(Self {
            schema,
            shown,
            shown_schema,
            fields: fields.to_vec(),
            keys,
            sequence,
            number,
            kind,
            engine: merge.engine.clone(),
            keep_deletes: merge.keep_deletes,
            batch_rows: batch_rows.max(1),
            batch_bytes,
        })
    }

    /// The ids of the columns whose values are only picked, never looked at. Strings among them may come as views.
    pub fn picked(&self) -> BTreeSet<i32> {
        if !Self::passes_values_on(&self.engine) {
            return BTreeSet::new();
        }
        let looked_at =
            |column: &usize| self.keys.contains(column) || self.sequence.iter().any(|sequence| sequence.0 == *column);
        (0..self.shown).filter(|column| !looked_at(column)).map(|column| self.fields[column].id).collect()
    }

    /// The column of a field, if it is read.
    pub(crate) fn column(&self, id: i32) -> Option<usize> {
        self.fields.iter().position(|f| f.id == id)
    }

    /// Columns that hold no data of the table.
    pub(crate) fn is_system(&self, column: usize) -> bool {
        Some(column) == self.number || Some(column) == self.kind
    }

    /// Field ids that a merge reads beside those that are asked for. `wanted` are the ids of top-level fields.
    pub fn needs(merge: &Merge, wanted: &[i32]) -> Vec<i32> {
        let mut ids: Vec<i32> = merge.keys.clone();
        ids.extend(merge.sequence.iter().map(|s| s.field_id));
        if let Engine::PartialUpdate { groups, remove_record_on_sequence_group, .. } = &merge.engine {
            for group in groups {
                let touched = group.fields.iter().chain(&group.sequence).any(|id| wanted.contains(id));
                let deletes = group.sequence.iter().any(|id| remove_record_on_sequence_group.contains(id));
                if touched || deletes {
                    ids.extend(&group.sequence);
                }
            }
        }
        ids.extend([reserved::SEQUENCE_NUMBER, reserved::VALUE_KIND]);
        ids
    }

    /// Whether values are only passed on, so that nested columns may come pruned.
    pub fn passes_values_on(engine: &Engine) -> bool {
        matches!(engine, Engine::Deduplicate { .. } | Engine::FirstRow { .. })
    }
}

/// Whether a type may be null as a column of the output.
pub(crate) fn nullable(field: &Field) -> bool {
    !field.required || field.field_type == Type::Unknown
}
