use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use lakefold_base::{Error, Result};
use lakefold_task::ScanTask;
use std::collections::VecDeque;
use std::sync::Arc;

use crate::crew::Seat;
use crate::guard::own_arrow_error;
use crate::reader::{TaskReader, open_as};
use crate::source::Context;
use crate::work::Form;

/// Tasks read one after the other, in order. The batches of several small ones come as one, at most
/// [`Options::batch_size`](crate::Options) rows; those of a lone task come as they are decoded.
pub struct TaskGroup {
    context: Arc<Context>,
    documents: VecDeque<String>,
    merges: bool,
    /// Taken until all rows are decoded.
    seat: Option<Seat>,
    current: Option<TaskReader>,
    /// Decoded and not yet handed out; together they are no whole batch.
    pending: Vec<RecordBatch>,
    rows: usize,
    bytes: usize,
    /// What ended the group, after all that is pending.
    failure: Option<Error>,
}

impl TaskGroup {
    /// Over ScanTask documents; opens nothing yet.
    pub fn new(documents: Vec<String>, context: Arc<Context>) -> Self {
        Self {
            seat: Some(context.crew.seat()),
            context,
            merges: documents.len() > 1,
            documents: documents.into(),
            current: None,
            pending: Vec::new(),
            rows: 0,
            bytes: 0,
            failure: None,
        }
    }

    /// The next batch, never empty; none at the end and after an error. An error comes in its task's place, after the
    /// rows of the tasks before it, and names the task's file.
    // Not an Iterator: callers want `?` on a Result of an Option.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(error) = self.failure.take_if(|_| self.pending.is_empty()) {
                return Err(error);
            }
            if self.failure.is_some() {
                return self.flush();
            }
            match self.decode() {
                Ok(Some(batch)) if !self.merges => return Ok(Some(batch)),
                Ok(Some(batch)) => {
                    if let Some(whole) = self.add(batch)? {
                        return Ok(Some(whole));
                    }
                }
                Ok(None) => return self.flush(),
                Err(error) => self.postpone(error),
            }
        }
    }

    /// Ends the group with an error, once what is decoded has been handed out.
    pub fn postpone(&mut self, error: Error) {
        self.documents.clear();
        self.current = None;
        self.seat = None;
        self.failure = Some(error);
    }

    /// The next batch of the next task that has one.
    fn decode(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if self.current.is_none() {
                let Some(document) = self.documents.pop_front() else {
                    self.seat = None;
                    return Ok(None);
                };
                let form = Form { dictionaries: Arc::clone(&self.context.dictionaries), ..Form::default() };
                let task = Arc::new(ScanTask::from_json(&document)?);
                self.current = Some(open_as(task, Arc::clone(&self.context), form)?);
            }
            let Some(reader) = &mut self.current else { continue };
            match TaskReader::next(reader)? {
                Some(batch) => return Ok(Some(batch)),
                None => self.current = None,
            }
        }
    }

    /// Takes a batch in; gives those before it if all together would be more than one batch.
    fn add(&mut self, batch: RecordBatch) -> Result<Option<RecordBatch>> {
        let (rows, bytes) = (batch.num_rows(), batch.get_array_memory_size());
        let options = &self.context.options;
        let full = self.rows + rows > options.batch_size || self.bytes + bytes > options.batch_bytes;
        let whole = if full { self.flush()? } else { None };
        self.pending.push(batch);
        self.rows += rows;
        self.bytes += bytes;
        Ok(whole)
    }

    fn flush(&mut self) -> Result<Option<RecordBatch>> {
        (self.rows, self.bytes) = (0, 0);
        let mut pending = std::mem::take(&mut self.pending);
        match pending.as_slice() {
            // As it is: nothing is copied.
            [] | [_] => Ok(pending.pop()),
            [first, ..] => concat_batches(&first.schema(), &pending).map(Some).map_err(own_arrow_error),
        }
    }
}
