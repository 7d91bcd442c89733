//! Merging where one row of each key is passed on as it stands, its age is that of its run, and heads are whole keys: then
//! runs are merged a window at a time, two and two, without a jump that depends on a key.

use std::hint::select_unpredictable;

use crate::cursor::Cursor;

/// Rows in a window, of all runs together: what is merged stays in the processor's caches.
const ROWS: usize = 16 << 10;

/// Which row of a key is passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Oldest,
    Newest,
}

/// A row of the batch that a run is at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) head: u64,
    pub(crate) run: u32,
    pub(crate) row: u32,
}

/// The rows of a window that are left of each key.
pub(crate) struct Windows {
    end: End,
    /// Lists of rows, each in the order of heads; two become one until one is left.
    lists: Vec<Vec<Place>>,
    /// Lists that are done with.
    spare: Vec<Vec<Place>>,
    /// How many rows of the last list have been taken.
    taken: usize,
}

impl Windows {
    pub(crate) fn new(end: End) -> Self {
        Self { end, lists: Vec::new(), spare: Vec::new(), taken: 0 }
    }

    /// The next rows of the window but the last, at most `most`.
    pub(crate) fn take(&mut self, most: usize) -> &[Place] {
        let rows = self.lists.first().map_or(&[][..], |list| &list[self.taken..list.len().saturating_sub(1)]);
        let rows = &rows[..rows.len().min(most)];
        self.taken += rows.len();
        rows
    }

    /// The last row, once the others have been taken: a run that ended with it may have that key in its next batch again.
    pub(crate) fn take_last(&mut self) -> Option<Place> {
        let list = self.lists.pop()?;
        let last = list.last().copied();
        self.spare.push(list);
        self.taken = 0;
        last
    }

    /// Which row of a key is passed on.
    pub(crate) fn end(&self) -> End {
        self.end
    }

    /// Merges the next window, when the last one was taken, and moves the runs beyond it. No run is at the end of its batch, and those come from the
    /// oldest to the newest.
    pub(crate) fn merge(&mut self, cursors: &mut [Cursor]) {
        let most = (ROWS / cursors.len().max(1)).max(1);
        // Keys up to the last one that each run has to offer: whoever ends there, others may be beyond it already.
        let last = |cursor: &Cursor| {
            let heads = cursor.heads();
            heads.get(most - 1).or(heads.last()).copied()
        };
        let Some(bound) = cursors.iter().filter_map(last).min() else { return };
        for (run, cursor) in (0..).zip(cursors) {
            let heads = cursor.heads();
            let heads = &heads[..heads.len().min(most)];
            let count = heads.partition_point(|head| *head <= bound);
            if count > 0 {
                let mut list = self.spare.pop().unwrap_or_default();
                list.clear();
                let rows = cursor.row as u32..;
                list.extend(heads[..count].iter().zip(rows).map(|(head, row)| Place { head: *head, run, row }));
                self.lists.push(list);
                cursor.row += count;
            }
        }
        while self.lists.len() > 1 {
            let mut lists = std::mem::take(&mut self.lists).into_iter();
            while let Some(older) = lists.next() {
                let Some(newer) = lists.next() else {
                    self.lists.push(older);
                    break;
                };
                let mut both = self.spare.pop().unwrap_or_default();
                pair(&older, &newer, self.end, &mut both);
                self.lists.push(both);
                self.spare.extend([older, newer]);
            }
        }
    }
}

/// Makes `both` of two lists; of a head that is in both it has one.
fn pair(older: &[Place], newer: &[Place], end: End, both: &mut Vec<Place>) {
    both.clear();
    both.reserve(older.len() + newer.len());
    let (mut a, mut b) = (0, 0);
    let mut places = both.spare_capacity_mut().iter_mut();
    let room = places.len();
    while let (Some(old), Some(new)) = (older.get(a), newer.get(b)) {
        // Which comes first cannot be foreseen: moves, not jumps.
        let (old_is_due, new_is_due) = (old.head <= new.head, new.head <= old.head);
        let takes_new = if end == End::Newest { new_is_due } else { !old_is_due };
        let Some(place) = places.next() else { break };
        place.write(*select_unpredictable(takes_new, new, old));
        a += usize::from(old_is_due);
        b += usize::from(new_is_due);
    }
    let length = room - places.len();
    // SAFETY: so many places from the first on have been written.
    unsafe { both.set_len(length) };
    both.extend_from_slice(&older[a..]);
    both.extend_from_slice(&newer[b..]);
}
