use lakefold_base::Result;
use lakefold_task::Engine as Wanted;

use crate::aggregation::Aggregation;
use crate::deduplicate::Deduplicate;
use crate::first_row::FirstRow;
use crate::kind;
use crate::output::Output;
use crate::partial_update::PartialUpdate;
use crate::spec::Spec;
use crate::windows::End;

/// A row of a batch that the output holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) slot: u32,
    pub(crate) row: u32,
    pub(crate) kind: i8,
    /// The sequence number, or that of the run, oldest first.
    pub(crate) number: i64,
}

impl Entry {
    pub(crate) fn retracts(&self) -> bool {
        kind::retracts(self.kind)
    }
}

/// A merge engine: how the rows of one key become one.
pub(crate) trait Engine: Send {
    /// Which row of a key is passed on as it stands, if its age alone decides; `retracts` tells whether there may be
    /// retractions.
    fn passes_on(&self, _retracts: bool) -> Option<End> {
        None
    }
    /// Whether columns of a result come from different rows.
    fn by_column(&self) -> bool {
        false
    }
    /// Merges at least two rows of a key, in merge order, and adds the result, if there is one, to the output.
    fn merge(&mut self, group: &[Entry], output: &mut Output) -> Result<()>;
}

/// The engine that a task asks for. Unknown functions and contradicting options are errors that name them.
pub(crate) fn engine(spec: &Spec) -> Result<Box<dyn Engine>> {
    Ok(match &spec.engine {
        Wanted::Deduplicate { ignore_delete } => Box::new(Deduplicate { ignore_delete: *ignore_delete }),
        Wanted::FirstRow { ignore_delete } => Box::new(FirstRow { ignore_delete: *ignore_delete }),
        Wanted::PartialUpdate { .. } => Box::new(PartialUpdate::new(spec)?),
        Wanted::Aggregation { .. } => Box::new(Aggregation::new(spec)?),
    })
}
