use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use arrow_schema::DataType;
use lakefold_base::{COUNTERS, Result};
use lakefold_store::Source;
use lakefold_task::{Field, Literal};
use parquet::basic::{ConvertedType, LogicalType, Type as Physical};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::cursor::{Cursor, Taken};
use crate::decoder::Decoder;
use crate::dictionary::dictionary_type;
use crate::evolve::evolve;
use crate::fields::Columns;
use crate::footer::Footer;
use crate::group::{Group, GroupBatches};
use crate::keep::Keep;
use crate::project::{self, Node, Projection};
use crate::prune::{Pruner, only_dictionary};
use crate::reader::TaskRows;
use crate::tree::{FileTree, Matching};
use crate::work::Work;

/// Rows that are decoded to see how long values are.
const SAMPLE: usize = 1024;

/// Columns of a projection, bound and ready to decode.
struct Stage {
    fields: Vec<Field>,
    projection: Projection,
    /// Of its leaves, columns of strings that are decoded as dictionaries or views.
    forms: BTreeMap<usize, DataType>,
    decoder: Decoder,
}

impl Stage {
    /// `decides` tells the fields whose values are looked at, which come as plain strings.
    fn new(
        fields: &[Field],
        decides: impl Fn(&Field) -> bool,
        tree: &FileTree,
        footer: &Footer,
        work: &Work,
    ) -> Result<Self> {
        let projection = Projection::bind(fields, tree, &work.constants)?;
        if work.strict {
            projection.require_present()?;
        }
        let form = |field: &Field| match field.id {
            _ if decides(field) => None,
            id if work.dictionaries.contains(&id) => Some(dictionary_type()),
            id if work.views.contains(&id) => Some(DataType::Utf8View),
            _ => None,
        };
        let shown = projection.nodes.iter().filter_map(|node| Some((node.text_leaf()?, form(&node.field)?)));
        let forms = shown.collect();
        let decoder = decoder(&projection, &forms, footer, work)?;
        Ok(Self { fields: fields.to_vec(), projection, forms, decoder })
    }

    /// How to decode these rows. Views hold the pages that they point into: of rows that are far from each other each would
    /// hold one.
    fn decoder(&self, cursor: &Cursor, footer: &Footer, work: &Work) -> Result<Cow<'_, Decoder>> {
        if cursor.is_one_range() || self.forms.values().all(|form| form != &DataType::Utf8View) {
            return Ok(Cow::Borrowed(&self.decoder));
        }
        let dictionaries = self.forms.iter().filter(|(_, form)| **form != DataType::Utf8View);
        let forms = dictionaries.map(|(leaf, form)| (*leaf, form.clone())).collect();
        decoder(&self.projection, &forms, footer, work).map(Cow::Owned)
    }
}

fn decoder(
    projection: &Projection,
    forms: &BTreeMap<usize, DataType>,
    footer: &Footer,
    work: &Work,
) -> Result<Decoder> {
    let bytes = |leaf: usize| {
        let chunk = footer.metadata.row_groups().first().map(|group| group.column(leaf));
        chunk.map_or(0, |chunk| chunk.uncompressed_size().max(0) as u64)
    };
    Decoder::new(&footer.layout, &projection.leaves, forms, bytes, Some(&work.context.crew))
}

/// Some columns of a stage.
struct Part {
    nodes: Vec<usize>,
    fields: Vec<Field>,
}

impl Part {
    /// Those that hold `wanted`.
    fn new(stage: &Stage, wanted: &[Field]) -> Self {
        let holds = |field: &Field| wanted.iter().any(|wanted| wanted.id == field.id);
        let nodes: Vec<usize> = (0..stage.fields.len()).filter(|index| holds(&stage.fields[*index])).collect();
        let fields = nodes.iter().map(|index| stage.fields[*index].clone()).collect();
        Self { nodes, fields }
    }

    fn nodes<'a>(&'a self, stage: &'a Stage) -> impl Iterator<Item = &'a Node> {
        self.nodes.iter().map(|index| &stage.projection.nodes[*index])
    }
}

