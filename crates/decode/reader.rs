use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use lakefold_base::{Code, Error, Result};
use lakefold_store::Source;
use lakefold_task::{DataFile, Field, FileFormat, Filter, Ignored, NameMapping, Rows, ScanTask, VERSION};
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::concat_rows::ConcatRows;
use crate::delete_files::DeleteRows;
use crate::guard::guarded;
use crate::merge_rows::MergeRows;
use crate::parquet_rows::ParquetRows;
use crate::raw_rows::RawRows;
use crate::source::Context;
use crate::stitch_rows::StitchRows;
use crate::work::{Form, Work};

/// Rows of one file, batch by batch.
pub(crate) trait TaskRows: Send {
    /// The next batch that has rows.
    fn next(&mut self) -> Result<Option<RecordBatch>>;
}

/// The batches of one task, in the order of its file. Streams: holds the current row group's windows and one batch.
pub struct TaskReader {
    work: Arc<Work>,
    rows: Option<Box<dyn TaskRows>>,
}

/// Opens a task's file and loads its deletes; strings come as such whatever the context says. Errors name the file:
/// `FileNotFound`, `CorruptFile`, `Unsupported` (encrypted files, types or encodings that are not known), `Cancelled`.
pub fn open(task: Arc<ScanTask>, context: Arc<Context>) -> Result<TaskReader> {
    open_as(task, context, Form::default())
}

/// As [`open`] does, in the form that is asked for.
pub(crate) fn open_as(task: Arc<ScanTask>, context: Arc<Context>, form: Form) -> Result<TaskReader> {
    context.check()?;
    let path = task.data_file.path.clone();
    guarded(|| {
        let work = Arc::new(Work::new(task, context, form)?);
        let rows: Box<dyn TaskRows> = match &work.task.rows {
            Rows::Plain => match guarded(|| plain(&work)) {
                Ok(rows) => rows,
                Err(error) if is_ignored_unopened(&error, work.task.data_file.ignore) => {
                    return Ok(TaskReader { work, rows: None });
                }
                Err(error) => return Err(error),
            },
            Rows::Merge(merge) => Box::new(MergeRows::merge(Arc::clone(&work), merge)?),
            Rows::Diff(diff) => Box::new(MergeRows::diff(Arc::clone(&work), diff)?),
            Rows::Concat(concat) => {
                Box::new(ConcatRows::new(&work.task, &work.context, Arc::clone(&work.schema), concat))
            }
            Rows::Stitch(stitch) => Box::new(StitchRows::new(Arc::clone(&work), stitch)),
        };
        Ok(TaskReader { work, rows: Some(rows) })
    })
    .map_err(|e| e.in_file(path))
}

fn plain(work: &Arc<Work>) -> Result<Box<dyn TaskRows>> {
    let source = work.context.store.open(&work.task.data_file.location)?;
    rows_of(Arc::clone(work), source)
}

/// Whether a failure of the data file only ends its rows. What storage refuses or fails to give is no damage.
fn is_ignored(error: &Error, ignore: Ignored) -> bool {
    match error.code() {
        Code::CorruptFile => ignore.corrupt,
        Code::FileNotFound => ignore.lost,
        _ => false,
    }
}

/// The same of a failure to open the file.
fn is_ignored_unopened(error: &Error, ignore: Ignored) -> bool {
    !ignore.once_open && is_ignored(error, ignore)
}

fn rows_of(work: Arc<Work>, source: Arc<dyn Source>) -> Result<Box<dyn TaskRows>> {
    Ok(match work.task.data_file.format {
        FileFormat::Parquet => Box::new(ParquetRows::open(work, source)?),
        FileFormat::Avro => Box::new(RawRows::open(work, Box::new(crate::AvroFile::open(source)?))?),
        FileFormat::Orc => {
            let file = crate::OrcFile::open(source)?.with_local_instants(work.task.data_file.local_instants);
            Box::new(RawRows::open(work, Box::new(file))?)
        }
        FileFormat::Csv | FileFormat::Json | FileFormat::Text => {
            let file = crate::LinesFile::open(source, &work.task.data_file)?;
            Box::new(RawRows::open(work, Box::new(file))?)
        }
        FileFormat::Blob => {
            let file = crate::BlobFile::open(source, &work.task.data_file)?;
            Box::new(RawRows::open(work, Box::new(file))?)
        }
        FileFormat::Puffin => return Err(Error::unsupported("a Puffin file holds no rows")),
    })
}

