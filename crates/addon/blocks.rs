//! How much memory the allocator keeps beyond what is in use.

use lakefold_alloc::Recycler;
use mimalloc::MiMalloc;
use std::ffi::c_long;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOC: Recycler<MiMalloc> = Recycler::new(MiMalloc);

/// `mi_option_purge_delay`, which the bindings do not name.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;
/// Milliseconds until mimalloc gives memory back to the system that was freed. It comes on top of the blocks of batches, so
/// where less than [`LITTLE`] may be held there is no delay.
const PURGE_AFTER: c_long = 1000;
const LITTLE: usize = 200 << 20;

/// How long blocks wait for a scan to follow, when there is none. Fresh pages are a tenth of the time of a read.
const WAIT: Duration = Duration::from_secs(10);

/// When the blocks that wait for a scan are given back.
struct Waiting {
    /// None while there are scans, and once they are.
    until: Option<Instant>,
    /// Whether a thread looks after it.
    watched: bool,
    /// What may be kept.
    bytes: usize,
}

static WAITING: Mutex<Waiting> = Mutex::new(Waiting { until: None, watched: false, bytes: 0 });

// Nothing that panics runs under the lock.
fn waiting() -> MutexGuard<'static, Waiting> {
    WAITING.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// From now on the blocks of batches are kept for the next ones, as long as they and those in use are at most `bytes`. Where
/// that is none, as no scan is left, they wait a while for one that may follow: without them it would begin with fresh pages.
pub(crate) fn keep(bytes: usize) {
    let mut waiting = waiting();
    if bytes == 0 && waiting.bytes > 0 {
        waiting.until = Some(Instant::now() + WAIT);
        if !waiting.watched {
            let watcher = std::thread::Builder::new().name("lakefold-blocks".to_string());
            waiting.watched = watcher.spawn(watch).is_ok();
        }
        if waiting.watched {
            return;
        }
    }
    (waiting.until, waiting.bytes) = (None, bytes);
    keep_now(bytes);
}

/// Gives back what waits once its time is over, unless a scan comes first.
fn watch() {
    loop {
        let mut waiting = waiting();
        let left = waiting.until.map(|until| until.saturating_duration_since(Instant::now()));
        match left {
            Some(left) if left > Duration::ZERO => {
                drop(waiting);
                std::thread::sleep(left);
            }
            left => {
                if left.is_some() {
                    (waiting.until, waiting.bytes) = (None, 0);
                    keep_now(0);
                }
                waiting.watched = false;
                return;
            }
        }
    }
}

fn keep_now(bytes: usize) {
    if bytes > 0 && std::env::var_os("MIMALLOC_PURGE_DELAY").is_none() {
        let delay = if bytes < LITTLE { 0 } else { PURGE_AFTER };
        // SAFETY: the option exists in the version that Cargo.lock names; it is one number, read where memory is freed.
        unsafe {
            // What was freed before waits for the end of the delay of then, and what is freed now with it.
            if delay < libmimalloc_sys::mi_option_get(PURGE_DELAY) {
                libmimalloc_sys::mi_collect(true);
            }
            libmimalloc_sys::mi_option_set(PURGE_DELAY, delay);
        }
    }
    ALLOC.keep(bytes);
}

/// Bytes of blocks that are kept.
pub(crate) fn kept() -> usize {
    ALLOC.kept()
}
