//! How much memory the allocator keeps beyond what is in use.

use lakefold_alloc::Recycler;
use mimalloc::MiMalloc;

#[global_allocator]
static ALLOC: Recycler<MiMalloc> = Recycler::new(MiMalloc);

/// `mi_option_purge_delay`, which the bindings do not name.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;
/// After how many milliseconds mimalloc gives memory back to the system: as it is set, a second, or at once where little
/// may be held. That costs a read up to a quarter of its time, so it is left to those who ask for it.
const PURGE_AFTER: [std::ffi::c_long; 2] = [1000, 0];
/// A scan with the default limit of two threads may decode 232 MiB.
const LITTLE: usize = 200 << 20;

/// From now on the blocks of batches are kept for the next ones, as long as they and those in use are at most `bytes`.
pub(crate) fn keep(bytes: usize) {
    if bytes > 0 && std::env::var_os("MIMALLOC_PURGE_DELAY").is_none() {
        let delay = PURGE_AFTER[usize::from(bytes < LITTLE)];
        // SAFETY: the option exists in the version that Cargo.lock names; it is one number, read where memory is freed.
        unsafe { libmimalloc_sys::mi_option_set(PURGE_DELAY, delay) };
    }
    ALLOC.keep(bytes);
}
