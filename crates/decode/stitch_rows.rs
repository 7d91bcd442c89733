use arrow_array::{ArrayRef, RecordBatch};
use lakefold_base::{Error, Result};
use lakefold_task::{Field, Stitch};
use std::collections::HashMap;
use std::sync::Arc;

use crate::fields::Columns;
use crate::literal::repeat;
use crate::merge_rows::shared;
use crate::reader::TaskRows;
use crate::stitch_part::StitchPart;
use crate::work::{Ordinals, Work};

/// Rows whose columns come from several files of the same row ids.
pub(crate) struct StitchRows {
    work: Arc<Work>,
    parts: Vec<Part>,
    /// Where each of the work's columns comes from: part and column.
    places: HashMap<i32, (usize, usize)>,
    at: u64,
    total: u64,
}

/// Files with the rest of the current batch.
struct Part {
    run: StitchPart,
    batch: Option<RecordBatch>,
}

impl StitchRows {
    pub(crate) fn new(work: Arc<Work>, stitch: &Stitch) -> Self {
        let mut wanted: Vec<(Vec<Field>, usize)> = Vec::new();
        let mut places = HashMap::new();
        for (index, part) in stitch.parts.iter().enumerate() {
            let mine = |f: &&Field| part.field_ids.contains(&f.id) && !places.contains_key(&f.id);
            let fields: Vec<Field> = work.all_fields.iter().filter(mine).cloned().collect();
            if !fields.is_empty() {
                for (column, field) in fields.iter().enumerate() {
                    places.insert(field.id, (wanted.len(), column));
                }
                wanted.push((fields, index));
            }
        }
        let context = shared(&work.context, wanted.len());
        let parts = wanted
            .into_iter()
            .map(|(fields, index)| {
                let (files, first) = (&stitch.parts[index].files, stitch.first_row_id);
                let part = StitchPart::new(&work.task, &context, fields, files, first, stitch.row_count);
                Part { run: part, batch: None }
            })
            .collect();
        Self { work, parts, places, at: 0, total: stitch.row_count }
    }

    /// Loads what is missing; returns how many rows all parts have at hand.
    fn fill(&mut self) -> Result<usize> {
        let left = self.total - self.at;
        let mut rows = usize::try_from(left).unwrap_or(usize::MAX).min(self.work.context.options.batch_size.max(1));
        for part in &mut self.parts {
            let wrong = |text: String, run: &StitchPart| Error::corrupt(text).in_file(run.file());
            if part.batch.is_none() {
                part.batch = part.run.next()?;
            }
            match &part.batch {
                Some(_) if left == 0 => {
                    return Err(wrong(
                        format!("the files have more rows than their range of {}", self.total),
                        &part.run,
                    ));
                }
                Some(batch) => rows = rows.min(batch.num_rows()),
                // Rows that lack columns are no rows.
                None if part.run.ended_early() => return Ok(0),
                None if left > 0 => {
                    return Err(wrong(
                        format!("the files have {} rows, their range {}", self.at, self.total),
                        &part.run,
                    ));
                }
                None => {}
            }
        }
        Ok(rows)
    }
}

impl TaskRows for StitchRows {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            self.work.context.check()?;
            let rows = self.fill()?;
            if rows == 0 {
                return Ok(None);
            }
            let mut cut: Vec<RecordBatch> = Vec::with_capacity(self.parts.len());
            for part in &mut self.parts {
                let Some(batch) = part.batch.take() else { return Err(Error::internal("a part without rows")) };
                if batch.num_rows() > rows {
                    part.batch = Some(batch.slice(rows, batch.num_rows() - rows));
                }
                cut.push(batch.slice(0, rows));
            }
            let fields = &self.work.all_fields;
            let mut arrays: Vec<ArrayRef> = Vec::with_capacity(fields.len());
            for field in fields {
                arrays.push(match self.places.get(&field.id) {
                    Some((part, column)) => Arc::clone(cut[*part].column(*column)),
                    // What no file has is the partition's, or null.
                    None => {
                        let value = self.work.constants.get(&field.id).and_then(|(_, value)| value.as_ref());
                        repeat(&field.field_type, value, rows)?
                    }
                });
            }
            let first = self.at;
            self.at += rows as u64;
            let ordinals = Ordinals::From(first, rows);
            let mut keep = self.work.live_by_position(first, rows);
            if self.work.has_probe() {
                let probed = self.work.probe(Columns { fields, arrays: &arrays }, &ordinals, rows)?;
                keep = Some(keep.map_or(probed.clone(), |keep| &keep & &probed));
            }
            if let Some(batch) = self.work.finish(fields, &arrays, &ordinals, rows, keep.as_ref())? {
                return Ok(Some(batch));
            }
        }
    }
}
