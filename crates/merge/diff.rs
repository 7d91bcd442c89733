use arrow_array::RecordBatch;
use lakefold_base::Result;
use std::cmp::Ordering;
use std::sync::Arc;

use crate::cursor::{Cursor, Loaded, Loader, RunSource};
use crate::element::Element;
use crate::engine::Entry;
use crate::kind;
use crate::order::KeyRange;
use crate::output::Output;
use crate::spec::Spec;

/// What changed between two merged states of a bucket, in key order: a row only before is a deletion, a row only
/// after, or with another row or kind, the row after. States that keep retractions have them as rows.
pub struct DiffStream {
    spec: Arc<Spec>,
    loader: Loader,
    before: Cursor,
    after: Cursor,
    output: Output,
    done: bool,
}

impl DiffStream {
    /// Starts to compare. Both sources are merged states; they keep retractions if the spec does.
    pub fn new(spec: Arc<Spec>, before: Box<dyn RunSource>, after: Box<dyn RunSource>) -> Result<Self> {
        let loader = Loader::new(Arc::clone(&spec), &KeyRange::default())?;
        let output = Output::new(Arc::clone(&spec), false);
        let mut stream =
            Self { spec, loader, before: Cursor::new(before), after: Cursor::new(after), output, done: false };
        stream.before.load(&stream.loader)?;
        stream.after.load(&stream.loader)?;
        stream.rehold();
        Ok(stream)
    }

    fn rehold(&mut self) {
        self.output.release();
        for side in [&mut self.before, &mut self.after] {
            if let Some(batch) = &side.batch {
                side.slot = self.output.hold(Arc::clone(batch));
            }
        }
    }

    /// The next batch, never empty; none at the end and after an error.
    // Not an Iterator: callers want `?` on a Result of an Option.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<RecordBatch>> {
        if self.done {
            return Ok(None);
        }
        let result = self.run();
        self.done = !matches!(result, Ok(Some(_)));
        result
    }

    fn run(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if self.output.len() >= self.spec.batch_rows || self.output.held() > 16 {
                let batch = self.output.flush()?;
                self.rehold();
                if batch.is_some() {
                    return Ok(batch);
                }
            }
            let (old, new) = (self.before.batch.clone(), self.after.batch.clone());
            let order = match (&old, &new) {
                (None, None) => return self.output.flush(),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some(b)) => a.keys.compare(self.before.row, &b.keys, self.after.row),
            };
            match (order, &old, &new) {
                (Ordering::Less, ..) => {
                    let old = entry(&self.before);
                    if !kind::retracts(old.kind) {
                        self.output.push(Entry { kind: kind::DELETE, ..old });
                    }
                    step(&mut self.before, &self.loader, &mut self.output)?;
                }
                (Ordering::Greater, ..) => {
                    self.output.push(entry(&self.after));
                    step(&mut self.after, &self.loader, &mut self.output)?;
                }
                (Ordering::Equal, old, new) => {
                    if let (Some(old), Some(new)) = (old, new)
                        && self.differ(old, new)
                    {
                        self.output.push(entry(&self.after));
                    }
                    step(&mut self.before, &self.loader, &mut self.output)?;
                    step(&mut self.after, &self.loader, &mut self.output)?;
                }
            }
        }
    }

    fn differ(&self, old: &Loaded, new: &Loaded) -> bool {
        if kind::retracts(old.kind(self.before.row)) != kind::retracts(new.kind(self.after.row)) {
            return true;
        }
        let columns = (0..self.spec.fields.len()).filter(|c| !self.spec.is_system(*c));
        columns.into_iter().any(|c| {
            let old = Element::At(Arc::clone(&old.columns[c]), self.before.row);
            let new = Element::At(Arc::clone(&new.columns[c]), self.after.row);
            old.key() != new.key()
        })
    }
}

/// The current row.
fn entry(cursor: &Cursor) -> Entry {
    let (kind, number) = cursor
        .batch
        .as_ref()
        .map_or((kind::INSERT, 0), |b| (b.kind(cursor.row), b.number(cursor.row).unwrap_or_default()));
    Entry { slot: cursor.slot, row: cursor.row as u32, kind, number }
}

fn step(cursor: &mut Cursor, loader: &Loader, output: &mut Output) -> Result<()> {
    cursor.row += 1;
    if cursor.batch.as_ref().is_some_and(|b| cursor.row >= b.rows) {
        cursor.load(loader)?;
        if let Some(batch) = &cursor.batch {
            cursor.slot = output.hold(Arc::clone(batch));
        }
    }
    Ok(())
}
