//! Where bytes come from: one trait, ranged reads, metered.

mod local;

pub use local::LocalStore;

use bytes::Bytes;
use lakefold_base::Result;
use std::ops::Range;
use std::sync::Arc;

/// Opens files by location.
pub trait Store: Send + Sync {
    /// Opens a file for ranged reads. A missing file is `FileNotFound`, naming the location.
    fn open(&self, location: &str) -> Result<Arc<dyn Source>>;
}

/// One open file.
pub trait Source: Send + Sync {
    /// The location that it was opened by.
    fn location(&self) -> &str;
    /// The size in bytes, asked of the store, not of the manifest.
    fn len(&self) -> u64;
    /// Whether there are no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Exactly the bytes of the range; a range outside the file is `CorruptFile`.
    fn read(&self, range: Range<u64>) -> Result<Bytes>;
}

#[cfg(test)]
mod tests;
