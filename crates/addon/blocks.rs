//! How much memory the allocator keeps beyond what is in use.

use lakefold_alloc::Recycler;
use mimalloc::MiMalloc;

#[global_allocator]
static ALLOC: Recycler<MiMalloc> = Recycler::new(MiMalloc);

/// `mi_option_purge_delay`, which the bindings do not name.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;
/// After how many milliseconds mimalloc gives memory back to the system, by the bytes that may be held: the sooner, the
/// more pages are faulted in again. As it is set, a second.
const PURGE_AFTER: [(usize, std::ffi::c_long); 3] = [(64 << 20, 10), (200 << 20, 100), (usize::MAX, 1000)];

/// From now on the blocks of batches are kept for the next ones, as long as they and those in use are at most `bytes`.
pub(crate) fn keep(bytes: usize) {
    if bytes > 0 && std::env::var_os("MIMALLOC_PURGE_DELAY").is_none() {
        let delay = PURGE_AFTER.iter().find(|(most, _)| bytes <= *most).map_or(1000, |(_, delay)| *delay);
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
