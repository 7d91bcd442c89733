use arrow_array::{ArrayRef, Int8Array, RecordBatch};
use lakefold_base::{Code, Error, Result};
use lakefold_merge::{DiffStream, MergeStream, RunSource, Spec, kind};
use lakefold_task::{Diff, Field, Filter, KeyPart, Merge, RowFile, ScanTask, Type, reserved};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use crate::fields::{Columns, merge as join};
use crate::filter::postfix;
use crate::guard::own_arrow_error;
use crate::key_cuts::{self, Cut};
use crate::reader::TaskRows;
use crate::run::{Piece, Run};
use crate::source::{Context, Options};
use crate::told::{Told, told};
use crate::types::output_schema;
use crate::work::{Ordinals, Work};

/// Least bytes that a batch of one run may take.
const LEAST_BATCH: usize = 256 << 10;

/// `_SEQUENCE_NUMBER` and `_VALUE_KIND` as key-value files have them; a file without kinds holds insertions.
pub(crate) fn system_field(id: i32) -> Option<Field> {
    let (name, field_type, initial_default) = match id {
        reserved::SEQUENCE_NUMBER => ("_SEQUENCE_NUMBER", Type::Long, None),
        reserved::VALUE_KIND => ("_VALUE_KIND", Type::TinyInt, Some(0.into())),
        _ => return None,
    };
    Some(Field { id, name: name.into(), required: false, field_type, initial_default })
}

/// A context whose readers share one reader's bytes.
pub(crate) fn shared(context: &Arc<Context>, readers: usize) -> Arc<Context> {
    let bytes = (context.options.batch_bytes / readers.max(1)).max(LEAST_BATCH.min(context.options.batch_bytes));
    Arc::new(Context {
        store: Arc::clone(&context.store),
        cancel: Arc::clone(&context.cancel),
        options: Options { batch_bytes: bytes, ..context.options },
        deletes: Arc::clone(&context.deletes),
        meter: Arc::clone(&context.meter),
        footers: Arc::clone(&context.footers),
        cuts: Arc::clone(&context.cuts),
        dictionaries: Arc::clone(&context.dictionaries),
        crew: Arc::clone(&context.crew),
    })
}

/// The merged rows of a task's sections, one section after the other.
struct Sections {
    task: Arc<ScanTask>,
    context: Arc<Context>,
    /// Without its sections.
    merge: Merge,
    /// The columns to read, those that are returned first.
    fields: Vec<Field>,
    /// How many of them are returned.
    shown: usize,
    /// The key columns.
    keys: Vec<Field>,
    /// The part of the section that is read; none if all.
    part: Option<KeyPart>,
    /// The part of the residual that looks at keys only.
    on_keys: Filter,
    /// What may be tested where a section has one run only.
    on_rows: Filter,
    sections: VecDeque<Vec<Vec<RowFile>>>,
    current: Option<MergeStream>,
    path: String,
}

impl Sections {
    fn start(&mut self, section: &[Vec<RowFile>]) -> Result<MergeStream> {
        if let Some(file) = section.iter().flatten().next() {
            self.path.clone_from(&file.data_file.path);
        }
        let residual = if section.len() == 1 { &self.on_rows } else { &self.on_keys };
        let context = shared(&self.context, section.len());
        let Cut { runs, range } = match self.part {
            Some(part) => key_cuts::cut(&self.task, &context, &self.keys, section, part)?,
            None => Cut::whole(section),
        };
        let (fields, order) = self.needed(&runs)?;
        let spec = Arc::new(spec(&self.context, &self.merge, &fields, self.shown)?);
        // One run is passed on as it is.
        let views = Arc::new(if runs.len() > 1 { spec.picked() } else { BTreeSet::new() });
        let mut runs: Vec<Option<Vec<Piece>>> = runs.into_iter().map(Some).collect();
        let sorted = order.into_iter().filter_map(|run| runs.get_mut(run).and_then(Option::take));
        let run = |pieces| {
            let run = Run::new(&self.task, &context, &fields, residual, pieces).with_views(&views);
            Box::new(run) as Box<dyn RunSource>
        };
        MergeStream::new(spec, sorted.map(run).collect(), &range)
    }

