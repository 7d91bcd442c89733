use arrow_array::{Array, RecordBatch};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use lakefold_base::{COUNTERS, Result};
use lakefold_store::Source;
use lakefold_task::Field;
use parquet::arrow::arrow_reader::RowSelection;
use parquet::basic::Type as Physical;
use parquet::file::metadata::ParquetMetaData;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::evolve::evolve;
use crate::fields::Columns;
use crate::footer::{self, Footer};
use crate::group::{Decoder, Group, GroupBatches};
use crate::project::Projection;
use crate::prune::Pruner;
use crate::reader::TaskRows;
use crate::tree::{FileTree, Matching};
use crate::work::{Ordinals, Work};

/// Below this share of living rows it pays to decode the other columns row by row.
const SELECTIVE: f64 = 0.25;

/// Rows that are decoded to see how long values are.
const SAMPLE: usize = 1024;

/// Columns of a projection, bound and ready to decode.
struct Stage {
    fields: Vec<Field>,
    projection: Projection,
    decoder: Decoder,
}

impl Stage {
    fn new(fields: &[Field], tree: &FileTree, footer: &Footer, work: &Work) -> Result<Self> {
        let projection = Projection::bind(fields, tree, &work.constants)?;
        if work.strict {
            projection.require_present()?;
        }
        let decoder = Decoder::new(&footer.layout, &projection.leaves)?;
        Ok(Self { fields: fields.to_vec(), projection, decoder })
    }
}

/// The rows of a Parquet file's row groups in the task's range.
pub(crate) struct ParquetRows {
    work: Arc<Work>,
    source: Arc<dyn Source>,
    metadata: Arc<ParquetMetaData>,
    /// Columns that decide about rows, decoded ahead of the others where that may pay.
    probe: Option<Stage>,
    /// Columns of the answer.
    output: Stage,
    /// Both.
    all: Stage,
    /// Row groups to come, with the ordinals of their first rows.
    groups: VecDeque<(usize, u64)>,
    current: Option<Current>,
}

/// A row group being read.
struct Current {
    batches: GroupBatches,
    probing: bool,
    cursor: Cursor,
}

impl ParquetRows {
    pub(crate) fn open(work: Arc<Work>, source: Arc<dyn Source>) -> Result<Self> {
        let footer = footer::read(source.as_ref())?;
        let roots = footer.layout.roots.clone();
        let tree = match &work.task.data_file.fields {
            Some(fields) => FileTree::declared(roots, fields, &work.all_fields),
            None => FileTree::new(roots, work.task.name_mapping.as_deref(), Matching::Positions)?,
        };
        let output = Stage::new(&work.output_fields, &tree, &footer, &work)?;
        let all = Stage::new(&work.all_fields, &tree, &footer, &work)?;
        let probe = match work.has_probe() {
            true => Some(Stage::new(&work.probe_fields, &tree, &footer, &work)?),
            false => None,
        };
        let groups = in_range(&footer.metadata, work.task.start, work.task.range_length());
        Ok(Self { work, source, metadata: footer.metadata, probe, output, all, groups, current: None })
    }

    fn start_group(&self, index: usize, first: u64) -> Result<Option<Current>> {
        let group = Group {
            source: Arc::clone(&self.source),
            metadata: Arc::clone(&self.metadata),
            index,
            verify_crc: self.work.context.options.verify_crc,
        };
        let rows = group.rows();
        let mut mask = self.work.live_by_position(first, rows);
        if mask.as_ref().is_some_and(|m| m.count_set_bits() == 0) {
            return Ok(None);
        }
        if let Some(may) = self.prune(index)? {
            let both = mask.map_or_else(|| may.clone(), |mask| &mask & &may);
            if may.count_set_bits() == 0 {
                COUNTERS.groups_skipped.fetch_add(1, Ordering::Relaxed);
                return Ok(None);
            }
            COUNTERS.rows_skipped.fetch_add((rows - may.count_set_bits()) as u64, Ordering::Relaxed);
            if both.count_set_bits() == 0 {
                return Ok(None);
            }
            mask = Some(both);
        }
        COUNTERS.groups_read.fetch_add(1, Ordering::Relaxed);
        let mut probing = self.probe.is_some();
        if let Some(probe) = self.probe.as_ref().filter(|probe| self.pays(probe, index)) {
            let living = self.run_probe(probe, &group, first, mask.as_ref())?;
            let count = living.count_set_bits();
            if count == 0 {
                return Ok(None);
            }
            if (count as f64) < rows as f64 * SELECTIVE {
                mask = Some(living);
                probing = false;
            }
        }
        let stage = self.stage(probing);
        let batch_size = self.measured(&group, stage, mask.as_ref())?;
        let batches = group.decode(&stage.decoder, mask.as_ref().map(selection), batch_size)?;
        Ok(Some(Current { batches, probing, cursor: Cursor::new(first, mask) }))
    }

