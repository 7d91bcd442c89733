//! The files that give the same columns of a range of row ids, one after the other.

use arrow_array::{RecordBatch, RecordBatchOptions, new_null_array};
use arrow_schema::{Field as ArrowField, Schema};
use lakefold_base::Result;
use lakefold_merge::RunSource;
use lakefold_task::{Field, FileFormat, Filter, RowFile, ScanTask};
use std::collections::VecDeque;
use std::sync::Arc;

use crate::guard::own_arrow_error;
use crate::run::{self, Run};
use crate::source::Context;
use crate::types::arrow_type;

/// Reads such files. Row ids that no blob file has (a plan of row ranges leaves out what it
/// needs not) give null.
pub(crate) struct StitchPart {
    task: Arc<ScanTask>,
    context: Arc<Context>,
    fields: Vec<Field>,
    pieces: VecDeque<Piece>,
    current: Option<Run>,
    path: String,
    /// Rows of the current file that are still to come, if it may end early.
    left: Option<u64>,
    /// Whether a file ended early: what would follow belongs to other rows.
    ended: bool,
}

enum Piece {
    File(Box<RowFile>),
    /// So many rows that no file has.
    Gap(u64),
}

impl StitchPart {
    /// `first` and `count`: the row ids of the range.
    pub(crate) fn new(
        task: &Arc<ScanTask>,
        context: &Arc<Context>,
        fields: Vec<Field>,
        files: &[RowFile],
        first: i64,
        count: u64,
    ) -> Self {
        let mut pieces = VecDeque::new();
        let end = first.saturating_add_unsigned(count);
        let mut next = first;
        // Other files always have the whole range.
        let may_miss = files.iter().all(|file| file.data_file.format == FileFormat::Blob);
        for file in files {
            if let Some(start) = file.first_row_id {
                if start > next && may_miss {
                    pieces.push_back(Piece::Gap(start.abs_diff(next)));
                }
                next = start.saturating_add(file.data_file.record_count.max(0));
            }
            pieces.push_back(Piece::File(Box::new(file.clone())));
        }
        if may_miss && next < end {
            pieces.push_back(Piece::Gap(end.abs_diff(next)));
        }
        let (task, context) = (Arc::clone(task), Arc::clone(context));
        Self { task, context, fields, pieces, current: None, path: String::new(), left: None, ended: false }
    }

    fn nulls(&self, rows: usize) -> Result<RecordBatch> {
        let mut columns = Vec::with_capacity(self.fields.len());
        let mut fields = Vec::with_capacity(self.fields.len());
        for field in &self.fields {
            let data_type = arrow_type(&field.field_type)?;
            columns.push(new_null_array(&data_type, rows));
            fields.push(ArrowField::new(&field.name, data_type, true));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options).map_err(own_arrow_error)
    }

    /// The next rows.
    pub(crate) fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(run) = &mut self.current {
                let batch = run.next()?;
                run.file().clone_into(&mut self.path);
                if let Some(batch) = batch {
                    self.left = self.left.map(|left| left.saturating_sub(batch.num_rows() as u64));
                    return Ok(Some(batch));
                }
                self.current = None;
                if self.left.is_some_and(|left| left > 0) {
                    self.pieces.clear();
                    self.ended = true;
                }
            }
            match self.pieces.pop_front() {
                None => return Ok(None),
                Some(Piece::File(file)) => {
                    let count = file.data_file.record_count.max(0) as u64;
                    self.left = (!file.data_file.ignore.nothing()).then_some(count);
                    let piece = run::Piece::from(file.as_ref());
                    let all = Filter::Const(true);
                    self.current = Some(Run::new(&self.task, &self.context, &self.fields, &all, [piece]));
                }
                Some(Piece::Gap(rows)) => {
                    let now = rows.min(self.context.options.batch_size.max(1) as u64);
                    if rows > now {
                        self.pieces.push_front(Piece::Gap(rows - now));
                    }
                    return self.nulls(now as usize).map(Some);
                }
            }
        }
    }

    /// Whether a file ended before its rows did, and was told that it may.
    pub(crate) fn ended_early(&self) -> bool {
        self.ended
    }

    /// The file that was read last.
    pub(crate) fn file(&self) -> &str {
        &self.path
    }
}
