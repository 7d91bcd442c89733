//! From a ScanTask to record batches: open, prune, read, project by field id, hide deleted rows, filter, shape.

mod delete_files;
mod once_map;
mod source;

pub use delete_files::{DeleteCache, DeleteRows, Deletes, OpenRows, TaskDeletes, count_deleted, load_deletes};
pub use source::{Context, DataFileReader, Options, RawBatch, RawBatches, ReadRequest};
