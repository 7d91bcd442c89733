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
use crate::windows::{End, Place, Windows};

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
    /// If set, it merges instead of the tournament.
    windows: Option<Windows>,
    engine: Box<dyn Engine>,
    output: Output,
    group: Vec<Entry>,
    /// Whether the user's sequence decides before the sequence number.
    by_sequence: bool,
    /// Whether rows have sequence numbers; else those of their runs stand for them.
    numbered: bool,
    /// Rows of a batch.
    target: usize,
}

impl MergeStream {
    /// Starts to merge runs, of which those keys are left that are in the range; in the order of their age, if the spec has no
    /// sequence numbers. Reads the first batch of each run. Unknown functions and options are errors.
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
                let by_age = spec.number.is_none() && spec.sequence.is_empty() && tournament.whole();
                let windows = engine.passes_on(spec.kind.is_some()).filter(|_| by_age).map(Windows::new);
                let target = target(&spec, &cursors);
                State::Many(Box::new(Many {
                    loader,
                    cursors,
                    tournament,
                    windows,
                    engine,
                    output,
                    group: Vec::new(),
                    by_sequence: !spec.sequence.is_empty(),
                    numbered: spec.number.is_some(),
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
    let bytes: usize = batches().flat_map(|b| &b.columns[..spec.shown]).map(|c| merged_size(c.as_ref())).sum();
    let fitting = spec.batch_bytes / (bytes / rows.max(1)).max(1);
    let longest = batches().map(|b| b.rows).max().unwrap_or(1);
    fitting.max(longest).min(spec.batch_rows)
}

/// Bytes that a column takes once it is merged.
fn merged_size(column: &dyn Array) -> usize {
    match column.as_string_view_opt() {
        Some(views) => views.lengths().map(|length| length as usize + size_of::<i32>()).sum(),
        None => column.get_array_memory_size(),
    }
}

fn single(spec: &Spec, run: &mut dyn RunSource) -> Result<Option<RecordBatch>> {
    while let Some(batch) = run.next()? {
        let Some(kind) = spec.kind else { return show(spec, batch).map(Some) };
        let kinds = batch.column(kind).as_primitive::<Int8Type>();
        if let Some(wrong) = kinds.values().iter().find(|k| kind::text(**k).is_none()) {
            return Err(Error::corrupt("an unknown row kind").with("value", wrong).in_file(run.file()));
        }
        if spec.keep_deletes || kinds.values().iter().all(|k| !kind::retracts(*k)) {
            if batch.num_rows() > 0 {
                return show(spec, batch).map(Some);
            }
            continue;
        }
        let keep: BooleanArray = (0..kinds.len()).map(|i| Some(!kind::retracts(kinds.value(i)))).collect();
        let batch = filter_record_batch(&show(spec, batch)?, &keep).map_err(arrow)?;
        if batch.num_rows() > 0 {
            return Ok(Some(batch));
        }
    }
    Ok(None)
}

/// The columns that merged batches have.
fn show(spec: &Spec, batch: RecordBatch) -> Result<RecordBatch> {
    if spec.shown == spec.fields.len() {
        return Ok(batch);
    }
    batch.project(&(0..spec.shown).collect::<Vec<_>>()).map_err(arrow)
}

impl Many {
    /// Goes on by windows while each key is in each run once; the tournament takes over where one is not.
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        while let Some(windows) = &mut self.windows {
            let slots: Vec<u32> = self.cursors.iter().map(|cursor| cursor.slot).collect();
            loop {
                let places = windows.take(self.target.saturating_sub(self.output.len()));
                if places.is_empty() {
                    break;
                }
                self.output.push_all(places, &slots);
            }
            if self.output.len() >= self.target {
                return self.flush();
            }
            let last = windows.take_last().map(|place| (place, self.entry(place.run as usize, place.row as usize)));
            for run in 0..self.cursors.len() {
                // A run that has ended stays at its end.
                if self.cursors[run].batch.is_some() && self.cursors[run].heads().is_empty() {
                    self.load(run)?;
                }
            }
            let strict = self.cursors.iter().filter_map(|cursor| cursor.batch.as_ref()).all(|batch| batch.strict);
            if let Some((place, entry)) = last {
                let entry = if strict { entry } else { self.repeated(place, entry)? };
                self.output.push(entry);
            }
            if !strict {
                self.windows = None;
                self.tournament = Tournament::new(&self.cursors);
                break;
            }
            if self.cursors.iter().all(|cursor| cursor.batch.is_none()) {
                return self.output.flush();
            }
            if self.is_crowded() {
                if self.output.len() > 0 {
                    return self.flush();
                }
                self.rehold();
            }
            if let Some(windows) = &mut self.windows {
                windows.merge(&mut self.cursors);
            }
        }
        self.play()
    }

    /// What is left of a key where runs have it again, of which `entry` was left before.
    fn repeated(&mut self, place: Place, mut entry: Entry) -> Result<Entry> {
        let newest = self.windows.as_ref().is_some_and(|windows| windows.end() == End::Newest);
        let mut owner = place.run as usize;
        for run in 0..self.cursors.len() {
            while self.cursors[run].heads().first() == Some(&place.head) {
                if newest && run >= owner {
                    (owner, entry) = (run, self.entry(run, self.cursors[run].row));
                }
                self.cursors[run].row += 1;
                if self.cursors[run].heads().is_empty() {
                    self.load(run)?;
                }
            }
        }
        Ok(entry)
    }

    /// A row of the batch that a run is at.
    fn entry(&self, run: usize, row: usize) -> Entry {
        let Cursor { slot, batch, .. } = &self.cursors[run];
        let batch = batch.as_ref();
        Entry {
            slot: *slot,
            row: row as u32,
            kind: batch.map_or(kind::INSERT, |batch| batch.kind(row)),
            number: batch.and_then(|batch| batch.number(row)).unwrap_or(run as i64),
        }
    }

    /// Whether more batches are held than a batch may need.
    fn is_crowded(&self) -> bool {
        let runs = self.cursors.len();
        self.output.held() > 2 * runs + SPARE.min(2 * runs)
    }

    /// Goes on by the tournament.
    fn play(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if self.output.len() >= self.target {
                return self.flush();
            }
            if self.is_crowded() {
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
        let by_age = match self.numbered {
            true => by_number,
            false => by_run,
        };
        match self.by_sequence {
            false => self.group.sort_by(by_age),
            true => self.group.sort_by(|a, b| by_sequence(output, a, b).then_with(|| by_age(a, b))),
        }
    }

    /// Adds the current row of a run to the group and moves the run on.
    fn take(&mut self, run: usize) -> Result<()> {
        let cursor = &self.cursors[run];
        if cursor.batch.is_none() {
            return Ok(());
        }
        self.group.push(self.entry(run, cursor.row));
        self.cursors[run].row += 1;
        if self.cursors[run].heads().is_empty() {
            self.load(run)?;
        }
        self.tournament.replay(&self.cursors, run);
        Ok(())
    }

    /// Loads a run's next batch and holds it.
    fn load(&mut self, run: usize) -> Result<()> {
        let cursor = &mut self.cursors[run];
        cursor.load(&self.loader)?;
        if let Some(batch) = &cursor.batch {
            cursor.slot = self.output.hold(Arc::clone(batch));
        }
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

/// The order by the age of the runs; rows of a run stay as they stand.
fn by_run(a: &Entry, b: &Entry) -> Ordering {
    a.number.cmp(&b.number)
}

/// The order by sequence number. Of equal numbers the retraction comes first.
fn by_number(a: &Entry, b: &Entry) -> Ordering {
    a.number.cmp(&b.number).then_with(|| b.retracts().cmp(&a.retracts()))
}
