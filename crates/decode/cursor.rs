use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use parquet::arrow::arrow_reader::RowSelection;
use std::collections::VecDeque;
use std::ops::Range;

use crate::work::Ordinals;

/// Fewer unwanted rows in a row than this are decoded and left out afterwards: to stop and start again costs more.
const GAP: usize = 32;

/// Walks along the rows of a group that are decoded: those that a mask wants and short gaps between them.
pub(crate) struct Cursor {
    first: u64,
    rows: usize,
    mask: Option<BooleanBuffer>,
    /// What is decoded and not yet taken, in order.
    left: VecDeque<Range<usize>>,
}

/// Rows that were decoded together.
pub(crate) struct Taken {
    first: u64,
    rows: usize,
    ranges: Vec<Range<usize>>,
    keep: Option<BooleanBuffer>,
}

impl Cursor {
    /// Over a group of `rows`, the first of which has the ordinal `first` in the file.
    pub(crate) fn new(first: u64, rows: usize, mask: Option<BooleanBuffer>) -> Self {
        let mut left: VecDeque<Range<usize>> = VecDeque::new();
        match &mask {
            None => left.push_back(0..rows),
            Some(mask) => {
                for (start, end) in mask.set_slices() {
                    match left.back_mut() {
                        Some(last) if start - last.end < GAP => last.end = end,
                        _ => left.push_back(start..end),
                    }
                }
            }
        }
        Self { first, rows, mask, left }
    }

    /// The rows to decode as parquet wants them; none if that is all.
    pub(crate) fn selection(&self) -> Option<RowSelection> {
        let all = self.left.iter().map(|range| range.len()).sum::<usize>() == self.rows;
        (!all).then(|| RowSelection::from_consecutive_ranges(self.left.iter().cloned(), self.rows))
    }

    /// Whether the rows to decode follow each other without a gap.
    pub(crate) fn is_one_range(&self) -> bool {
        self.left.len() <= 1
    }

    /// Steps over the next rows.
    pub(crate) fn take(&mut self, rows: usize) -> Taken {
        let mut ranges = Vec::new();
        let mut missing = rows;
        while missing > 0 {
            let Some(next) = self.left.front_mut() else { break };
            let count = next.len().min(missing);
            ranges.push(next.start..next.start + count);
            next.start += count;
            missing -= count;
            if next.start == next.end {
                self.left.pop_front();
            }
        }
        let keep = self.mask.as_ref().map(|mask| match ranges.as_slice() {
            [one] => mask.slice(one.start, one.len()),
            many => {
                let mut keep = BooleanBufferBuilder::new(rows);
                many.iter().for_each(|range| keep.append_buffer(&mask.slice(range.start, range.len())));
                keep.finish()
            }
        });
        Taken { first: self.first, rows, ranges, keep: keep.filter(|keep| keep.count_set_bits() < rows) }
    }
}

impl Taken {
    /// Which of the rows are wanted; none if all are.
    pub(crate) fn keep(&self) -> Option<&BooleanBuffer> {
        self.keep.as_ref()
    }

    /// Where the rows are in their file.
    pub(crate) fn ordinals(&self, wanted: bool) -> Ordinals {
        match self.ranges.as_slice() {
            [one] => Ordinals::From(self.first + one.start as u64, self.rows),
            _ if !wanted => Ordinals::Unknown(self.rows),
            many => Ordinals::Listed(many.iter().cloned().flatten().map(|row| self.first + row as u64).collect()),
        }
    }

    /// Adds a bit for each row of the group up to the last of these: that of `keep`, or unset for a row that was not
    /// decoded.
    pub(crate) fn scatter(&self, keep: &BooleanBuffer, into: &mut BooleanBufferBuilder) {
        let mut at = 0;
        for range in &self.ranges {
            into.append_n(range.start - into.len(), false);
            into.append_buffer(&keep.slice(at, range.len()));
            at += range.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers(ordinals: &Ordinals) -> Vec<u64> {
        match ordinals {
            Ordinals::From(first, rows) => (*first..).take(*rows).collect(),
            Ordinals::Listed(list) => list.clone(),
            Ordinals::Unknown(_) => panic!("ordinals were asked for"),
        }
    }

    proptest! {
        #[test]
        fn what_is_taken_and_kept_is_what_the_mask_wants(
            runs in proptest::collection::vec((0_usize..100, 1_usize..100), 1..8),
            steps in proptest::collection::vec(1_usize..90, 1..40),
            first in 0_u64..1000,
        ) {
            let mut bits = BooleanBufferBuilder::new(0);
            for (unset, set) in runs {
                bits.append_n(unset, false);
                bits.append_n(set, true);
            }
            let mask = bits.finish();
            let mut cursor = Cursor::new(first, mask.len(), Some(mask.clone()));
            let decoded = cursor.selection().map_or(mask.len(), |selection| selection.row_count());
            let mut found = Vec::new();
            let mut again = BooleanBufferBuilder::new(0);
            let mut at = 0;
            for step in steps.into_iter().chain([usize::MAX]) {
                let rows = step.min(decoded - at);
                at += rows;
                let taken = cursor.take(rows);
                let all = numbers(&taken.ordinals(true));
                prop_assert_eq!(all.len(), rows);
                let keep = taken.keep().cloned().unwrap_or_else(|| BooleanBuffer::new_set(rows));
                found.extend(keep.set_indices().map(|row| all[row]));
                taken.scatter(&keep, &mut again);
            }
            let wanted: Vec<u64> = mask.set_indices().map(|row| first + row as u64).collect();
            prop_assert_eq!(found, wanted);
            prop_assert_eq!(again.finish(), mask.slice(0, mask.set_indices().last().unwrap() + 1));
        }
    }

    #[test]
    fn only_long_gaps_are_skipped() {
        let selected = |gap: usize| {
            let mask = BooleanBuffer::collect_bool(200, |row| row < 50 || row >= 50 + gap);
            Cursor::new(0, 200, Some(mask)).selection().map(|selection| selection.row_count())
        };
        assert_eq!((selected(GAP - 1), selected(GAP)), (None, Some(200 - GAP)));
    }
}
