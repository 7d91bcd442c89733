use arrow_array::RecordBatch;
use lakefold_base::Result;
use lakefold_merge::RunSource;
use lakefold_task::{Field, FileFormat, Filter, RowFile, Rows, ScanTask};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use crate::meter::AtWork;
use crate::reader::{TaskReader, open_as};
use crate::source::Context;
use crate::work::Form;

/// A file of a run, or some of its rows.
pub(crate) struct Piece {
    pub file: RowFile,
    /// The positions of the first and the last of them.
    pub rows: Option<[u64; 2]>,
}

impl From<&RowFile> for Piece {
    fn from(file: &RowFile) -> Self {
        Self { file: file.clone(), rows: None }
    }
}

/// Files one after the other, each read as a task of its own. Holds one open file.
pub(crate) struct Run {
    task: Arc<ScanTask>,
    context: Arc<Context>,
    fields: Vec<Field>,
    residual: Filter,
    /// Ids of the columns of strings that come as views.
    views: Arc<BTreeSet<i32>>,
    pieces: VecDeque<Piece>,
    current: Option<TaskReader>,
    path: String,
    /// The batch that the merge works through.
    given: AtWork,
}

impl Run {
    /// Reads `fields` of the rows that satisfy `residual`.
    pub(crate) fn new(
        task: &Arc<ScanTask>,
        context: &Arc<Context>,
        fields: &[Field],
        residual: &Filter,
        pieces: impl IntoIterator<Item = Piece>,
    ) -> Self {
        Self {
            task: Arc::clone(task),
            context: Arc::clone(context),
            fields: fields.to_vec(),
            residual: residual.clone(),
            views: Arc::default(),
            pieces: pieces.into_iter().collect(),
            current: None,
            path: String::new(),
            given: AtWork::new(Some(&context.meter)),
        }
    }

    /// The same with some columns of strings as views where files have them as such.
    pub(crate) fn with_views(self, views: &Arc<BTreeSet<i32>>) -> Self {
        Self { views: Arc::clone(views), ..self }
    }

    fn open(&mut self, Piece { file, rows }: Piece) -> Result<TaskReader> {
        self.path.clone_from(&file.data_file.path);
        let ranges = rows.map(|rows| vec![rows]);
        let task = file_task(&self.task, file, self.fields.clone(), self.residual.clone(), ranges);
        let views = match task.data_file.format {
            FileFormat::Parquet => Arc::clone(&self.views),
            _ => Arc::default(),
        };
        let form = Form { views, ..Form::default() };
        open_as(Arc::new(task), Arc::clone(&self.context), form)
    }
}

/// The task that reads one of a task's files.
pub(crate) fn file_task(
    whole: &ScanTask,
    file: RowFile,
    projection: Vec<Field>,
    residual: Filter,
    row_ranges: Option<Vec<[u64; 2]>>,
) -> ScanTask {
    ScanTask {
        version: whole.version,
        data_file: file.data_file,
        start: 0,
        length: u64::MAX,
        snapshot_id: whole.snapshot_id,
        spec_id: whole.spec_id,
        data_sequence_number: file.max_sequence_number.unwrap_or(whole.data_sequence_number),
        file_sequence_number: None,
        first_row_id: file.first_row_id,
        partition: whole.partition.clone(),
        partition_type: whole.partition_type.clone(),
        schema: whole.schema.clone(),
        projection,
        residual,
        residual_text: None,
        name_mapping: None,
        delete_files: file.delete_files,
        only_deleted_by: None,
        row_ranges,
        constants: BTreeMap::new(),
        rows: Rows::Plain,
    }
}

impl RunSource for Run {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if self.current.is_none() {
                let Some(piece) = self.pieces.pop_front() else {
                    self.given.set(0);
                    return Ok(None);
                };
                self.current = Some(self.open(piece)?);
            }
            let Some(reader) = &mut self.current else { continue };
            match TaskReader::next(reader)? {
                Some(batch) => {
                    self.given.set(batch.get_array_memory_size() as u64);
                    return Ok(Some(batch));
                }
                None => self.current = None,
            }
        }
    }

    fn file(&self) -> &str {
        &self.path
    }
}