impl TaskReader {
    /// Whether a failure of the one file that is read ends the rows.
    fn ends_early(&self, error: &Error) -> bool {
        matches!(self.work.task.rows, Rows::Plain) && is_ignored(error, self.work.task.data_file.ignore)
    }

    /// The schema of all batches.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.work.schema)
    }

    /// The next batch, never empty; none at the end and after an error.
    // Not an Iterator: callers want `?` on a Result of an Option.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<RecordBatch>> {
        let Some(rows) = &mut self.rows else { return Ok(None) };
        let result = match guarded(|| rows.next()) {
            Err(error) if self.ends_early(&error) => Ok(None),
            other => other.map_err(|e| self.work.in_file(e)),
        };
        if !matches!(result, Ok(Some(_))) {
            self.rows = None;
        }
        result
    }
}

impl Iterator for TaskReader {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        TaskReader::next(self).transpose()
    }
}

/// The number of rows that a task returns; decodes only columns that decide about rows.
pub fn count_rows(task: Arc<ScanTask>, context: Arc<Context>) -> Result<u64> {
    let _seat = context.crew.seat();
    let task = Arc::new(ScanTask { projection: Vec::new(), ..task.as_ref().clone() });
    let mut reader = open(task, context)?;
    let mut rows = 0;
    while let Some(batch) = TaskReader::next(&mut reader)? {
        rows += batch.num_rows() as u64;
    }
    Ok(rows)
}

/// Reads a delete file: like [`project_file`], but a leaf that the file lacks is `CorruptFile`. Made for
/// [`DeleteCache::new`](crate::DeleteCache::new).
pub fn delete_rows(
    context: &Arc<Context>,
    location: &str,
    format: FileFormat,
    fields: &[Field],
    name_mapping: Option<&[NameMapping]>,
) -> Result<DeleteRows> {
    let task = whole_file(location, format, fields, name_mapping);
    Ok(Box::new(open_as(Arc::new(task), Arc::clone(context), Form { strict: true, ..Form::default() })?))
}

/// Reads a whole file as the given fields: found by id (or by the mapping, position or name in files without ids),
/// promoted, defaults filled in. No deletes and no filter apply.
pub fn project_file(
    context: &Arc<Context>,
    location: &str,
    format: FileFormat,
    fields: &[Field],
    name_mapping: Option<&[NameMapping]>,
) -> Result<Box<dyn Iterator<Item = Result<RecordBatch>> + Send>> {
    let task = whole_file(location, format, fields, name_mapping);
    Ok(Box::new(open(Arc::new(task), Arc::clone(context))?))
}

fn whole_file(location: &str, format: FileFormat, fields: &[Field], name_mapping: Option<&[NameMapping]>) -> ScanTask {
    ScanTask {
        version: VERSION,
        data_file: DataFile {
            path: location.to_string(),
            location: location.to_string(),
            format,
            file_size_in_bytes: 0,
            record_count: -1,
            fields: None,
            lines: None,
            blob_descriptors: false,
            local_instants: false,
            ignore: Default::default(),
        },
        start: 0,
        length: u64::MAX,
        snapshot_id: None,
        spec_id: 0,
        data_sequence_number: 0,
        file_sequence_number: None,
        first_row_id: None,
        partition: Vec::new(),
        partition_type: Vec::new(),
        schema: fields.to_vec(),
        projection: fields.to_vec(),
        residual: Filter::Const(true),
        residual_text: None,
        name_mapping: name_mapping.map(<[NameMapping]>::to_vec),
        delete_files: Vec::new(),
        only_deleted_by: None,
        row_ranges: None,
        constants: BTreeMap::new(),
        rows: Rows::Plain,
    }
}
