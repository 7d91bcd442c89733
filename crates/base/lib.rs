//! What every crate shares: the error type and process-wide counters.

mod counters;
mod error;

pub use counters::{COUNTERS, Counters, Snapshot};
pub use error::{Code, Error, Result};
