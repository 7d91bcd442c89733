use crate::crew::Crew;
use crate::delete_files::DeleteCache;
use crate::footers::Footers;
use crate::key_cuts::KeyCuts;
use crate::meter::Meter;
use arrow_array::RecordBatch;
use arrow_schema::{FieldRef, SchemaRef};
use lakefold_base::{Error, Result};
use lakefold_store::Store;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What all tasks of one scan share.
pub struct Context {
    /// Where files are opened.
    pub store: Arc<dyn Store>,
    /// Set by the caller to give up; polled between pages or blocks.
    pub cancel: Arc<AtomicBool>,
    /// How to read.
    pub options: Options,
    /// The delete files that tasks have in common.
    pub deletes: Arc<DeleteCache>,
    /// What decoding holds beside its batches.
    pub meter: Arc<Meter>,
    /// Footers of files that are read in several ranges.
    pub footers: Arc<Footers>,
    /// Where sections are cut that are merged in several parts.
    pub cuts: Arc<KeyCuts>,
    /// Ids of the columns of strings that [`TaskGroup`](crate::TaskGroup) returns as dictionaries.
    pub dictionaries: Arc<BTreeSet<i32>>,
    /// Those who may work for the scan at the same time.
    pub crew: Arc<Crew>,
}

impl Context {
    /// Fails with `Cancelled` once the caller gave up.
    pub fn check(&self) -> Result<()> {
        if self.cancel.load(Ordering::Relaxed) { Err(Error::cancelled()) } else { Ok(()) }
    }
}

/// How to read.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Most rows in a batch.
    pub batch_size: usize,
    /// Aim for at most this many decoded bytes in a batch.
    pub batch_bytes: usize,
    /// Whether to skip row groups and pages by their statistics, bloom filters and dictionaries.
    pub prune: bool,
    /// Whether to check page checksums.
    pub verify_crc: bool,
}

/// What to read of a file.
pub struct ReadRequest {
    /// Top-level fields of the file's own schema, in any order, structs pruned to the wanted children.
    pub fields: Vec<FieldRef>,
    /// First byte of the range.
    pub start: u64,
    /// Length of the range in bytes.
    pub length: u64,
    /// Most rows in a batch.
    pub batch_size: usize,
    /// Polled between blocks.
    pub context: Arc<Context>,
}

/// A batch in the file's own types and names, with the ordinal of its first row in the file; rows are contiguous.
pub struct RawBatch {
    /// The requested fields.
    pub batch: RecordBatch,
    /// Ordinal in the file of the first row, before any filter or skip.
    pub first_row: u64,
}

/// An open Avro or ORC file, its schema read. (Parquet prunes and filters while it decodes and has its own way.)
pub trait DataFileReader: Send {
    /// The file's schema as Arrow; each field that carries an Iceberg id has it as decimal text
    /// under the metadata key `PARQUET:field_id` (list element, map key and value too).
    fn schema(&self) -> SchemaRef;
    /// Starts reading.
    fn read(self: Box<Self>, request: ReadRequest) -> Result<Box<dyn RawBatches>>;
}

/// A stream of raw batches.
pub trait RawBatches: Send {
    /// The next batch, or none at the end of the range.
    fn next(&mut self) -> Result<Option<RawBatch>>;
}
