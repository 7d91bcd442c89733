use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array, RecordBatch, RecordBatchOptions};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use arrow_schema::{DataType, FieldRef, Fields, Schema, SchemaRef};
use lakefold_base::{Error, Result};
use lakefold_task::{Field, ScanTask, reserved};
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::delete_files::{Deletes, TaskDeletes, load_deletes};
use crate::dictionary;
use crate::fields::{Columns, merge};
use crate::filter::Program;
use crate::guard::own_arrow_error;
use crate::keep::Keep;
use crate::meta::{self, Output, RowFacts};
use crate::project::Constants;
use crate::shape;
use crate::source::Context;
use crate::types::{arrow_field, output_schema};

/// What a reader makes of a task, beside what the task says.
#[derive(Default)]
pub(crate) struct Form {
    /// Whether each requested leaf must be in the file.
    pub strict: bool,
    /// Ids of the columns of strings that are returned as dictionaries.
    pub dictionaries: Arc<BTreeSet<i32>>,
    /// Ids of those that are returned as views, which spare a copy of what is not kept.
    pub views: Arc<BTreeSet<i32>>,
}

/// A task made ready: what to read, what to test, what to return.
pub(crate) struct Work {
    /// The task.
    pub task: Arc<ScanTask>,
    /// What the scan shares.
    pub context: Arc<Context>,
    /// The schema of the batches.
    pub schema: SchemaRef,
    /// Columns that only the answer needs.
    pub output_fields: Vec<Field>,
    /// Columns that decide which rows live.
    pub probe_fields: Vec<Field>,
    /// Both.
    pub all_fields: Vec<Field>,
    /// Identity partition values.
    pub constants: Constants,
    /// The residual; none if it is true.
    pub program: Option<Program>,
    /// What hides rows.
    pub deletes: TaskDeletes,
    /// Whether hidden rows are returned, marked.
    pub shows_deleted: bool,
    /// Whether each requested leaf must be in the file.
    pub strict: bool,
    /// Ids of the columns of strings that are returned as dictionaries.
    pub dictionaries: Arc<BTreeSet<i32>>,
    /// Ids of those that are returned as views.
    pub views: Arc<BTreeSet<i32>>,
    outputs: Vec<Output>,
    needs_positions: bool,
    /// What the residual looks at that is made of more than the file's columns: row ids.
    made: Vec<(Field, Output)>,
}

impl Work {
    pub(crate) fn new(task: Arc<ScanTask>, context: Arc<Context>, form: Form) -> Result<Self> {
        let Form { strict, dictionaries, views } = form;
        let deletes = load_deletes(&task, &context)?;
        let outputs = task.projection.iter().map(|f| Output::of(f, &task)).collect::<Result<Vec<_>>>()?;
        let program = Program::compile(&task.residual, &task.schema)?;
        let mut output_fields = Vec::new();
        for field in outputs.iter().filter_map(Output::reads) {
            merge(&mut output_fields, std::slice::from_ref(field));
        }
        let mut probe_fields = Vec::new();
        let mut made = Vec::new();
        for field in program.as_ref().map_or(&[][..], |p| &p.fields) {
            if !matches!(field.id, reserved::ROW_ID | reserved::LAST_UPDATED_SEQUENCE_NUMBER) {
                merge(&mut probe_fields, std::slice::from_ref(field));
                continue;
            }
            let output = Output::of(field, &task)?;
            merge(&mut probe_fields, output.reads().map_or(&[], std::slice::from_ref));
            made.push((field.clone(), output));
        }
        for group in [Some(&deletes.hide), deletes.only.as_ref()].into_iter().flatten().flat_map(|d| &d.equality) {
            merge(&mut probe_fields, group.fields());
        }
        let mut all_fields = output_fields.clone();
        merge(&mut all_fields, &probe_fields);
        let needs_positions = outputs.iter().any(Output::needs_positions);
        Ok(Self {
            schema: with_views(output_schema(&task.projection, &dictionaries)?, &task.projection, &views),
            dictionaries,
            views,
            constants: meta::constants(&task)?,
            shows_deleted: outputs.iter().any(|o| matches!(o, Output::Deleted)),
            needs_positions,
            strict,
            made,
            outputs,
            output_fields,
            probe_fields,
            all_fields,
            program,
            deletes,
            task,
            context,
        })
    }

    /// Whether rows must be looked at one by one.
    pub(crate) fn has_probe(&self) -> bool {
        self.program.is_some()
            || !self.deletes.hide.equality.is_empty()
            || self.deletes.only.as_ref().is_some_and(|only| !only.equality.is_empty())
    }

    /// Whether few of the rows are likely to be returned.
    pub(crate) fn selects(&self) -> bool {
        self.program.is_some() || self.deletes.only.is_some()
    }

    /// Bytes a row that constants take in the answer.
    pub(crate) fn constant_width(&self) -> usize {
        self.outputs.iter().map(Output::constant_width).sum()
    }

