//! Which rows of a row group can satisfy the residual, told by statistics, page indexes, bloom filters and
//! dictionaries, without decoding data. What is missing or broken prunes nothing.

mod bloom;
mod bounds;
mod column;
mod dictionary;
mod pages;
mod stats;

use arrow_buffer::BooleanBuffer;
use lakefold_base::{Error, Result};
use lakefold_store::Source;
use parquet::file::metadata::ParquetMetaData;
use std::sync::Arc;

use crate::filter::{Predicate, Program, Step};
use crate::guard::guarded;
use crate::project::Projection;
use column::{Column, Place};

pub(crate) use dictionary::only_dictionary;

/// A row group and what is needed to ask about it.
pub(crate) struct Pruner<'a> {
    /// The file.
    pub source: &'a Arc<dyn Source>,
    /// Its metadata.
    pub metadata: &'a ParquetMetaData,
    /// The residual.
    pub program: &'a Program,
    /// Its columns in the file.
    pub projection: &'a Projection,
}

impl Pruner<'_> {
    /// The rows that may satisfy the residual; none if it can't be told. An empty mask drops the group.
    pub(crate) fn rows(&self, group: usize) -> Result<Option<BooleanBuffer>> {
        let rows = self.metadata.row_group(group).num_rows() as usize;
        let whole = self.run(&|predicate| self.whole(group, predicate).map(Mask::of), 1)?;
        if !whole.value(0) {
            return Ok(Some(BooleanBuffer::new_unset(rows)));
        }
        let mask = self.run(&|predicate| self.pages(group, rows, predicate), rows)?;
        Ok((mask.count_set_bits() < rows).then_some(mask))
    }

    /// Joins what each predicate says: `and` drops what one drops, `or` what all drop.
    fn run(&self, ask: &dyn Fn(&Predicate) -> Result<Mask>, len: usize) -> Result<BooleanBuffer> {
        let mut stack: Vec<Mask> = Vec::new();
        let underflow = || Error::internal("a filter program without operands");
        for step in &self.program.steps {
            let result = match step {
                Step::Const(true) | Step::And(0) => Mask::All,
                Step::Const(false) | Step::Or(0) => Mask::None,
                Step::Test(predicate) => ask(predicate)?,
                Step::And(n) | Step::Or(n) => {
                    let mut result = stack.pop().ok_or_else(underflow)?;
                    for _ in 1..*n {
                        let other = stack.pop().ok_or_else(underflow)?;
                        result = if matches!(step, Step::And(_)) { result.and(other) } else { result.or(other) };
                    }
                    result
                }
            };
            stack.push(result);
        }
        Ok(match stack.pop().ok_or_else(underflow)? {
            Mask::All => BooleanBuffer::new_set(len),
            Mask::None => BooleanBuffer::new_unset(len),
            Mask::Some(mask) => mask,
        })
    }

    /// Whether some row of the group may satisfy a predicate.
    fn whole(&self, group: usize, predicate: &Predicate) -> Result<bool> {
        let column = match column::place(predicate, self.projection, self.metadata) {
            Place::Unknown => return Ok(true),
            Place::Constant(array) => return Ok(predicate.run_on(&array)?.count_set_bits() > 0),
            Place::Column(column) => column,
        };
        if column.reshaped(predicate) {
            return Ok(true);
        }
        let chunk = self.metadata.row_group(group).column(column.index);
        let rows = self.metadata.row_group(group).num_rows() as u64;
        let bounds = stats::bounds(&column, chunk, rows);
        if !bounds.may(predicate, 0) {
            return Ok(false);
        }
        let asked = |may: Result<bool>| match may {
            Err(e) if matches!(e.code(), lakefold_base::Code::CorruptFile | lakefold_base::Code::Unsupported) => {
                Ok(true)
            }
            other => other,
        };
        Ok(asked(guarded(|| bloom::may(&column, predicate, chunk, self.source)))?
            && asked(guarded(|| dictionary::may(&column, predicate, chunk, &bounds, self.source)))?)
    }

    /// Which rows' pages may satisfy a predicate.
    fn pages(&self, group: usize, rows: usize, predicate: &Predicate) -> Result<Mask> {
        match column::place(predicate, self.projection, self.metadata) {
            Place::Unknown => Ok(Mask::All),
            Place::Constant(array) => Ok(Mask::of(predicate.run_on(&array)?.count_set_bits() > 0)),
            Place::Column(column) if column.reshaped(predicate) => Ok(Mask::All),
            Place::Column(column) => {
                let chunk = self.metadata.row_group(group).column(column.index);
                match guarded(|| pages::may(&column, predicate, chunk, rows, self.source)) {
                    Ok(Some(mask)) => Ok(Mask::Some(mask)),
                    Ok(None) => Ok(Mask::All),
                    Err(e) if e.code() == lakefold_base::Code::CorruptFile => Ok(Mask::All),
                    Err(e) => Err(e),
                }
            }
        }
    }
}

/// Rows that may match, without a bitmap where all or none do.
enum Mask {
    All,
    None,
    Some(BooleanBuffer),
}

impl Mask {
    fn of(may: bool) -> Self {
        if may { Mask::All } else { Mask::None }
    }

    fn and(self, other: Mask) -> Mask {
        match (self, other) {
            (Mask::None, _) | (_, Mask::None) => Mask::None,
            (Mask::All, mask) | (mask, Mask::All) => mask,
            (Mask::Some(a), Mask::Some(b)) => Mask::Some(&a & &b),
        }
    }

    fn or(self, other: Mask) -> Mask {
        match (self, other) {
            (Mask::All, _) | (_, Mask::All) => Mask::All,
            (Mask::None, mask) | (mask, Mask::None) => mask,
            (Mask::Some(a), Mask::Some(b)) => Mask::Some(&a | &b),
        }
    }
}

impl Column {
    /// Whether the predicate looks at something else than the stored values.
    fn reshaped(&self, predicate: &Predicate) -> bool {
        predicate.transform != lakefold_task::Transform::Identity
    }
}
