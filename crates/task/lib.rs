//! The ScanTask: the one document that crosses from planning (TypeScript) to decoding (Rust).
//! Plain versioned JSON; the golden copies in `__test__/fixtures/tasks` hold both sides to it.

mod filter;
mod lines;
mod rows;
mod schema;
mod task;

pub use filter::{Filter, Op, Term, Transform};
pub use lines::{Delimited, Json, LineOptions, Mode};
pub use rows::{
    Aggregate, Concat, Diff, Engine, KeyPart, Merge, Part, RowFile, Rows, SequenceField, SequenceGroup, SortOrder,
    Stitch,
};
pub use schema::{Field, Literal, NameMapping, Type, reserved};
pub use task::{DataFile, DeleteContent, DeleteFile, FileFormat, Ignored, PartitionField, ScanTask, VERSION};
