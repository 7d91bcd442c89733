use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::ScalarBuffer;
use arrow_row::{RowConverter, Rows, SortField};
use lakefold_base::{Error, Result};
use std::sync::Arc;

use crate::keys::{KeyMaker, Keys, arrow, without_negative_zero};
use crate::kind;
use crate::order::{Ends, KeyRange};
use crate::spec::Spec;

/// The batches of one sorted run, in key order.
pub trait RunSource: Send {
    /// The next batch, in the schema of the runs; none at the end.
    fn next(&mut self) -> Result<Option<RecordBatch>>;
    /// The file that the last batch came from, for errors.
    fn file(&self) -> &str;
}

/// A batch with what its rows are compared by.
pub(crate) struct Loaded {
    pub(crate) columns: Vec<ArrayRef>,
    pub(crate) rows: usize,
    pub(crate) keys: Keys,
    /// The start of each key, as [`Keys::heads`] makes it.
    pub(crate) heads: Vec<u64>,
    /// Whether each key's head is larger than the one above it, so that no key comes twice.
    pub(crate) strict: bool,
    pub(crate) sequence: Option<Rows>,
    numbers: Option<ScalarBuffer<i64>>,
    kinds: Option<ScalarBuffer<i8>>,
}

impl Loaded {
    /// A row's sequence number; none if there are no such numbers.
    pub(crate) fn number(&self, row: usize) -> Option<i64> {
        self.numbers.as_ref().map(|numbers| numbers[row])
    }

    /// A row's kind.
    pub(crate) fn kind(&self, row: usize) -> i8 {
        self.kinds.as_ref().map_or(kind::INSERT, |kinds| kinds[row])
    }
}

/// Loads batches of all runs of a merge alike.
pub(crate) struct Loader {
    keys: KeyMaker,
    ends: Option<Ends>,
    sequence: Option<(Vec<usize>, RowConverter)>,
    spec: Arc<Spec>,
}

impl Loader {
    /// All rows have keys in the range.
    pub(crate) fn new(spec: Arc<Spec>, range: &KeyRange) -> Result<Self> {
        let keys = KeyMaker::new(&spec.keys, &spec.schema)?;
        let ends = Ends::new(range, &keys)?;
        let sequence = match spec.sequence.is_empty() {
            true => None,
            false => {
                let field = |(column, options): &(usize, _)| {
                    SortField::new_with_options(spec.schema.field(*column).data_type().clone(), *options)
                };
                let fields = spec.sequence.iter().map(field).collect();
                let converter =
                    RowConverter::new(fields).map_err(|e| Error::unsupported(format!("a sequence field: {e}")))?;
                Some((spec.sequence.iter().map(|s| s.0).collect(), converter))
            }
        };
        Ok(Self { keys, ends, sequence, spec })
    }

    pub(crate) fn load(&self, batch: RecordBatch) -> Result<Loaded> {
        let (rows, columns) = (batch.num_rows(), batch.columns().to_vec());
        let system = |column: Option<usize>| match column.map(|column| columns.get(column)) {
            None => Ok(None),
            Some(Some(array)) if array.null_count() == 0 => Ok(Some(array)),
            _ => Err(Error::corrupt("a key-value file without sequence number or row kind in a row")),
        };
        let numbers = system(self.spec.number)?.map(|array| array.as_primitive::<Int64Type>().values().clone());
        let kinds = system(self.spec.kind)?.map(|array| array.as_primitive::<Int8Type>().values().clone());
        if let Some(wrong) = kinds.iter().flat_map(|kinds| kinds.iter()).find(|k| kind::text(**k).is_none()) {
            return Err(Error::corrupt("an unknown row kind").with("value", wrong));
        }
        let sequence = match &self.sequence {
            None => None,
            Some((wanted, converter)) => {
                let arrays: Vec<ArrayRef> = wanted.iter().map(|c| without_negative_zero(&columns[*c])).collect();
                Some(converter.convert_columns(&arrays).map_err(arrow)?)
            }
        };
        let keys = self.keys.keys(&columns)?;
        let heads = keys.heads(rows);
        let strict = heads_ascend(&heads);
        if self.keys.ordered
            && !strict
            && let Some(row) = keys.disorder(&heads)
        {
            return Err(Error::corrupt("the rows of a sorted run are not in key order").with("row", row));
        }
        if let Some(ends) = &self.ends {
            ends.check(&keys, rows)?;
        }
        Ok(Loaded { columns, rows, keys, heads, strict, sequence, numbers, kinds })
    }
}

/// Without an early way out this is a few vector instructions a row.
fn heads_ascend(heads: &[u64]) -> bool {
    !heads.windows(2).fold(false, |wrong, w| wrong | (w[0] >= w[1]))
}

/// Where the merge stands in one run.
pub(crate) struct Cursor {
    source: Box<dyn RunSource>,
    /// The current batch; none at the end.
    pub(crate) batch: Option<Arc<Loaded>>,
    /// Which of the output's slots holds the current batch.
    pub(crate) slot: u32,
    pub(crate) row: usize,
}

impl Cursor {
    pub(crate) fn new(source: Box<dyn RunSource>) -> Self {
        Self { source, batch: None, slot: 0, row: 0 }
    }

    /// Loads the next batch that has rows.
    pub(crate) fn load(&mut self, loader: &Loader) -> Result<()> {
        let last = self.batch.take();
        self.row = 0;
        while let Some(batch) = self.source.next()? {
            if batch.num_rows() == 0 {
                continue;
            }
            let mut loaded = loader.load(batch).map_err(|e| e.in_file(self.source.file()))?;
            if let Some(last) = &last {
                if loader.keys.ordered && last.keys.compare(last.rows - 1, &loaded.keys, 0).is_gt() {
                    return Err(
                        Error::corrupt("the batches of a sorted run are not in key order").in_file(self.source.file())
                    );
                }
                loaded.strict &= last.heads.last() < loaded.heads.first();
            }
            self.batch = Some(Arc::new(loaded));
            break;
        }
        Ok(())
    }

    /// The heads of the keys to come in the current batch.
    pub(crate) fn heads(&self) -> &[u64] {
        self.batch.as_ref().map_or(&[], |batch| &batch.heads[self.row..])
    }

    /// Names the file at hand in an error.
    pub(crate) fn file(&self) -> &str {
        self.source.file()
    }
}