/// The rows of a Parquet file's row groups in the task's range.
pub(crate) struct ParquetRows {
    work: Arc<Work>,
    source: Arc<dyn Source>,
    footer: Arc<Footer>,
    /// Columns that decide about rows, decoded ahead of the others where that may pay.
    probe: Option<Stage>,
    /// Columns of the answer.
    output: Stage,
    /// Both.
    all: Stage,
    /// Of all: what decides about rows.
    deciding: Part,
    /// Of all: what the answer is made of.
    answering: Part,
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
        let task = &work.task;
        let ranged = task.start > 0 || task.length < source.len() || task.row_ranges.is_some();
        let footer = work.context.footers.read(source.as_ref(), ranged)?;
        let roots = footer.layout.roots.clone();
        let tree = match &work.task.data_file.fields {
            Some(fields) => FileTree::declared(roots, fields, &work.all_fields),
            None => FileTree::new(roots, work.task.name_mapping.as_deref(), Matching::Positions)?,
        };
        let decides = |field: &Field| work.probe_fields.iter().any(|probed| probed.id == field.id);
        let output = Stage::new(&work.output_fields, |_| false, &tree, &footer, &work)?;
        let all = Stage::new(&work.all_fields, decides, &tree, &footer, &work)?;
        let probe = match work.has_probe() {
            true => Some(Stage::new(&work.probe_fields, decides, &tree, &footer, &work)?),
            false => None,
        };
        let deciding = Part::new(&all, &work.probe_fields);
        let answering = Part::new(&all, if work.shows_deleted { &work.all_fields } else { &work.output_fields });
        let groups = in_range(&footer.metadata, work.task.start, work.task.range_length());
        Ok(Self { work, source, footer, probe, output, all, deciding, answering, groups, current: None })
    }

    fn start_group(&self, index: usize, first: u64) -> Result<Option<Current>> {
        let group = Group {
            source: Arc::clone(&self.source),
            metadata: Arc::clone(&self.footer.metadata),
            index,
            verify_crc: self.work.context.options.verify_crc,
            meter: Arc::clone(&self.work.context.meter),
            crew: Arc::clone(&self.work.context.crew),
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
            let living = self.run_probe(probe, &group, first, mask)?;
            if living.count_set_bits() == 0 {
                return Ok(None);
            }
            mask = Some(living);
            probing = false;
        }
        let stage = self.stage(probing);
        let cursor = Cursor::new(first, rows, mask);
        let batch_size = self.batch_rows(&group, stage, &cursor)?;
        let decoder = stage.decoder(&cursor, &self.footer, &self.work)?;
        let batches = group.decode(&decoder, cursor.selection(), batch_size)?;
        Ok(Some(Current { batches, probing, cursor }))
    }

    /// The rows that may satisfy the residual, if something is known.
    pub(crate) fn prune(&self, index: usize) -> Result<Option<BooleanBuffer>> {
        match (&self.work.program, &self.probe) {
            (Some(program), Some(probe)) if self.work.context.options.prune => {
                Pruner { source: &self.source, metadata: &self.footer.metadata, program, projection: &probe.projection }
                    .rows(index)
            }
            _ => Ok(None),
        }
    }

    fn stage(&self, probing: bool) -> &Stage {
        if probing || self.work.shows_deleted { &self.all } else { &self.output }
    }

    /// Decoding the deciding columns first costs a second pass over those that are returned too. It spares the others
    /// only where few rows live, as after a filter; equality deletes leave most of them.
    fn pays(&self, probe: &Stage, index: usize) -> bool {
        if !self.work.selects() {
            return false;
        }
        let group = self.footer.metadata.row_group(index);
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
        mask: Option<BooleanBuffer>,
    ) -> Result<BooleanBuffer> {
        let rows = group.rows();
        let mut cursor = Cursor::new(first, rows, mask);
        let batch_size = self.batch_rows(group, probe, &cursor)?;
        let mut batches = group.decode(&probe.decoder, cursor.selection(), batch_size)?;
        let mut living = BooleanBufferBuilder::new(rows);
        while let Some((columns, count)) = batches.next()? {
            self.work.context.check()?;
            let taken = cursor.take(count);
            let arrays = evolve(&probe.projection.nodes, &columns, count)?;
            let columns = Columns { fields: &probe.fields, arrays: &arrays };
            let mut keep = self.work.probe(columns, &taken.ordinals(true), count)?;
            if let Some(mask) = taken.keep() {
                keep = &keep & mask;
            }
            taken.scatter(&keep, &mut living);
        }
        living.append_n(rows - living.len(), false);
        Ok(living.finish())
    }

    /// How many rows to decode at once, so that a batch stays near the wanted number of bytes. Where a dictionary hides
    /// how long values are, some are decoded to see.
    fn batch_rows(&self, group: &Group, stage: &Stage, cursor: &Cursor) -> Result<usize> {
        let options = &self.work.context.options;
        let meta = self.footer.metadata.row_group(group.index);
        let repeated: usize = stage.projection.nodes.iter().map(repeated).sum();
        let (mut known, mut hidden) = (self.work.constant_width() + repeated, BTreeSet::new());
        for leaf in &stage.projection.leaves {
            let chunk = meta.column(*leaf);
            if matches!(stage.forms.get(leaf), Some(DataType::Dictionary(..))) && only_dictionary(chunk) {
                known += size_of::<i32>();
                continue;
            }
            match width(chunk, group.rows().max(1)) {
                Some(width) => known = known.saturating_add(width),
                None => {
                    hidden.insert(*leaf);
                }
            }
        }
        let rows = |width: usize| (options.batch_bytes / width.max(1)).clamp(1, options.batch_size.max(1));
        if hidden.is_empty() || rows(known) == 1 {
            return Ok(rows(known));
        }
        let decoder = Decoder::new(&self.footer.layout, &hidden, &BTreeMap::new(), |_| 0, None)?;
        let mut batches = group.decode(&decoder, cursor.selection(), SAMPLE)?;
        let Some((columns, count)) = batches.next()? else { return Ok(rows(known)) };
        let bytes: usize = columns.iter().map(used).sum();
        Ok(rows(known.saturating_add(bytes.div_ceil(count.max(1)))))
    }
}

