//! Where the keys of a section are cut into parts that are merged apart, and which rows of its files each part has.

use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use lakefold_base::{Code, Error, Result};
use lakefold_merge::{KeyOrder, KeyRange};
use lakefold_task::{Field, FileFormat, Filter, KeyPart, RowFile, ScanTask};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::guard::{guarded, own_arrow_error};
use crate::once_map::OnceMap;
use crate::reader::{TaskReader, open};
use crate::run::{Piece, file_task};
use crate::source::Context;
use crate::types::output_schema;

/// Samples for each part, of all files together.
const SAMPLES: usize = 8;
/// More parts than this are not asked for.
const MOST_PARTS: usize = 1 << 16;
/// Sections whose parts are read at the same time are few.
const MOST: usize = 8;

/// The cuts of the sections that a scan read last, found once for all parts: by the files' locations and the number of
/// parts.
pub struct KeyCuts(OnceMap<(Vec<String>, usize), Option<Arc<Cuts>>>);

impl Default for KeyCuts {
    fn default() -> Self {
        KeyCuts(OnceMap::keeping(MOST))
    }
}

/// Where the parts of a section begin and end.
#[derive(Debug)]
struct Cuts {
    /// A row of the key columns for each part but the first: its least key.
    bounds: RecordBatch,
    /// For each file, run by run, its first row of each part, then the number of its rows.
    starts: Vec<Vec<u64>>,
}

/// A part of a section.
#[derive(Default)]
pub(crate) struct Cut {
    pub runs: Vec<Vec<Piece>>,
    pub range: KeyRange,
}

impl Cut {
    /// All of a section.
    pub(crate) fn whole(section: &[Vec<RowFile>]) -> Self {
        let runs = section.iter().map(|run| run.iter().map(Piece::from).collect()).collect();
        Self { runs, range: KeyRange::default() }
    }
}

/// The part's share of a section. Where keys cannot tell which rows that is, all is in the first part.
pub(crate) fn cut(
    task: &ScanTask,
    context: &Arc<Context>,
    keys: &[Field],
    section: &[Vec<RowFile>],
    KeyPart { index, count }: KeyPart,
) -> Result<Cut> {
    if index >= count || count > MOST_PARTS {
        return Err(Error::new(Code::InvalidArgument, format!("there is no part {index} of {count}"))
            .with("field", "part")
            .with("value", index));
    }
    let name = section.iter().flatten().map(|file| file.data_file.location.clone()).collect();
    let find = || find(task, context, keys, section, count).map(|cuts| cuts.map(Arc::new));
    let Some(cuts) = context.cuts.0.get_or_load((name, count), find)? else {
        return Ok(if index == 0 { Cut::whole(section) } else { Cut::default() });
    };
    let bound = |at: Option<usize>| at.filter(|at| *at < cuts.bounds.num_rows()).map(|at| cuts.bounds.slice(at, 1));
    let mut starts = cuts.starts.iter();
    let mut piece = |file: &RowFile| {
        let starts = starts.next()?;
        let (first, end) = (*starts.get(index)?, *starts.get(index + 1)?);
        (first < end).then(|| Piece { file: file.clone(), rows: Some([first, end - 1]) })
    };
    Ok(Cut {
        // Runs stay, if empty: whether rows are looked at for their order must not depend on the cuts.
        runs: section.iter().map(|run| run.iter().filter_map(&mut piece).collect()).collect(),
        range: KeyRange { from: bound(index.checked_sub(1)), to: bound(Some(index)) },
    })
}

fn find(
    task: &ScanTask,
    context: &Arc<Context>,
    keys: &[Field],
    section: &[Vec<RowFile>],
    count: usize,
) -> Result<Option<Cuts>> {
    let order = KeyOrder::new(output_schema(keys, &BTreeSet::new())?.as_ref())?;
    let files: Vec<&RowFile> = section.iter().flatten().collect();
    // Rows of other formats are not found by where they stand without reading those before them.
    let told = |file: &&RowFile| file.data_file.format == FileFormat::Parquet && file.data_file.ignore.nothing();
    if !order.sorts_runs() || !files.iter().all(told) {
        return Ok(None);
    }
    let keys = KeyReader { task, context, keys };
    let rows = files.iter().map(|file| keys.rows(file)).collect::<Result<Vec<_>>>()?;
    let whole: u64 = rows.iter().sum();
    // Of each file as many as is its share of all rows.
    let samples = |rows: u64| {
        let share = (SAMPLES * count) as u128 * u128::from(rows);
        share.div_ceil(u128::from(whole.max(1))) as u64
    };
    let files = files.iter().zip(rows).map(|(file, rows)| Sampled::new(&keys, file, rows, samples(rows)));
    let files = files.collect::<Result<Vec<_>>>()?;
    let weights: Vec<u64> = files.iter().flat_map(Sampled::weights).collect();
    let all = concat(files.iter().map(|file| &file.keys))?;
    let bounds = order.bounds(&all, &weights, count)?;
    let starts = files.iter().map(|file| file.starts(&keys, &order, &bounds)).collect::<Result<Vec<_>>>()?;
    Ok(Some(Cuts { bounds, starts }))
}

