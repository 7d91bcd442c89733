use crate::cursor::Cursor;
use std::cmp::Ordering;

/// A loser tree over the cursors of the runs: the smallest key wins, the earlier run among equals. After the winner
/// moved on, one path of comparisons finds the next.
pub(crate) struct Tournament {
    /// `nodes[0]` is the winner, the others hold the losers of their match.
    nodes: Vec<usize>,
}

const NOBODY: usize = usize::MAX;

fn beats(cursors: &[Cursor], a: usize, b: usize) -> bool {
    // Before the first round is over, nobody stands in for all that have not played: it wins, to pass through.
    if a == NOBODY || b == NOBODY {
        return a == NOBODY;
    }
    match (&cursors[a].batch, &cursors[b].batch) {
        (Some(x), Some(y)) => match x.keys.compare(cursors[a].row, &y.keys, cursors[b].row) {
            Ordering::Less => true,
            Ordering::Equal => a < b,
            Ordering::Greater => false,
        },
        (Some(_), None) => true,
        (None, Some(_)) => false,
        (None, None) => a < b,
    }
}

impl Tournament {
    pub(crate) fn new(cursors: &[Cursor]) -> Self {
        let mut tree = Self { nodes: vec![NOBODY; cursors.len().max(1)] };
        for run in (0..cursors.len()).rev() {
            tree.replay(cursors, run);
        }
        tree
    }

    /// The run with the smallest key, unless all are at their end.
    pub(crate) fn winner(&self, cursors: &[Cursor]) -> Option<usize> {
        let winner = self.nodes[0];
        (winner != NOBODY && cursors[winner].batch.is_some()).then_some(winner)
    }

    /// Plays the matches of a run that moved on.
    pub(crate) fn replay(&mut self, cursors: &[Cursor], run: usize) {
        let mut champion = run;
        let mut node = (run + cursors.len()) / 2;
        while node > 0 {
            if beats(cursors, self.nodes[node], champion) {
                std::mem::swap(&mut self.nodes[node], &mut champion);
            }
            node /= 2;
        }
        self.nodes[0] = champion;
    }
}
