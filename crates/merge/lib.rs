//! Merging sorted runs of key-value files: rows of one key become one row by a merge engine.
//!
//! The merge streams: of each run it holds one batch, and beside those only batches that rows of the batch in the
//! making come from.

mod aggregation;
mod cursor;
mod deduplicate;
mod diff;
mod element;
mod engine;
mod first_row;
mod functions;
mod gather;
mod keys;
mod order;
mod output;
mod partial_update;
mod spec;
mod stream;
mod tournament;
mod value;
mod windows;

pub use cursor::RunSource;
pub use diff::DiffStream;
pub use order::{KeyOrder, KeyRange};
pub use spec::Spec;
pub use stream::MergeStream;

/// The row kinds of `_VALUE_KIND`.
pub mod kind {
    /// `+I`
    pub const INSERT: i8 = 0;
    /// `-U`
    pub const UPDATE_BEFORE: i8 = 1;
    /// `+U`
    pub const UPDATE_AFTER: i8 = 2;
    /// `-D`
    pub const DELETE: i8 = 3;

    /// Whether a row of this kind takes something back.
    pub fn retracts(kind: i8) -> bool {
        kind == UPDATE_BEFORE || kind == DELETE
    }

    /// As text: `+I`, `-U`, `+U`, `-D`.
    pub fn text(kind: i8) -> Option<&'static str> {
        match kind {
            INSERT => Some("+I"),
            UPDATE_BEFORE => Some("-U"),
            UPDATE_AFTER => Some("+U"),
            DELETE => Some("-D"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
