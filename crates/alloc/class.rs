use std::alloc::Layout;

/// The smallest block that is pooled.
pub(crate) const LEAST: usize = 1 << 16;
/// The largest block that is pooled.
pub(crate) const MOST: usize = 1 << 26;
/// Sizes for each doubling, so that a block is at most an eighth larger than what was asked for.
const STEPS: usize = 8;
/// Arrow asks for 64, or 128 on some machines.
const ALIGN: usize = 128;

/// The number of classes.
pub(crate) const COUNT: usize = (MOST / LEAST).ilog2() as usize * STEPS + 1;

/// The class that a layout is pooled in, and the layout of all its blocks; none if it is not pooled.
pub(crate) fn of(layout: Layout) -> Option<(usize, Layout)> {
    let size = layout.size();
    if !(LEAST..=MOST).contains(&size) || layout.align() > ALIGN {
        return None;
    }
    // Distance below the next size is counted from the last one that is smaller.
    let below = size - 1;
    let doubling = below.ilog2();
    let step = (1usize << doubling) / STEPS;
    let rounded = (below / step + 1) * step;
    Some((index(rounded), layout_of(rounded)?))
}

/// The layout of a class.
pub(crate) fn layout(class: usize) -> Option<Layout> {
    let base = LEAST << (class / STEPS);
    layout_of(base + base / STEPS * (class % STEPS))
}

fn index(rounded: usize) -> usize {
    let doubling = rounded.ilog2();
    let step = (1usize << doubling) / STEPS;
    (doubling - LEAST.ilog2()) as usize * STEPS + (rounded - (1 << doubling)) / step
}

fn layout_of(size: usize) -> Option<Layout> {
    Layout::from_size_align(size, ALIGN).ok()
}
