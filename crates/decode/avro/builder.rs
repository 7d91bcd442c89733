//! Rows to Arrow arrays: one slot for each wanted field; what is not wanted is passed over.

use super::column::Column;
use super::input::Input;
use super::schema::{Node, Presence, RecordField, values};
use super::skip::skip;
use arrow_array::ArrayRef;
use arrow_buffer::NullBufferBuilder;
use arrow_schema::{DataType, FieldRef, Fields};
use lakefold_base::{Error, Result};
use std::sync::Arc;

/// A field under construction.
pub(super) struct Slot {
    pub(super) field: FieldRef,
    presence: Presence,
    nulls: NullBufferBuilder,
    column: Column,
}

/// A record under construction.
pub(super) struct Record {
    steps: Vec<Step>,
    children: Vec<Slot>,
    pub(super) len: usize,
}

enum Step {
    Build(usize),
    Skip(Arc<Node>),
}

pub(super) fn misfit(field: &FieldRef) -> Error {
    Error::internal(format!("field {:?} was asked for as {}", field.name(), field.data_type()))
}

impl Record {
    /// `wanted` are fields of the record, by name, in the order of the result.
    pub(super) fn new(fields: &[RecordField], wanted: &Fields) -> Result<Self> {
        let mut slots: Vec<Option<Slot>> = wanted.iter().map(|_| None).collect();
        let mut steps = Vec::new();
        for field in fields {
            let step = match wanted.iter().position(|w| *w.name() == field.name) {
                Some(at) => {
                    slots[at] = Some(Slot::new(&field.node, &wanted[at])?);
                    Step::Build(at)
                }
                None => Step::Skip(field.node.clone()),
            };
            steps.push(step);
        }
        let children = slots.into_iter().zip(wanted).map(|(slot, field)| slot.ok_or_else(|| misfit(field)));
        Ok(Record { steps, children: children.collect::<Result<_>>()?, len: 0 })
    }

    /// Reads one row.
    pub(super) fn read(&mut self, input: &mut Input<'_>) -> Result<()> {
        for step in &self.steps {
            match step {
                Step::Build(at) => self.children[*at].read(input)?,
                Step::Skip(node) => skip(node, input)?,
            }
        }
        self.len += 1;
        Ok(())
    }

    /// The arrays of the rows since the last call.
    pub(super) fn finish(&mut self) -> Result<Vec<ArrayRef>> {
        self.len = 0;
        self.children.iter_mut().map(Slot::finish).collect()
    }

    pub(super) fn push_null(&mut self) -> Result<()> {
        self.children.iter_mut().try_for_each(Slot::push_null)?;
        self.len += 1;
        Ok(())
    }
}

impl Slot {
    /// A field that is never null and has no union around it.
    pub(super) fn plain(field: &FieldRef, column: Column) -> Self {
        Slot { field: field.clone(), presence: Presence::Plain, nulls: NullBufferBuilder::new(0), column }
    }

    pub(super) fn new(node: &Arc<Node>, field: &FieldRef) -> Result<Self> {
        let Some((inner, presence)) = values(node) else {
            return Err(Error::unsupported("an Avro union of several types").with("field", field.name()));
        };
        let column = Column::new(inner, field)?;
        Ok(Slot { field: field.clone(), presence, nulls: NullBufferBuilder::new(0), column })
    }

    pub(super) fn read(&mut self, input: &mut Input<'_>) -> Result<()> {
        if let Presence::Branches(value, null) = self.presence {
            let branch = input.long()?;
            if Some(branch) == null {
                return self.push_null();
            }
            if branch != value {
                return Err(Error::corrupt(format!("union branch {branch}")).with("field", self.field.name()));
            }
        }
        self.nulls.append_non_null();
        self.column.read(input).map_err(|e| e.with("field", self.field.name()))
    }

    pub(super) fn push_null(&mut self) -> Result<()> {
        self.nulls.append_null();
        self.column.push_null()
    }

    pub(super) fn finish(&mut self) -> Result<ArrayRef> {
        let nulls = self.nulls.finish();
        self.column.finish(&self.field, nulls)
    }
}

/// Bytes that a row takes in memory at least, whatever the file holds.
pub(super) fn width(fields: &Fields) -> usize {
    let bytes = fields.iter().map(|field| match field.data_type() {
        DataType::FixedSizeBinary(n) => *n as usize,
        DataType::Struct(children) => width(children),
        _ => 1,
    });
    bytes.fold(0, usize::saturating_add)
}
