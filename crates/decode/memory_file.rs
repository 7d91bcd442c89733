//! Files in memory and a context for tests.

use crate::source::{Context, DataFileReader, Options, ReadRequest};
use crate::{DeleteCache, RawBatch};
use arrow_schema::FieldRef;
use bytes::Bytes;
use lakefold_base::{Error, Result};
use lakefold_store::{LocalStore, Source};
use std::ops::Range;
use std::sync::Arc;

/// The folder of the Iceberg fixtures.
pub(crate) const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../__test__/fixtures/iceberg");

struct Memory(Bytes);

impl Source for Memory {
    fn location(&self) -> &str {
        "memory:file"
    }

    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&self, range: Range<u64>) -> Result<Bytes> {
        if range.start > range.end || range.end > self.len() {
            return Err(Error::corrupt(format!("{range:?} outside")).in_file(self.location()));
        }
        Ok(self.0.slice(range.start as usize..range.end as usize))
    }
}

pub(crate) fn memory(bytes: impl Into<Bytes>) -> Arc<dyn Source> {
    Arc::new(Memory(bytes.into()))
}

pub(crate) fn context() -> Arc<Context> {
    Arc::new(Context {
        store: Arc::new(LocalStore),
        cancel: Arc::default(),
        options: Options { batch_size: 1000, batch_bytes: 1 << 20, prune: true, verify_crc: false },
        deletes: Arc::new(DeleteCache::new(|_, _, _, _, _| Err(Error::internal("no delete files here")))),
        meter: Arc::default(),
        footers: Arc::default(),
        cuts: Arc::default(),
        dictionaries: Arc::default(),
        crew: Arc::new(crate::Crew::new(3, 1)),
    })
}

/// All batches of a range.
pub(crate) fn read_range(
    reader: Box<dyn DataFileReader>,
    fields: Option<Vec<FieldRef>>,
    range: Range<u64>,
    batch_size: usize,
) -> Result<Vec<RawBatch>> {
    let fields = fields.unwrap_or_else(|| reader.schema().fields().to_vec());
    let (start, length) = (range.start, range.end - range.start);
    let mut batches = reader.read(ReadRequest { fields, start, length, batch_size, context: context() })?;
    let mut out = Vec::new();
    while let Some(batch) = batches.next()? {
        assert!(batch.batch.num_rows() > 0 && batch.batch.num_rows() <= batch_size);
        out.push(batch);
    }
    Ok(out)
}

/// Each row as text, with its ordinal.
pub(crate) fn rows(batches: &[RawBatch]) -> Vec<(u64, String)> {
    let options = arrow_cast::display::FormatOptions::default().with_null("null");
    let mut out = Vec::new();
    for RawBatch { batch, first_row } in batches {
        let columns: Vec<_> = batch
            .columns()
            .iter()
            .map(|c| arrow_cast::display::ArrayFormatter::try_new(c.as_ref(), &options).unwrap())
            .collect();
        for row in 0..batch.num_rows() {
            let cells: Vec<String> = columns.iter().map(|c| c.value(row).to_string()).collect();
            out.push((first_row + row as u64, cells.join("|")));
        }
    }
    out
}
