use crate::cursor::Cursor;

/// A loser tree over the cursors of the runs: the smallest key wins, the earlier run among equals. After the winner
/// moved on, one path of comparisons finds the next.
pub(crate) struct Tournament {
    /// `nodes[0]` is the winner, the others hold the losers of their match.
    nodes: Vec<Rank>,
    /// Whether ranks alone decide about keys.
    whole: bool,
}

/// Where a run stands, as a number that sorts: its state, the head of its key, the run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank(u128);

/// Before the first round is over, it stands in for all that have not played: it wins, to pass through.
const NOBODY: Rank = Rank(0);
const PLAYS: u128 = 1 << 96;
const ENDED: u128 = 2 << 96;

impl Rank {
    fn of(cursors: &[Cursor], run: usize) -> Self {
        let state = match &cursors[run].batch {
            Some(batch) => PLAYS | u128::from(batch.heads[cursors[run].row]) << 32,
            None => ENDED,
        };
        Self(state | run as u128)
    }

    /// The run.
    pub(crate) fn run(self) -> usize {
        self.0 as u32 as usize
    }

    /// Whether the heads of two keys are the same.
    pub(crate) fn ties(self, other: Self) -> bool {
        self.0 >> 32 == other.0 >> 32
    }

    fn plays(self) -> bool {
        self.0 & (PLAYS | ENDED) == PLAYS
    }
}

/// Whether `a` comes first, where heads may not tell.
fn beats(cursors: &[Cursor], a: Rank, b: Rank) -> bool {
    if a.ties(b)
        && let (Some(x), Some(y)) = (&cursors[a.run()].batch, &cursors[b.run()].batch)
    {
        return x.keys.compare(cursors[a.run()].row, &y.keys, cursors[b.run()].row).then(a.cmp(&b)).is_lt();
    }
    a < b
}

impl Tournament {
    pub(crate) fn new(cursors: &[Cursor]) -> Self {
        let whole = cursors.iter().filter_map(|c| c.batch.as_ref()).all(|batch| batch.keys.whole_in_head());
        let mut tree = Self { nodes: vec![NOBODY; cursors.len().max(1)], whole };
        for run in (0..cursors.len()).rev() {
            tree.replay(cursors, run);
        }
        tree
    }

    /// The run with the smallest key, unless all are at their end.
    pub(crate) fn winner(&self) -> Option<Rank> {
        self.nodes.first().copied().filter(|winner| winner.plays())
    }

    /// Whether heads alone tell keys apart.
    pub(crate) fn whole(&self) -> bool {
        self.whole
    }

    /// Plays the matches of a run that moved on.
    pub(crate) fn replay(&mut self, cursors: &[Cursor], run: usize) {
        let mut champion = Rank::of(cursors, run);
        let mut node = (run + cursors.len()) / 2;
        while node > 0 {
            let other = self.nodes[node];
            let stays = if self.whole { other > champion } else { beats(cursors, champion, other) };
            // Who wins cannot be foreseen: moves, not jumps.
            self.nodes[node] = if stays { other } else { champion };
            champion = if stays { champion } else { other };
            node /= 2;
        }
        self.nodes[0] = champion;
    }
}
