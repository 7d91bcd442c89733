//! An allocator that keeps big blocks for the next batch.
//!
//! Batches come and go at a few megabytes each, in the same sizes again and again. A general allocator either gives such
//! memory back to the system at once, and every batch pays for fresh pages (a fifth of the time of a read), or keeps
//! it for a while, and the process holds much more than the batches that live. Here freed blocks wait in a pool by size,
//! and those in use and those that wait are together no more than a number of bytes, where that is possible: as batches
//! pile up the pool empties, the oldest blocks first, and as they are handed out it fills.

mod class;
mod pool;

use pool::Pool;
use std::alloc::{GlobalAlloc, Layout};
use std::sync::{Mutex, MutexGuard};

/// Blocks of [`class::LEAST`] to [`class::MOST`] bytes from a pool over another allocator; all others are its own.
pub struct Recycler<A> {
    inner: A,
    pool: Mutex<Pool>,
}

impl<A: GlobalAlloc> Recycler<A> {
    /// An allocator over `inner` that keeps nothing until [`keep`](Self::keep) says how much.
    pub const fn new(inner: A) -> Self {
        Self { inner, pool: Mutex::new(Pool::new()) }
    }

    /// From now on keeps freed blocks as long as they and those in use are at most `bytes`.
    pub fn keep(&self, bytes: usize) {
        self.pool().most = bytes;
        self.shrink();
    }

    /// Bytes of freed blocks that are kept.
    pub fn kept(&self) -> usize {
        self.pool().bytes()
    }

    // The pool is whole whenever its lock is free: nothing in it panics.
    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// A new block, which is not in use if there was no memory for it.
    fn noted(&self, class: usize, block: *mut u8) -> *mut u8 {
        if block.is_null() {
            self.pool().untake(class);
        }
        block
    }

    /// Gives back what is more than may be kept.
    fn shrink(&self) {
        loop {
            let oldest = self.pool().take_surplus();
            let Some((block, layout)) = oldest else { return };
            // SAFETY: blocks come from `inner` with the layout of their class; nobody else has this one.
            unsafe { self.inner.dealloc(block, layout) };
        }
    }
}

// SAFETY: a block is in use or in the pool, never both; whether a layout is pooled depends on the layout alone, so a block
// goes back where it came from, with the layout that it was allocated by.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Recycler<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some((class, whole)) = class::of(layout) else {
            // SAFETY: the caller's promise.
            return unsafe { self.inner.alloc(layout) };
        };
        let kept = self.pool().take(class);
        kept.unwrap_or_else(|| {
            self.shrink();
            // SAFETY: the layout of a class is not empty.
            self.noted(class, unsafe { self.inner.alloc(whole) })
        })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let Some((class, whole)) = class::of(layout) else {
            // SAFETY: the caller's promise.
            return unsafe { self.inner.alloc_zeroed(layout) };
        };
        let kept = self.pool().take(class);
        match kept {
            Some(block) => {
                // SAFETY: the block has at least that many bytes.
                unsafe { block.write_bytes(0, layout.size()) };
                block
            }
            None => {
                self.shrink();
                // SAFETY: the layout of a class is not empty.
                self.noted(class, unsafe { self.inner.alloc_zeroed(whole) })
            }
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let Some((class, _)) = class::of(layout) else {
            // SAFETY: the caller's promise; blocks of such layouts are not pooled.
            return unsafe { self.inner.dealloc(block, layout) };
        };
        // SAFETY: the block has the class of its layout, and the caller gives it up.
        unsafe { self.pool().put(class, block) };
        self.shrink();
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises that `size`, rounded up to the alignment, is a valid size.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (class::of(layout), class::of(wanted)) {
            // SAFETY: the caller's promise; neither is pooled.
            (None, None) => return unsafe { self.inner.realloc(block, layout, size) },
            (Some((old, _)), Some((new, _))) if old == new => return block,
            _ => {}
        }
        // SAFETY: the caller's promise; the blocks do not overlap and have the bytes of the smaller of both.
        unsafe {
            let grown = self.alloc(wanted);
            if !grown.is_null() {
                std::ptr::copy_nonoverlapping(block, grown, layout.size().min(size));
                self.dealloc(block, layout);
            }
            grown
        }
    }
}

#[cfg(test)]
mod tests;
