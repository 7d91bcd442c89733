use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

static LIVE: AtomicU64 = AtomicU64::new(0);
static PEAK: AtomicU64 = AtomicU64::new(0);
static UNCLAIMED: AtomicU64 = AtomicU64::new(0);

/// Decoded bytes that one scan holds, in the ledger and in JavaScript.
#[derive(Debug, Default)]
pub struct Account {
    live: AtomicU64,
    peak: AtomicU64,
    unclaimed: AtomicU64,
    closed: AtomicBool,
}

/// Decoded bytes, counted by allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stats {
    /// Bytes alive now: unclaimed, and claimed and not yet freed by JavaScript.
    pub live: u64,
    /// The most that were ever alive at once.
    pub peak: u64,
    /// Those of `live` that still wait to be claimed.
    pub unclaimed: u64,
}

impl Account {
    /// The bytes of this scan.
    pub fn stats(&self) -> Stats {
        Stats {
            live: self.live.load(Ordering::Relaxed),
            peak: self.peak.load(Ordering::Relaxed),
            unclaimed: self.unclaimed.load(Ordering::Relaxed),
        }
    }

    /// Refuses batches from now on.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    pub(crate) fn wait(&self, bytes: u64) {
        self.unclaimed.fetch_add(bytes, Ordering::Relaxed);
        UNCLAIMED.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn settle(&self, bytes: u64) {
        self.unclaimed.fetch_sub(bytes, Ordering::Relaxed);
        UNCLAIMED.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// The bytes of this process.
pub fn stats() -> Stats {
    Stats {
        live: LIVE.load(Ordering::Relaxed),
        peak: PEAK.load(Ordering::Relaxed),
        unclaimed: UNCLAIMED.load(Ordering::Relaxed),
    }
}

/// One allocation, counted as alive until the last buffer in it is gone.
#[derive(Debug)]
pub(crate) struct Charge {
    bytes: u64,
    account: Arc<Account>,
}

impl Charge {
    pub(crate) fn new(bytes: u64, account: &Arc<Account>) -> Arc<Self> {
        let live = account.live.fetch_add(bytes, Ordering::Relaxed) + bytes;
        account.peak.fetch_max(live, Ordering::Relaxed);
        let live = LIVE.fetch_add(bytes, Ordering::Relaxed) + bytes;
        PEAK.fetch_max(live, Ordering::Relaxed);
        Arc::new(Charge { bytes, account: account.clone() })
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.account.live.fetch_sub(self.bytes, Ordering::Relaxed);
        LIVE.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