    /// The rows that may satisfy the residual, if something is known.
    pub(crate) fn prune(&self, index: usize) -> Result<Option<BooleanBuffer>> {
        match (&self.work.program, &self.probe) {
            (Some(program), Some(probe)) if self.work.context.options.prune => {
                Pruner { source: &self.source, metadata: &self.metadata, program, projection: &probe.projection }
                    .rows(index)
            }
            _ => Ok(None),
        }
    }

    fn stage(&self, probing: bool) -> &Stage {
        if probing || self.work.shows_deleted { &self.all } else { &self.output }
    }

    /// Decoding the deciding columns first costs a second pass over those that are returned too.
    fn pays(&self, probe: &Stage, index: usize) -> bool {
        let group = self.metadata.row_group(index);
        let size =
            |leaves: &BTreeSet<usize>| -> i64 { leaves.iter().map(|l| group.column(*l).uncompressed_size()).sum() };
        let rest = self.output.projection.leaves.difference(&probe.projection.leaves).copied().collect();
        size(&rest) > size(&probe.projection.leaves)
    }

    fn run_probe(
        &self,
        probe: &Stage,
        group: &Group,
        first: u64,
        mask: Option<&BooleanBuffer>,
    ) -> Result<BooleanBuffer> {
        let rows = group.rows();
        let batch_size = self.measured(group, probe, mask)?;
        let mut batches = group.decode(&probe.decoder, mask.map(selection), batch_size)?;
        let mut cursor = Cursor::new(first, mask.cloned());
        let mut living = BooleanBufferBuilder::new(rows);
        living.append_n(rows, false);
        while let Some((columns, count)) = batches.next()? {
            self.work.context.check()?;
            let ordinals = cursor.take(count, true);
            let arrays = evolve(&probe.projection, &columns, count)?;
            let columns = Columns { fields: &probe.fields, arrays: &arrays };
            let keep = self.work.probe(columns, &ordinals, count)?;
            let at = |i: usize| match &ordinals {
                Ordinals::Listed(list) => list.get(i).map_or(rows, |p| (p - first) as usize),
                Ordinals::From(from, _) => (from - first) as usize + i,
                Ordinals::Unknown(_) => rows,
            };
            for index in keep.set_indices().map(at).filter(|i| *i < rows) {
                living.set_bit(index, true);
            }
        }
        Ok(living.finish())
    }

    /// Like [`Self::batch_rows`], but where a dictionary hides how long values are, some rows are decoded to see.
    fn measured(&self, group: &Group, stage: &Stage, mask: Option<&BooleanBuffer>) -> Result<usize> {
        let guess = self.batch_rows(group, &stage.projection.leaves);
        let meta = self.metadata.row_group(group.index);
        let hidden = stage.projection.leaves.iter().any(|leaf| {
            let chunk = meta.column(*leaf);
            chunk.column_type() == Physical::BYTE_ARRAY
                && chunk.dictionary_page_offset().is_some()
                && chunk.unencoded_byte_array_data_bytes().is_none()
        });
        if !hidden || guess.min(group.rows()) <= SAMPLE {
            return Ok(guess);
        }
        let all = || BooleanBuffer::new_set(group.rows());
        let sample = mask.map_or_else(all, BooleanBuffer::clone).set_indices().take(SAMPLE).last();
        let sample = sample.map(|last| {
            let head = BooleanBuffer::collect_bool(group.rows(), |i| i <= last);
            mask.map_or_else(|| head.clone(), |mask| &head & mask)
        });
        let mut batches = group.decode(&stage.decoder, sample.as_ref().map(selection), SAMPLE)?;
        let Some((columns, rows)) = batches.next()? else { return Ok(guess) };
        let bytes: usize = columns.iter().map(|c| c.get_array_memory_size()).sum();
        let width = (bytes / rows.max(1)).max(1);
        Ok(guess.min((self.work.context.options.batch_bytes / width).max(1)))
    }

