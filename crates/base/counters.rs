use std::sync::atomic::{AtomicU64, Ordering};

/// Process-wide counts of what was opened and read, for tests and reports.
#[derive(Debug, Default)]
pub struct Counters {
    /// Files opened.
    pub files_opened: AtomicU64,
    /// Bytes asked of the store.
    pub bytes_read: AtomicU64,
    /// Ranged reads sent to the store.
    pub reads: AtomicU64,
    /// Row groups, stripes or blocks decoded.
    pub groups_read: AtomicU64,
    /// Row groups, stripes or blocks that pruning dropped.
    pub groups_skipped: AtomicU64,
    /// Rows that page pruning dropped inside groups that were read.
    pub rows_skipped: AtomicU64,
}

/// The counters of this process.
pub static COUNTERS: Counters = Counters {
    files_opened: AtomicU64::new(0),
    bytes_read: AtomicU64::new(0),
    reads: AtomicU64::new(0),
    groups_read: AtomicU64::new(0),
    groups_skipped: AtomicU64::new(0),
    rows_skipped: AtomicU64::new(0),
};

/// The values of [`Counters`] at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Snapshot {
    /// See [`Counters::files_opened`].
    pub files_opened: u64,
    /// See [`Counters::bytes_read`].
    pub bytes_read: u64,
    /// See [`Counters::reads`].
    pub reads: u64,
    /// See [`Counters::groups_read`].
    pub groups_read: u64,
    /// See [`Counters::groups_skipped`].
    pub groups_skipped: u64,
    /// See [`Counters::rows_skipped`].
    pub rows_skipped: u64,
}

impl Counters {
    /// Reads all counters.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            files_opened: self.files_opened.load(Ordering::Relaxed),
            bytes_read: self.bytes_read.load(Ordering::Relaxed),
            reads: self.reads.load(Ordering::Relaxed),
            groups_read: self.groups_read.load(Ordering::Relaxed),
            groups_skipped: self.groups_skipped.load(Ordering::Relaxed),
            rows_skipped: self.rows_skipped.load(Ordering::Relaxed),
        }
    }
}