/// Bytes that a field which the file lacks takes for each row.
fn repeated(node: &Node) -> usize {
    match &node.source {
        project::Source::Constant(Some(Literal::String(text))) => text.len() + 4,
        project::Source::Constant(Some(Literal::Binary(bytes))) => bytes.len() + 4,
        project::Source::Constant(_) => 16,
        project::Source::Defaults(children) => children.iter().map(repeated).sum(),
        _ => 0,
    }
}

/// Bytes that the values of a column take for each row once decoded; none if that can't be told.
fn width(chunk: &ColumnChunkMetaData, rows: usize) -> Option<usize> {
    let stored = chunk.uncompressed_size().max(0) as usize / rows;
    let values = (chunk.num_values().max(0) as usize).div_ceil(rows);
    let decimal = chunk.column_descr().converted_type() == ConvertedType::DECIMAL
        || matches!(chunk.column_descr().logical_type_ref(), Some(LogicalType::Decimal { .. }));
    let decoded = match chunk.column_type() {
        _ if decimal => 16 * values,
        Physical::BYTE_ARRAY => match (chunk.unencoded_byte_array_data_bytes(), chunk.dictionary_page_offset()) {
            (Some(bytes), _) => bytes.max(0) as usize / rows + 4 * values,
            (None, None) => stored + 4 * values,
            (None, Some(_)) => return None,
        },
        Physical::BOOLEAN => values.div_ceil(8),
        Physical::INT32 | Physical::FLOAT => 4 * values,
        Physical::INT64 | Physical::DOUBLE => 8 * values,
        Physical::INT96 => 12 * values,
        Physical::FIXED_LEN_BYTE_ARRAY => stored.max(16 * values),
    };
    Some(decoded.max(stored))
}

/// Bytes that an array's values take, without what its buffers hold beyond.
fn used(array: &ArrayRef) -> usize {
    array.to_data().get_slice_memory_size().unwrap_or_else(|_| array.get_array_memory_size())
}

impl ParquetRows {
    /// Makes a batch of decoded rows. Rows leave before the columns take their types: none is converted in vain, and
    /// stored values are often narrower.
    fn answer(&self, columns: Vec<ArrayRef>, rows: usize, taken: &Taken, probing: bool) -> Result<Option<RecordBatch>> {
        let stage = self.stage(probing);
        let mut ordinals = taken.ordinals(probing || self.work.wants_ordinals());
        let mut keep = taken.keep().cloned();
        if probing {
            let arrays = evolve(self.deciding.nodes(stage), &columns, rows)?;
            let deciding = Columns { fields: &self.deciding.fields, arrays: &arrays };
            let probed = self.work.probe(deciding, &ordinals, rows)?;
            keep = Some(keep.map_or_else(|| probed.clone(), |keep| &keep & &probed));
        }
        let (columns, rows) = match keep.filter(|keep| keep.count_set_bits() < rows) {
            None => (columns, rows),
            Some(mask) => {
                let keep = Keep::new(&mask);
                if keep.rows() == 0 {
                    return Ok(None);
                }
                ordinals = ordinals.kept(&mask, self.work.wants_ordinals());
                (keep.columns(columns)?, keep.rows())
            }
        };
        if probing {
            let arrays = evolve(self.answering.nodes(stage), &columns, rows)?;
            self.work.finish(&self.answering.fields, &arrays, &ordinals, rows, None)
        } else {
            let arrays = evolve(&stage.projection.nodes, &columns, rows)?;
            self.work.finish(&stage.fields, &arrays, &ordinals, rows, None)
        }
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
            let (taken, probing) = (current.cursor.take(rows), current.probing);
            if let Some(batch) = self.answer(columns, rows, &taken, probing)? {
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
