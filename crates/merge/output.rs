use arrow_array::types::Int8Type;
use arrow_array::{Array, ArrayRef, PrimitiveArray, RecordBatch, RecordBatchOptions, new_null_array};
use lakefold_base::{Error, Result};
use std::sync::Arc;

use crate::cursor::Loaded;
use crate::engine::Entry;
use crate::gather::{At, Picks};
use crate::keys::arrow;
use crate::kind;
use crate::spec::Spec;
use crate::value::{self, Value};
use crate::windows::Place;

/// Where a value of the result comes from.
#[derive(Debug, Clone, Default)]
pub(crate) enum Pick {
    /// Null.
    #[default]
    Null,
    /// A row of a batch.
    At(u32, u32),
    /// A value that a function made.
    Made(Value),
}

const NULL: u32 = u32::MAX;
const MADE: u32 = u32::MAX - 1;

#[derive(Default)]
struct Column {
    picks: Vec<At>,
    made: Vec<Option<Value>>,
}

/// The rows of the batch in the making, as references to rows of loaded batches.
pub(crate) struct Output {
    spec: Arc<Spec>,
    slots: Vec<Arc<Loaded>>,
    count: usize,
    /// The rows' kinds, if they are shown.
    kinds: Option<Vec<i8>>,
    /// Rows, when all columns of a row come from one.
    rows: Vec<At>,
    /// One a column otherwise.
    columns: Option<Vec<Column>>,
}

impl Output {
    pub(crate) fn new(spec: Arc<Spec>, by_column: bool) -> Self {
        let columns = by_column.then(|| spec.fields[..spec.shown].iter().map(|_| Column::default()).collect());
        let kinds = spec.kind.filter(|kind| *kind < spec.shown).map(|_| Vec::new());
        Self { spec, slots: Vec::new(), count: 0, kinds, rows: Vec::new(), columns }
    }

    /// Rows so far.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Batches held.
    pub(crate) fn held(&self) -> usize {
        self.slots.len()
    }

    /// Holds a batch until the next flush; returns its slot.
    pub(crate) fn hold(&mut self, batch: Arc<Loaded>) -> u32 {
        self.slots.push(batch);
        (self.slots.len() - 1) as u32
    }

    /// Lets go of all batches.
    pub(crate) fn release(&mut self) {
        self.slots.clear();
    }

    /// A held batch.
    pub(crate) fn batch(&self, slot: u32) -> &Loaded {
        &self.slots[slot as usize]
    }

    /// Counts a row of a kind, if it is wanted.
    fn counted(&mut self, kind: i8) -> bool {
        let wanted = self.spec.keep_deletes || !kind::retracts(kind);
        if wanted {
            self.count += 1;
            self.kinds.iter_mut().for_each(|kinds| kinds.push(kind));
        }
        wanted
    }

    /// Adds a row as it stands.
    pub(crate) fn push(&mut self, entry: Entry) {
        if !self.counted(entry.kind) {
            return;
        }
        let place = At { source: entry.slot, row: entry.row };
        match &mut self.columns {
            None => self.rows.push(place),
            Some(columns) => columns.iter_mut().for_each(|c| c.picks.push(place)),
        }
    }

    /// Adds rows as they stand, by the slots of their runs.
    pub(crate) fn push_all(&mut self, places: &[Place], slots: &[u32]) {
        if self.spec.kind.is_none() && self.columns.is_none() {
            let rows = places.iter().map(|place| At { source: slots[place.run as usize], row: place.row });
            self.rows.extend(rows);
            self.count += places.len();
            return;
        }
        for place in places {
            let slot = slots[place.run as usize];
            let batch = &self.slots[slot as usize];
            let (kind, number) = (batch.kind(place.row as usize), 0);
            self.push(Entry { slot, row: place.row, kind, number });
        }
    }

    /// Adds a row made of one pick a column.
    pub(crate) fn push_row(&mut self, kind: i8, row: &mut [Pick]) {
        if !self.counted(kind) {
            return;
        }
        for (column, pick) in self.columns.iter_mut().flatten().zip(row) {
            column.picks.push(match std::mem::take(pick) {
                Pick::Null => At { source: NULL, row: 0 },
                Pick::At(source, row) => At { source, row },
                Pick::Made(value) => {
                    column.made.push(Some(value));
                    At { source: MADE, row: (column.made.len() - 1) as u32 }
                }
            });
        }
    }

    /// Makes the batch; none if there are no rows.
    pub(crate) fn flush(&mut self) -> Result<Option<RecordBatch>> {
        let rows = std::mem::take(&mut self.count);
        if rows == 0 {
            return Ok(None);
        }
        let held: Vec<usize> = self.slots.iter().map(|slot| slot.rows).collect();
        let picks = Picks::new(&self.rows, held.clone())?;
        let mut arrays: Vec<ArrayRef> = Vec::with_capacity(self.spec.shown);
        for index in 0..self.spec.shown {
            if let Some(kinds) = self.kinds.as_mut().filter(|_| self.spec.kind == Some(index)) {
                arrays.push(Arc::new(PrimitiveArray::<Int8Type>::from(std::mem::take(kinds))));
                continue;
            }
            let field = self.spec.schema.field(index);
            let mut sources: Vec<&dyn Array> = self.slots.iter().map(|s| s.columns[index].as_ref()).collect();
            let Some(columns) = &mut self.columns else {
                arrays.push(picks.gather(&sources, field.data_type())?);
                continue;
            };
            let column = std::mem::take(&mut columns[index]);
            let null = new_null_array(field.data_type(), 1);
            let made = value::build(column.made, field.data_type())?;
            let null_at = sources.len() as u32;
            let lengths = held.iter().copied().chain([1, made.len()]).collect();
            sources.extend([null.as_ref(), made.as_ref()]);
            let mut picks = column.picks;
            for pick in &mut picks {
                match pick.source {
                    NULL => pick.source = null_at,
                    MADE => pick.source = null_at + 1,
                    _ => {}
                }
            }
            let array = Picks::new(&picks, lengths)?.gather(&sources, field.data_type())?;
            if !field.is_nullable() && array.null_count() > 0 {
                return Err(Error::corrupt("merging gives null in a required field").with("field", field.name()));
            }
            arrays.push(array);
        }
        self.rows.clear();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.spec.shown_schema), arrays, &options)
            .map(Some)
            .map_err(arrow)
    }
}