    /// Which of the rows from `first` on may be returned, as far as their ordinals tell; none if all.
    pub(crate) fn live_by_position(&self, first: u64, rows: usize) -> Option<BooleanBuffer> {
        let mut live = match &self.deletes.hide.positions {
            Some(set) if !self.shows_deleted => hits(set, first, rows).map(|hit| !&hit),
            _ => None,
        };
        if let Some(only) = self.deletes.only.as_ref().filter(|only| only.equality.is_empty()) {
            let hit = only.positions.as_ref().and_then(|set| hits(set, first, rows));
            let hit = hit.unwrap_or_else(|| BooleanBuffer::new_unset(rows));
            live = Some(live.map_or_else(|| hit.clone(), |live| &live & &hit));
        }
        if let Some(ranges) = &self.task.row_ranges {
            let asked = in_ranges(ranges, first, rows);
            live = Some(live.map_or_else(|| asked.clone(), |live| &live & &asked));
        }
        live
    }

    /// Which rows are returned, given the columns that decide and the rows' ordinals.
    pub(crate) fn probe(&self, columns: Columns<'_>, ordinals: &Ordinals, rows: usize) -> Result<BooleanBuffer> {
        let mut keep = match &self.program {
            Some(program) if self.made.is_empty() => program.run(columns, rows)?,
            Some(program) => self.run_on_made(program, columns, ordinals, rows)?,
            None => BooleanBuffer::new_set(rows),
        };
        if !self.shows_deleted && !self.deletes.hide.equality.is_empty() {
            keep = &keep & &!&equality_hits(&self.deletes.hide, columns, rows)?;
        }
        if let Some(only) = self.deletes.only.as_ref().filter(|only| !only.equality.is_empty()) {
            keep = &keep & &(&equality_hits(only, columns, rows)? | &ordinals.hits(only));
        }
        Ok(keep)
    }

    /// Runs the residual where it looks at columns that are made, which come before those of the file.
    fn run_on_made(
        &self,
        program: &Program,
        columns: Columns<'_>,
        ordinals: &Ordinals,
        rows: usize,
    ) -> Result<BooleanBuffer> {
        let facts = RowFacts { positions: Some(ordinals.positions()), deleted: None, rows };
        let made = self.made.iter().map(|(_, output)| output.build(columns, &facts)).collect::<Result<Vec<_>>>()?;
        let fields: Vec<Field> = self.made.iter().map(|(field, _)| field).chain(columns.fields).cloned().collect();
        let arrays: Vec<ArrayRef> = made.iter().chain(columns.arrays).cloned().collect();
        program.run(Columns { fields: &fields, arrays: &arrays }, rows)
    }

    /// Whether building the answer looks at ordinals.
    pub(crate) fn wants_ordinals(&self) -> bool {
        self.needs_positions
            || self.shows_deleted && self.deletes.hide.positions.is_some()
            || self.deletes.only.as_ref().is_some_and(|only| !only.equality.is_empty())
    }

    /// Makes the batch of the rows in `keep` (all, if none).
    pub(crate) fn finish(
        &self,
        fields: &[Field],
        arrays: &[ArrayRef],
        ordinals: &Ordinals,
        rows: usize,
        keep: Option<&BooleanBuffer>,
    ) -> Result<Option<RecordBatch>> {
        let all = Columns { fields, arrays };
        let deleted = if self.shows_deleted {
            let mut hit = ordinals.hits(&self.deletes.hide);
            if !self.deletes.hide.equality.is_empty() {
                hit = &hit | &equality_hits(&self.deletes.hide, all, rows)?;
            }
            Some(BooleanArray::new(hit, None))
        } else {
            None
        };
        let positions = self.needs_positions.then(|| ordinals.positions());
        let keep = keep.filter(|keep| keep.count_set_bits() < rows);
        let Some(keep) = keep else {
            return self.build(all, RowFacts { positions, deleted, rows });
        };
        let keep = Keep::new(keep);
        if keep.rows() == 0 {
            return Ok(None);
        }
        let pick = |array: &dyn Array| keep.copied(array);
        // Only columns of the answer are worth filtering.
        let mut kept_fields = Vec::with_capacity(self.output_fields.len());
        let mut kept = Vec::with_capacity(self.output_fields.len());
        for field in &self.output_fields {
            kept.push(pick(&all.column(field)?)?);
            kept_fields.push(field.clone());
        }
        let facts = RowFacts {
            positions: positions.map(|p| pick(&p).map(|a| primitive(&a))).transpose()?,
            deleted: deleted.map(|d| pick(&d).map(|a| boolean(&a))).transpose()?,
            rows: keep.rows(),
        };
        self.build(Columns { fields: &kept_fields, arrays: &kept }, facts)
    }

