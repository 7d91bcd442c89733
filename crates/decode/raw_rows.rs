use arrow_array::cast::AsArray;
use arrow_array::types::Decimal128Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, FieldRef};
use lakefold_base::{COUNTERS, Error, Result};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::evolve::evolve;
use crate::fields::Columns;
use crate::project::{Projection, prune_arrow};
use crate::reader::TaskRows;
use crate::source::{DataFileReader, RawBatches, ReadRequest};
use crate::tree::{FileKind, FileNode, FileTree, Matching, Note};
use crate::types::{FIELD_ID_KEY, MAX_DEPTH};
use crate::work::{Ordinals, Work};

/// The rows of an Avro or ORC file.
pub(crate) struct RawRows {
    work: Arc<Work>,
    projection: Projection,
    batches: Box<dyn RawBatches>,
}

impl RawRows {
    pub(crate) fn open(work: Arc<Work>, reader: Box<dyn DataFileReader>) -> Result<Self> {
        let schema = reader.schema();
        let mut next = 0;
        let roots = schema.fields().iter().map(|f| node(f, &mut next, 0)).collect::<Result<Vec<_>>>()?;
        let tree = match &work.task.data_file.fields {
            Some(fields) => FileTree::declared(roots, fields, &work.all_fields),
            None => FileTree::new(roots, work.task.name_mapping.as_deref(), Matching::Names)?,
        };
        let projection = Projection::bind(&work.all_fields, &tree, &work.constants)?;
        if work.strict {
            projection.require_present()?;
        }
        let request = ReadRequest {
            fields: prune_arrow(schema.fields(), &tree.roots, &projection.leaves),
            start: work.task.start,
            length: work.task.range_length(),
            batch_size: work.context.options.batch_size.max(1),
            context: Arc::clone(&work.context),
        };
        let batches = reader.read(request)?;
        Ok(Self { work, projection, batches })
    }
}

impl TaskRows for RawRows {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            self.work.context.check()?;
            let Some(raw) = self.batches.next()? else { return Ok(None) };
            COUNTERS.groups_read.fetch_add(1, Ordering::Relaxed);
            let rows = raw.batch.num_rows();
            let arrays = match self.work.task.data_file.fields {
                Some(_) => evolve(&self.projection.nodes, &fitting(raw.batch.columns()), rows)?,
                None => evolve(&self.projection.nodes, raw.batch.columns(), rows)?,
            };
            let columns = Columns { fields: &self.work.all_fields, arrays: &arrays };
            let ordinals = Ordinals::From(raw.first_row, rows);
            let mut keep = self.work.live_by_position(raw.first_row, rows);
            if self.work.has_probe() {
                let probed = self.work.probe(columns, &ordinals, rows)?;
                keep = Some(keep.map_or(probed.clone(), |keep| &keep & &probed));
            }
            if let Some(batch) = self.work.finish(&self.work.all_fields, &arrays, &ordinals, rows, keep.as_ref())? {
                return Ok(Some(batch));
            }
        }
    }
}

/// Columns as Paimon reads them: a decimal with more digits than its type has is null. Its sums have such, which it writes.
fn fitting(columns: &[ArrayRef]) -> Vec<ArrayRef> {
    let fit = |column: &ArrayRef| {
        let DataType::Decimal128(precision, _) = column.data_type() else { return Arc::clone(column) };
        let decimals = column.as_primitive::<Decimal128Type>();
        match decimals.validate_decimal_precision(*precision) {
            Ok(()) => Arc::clone(column),
            Err(_) => {
                Arc::new(decimals.null_if_overflow_precision(*precision).with_data_type(column.data_type().clone()))
            }
        }
    };
    columns.iter().map(fit).collect()
}

/// The tree of an Arrow field whose ids are in the metadata.
fn node(field: &FieldRef, next: &mut usize, depth: usize) -> Result<FileNode> {
    if depth > MAX_DEPTH {
        return Err(Error::unsupported(format!("a schema nested deeper than {MAX_DEPTH}")));
    }
    let kind = match field.data_type() {
        DataType::Struct(children) => {
            FileKind::Struct(children.iter().map(|c| node(c, next, depth + 1)).collect::<Result<_>>()?)
        }
        DataType::List(element) | DataType::LargeList(element) => {
            FileKind::List(Box::new(node(element, next, depth + 1)?))
        }
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(sides) if sides.len() == 2 => FileKind::Map(
                Box::new(node(&sides[0], next, depth + 1)?),
                Some(Box::new(node(&sides[1], next, depth + 1)?)),
            ),
            other => return Err(Error::corrupt(format!("a map with entries of type {other}"))),
        },
        data_type => {
            let column = *next;
            *next += 1;
            let note = if data_type == &DataType::Null { Note::Null } else { Note::Native };
            FileKind::Leaf { column, note }
        }
    };
    let id = field.metadata().get(FIELD_ID_KEY).and_then(|text| text.parse().ok());
    Ok(FileNode { id, name: field.name().clone(), kind, declared: None })
}
