//! From a ScanTask to record batches: open, prune, read, project by field id, hide deleted rows, filter, shape.

mod avro;
mod blob;
mod casts;
mod chunks;
mod civil;
mod concat_rows;
mod convert;
mod crew;
mod cursor;
mod decoder;
mod delete_files;
mod dictionary;
mod evolve;
mod fields;
mod filter;
mod footer;
mod footers;
mod group;
mod guard;
mod keep;
mod key_cuts;
mod layout;
mod like;
mod lines;
mod literal;
mod merge_rows;
mod meta;
mod meter;
mod murmur;
mod once_map;
mod operand;
mod orc;
mod parquet_rows;
mod project;
mod prune;
mod raw_rows;
mod reader;
mod run;
mod shape;
mod source;
mod stitch_part;
mod stitch_rows;
mod task_group;
mod tested;
mod thrift;
mod told;
mod transform;
mod tree;
mod types;
mod variant;
mod work;

pub use avro::AvroFile;
pub use blob::BlobFile;
pub use crew::Crew;
pub use delete_files::{DeleteCache, DeleteRows, Deletes, OpenRows, TaskDeletes, count_deleted, load_deletes};
pub use footers::Footers;
pub use key_cuts::KeyCuts;
pub use lines::LinesFile;
pub use meter::Meter;
pub use orc::OrcFile;
pub use reader::{TaskReader, count_rows, delete_rows, open, project_file};
pub use source::{Context, DataFileReader, Options, RawBatch, RawBatches, ReadRequest};
pub use task_group::TaskGroup;
pub use types::{FIELD_ID_KEY, output_schema};

#[cfg(test)]
mod cases;
#[cfg(test)]
mod filter_tests;
#[cfg(test)]
mod memory_file;
#[cfg(test)]
mod paimon_cases;
