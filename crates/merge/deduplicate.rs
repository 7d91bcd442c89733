use lakefold_base::Result;

use crate::engine::{Engine, Entry};
use crate::output::Output;

/// The last row wins.
pub(crate) struct Deduplicate {
    /// Whether retractions are passed over.
    pub(crate) ignore_delete: bool,
}

impl Engine for Deduplicate {
    fn merge(&mut self, group: &[Entry], output: &mut Output) -> Result<()> {
        let last = group.iter().rev().find(|e| !(self.ignore_delete && e.retracts()));
        if let Some(last) = last {
            output.push(*last);
        }
        Ok(())
    }
}
