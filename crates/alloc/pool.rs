use std::alloc::Layout;
use std::ptr::{NonNull, null_mut};

use crate::class;

/// Lies at the beginning of each block that waits: its neighbours by age and in its class.
struct Waiting {
    class: usize,
    older: *mut Waiting,
    newer: *mut Waiting,
    below: *mut Waiting,
    above: *mut Waiting,
}

/// Freed blocks: a stack for each class, and all of them by age.
pub(crate) struct Pool {
    /// How many bytes may be in use and wait, together.
    pub most: usize,
    /// Bytes in use.
    used: usize,
    /// Bytes that wait.
    bytes: usize,
    tops: [*mut Waiting; class::COUNT],
    oldest: *mut Waiting,
    newest: *mut Waiting,
}

// SAFETY: the blocks belong to the pool alone, whichever thread uses it.
unsafe impl Send for Pool {}

impl Pool {
    pub(crate) const fn new() -> Self {
        Self { most: 0, used: 0, bytes: 0, tops: [null_mut(); class::COUNT], oldest: null_mut(), newest: null_mut() }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes a block in.
    ///
    /// # Safety
    /// The block has the layout of the class, and nobody uses it any more.
    pub(crate) unsafe fn put(&mut self, class: usize, block: *mut u8) {
        let waiting = block.cast::<Waiting>();
        // SAFETY: blocks are larger than a `Waiting` and aligned for more; the pointers in the pool are of blocks in it.
        unsafe {
            let below = self.tops[class];
            waiting.write(Waiting { class, older: self.newest, newer: null_mut(), below, above: null_mut() });
            if let Some(below) = below.as_mut() {
                below.above = waiting;
            }
            match self.newest.as_mut() {
                Some(newest) => newest.newer = waiting,
                None => self.oldest = waiting,
            }
        }
        self.tops[class] = waiting;
        self.newest = waiting;
        self.bytes += size(class);
        self.untake(class);
    }

    /// The block of a class that was freed last; if there is none, the caller gets one elsewhere. It is in use then.
    pub(crate) fn take(&mut self, class: usize) -> Option<*mut u8> {
        self.used += size(class);
        NonNull::new(self.tops[class]).map(|block| self.remove(block))
    }

    /// Takes it back that a block of a class is in use.
    pub(crate) fn untake(&mut self, class: usize) {
        self.used = self.used.saturating_sub(size(class));
    }

    /// The oldest block, if there are too many bytes.
    pub(crate) fn take_surplus(&mut self) -> Option<(*mut u8, Layout)> {
        if self.bytes == 0 || self.used + self.bytes <= self.most {
            return None;
        }
        let oldest = NonNull::new(self.oldest)?;
        // SAFETY: it is in the pool.
        let layout = class::layout(unsafe { oldest.as_ref() }.class)?;
        Some((self.remove(oldest), layout))
    }

    fn remove(&mut self, block: NonNull<Waiting>) -> *mut u8 {
        // SAFETY: the block and its neighbours are in the pool.
        unsafe {
            let Waiting { class, older, newer, below, above } = block.read();
            match older.as_mut() {
                Some(older) => older.newer = newer,
                None => self.oldest = newer,
            }
            match newer.as_mut() {
                Some(newer) => newer.older = older,
                None => self.newest = older,
            }
            if let Some(below) = below.as_mut() {
                below.above = above;
            }
            match above.as_mut() {
                Some(above) => above.below = below,
                None => self.tops[class] = below,
            }
            self.bytes -= size(class);
        }
        block.as_ptr().cast()
    }
}

fn size(class: usize) -> usize {
    class::layout(class).map_or(0, |layout| layout.size())
}
