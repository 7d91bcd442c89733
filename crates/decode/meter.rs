use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that decoding holds beside the batches that it makes: what was read of files and not yet decoded, and pages
/// being decoded. Shared by the tasks of a scan.
#[derive(Debug, Default)]
pub struct Meter(AtomicU64);

impl Meter {
    /// The bytes now.
    pub fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What one holder adds to a [`Meter`], until it is dropped.
pub(crate) struct AtWork {
    meter: Option<Arc<Meter>>,
    bytes: u64,
}

impl AtWork {
    pub(crate) fn new(meter: Option<&Arc<Meter>>) -> Self {
        Self { meter: meter.cloned(), bytes: 0 }
    }

    /// Makes this holder's part `bytes`.
    pub(crate) fn set(&mut self, bytes: u64) {
        if let Some(Meter(total)) = self.meter.as_deref() {
            // Wraps where it shrinks; the sum is right again after it.
            total.fetch_add(bytes.wrapping_sub(self.bytes), Ordering::Relaxed);
        }
        self.bytes = bytes;
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        self.set(0);
    }
}
