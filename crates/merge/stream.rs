use arrow_array::cast::AsArray;
use arrow_array::types::Int8Type;
use arrow_array::{BooleanArray, RecordBatch};
use arrow_select::filter::filter_record_batch;
use lakefold_base::{Error, Result};
use std::cmp::Ordering;
use std::sync::Arc;

use crate::cursor::{Cursor, Loader, RunSource};
use crate::engine::{Engine, Entry, engine};
use crate::keys::arrow;
use crate::kind;
use crate::output::Output;
use crate::spec::Spec;
use crate::tournament::Tournament;

/// Batches held beside the current one of each run before a batch is handed out early.
const SPARE: usize = 16;

/// The merged rows of some sorted runs, in key order.
pub struct MergeStream {
    spec: Arc<Spec>,
    state: State,
}

enum State {
    /// One run: no key can come twice.
    Single(Box<dyn RunSource>),
    Many(Box<Many>),
    Done,
}

struct Many {
    loader: Loader,
    cursors: Vec<Cursor>,
    tournament: Tournament,
    engine: Box<dyn Engine>,
    output: Output,
    group: Vec<Entry>,
    /// Rows of a batch: as many as the runs' own batches have, which are sized by bytes.
    target: usize,
}

impl MergeStream {
    /// Starts to merge. Reads the first batch of each run. Unknown functions and options are errors.
    pub fn new(spec: Arc<Spec>, mut runs: Vec<Box<dyn RunSource>>) -> Result<Self> {
        let engine = engine(&spec)?;
        let state = match (runs.len(), runs.pop()) {
            (_, None) => State::Done,
            (1, Some(run)) => State::Single(run),
            (_, Some(last)) => {
                runs.push(last);
                let loader = Loader::new(Arc::clone(&spec))?;
                let mut output = Output::new(Arc::clone(&spec), engine.by_column());
                let mut cursors: Vec<Cursor> = runs.into_iter().map(Cursor::new).collect();
                for cursor in &mut cursors {
                    cursor.load(&loader)?;
                    if let Some(batch) = &cursor.batch {
                        cursor.slot = output.hold(Arc::clone(batch));
                    }
                }
                let tournament = Tournament::new(&cursors);
                let longest = cursors.iter().filter_map(|c| c.batch.as_ref()).map(|b| b.rows).max();
                let target = longest.unwrap_or(1).min(spec.batch_rows);
                State::Many(Box::new(Many { loader, cursors, tournament, engine, output, group: Vec::new(), target }))
            }
        };
        Ok(Self { spec, state })
    }

    /// The next batch, never empty; none at the end and after an error.
    // Not an Iterator: callers want `?` on a Result of an Option.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<RecordBatch>> {
        let result = match &mut self.state {
            State::Single(run) => single(&self.spec, run.as_mut()),
            State::Many(many) => many.next(),
            State::Done => return Ok(None),
        };
        if !matches!(result, Ok(Some(_))) {
            self.state = State::Done;
        }
        result
    }
}

fn single(spec: &Spec, run: &mut dyn RunSource) -> Result<Option<RecordBatch>> {
    while let Some(batch) = run.next()? {
        let kinds = batch.column(spec.kind).as_primitive::<Int8Type>();
        if let Some(wrong) = kinds.values().iter().find(|k| kind::text(**k).is_none()) {
            return Err(Error::corrupt("an unknown row kind").with("value", wrong).in_file(run.file()));
        }
        if spec.keep_deletes || kinds.values().iter().all(|k| !kind::retracts(*k)) {
            if batch.num_rows() > 0 {
                return Ok(Some(batch));
            }
            continue;
        }
        let keep: BooleanArray = (0..kinds.len()).map(|i| Some(!kind::retracts(kinds.value(i)))).collect();
        let batch = filter_record_batch(&batch, &keep).map_err(arrow)?;
        if batch.num_rows() > 0 {
            return Ok(Some(batch));
        }
    }
    Ok(None)
}

impl Many {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if self.output.len() >= self.target {
                return self.flush();
            }
            if self.output.held() > 2 * self.cursors.len() + SPARE {
                if self.output.len() > 0 {
                    return self.flush();
                }
                self.rehold();
            }
            let Some(first) = self.tournament.winner(&self.cursors) else {
                return self.output.flush();
            };
            self.group.clear();
            let head = &self.cursors[first];
            let Some(batch) = head.batch.clone() else { return self.output.flush() };
            let row = head.row;
            self.take(first)?;
            while let Some(next) = self.tournament.winner(&self.cursors) {
                let cursor = &self.cursors[next];
                let same = cursor.batch.as_ref().is_some_and(|b| batch.keys.compare(row, &b.keys, cursor.row).is_eq());
                if !same {
                    break;
                }
                self.take(next)?;
            }
            match self.group[..] {
                [only] => self.output.push(only),
                _ => {
                    let output = &self.output;
                    self.group.sort_by(|a, b| order(output, a, b));
                    let file = self.cursors[first].file();
                    self.engine.merge(&self.group, &mut self.output).map_err(|e| e.in_file(file))?;
                }
            }
        }
    }

    /// Adds the current row of a run to the group and moves the run on.
    fn take(&mut self, run: usize) -> Result<()> {
        let cursor = &mut self.cursors[run];
        let Some(batch) = &cursor.batch else { return Ok(()) };
        self.group.push(Entry { slot: cursor.slot, row: cursor.row as u32, kind: batch.kinds[cursor.row] });
        cursor.row += 1;
        if cursor.row == batch.rows {
            cursor.load(&self.loader)?;
            if let Some(batch) = &cursor.batch {
                cursor.slot = self.output.hold(Arc::clone(batch));
            }
        }
        self.tournament.replay(&self.cursors, run);
        Ok(())
    }

    fn flush(&mut self) -> Result<Option<RecordBatch>> {
        let batch = self.output.flush()?;
        self.rehold();
        Ok(batch)
    }

    /// Holds only the current batches.
    fn rehold(&mut self) {
        self.output.release();
        for cursor in &mut self.cursors {
            if let Some(batch) = &cursor.batch {
                cursor.slot = self.output.hold(Arc::clone(batch));
            }
        }
    }
}

/// The merge order of rows of one key.
fn order(output: &Output, a: &Entry, b: &Entry) -> Ordering {
    let (x, y) = (output.batch(a.slot), output.batch(b.slot));
    let (i, j) = (a.row as usize, b.row as usize);
    let by_user = match (&x.sequence, &y.sequence) {
        (Some(x), Some(y)) => x.row(i).cmp(&y.row(j)),
        _ => Ordering::Equal,
    };
    // Of equal numbers the retraction comes first.
    by_user.then_with(|| x.numbers[i].cmp(&y.numbers[j])).then_with(|| b.retracts().cmp(&a.retracts()))
}