    fn build(&self, columns: Columns<'_>, facts: RowFacts) -> Result<Option<RecordBatch>> {
        if facts.rows == 0 {
            return Ok(None);
        }
        let fields = self.schema.fields().iter();
        let arrays = self.outputs.iter().zip(fields).map(|(output, field)| match (output.text(), field.data_type()) {
            (Some(text), DataType::Dictionary(..)) => dictionary::repeated(text, facts.rows),
            _ => output.build(columns, &facts).and_then(shape::compact),
        });
        let arrays = dictionary::encoded(arrays.collect::<Result<Vec<_>>>()?, &self.schema)?;
        let options = RecordBatchOptions::new().with_row_count(Some(facts.rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options)
            .map(Some)
            .map_err(|e| own_arrow_error(e).in_file(&self.task.data_file.path))
    }

    /// Names the data file in an error.
    pub(crate) fn in_file(&self, error: Error) -> Error {
        error.in_file(&self.task.data_file.path)
    }
}

/// A schema in which some columns of strings are views.
fn with_views(schema: SchemaRef, fields: &[Field], views: &BTreeSet<i32>) -> SchemaRef {
    if views.is_empty() {
        return schema;
    }
    let one = |(column, field): (&FieldRef, &Field)| match column.data_type() {
        DataType::Utf8 if views.contains(&field.id) => {
            Arc::new(column.as_ref().clone().with_data_type(DataType::Utf8View))
        }
        _ => Arc::clone(column),
    };
    Arc::new(Schema::new(schema.fields().iter().zip(fields).map(one).collect::<Fields>()))
}

fn primitive(array: &ArrayRef) -> Int64Array {
    arrow_array::cast::AsArray::as_primitive::<arrow_array::types::Int64Type>(array).clone()
}

fn boolean(array: &ArrayRef) -> BooleanArray {
    arrow_array::cast::AsArray::as_boolean(array).clone()
}

/// Which of the rows from `first` on are in a set of positions; none if no row is.
fn hits(set: &lakefold_deletes::RoaringTreemap, first: u64, rows: usize) -> Option<BooleanBuffer> {
    let end = first.saturating_add(rows as u64);
    let mut iter = set.iter();
    iter.advance_to(first);
    let mut builder = BooleanBufferBuilder::new(0);
    for position in iter.take_while(|p| *p < end) {
        if builder.is_empty() {
            builder.append_n(rows, false);
        }
        builder.set_bit((position - first) as usize, true);
    }
    (!builder.is_empty()).then(|| builder.finish())
}

/// Which of the rows from `first` on lie in ranges, both ends inclusive.
fn in_ranges(ranges: &[[u64; 2]], first: u64, rows: usize) -> BooleanBuffer {
    let mut asked = BooleanBufferBuilder::new(rows);
    asked.append_n(rows, false);
    for [from, to] in ranges {
        let place = |position: u64| usize::try_from(position.saturating_sub(first)).unwrap_or(usize::MAX).min(rows);
        for row in place(*from)..place(to.saturating_add(1)) {
            asked.set_bit(row, true);
        }
    }
    asked.finish()
}

fn equality_hits(deletes: &Deletes, columns: Columns<'_>, rows: usize) -> Result<BooleanBuffer> {
    let mut hit = BooleanBuffer::new_unset(rows);
    for group in &deletes.equality {
        let fields = group.fields();
        let arrays = fields.iter().map(|f| columns.column(f)).collect::<Result<Vec<_>>>()?;
        let schema = Schema::new(
            fields
                .iter()
                .map(|f| Ok(arrow_field(f)?.as_ref().clone().with_nullable(true)))
                .collect::<Result<Vec<_>>>()?,
        );
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let keys = RecordBatch::try_new_with_options(Arc::new(schema), arrays, &options).map_err(own_arrow_error)?;
        let found = group.contains(&keys)?;
        hit = &hit | found.values();
    }
    Ok(hit)
}

/// The ordinals of a batch's rows in their file.
pub(crate) enum Ordinals {
    /// Nobody asked.
    Unknown(usize),
    /// One after the other.
    From(u64, usize),
    /// As listed.
    Listed(Vec<u64>),
}

impl Ordinals {
    fn positions(&self) -> Int64Array {
        match self {
            Ordinals::Unknown(rows) => Int64Array::from(vec![0; *rows]),
            Ordinals::From(first, rows) => Int64Array::from_iter_values((*first as i64..).take(*rows)),
            Ordinals::Listed(list) => Int64Array::from_iter_values(list.iter().map(|p| *p as i64)),
        }
    }

    /// Those of the rows in a mask.
    pub(crate) fn kept(&self, mask: &BooleanBuffer, wanted: bool) -> Self {
        match self {
            Ordinals::From(first, _) if wanted => {
                Ordinals::Listed(mask.set_indices().map(|row| first + row as u64).collect())
            }
            Ordinals::Listed(list) if wanted => Ordinals::Listed(mask.set_indices().map(|row| list[row]).collect()),
            _ => Ordinals::Unknown(mask.count_set_bits()),
        }
    }

    /// Which rows a set of positions names.
    fn hits(&self, deletes: &Deletes) -> BooleanBuffer {
        let rows = match self {
            Ordinals::Unknown(rows) | Ordinals::From(_, rows) => *rows,
            Ordinals::Listed(list) => list.len(),
        };
        let hit = match (&deletes.positions, self) {
            (Some(set), Ordinals::From(first, rows)) => hits(set, *first, *rows),
            (Some(set), Ordinals::Listed(list)) => {
                Some(BooleanBuffer::collect_bool(list.len(), |i| set.contains(list[i])))
            }
            _ => None,
        };
        hit.unwrap_or_else(|| BooleanBuffer::new_unset(rows))
    }
}
