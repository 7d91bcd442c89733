//! How much memory the allocator keeps beyond what is in use.

use lakefold_alloc::Recycler;
use mimalloc::MiMalloc;
use std::sync::Once;

#[global_allocator]
static ALLOC: Recycler<MiMalloc> = Recycler::new(MiMalloc);

/// `mi_option_purge_delay`, which the bindings do not name.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;
/// Mimalloc gives memory back to the system after this time, not after a second as it is set: what batches leave for
/// each other is in the pool.
const PURGE_AFTER_MS: std::ffi::c_long = 10;

static SET: Once = Once::new();

/// From now on the blocks of batches are kept for the next ones, as long as they and those in use are at most `bytes`.
pub(crate) fn keep(bytes: usize) {
    SET.call_once(|| {
        if std::env::var_os("MIMALLOC_PURGE_DELAY").is_none() {
            // SAFETY: the option exists in the version that Cargo.lock names, and once is not twice at the same time.
            unsafe { libmimalloc_sys::mi_option_set(PURGE_DELAY, PURGE_AFTER_MS) };
        }
    });
    ALLOC.keep(bytes);
}