fn concat<'a>(batches: impl Iterator<Item = &'a RecordBatch> + Clone) -> Result<RecordBatch> {
    let first = batches.clone().next().ok_or_else(|| Error::internal("a section without files"))?;
    concat_batches(&first.schema(), batches).map_err(own_arrow_error)
}

/// Reads keys of single rows.
struct KeyReader<'a> {
    task: &'a ScanTask,
    context: &'a Arc<Context>,
    keys: &'a [Field],
}

impl KeyReader<'_> {
    /// The rows that a file says it has.
    fn rows(&self, file: &RowFile) -> Result<u64> {
        guarded(|| {
            let source = self.context.store.open(&file.data_file.location)?;
            let footer = self.context.footers.read(source.as_ref(), true)?;
            Ok(footer.metadata.row_groups().iter().map(|group| group.num_rows().max(0) as u64).sum())
        })
        .map_err(|e| e.in_file(&file.data_file.path))
    }

    /// The keys at the places in these ranges, both ends inclusive.
    fn at(&self, file: &RowFile, ranges: Vec<[u64; 2]>) -> Result<RecordBatch> {
        let wanted: u64 = ranges.iter().map(|[first, last]| last - first + 1).sum();
        // Where rows stand does not depend on which of them are deleted.
        let file = RowFile { delete_files: Vec::new(), ..file.clone() };
        let path = file.data_file.path.clone();
        let task = file_task(self.task, file, self.keys.to_vec(), Filter::Const(true), Some(ranges));
        let mut reader = open(Arc::new(task), Arc::clone(self.context))?;
        let mut batches = vec![RecordBatch::new_empty(reader.schema())];
        while let Some(batch) = TaskReader::next(&mut reader)? {
            batches.push(batch);
        }
        let keys = concat(batches.iter())?;
        match keys.num_rows() as u64 == wanted {
            true => Ok(keys),
            false => Err(Error::corrupt("a file with fewer rows than it says").in_file(path)),
        }
    }
}

/// A file of which some keys are known.
struct Sampled<'a> {
    file: &'a RowFile,
    rows: u64,
    /// At even distances, the first row among them.
    places: Vec<u64>,
    keys: RecordBatch,
}

impl<'a> Sampled<'a> {
    fn new(keys: &KeyReader<'_>, file: &'a RowFile, rows: u64, samples: u64) -> Result<Self> {
        let samples = samples.min(rows);
        let place = |sample: u64| (u128::from(rows) * u128::from(sample) / u128::from(samples)) as u64;
        let places: Vec<u64> = (0..samples).map(place).collect();
        let keys = keys.at(file, places.iter().map(|place| [*place; 2]).collect())?;
        Ok(Self { file, rows, places, keys })
    }

    /// How many rows each of the samples stands for.
    fn weights(&self) -> impl Iterator<Item = u64> {
        (0..self.places.len()).map(|sample| self.place(sample + 1) - self.place(sample))
    }

    /// Where a sample is; the one after the last is where the file ends.
    fn place(&self, sample: usize) -> u64 {
        self.places.get(sample).copied().unwrap_or(self.rows)
    }

    /// The first row of each part, and the end.
    fn starts(&self, keys: &KeyReader<'_>, order: &KeyOrder, bounds: &RecordBatch) -> Result<Vec<u64>> {
        // A bound lies behind the last sample below it, and at the next one at the latest.
        let below = order.below(&self.keys, bounds)?;
        let mut between = below.clone();
        between.dedup();
        between.retain(|sample| *sample > 0 && self.place(*sample) - self.place(sample - 1) > 1);
        let range = |sample: &usize| [self.place(sample - 1) + 1, self.place(*sample) - 1];
        let found = keys.at(self.file, between.iter().map(range).collect())?;
        let mut spans = BTreeMap::new();
        let mut offset = 0;
        for sample in &between {
            let [first, last] = range(sample);
            let length = (last - first + 1) as usize;
            spans.insert(*sample, (first, found.slice(offset, length)));
            offset += length;
        }
        let mut starts = vec![0];
        for (bound, sample) in below.iter().enumerate() {
            let start = match spans.get(sample) {
                Some((first, keys)) => {
                    first + order.below(keys, &bounds.slice(bound, 1))?.first().map_or(0, |count| *count as u64)
                }
                None => self.place(*sample),
            };
            // Bounds ascend, and so do starts if the file is sorted.
            starts.push(starts.last().map_or(start, |before| start.max(*before)));
        }
        starts.push(self.rows);
        Ok(starts)
    }
}
