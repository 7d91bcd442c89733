use arrow_array::cast::AsArray;
use arrow_array::types::Int8Type;
use arrow_array::{BooleanArray, RecordBatch, RecordBatchOptions, StringArray};
use arrow_schema::SchemaRef;
use arrow_select::filter::filter_record_batch;
use lakefold_base::{Error, Result};
use lakefold_merge::{RunSource, kind};
use lakefold_task::{Concat, Field, ScanTask, reserved};
use std::sync::Arc;

use crate::dictionary::encoded;
use crate::guard::own_arrow_error;
use crate::merge_rows::system_field;
use crate::reader::TaskRows;
use crate::run::{Piece, Run};
use crate::source::Context;

/// The rows of files one after the other, with their kinds.
pub(crate) struct ConcatRows {
    run: Run,
    schema: SchemaRef,
    projection: Vec<Field>,
    keep_deletes: bool,
}

impl ConcatRows {
    pub(crate) fn new(task: &Arc<ScanTask>, context: &Arc<Context>, schema: SchemaRef, concat: &Concat) -> Self {
        let kind = system_field(reserved::VALUE_KIND);
        // The texts of kinds are made of the kinds, which come last.
        let mut fields: Vec<Field> = task.projection.iter().filter(|f| !made(f)).cloned().collect();
        fields.extend(kind);
        Self {
            run: Run::new(task, context, &fields, &task.residual, concat.files.iter().map(Piece::from)),
            schema,
            projection: task.projection.clone(),
            keep_deletes: concat.keep_deletes,
        }
    }

    fn shape(&self, batch: RecordBatch) -> Result<Option<RecordBatch>> {
        let last = |batch: &RecordBatch| {
            batch.columns().last().cloned().ok_or_else(|| Error::internal("rows without their kinds"))
        };
        let kinds = last(&batch)?;
        let kinds = kinds.as_primitive::<Int8Type>();
        let unknown = |v: i8| Error::corrupt("an unknown row kind").with("value", v).in_file(self.run.file());
        if let Some(wrong) = kinds.iter().find(|k| k.and_then(kind::text).is_none()) {
            return Err(unknown(wrong.unwrap_or(-1)));
        }
        let batch = match self.keep_deletes || kinds.values().iter().all(|k| !kind::retracts(*k)) {
            true => batch,
            false => {
                let keep: BooleanArray = kinds.values().iter().map(|k| Some(!kind::retracts(*k))).collect();
                filter_record_batch(&batch, &keep).map_err(own_arrow_error)?
            }
        };
        let rows = batch.num_rows();
        if rows == 0 {
            return Ok(None);
        }
        let kinds = last(&batch)?;
        let mut columns = batch.columns().iter();
        let mut arrays = Vec::with_capacity(self.projection.len());
        for field in &self.projection {
            arrays.push(match field.id {
                reserved::VALUE_KIND => Arc::clone(&kinds),
                reserved::ROW_KIND => {
                    let values = kinds.as_primitive::<Int8Type>().values().iter();
                    Arc::new(StringArray::from_iter(values.map(|k| kind::text(*k))))
                }
                _ => Arc::clone(columns.next().ok_or_else(|| Error::internal("a column was not read"))?),
            });
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let arrays = encoded(arrays, &self.schema)?;
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options).map(Some).map_err(own_arrow_error)
    }
}

fn made(field: &Field) -> bool {
    matches!(field.id, reserved::VALUE_KIND | reserved::ROW_KIND)
}

impl TaskRows for ConcatRows {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        while let Some(batch) = self.run.next()? {
            if let Some(batch) = self.shape(batch)? {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }
}
