use crate::{Recycler, class};
use proptest::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::HashMap;
use std::sync::Mutex;

/// The system's allocator, which remembers what it gave and refuses wrong layouts.
#[derive(Default)]
struct Strict(Mutex<HashMap<usize, Layout>>);

// SAFETY: all is left to `System`.
unsafe impl GlobalAlloc for Strict {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        let block = unsafe { System.alloc(layout) };
        assert!(self.0.lock().unwrap().insert(block as usize, layout).is_none());
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        assert_eq!(self.0.lock().unwrap().remove(&(block as usize)), Some(layout));
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(block, layout) };
    }
}

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).unwrap()
}

#[test]
fn a_class_is_at_most_an_eighth_larger_than_what_is_asked_for() {
    let mut last = 0;
    for size in (class::LEAST..=class::MOST).step_by(997).chain([class::LEAST, class::MOST]) {
        let (index, whole) = class::of(layout(size, 64)).unwrap();
        assert!(whole.size() >= size && whole.size() - size <= size / 8, "{size}: {}", whole.size());
        assert_eq!(class::layout(index), Some(whole));
        assert!(index < class::COUNT);
        last = last.max(index);
    }
    assert_eq!(last, class::COUNT - 1);
    for (size, align) in [(class::LEAST - 1, 64), (class::MOST + 1, 64), (class::LEAST, 4096)] {
        assert_eq!(class::of(layout(size, align)), None);
    }
}

#[test]
fn a_freed_block_is_given_again_and_the_oldest_leave_first() {
    let recycler = Recycler::new(Strict::default());
    recycler.keep(220 << 10);
    let one = layout(100 << 10, 64);
    // SAFETY: each block is freed once, with its layout.
    unsafe {
        let (a, b, c, d) = (recycler.alloc(one), recycler.alloc(one), recycler.alloc(one), recycler.alloc(one));
        for block in [a, b, c, d] {
            recycler.dealloc(block, one);
        }
        // 104 KiB each: two fit.
        assert_eq!(recycler.kept(), 208 << 10);
        assert_eq!(recycler.inner.0.lock().unwrap().len(), 2);
        assert_eq!(recycler.alloc(one), d);
        // What is in use leaves the less to wait.
        let big = recycler.alloc(layout(105 << 10, 64));
        assert_eq!(recycler.kept(), 0);
        recycler.dealloc(big, layout(105 << 10, 64));
        recycler.keep(400 << 10);
        let c = recycler.alloc(one);
        recycler.dealloc(c, one);
        let zeroed = recycler.alloc_zeroed(layout(101 << 10, 8));
        assert_eq!(zeroed, c);
        assert!(std::slice::from_raw_parts(zeroed, 101 << 10).iter().all(|byte| *byte == 0));
        assert_eq!(recycler.realloc(zeroed, layout(101 << 10, 8), 103 << 10), zeroed);
        recycler.dealloc(zeroed, layout(103 << 10, 8));
        recycler.dealloc(d, one);
    }
    recycler.keep(0);
    assert!(recycler.inner.0.lock().unwrap().is_empty());
}

proptest! {
    #[test]
    fn blocks_hold_their_bytes_and_all_come_back(
        steps in proptest::collection::vec((0_u8..4, 1_usize..400_000, 0_usize..64, 0_u32..9), 1..200),
        most in 0_usize..2_000_000,
    ) {
        let recycler = Recycler::new(Strict::default());
        recycler.keep(most);
        let mut live: Vec<(*mut u8, Layout, u8)> = Vec::new();
        let check = |block: *mut u8, size: usize, fill: u8| {
            // SAFETY: live blocks have their sizes.
            unsafe { std::slice::from_raw_parts(block, size) }.iter().all(|byte| *byte == fill)
        };
        for (n, (what, size, which, align)) in steps.into_iter().enumerate() {
            let fill = n as u8;
            match what {
                0 | 1 => {
                    let layout = layout(size, 1 << align);
                    // SAFETY: not empty.
                    let block = unsafe { if what == 0 { recycler.alloc(layout) } else { recycler.alloc_zeroed(layout) } };
                    prop_assert_eq!(block as usize % layout.align(), 0);
                    prop_assert!(what == 0 || check(block, size, 0));
                    // SAFETY: it has that size.
                    unsafe { block.write_bytes(fill, size) };
                    live.push((block, layout, fill));
                }
                _ if live.is_empty() => {}
                2 => {
                    let (block, old, fill) = live.swap_remove(which % live.len());
                    // SAFETY: live, with its layout.
                    let block = unsafe { recycler.realloc(block, old, size) };
                    prop_assert!(check(block, size.min(old.size()), fill));
                    // SAFETY: it has that size.
                    unsafe { block.write_bytes(fill, size) };
                    live.push((block, layout(size, old.align()), fill));
                }
                _ => {
                    let (block, layout, fill) = live.swap_remove(which % live.len());
                    prop_assert!(check(block, layout.size(), fill));
                    // SAFETY: live, with its layout.
                    unsafe { recycler.dealloc(block, layout) };
                }
            }
            let used: usize = live.iter().filter_map(|(_, layout, _)| Some(class::of(*layout)?.1.size())).sum();
            prop_assert!(recycler.kept() <= most.saturating_sub(used));
        }
        for (block, layout, fill) in live {
            prop_assert!(check(block, layout.size(), fill));
            // SAFETY: live, with its layout.
            unsafe { recycler.dealloc(block, layout) };
        }
        recycler.keep(0);
        prop_assert!(recycler.inner.0.lock().unwrap().is_empty());
    }
}