    /// How many rows to decode at once, so that a batch stays near the wanted number of bytes.
    fn batch_rows(&self, group: &Group, leaves: &BTreeSet<usize>) -> usize {
        let options = &self.work.context.options;
        let meta = self.metadata.row_group(group.index);
        let rows = group.rows().max(1);
        let mut width = self.work.constant_width();
        for leaf in leaves {
            let chunk = meta.column(*leaf);
            let stored = chunk.uncompressed_size().max(0) as usize / rows;
            let values = (chunk.num_values().max(0) as usize).div_ceil(rows);
            let decoded = match chunk.column_type() {
                Physical::BYTE_ARRAY => match chunk.unencoded_byte_array_data_bytes() {
                    Some(bytes) => bytes.max(0) as usize / rows + 4 * values,
                    None => stored + 4 * values,
                },
                Physical::BOOLEAN => values.div_ceil(8),
                Physical::INT32 | Physical::FLOAT => 4 * values,
                Physical::INT64 | Physical::DOUBLE => 8 * values,
                Physical::INT96 => 12 * values,
                Physical::FIXED_LEN_BYTE_ARRAY => stored.max(16 * values),
            };
            width = width.saturating_add(decoded.max(stored));
        }
        (options.batch_bytes / width.max(1)).clamp(1, options.batch_size.max(1))
    }
}

impl TaskRows for ParquetRows {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            self.work.context.check()?;
            let Some(current) = &mut self.current else {
                let Some((index, first)) = self.groups.pop_front() else { return Ok(None) };
                self.current = self.start_group(index, first)?;
                continue;
            };
            let Some((columns, rows)) = current.batches.next()? else {
                self.current = None;
                continue;
            };
            let ordinals = current.cursor.take(rows, self.work.wants_ordinals());
            let probing = current.probing;
            let stage = self.stage(probing);
            let arrays = evolve(&stage.projection, &columns, rows)?;
            let columns = Columns { fields: &stage.fields, arrays: &arrays };
            let keep = match probing {
                true => Some(self.work.probe(columns, &ordinals, rows)?),
                false => None,
            };
            if let Some(batch) = self.work.finish(&stage.fields, &arrays, &ordinals, rows, keep.as_ref())? {
                return Ok(Some(batch));
            }
        }
    }
}

/// The row groups whose midpoint lies in a range, so that any cut of a file covers each once.
fn in_range(metadata: &ParquetMetaData, start: u64, length: u64) -> VecDeque<(usize, u64)> {
    let end = start.saturating_add(length);
    let mut first = 0;
    let mut groups = VecDeque::new();
    for (index, group) in metadata.row_groups().iter().enumerate() {
        let rows = group.num_rows() as u64;
        let begin =
            group.columns().first().map_or(group.file_offset().unwrap_or(0).max(0) as u64, |c| c.byte_range().0);
        let size = group.columns().iter().map(|c| c.compressed_size().max(0) as u64).fold(0, u64::saturating_add);
        let middle = begin.saturating_add(size / 2);
        if rows > 0 && (start..end).contains(&middle) {
            groups.push_back((index, first));
        }
        first += rows;
    }
    groups
}

/// Rows of a group as parquet wants them.
fn selection(mask: &BooleanBuffer) -> RowSelection {
    RowSelection::from_consecutive_ranges(mask.set_slices().map(|(start, end)| start..end), mask.len())
}

/// Walks along the selected rows of a group.
struct Cursor {
    first: u64,
    at: usize,
    mask: Option<BooleanBuffer>,
}

impl Cursor {
    fn new(first: u64, mask: Option<BooleanBuffer>) -> Self {
        Self { first, at: 0, mask }
    }

    /// The ordinals of the next selected rows.
    fn take(&mut self, rows: usize, wanted: bool) -> Ordinals {
        let Some(mask) = &self.mask else {
            let from = self.first + self.at as u64;
            self.at += rows;
            return Ordinals::From(from, rows);
        };
        if !wanted {
            return Ordinals::Unknown(rows);
        }
        let rest = mask.slice(self.at, mask.len() - self.at);
        let base = self.first + self.at as u64;
        let list: Vec<u64> = rest.set_indices().take(rows).map(|i| base + i as u64).collect();
        self.at = list.last().map_or(mask.len(), |last| (last - self.first) as usize + 1);
        Ordinals::Listed(list)
    }
}