    /// The columns to read, and the order in which the runs are merged. System columns that are not returned are left out
    /// where it is known what they would say.
    fn needed(&self, runs: &[Vec<Piece>]) -> Result<(Vec<Field>, Vec<usize>)> {
        let hidden = |id: i32| self.fields[self.shown..].iter().any(|field| field.id == id);
        let (number, kind) = (hidden(reserved::SEQUENCE_NUMBER), hidden(reserved::VALUE_KIND));
        let Told { order, adds } = match number || kind {
            true => told(&self.context, runs)?,
            false => Told { order: None, adds: false },
        };
        let known = |id: i32| match id {
            reserved::SEQUENCE_NUMBER => number && order.is_some(),
            reserved::VALUE_KIND => kind && adds,
            _ => false,
        };
        let fields = self.fields.iter().filter(|field| !known(field.id)).cloned().collect();
        let order = order.filter(|_| number).unwrap_or_else(|| (0..runs.len()).collect());
        Ok((fields, order))
    }
}

impl RunSource for Sections {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            self.context.check()?;
            if let Some(stream) = &mut self.current {
                if let Some(batch) = stream.next()? {
                    return Ok(Some(batch));
                }
                self.current = None;
            }
            let Some(section) = self.sections.pop_front() else { return Ok(None) };
            self.current = Some(self.start(&section)?);
        }
    }

    fn file(&self) -> &str {
        &self.path
    }
}

enum Source {
    Merge(Box<Sections>),
    Diff(Box<DiffStream>),
}

/// The rows of a merge or diff task.
pub(crate) struct MergeRows {
    work: Arc<Work>,
    fields: Vec<Field>,
    source: Source,
    /// Whether the rows are taken back.
    retract: bool,
}

impl MergeRows {
    pub(crate) fn merge(work: Arc<Work>, merge: &Merge) -> Result<Self> {
        let (mut fields, shown) = wanted(&work, merge)?;
        let mut sections = sections(&work, merge, &fields, shown, &merge.sections, true);
        sections.part = divided(merge)?;
        fields.truncate(shown);
        Ok(Self { work, fields, source: Source::Merge(Box::new(sections)), retract: merge.retract })
    }

    pub(crate) fn diff(work: Arc<Work>, diff: &Diff) -> Result<Self> {
        let (mut fields, _) = wanted(&work, &diff.merge)?;
        // Whether a row changed shows in any column.
        join(&mut fields, &work.task.schema);
        let state = Merge { sections: Vec::new(), ..diff.merge.clone() };
        let all = fields.len();
        let side = |wanted: &[Vec<Vec<RowFile>>]| -> Result<Box<dyn RunSource>> {
            divided(&state)?;
            Ok(Box::new(sections(&work, &state, &fields, all, wanted, false)))
        };
        let (before, after) = (side(&diff.before)?, side(&diff.merge.sections)?);
        let stream = DiffStream::new(Arc::new(spec(&work.context, &diff.merge, &fields, all)?), before, after)?;
        Ok(Self { work, fields, source: Source::Diff(Box::new(stream)), retract: false })
    }
}

impl TaskRows for MergeRows {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            self.work.context.check()?;
            let batch = match &mut self.source {
                Source::Merge(sections) => sections.next()?,
                Source::Diff(stream) => stream.next()?,
            };
            let Some(mut batch) = batch else { return Ok(None) };
            if self.retract {
                batch = retracted(&batch, &self.fields)?;
            }
            if let Some(batch) = answer(&self.work, &self.fields, batch.columns(), batch.num_rows())? {
                return Ok(Some(batch));
            }
        }
    }
}

/// The part of its section that a merge is for. Parts of several sections would not come in key order.
fn divided(merge: &Merge) -> Result<Option<KeyPart>> {
    match merge.part {
        Some(_) if merge.sections.len() != 1 => {
            Err(Error::new(Code::InvalidArgument, "only a merge of one section has parts").with("field", "part"))
        }
        part => Ok(part),
    }
}

