use arrow_array::cast::AsArray;
use arrow_array::types::Int8Type;
use arrow_array::{Array, BooleanArray, RecordBatch};
use arrow_select::filter::filter_record_batch;
use lakefold_base::{Error, Result};
use std::cmp::Ordering;
use std::sync::Arc;

use crate::cursor::{Cursor, Loader, RunSource};
use crate::engine::{Engine, Entry, engine};
use crate::keys::arrow;
use crate::kind;
use crate::order::KeyRange;
use crate::output::Output;
use crate::spec::Spec;
use crate::tournament::Tournament;

/// Most batches held beside two of each run before a batch is handed out early.
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
    /// Whether the user's sequence decides before the sequence number.
    by_sequence: bool,
    /// Rows of a batch.
    target: usize,
}

impl MergeStream {
    /// Starts to merge runs, of which those keys are left that are in the range. Reads the first batch of each run. Unknown
    /// functions and options are errors.
    pub fn new(spec: Arc<Spec>, mut runs: Vec<Box<dyn RunSource>>, range: &KeyRange) -> Result<Self> {
        let engine = engine(&spec)?;
        let state = match (runs.len(), runs.pop()) {
            (_, None) => State::Done,
            (1, Some(run)) => State::Single(run),
            (_, Some(last)) => {
                runs.push(last);
                let loader = Loader::new(Arc::clone(&spec), range)?;
                let mut output = Output::new(Arc::clone(&spec), engine.by_column());
                let mut cursors: Vec<Cursor> = runs.into_iter().map(Cursor::new).collect();
                for cursor in &mut cursors {
                    cursor.load(&loader)?;
                    if let Some(batch) = &cursor.batch {
                        cursor.slot = output.hold(Arc::clone(batch));
                    }
                }
                let tournament = Tournament::new(&cursors);
                let target = target(&spec, &cursors);
                State::Many(Box::new(Many {
                    loader,
                    cursors,
                    tournament,
                    engine,
                    output,
                    group: Vec::new(),
                    by_sequence: !spec.sequence.is_empty(),
                    target,
                }))
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

/// Rows of a merged batch: as many as take the wanted bytes, going by the rows of the runs' first batches.
fn target(spec: &Spec, cursors: &[Cursor]) -> usize {
    let batches = || cursors.iter().filter_map(|c| c.batch.as_ref());
    let rows: usize = batches().map(|b| b.rows).sum();
    let bytes: usize = batches().flat_map(|b| &b.columns).map(|c| c.get_array_memory_size()).sum();
    let fitting = spec.batch_bytes / (bytes / rows.max(1)).max(1);
    let longest = batches().map(|b| b.rows).max().unwrap_or(1);
    fitting.max(longest).min(spec.batch_rows)
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
            if self.output.held() > 2 * self.cursors.len() + SPARE.min(2 * self.cursors.len()) {
                if self.output.len() > 0 {
                    return self.flush();
                }
                self.rehold();
            }
            let Some(first) = self.tournament.winner() else {
                return self.output.flush();
            };
            self.group.clear();
            self.take(first.run())?;
            while let Some(next) = self.tournament.winner() {
                if !next.ties(first) || !(self.tournament.whole() || self.same(next.run())) {
                    break;
                }
                self.take(next.run())?;
            }
            match self.group[..] {
                [only] => self.output.push(only),
                _ => {
                    self.sort();
                    let file = self.cursors[first.run()].file();
                    self.engine.merge(&self.group, &mut self.output).map_err(|e| e.in_file(file))?;
                }
            }
        }
    }

    /// Whether a run stands at the group's key.
    fn same(&self, run: usize) -> bool {
        let cursor = &self.cursors[run];
        let (Some(first), Some(batch)) = (self.group.first(), &cursor.batch) else { return false };
        self.output.batch(first.slot).keys.compare(first.row as usize, &batch.keys, cursor.row).is_eq()
    }

    /// Puts the group in merge order.
    fn sort(&mut self) {
        let output = &self.output;
        match self.by_sequence {
            false => self.group.sort_by(by_number),
            true => self.group.sort_by(|a, b| by_sequence(output, a, b).then_with(|| by_number(a, b))),
        }
    }

    /// Adds the current row of a run to the group and moves the run on.
    fn take(&mut self, run: usize) -> Result<()> {
        let cursor = &mut self.cursors[run];
        let Some(batch) = &cursor.batch else { return Ok(()) };
        let row = cursor.row;
        self.group.push(Entry {
            slot: cursor.slot,
            row: row as u32,
            kind: batch.kinds[row],
            number: batch.numbers[row],
        });
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

/// The order by the user's sequence.
fn by_sequence(output: &Output, a: &Entry, b: &Entry) -> Ordering {
    match (&output.batch(a.slot).sequence, &output.batch(b.slot).sequence) {
        (Some(x), Some(y)) => x.row(a.row as usize).cmp(&y.row(b.row as usize)),
        _ => Ordering::Equal,
    }
}

/// The order by sequence number. Of equal numbers the retraction comes first.
fn by_number(a: &Entry, b: &Entry) -> Ordering {
    a.number.cmp(&b.number).then_with(|| b.retracts().cmp(&a.retracts()))
}
