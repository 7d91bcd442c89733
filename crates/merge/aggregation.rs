use lakefold_base::{Error, Result};
use lakefold_task::Engine as Wanted;

use crate::engine::{Engine, Entry};
use crate::functions::{Function, create};
use crate::kind;
use crate::output::{Output, Pick};
use crate::spec::Spec;
use crate::value::Value;

/// Each field by its function.
pub(crate) struct Aggregation {
    functions: Vec<Option<Box<dyn Function>>>,
    remove_on_delete: bool,
}

impl Aggregation {
    pub(crate) fn new(spec: &Spec) -> Result<Self> {
        let Wanted::Aggregation { remove_record_on_delete, aggregates, default_function } = &spec.engine else {
            return Err(Error::internal("not an aggregation"));
        };
        let mut functions = Vec::with_capacity(spec.fields.len());
        for (column, field) in spec.fields.iter().enumerate() {
            if spec.is_system(column) {
                functions.push(None);
                continue;
            }
            let own = aggregates.iter().find(|a| a.field_id == field.id);
            let name = if spec.sequence.iter().any(|s| s.0 == column) {
                "last_value"
            } else if spec.keys.contains(&column) {
                "primary-key"
            } else {
                own.and_then(|a| a.function.as_deref()).or(default_function.as_deref()).unwrap_or("last_non_null_value")
            };
            functions.push(Some(create(name, field, spec.schema.field(column).data_type(), own)?));
        }
        Ok(Self { functions, remove_on_delete: *remove_record_on_delete })
    }
}

impl Engine for Aggregation {
    fn by_column(&self) -> bool {
        true
    }

    fn merge(&mut self, group: &[Entry], output: &mut Output) -> Result<()> {
        self.functions.iter_mut().flatten().for_each(|f| f.reset());
        let mut row: Vec<Option<Value>> = vec![None; self.functions.len()];
        let mut deleted = false;
        for entry in group {
            let batch = output.batch(entry.slot);
            let read = |column: usize| Value::read(&batch.columns[column], entry.row as usize);
            deleted = self.remove_on_delete && entry.kind == kind::DELETE;
            if deleted {
                // What follows is merged with the values of the row that was deleted.
                for (column, value) in row.iter_mut().enumerate() {
                    *value = read(column);
                }
                continue;
            }
            for (column, function) in self.functions.iter_mut().enumerate() {
                let Some(function) = function else { continue };
                let (accumulator, input) = (row[column].take(), read(column));
                let result = match entry.retracts() {
                    true => function.retract(accumulator, input),
                    false => function.add(accumulator, input),
                };
                row[column] = result?;
            }
        }
        let last = group.last().map(|e| Pick::At(e.slot, e.row)).unwrap_or_default();
        let mut picks: Vec<Pick> = row.into_iter().map(|v| v.map_or(Pick::Null, Pick::Made)).collect();
        for (pick, function) in picks.iter_mut().zip(&self.functions) {
            if function.is_none() {
                *pick = last.clone();
            }
        }
        output.push_row(if deleted { kind::DELETE } else { kind::INSERT }, &mut picks);
        Ok(())
    }
}