/// Rows as retractions.
fn retracted(batch: &RecordBatch, fields: &[Field]) -> Result<RecordBatch> {
    let mut arrays = batch.columns().to_vec();
    for (array, field) in arrays.iter_mut().zip(fields) {
        if field.id == reserved::VALUE_KIND {
            *array = Arc::new(Int8Array::from_value(kind::DELETE, batch.num_rows()));
        }
    }
    RecordBatch::try_new(batch.schema(), arrays).map_err(own_arrow_error)
}

/// Filters merged rows and shapes the answer.
pub(crate) fn answer(work: &Work, fields: &[Field], arrays: &[ArrayRef], rows: usize) -> Result<Option<RecordBatch>> {
    let ordinals = Ordinals::Unknown(rows);
    let keep = match work.has_probe() {
        true => Some(work.probe(Columns { fields, arrays }, &ordinals, rows)?),
        false => None,
    };
    work.finish(fields, arrays, &ordinals, rows, keep.as_ref())
}

/// The columns to merge: what the answer and the residual need, of which there are so many, then what the merge does.
fn wanted(work: &Work, merge: &Merge) -> Result<(Vec<Field>, usize)> {
    let ids: Vec<i32> = work.all_fields.iter().map(|f| f.id).collect();
    let whole = |id: i32| {
        let found = work.task.schema.iter().find(|f| f.id == id).cloned();
        found.or_else(|| system_field(id)).ok_or_else(|| {
            Error::new(Code::InvalidArgument, "the merge names a field that is not in the task's schema")
                .with("field-id", id)
        })
    };
    let mut fields: Vec<Field> = Vec::new();
    for field in &work.all_fields {
        // Functions take nested values whole.
        let passed = Spec::passes_values_on(&merge.engine) && system_field(field.id).is_none();
        let field = if passed { field.clone() } else { whole(field.id)? };
        join(&mut fields, &[field]);
    }
    let shown = fields.len();
    for id in Spec::needs(merge, &ids) {
        if !fields.iter().any(|f| f.id == id) {
            fields.push(whole(id)?);
        }
    }
    Ok((fields, shown))
}

fn spec(context: &Context, merge: &Merge, fields: &[Field], shown: usize) -> Result<Spec> {
    let Options { batch_size, batch_bytes, .. } = context.options;
    Spec::new(merge, fields, shown, output_schema(fields, &BTreeSet::new())?, (batch_size, batch_bytes))
}

fn sections(
    work: &Work,
    merge: &Merge,
    fields: &[Field],
    shown: usize,
    sections: &[Vec<Vec<RowFile>>],
    filtered: bool,
) -> Sections {
    let on_keys = on_keys(&work.task.residual, &merge.keys);
    Sections {
        task: Arc::clone(&work.task),
        context: Arc::clone(&work.context),
        merge: Merge { sections: Vec::new(), ..merge.clone() },
        fields: fields.to_vec(),
        shown,
        keys: merge.keys.iter().filter_map(|id| fields.iter().find(|field| field.id == *id).cloned()).collect(),
        part: None,
        on_rows: if filtered { work.task.residual.clone() } else { on_keys.clone() },
        on_keys,
        sections: sections.iter().cloned().collect(),
        current: None,
        path: work.task.data_file.path.clone(),
    }
}

/// The conjuncts that look at key columns only.
fn on_keys(residual: &Filter, keys: &[i32]) -> Filter {
    let mut open = vec![residual];
    let mut conjuncts = Vec::new();
    while let Some(filter) = open.pop() {
        if let Filter::And { and } = filter {
            open.extend(and);
            continue;
        }
        let mut only = true;
        let visited = postfix(filter, &mut |node| {
            if let Filter::Predicate { term, .. } = node {
                only &= keys.contains(&term.field_id);
            }
            Ok(())
        });
        if only && visited.is_ok() && !filter.is_true() {
            conjuncts.push(filter.clone());
        }
    }
    if conjuncts.is_empty() { Filter::Const(true) } else { Filter::And { and: conjuncts } }
}
