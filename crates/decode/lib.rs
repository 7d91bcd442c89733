//! From a ScanTask to record batches: open, prune, read, project by field id, hide deleted rows, filter, shape.

mod source;

pub use source::{Context, DataFileReader, Options, RawBatch, RawBatches, ReadRequest};
