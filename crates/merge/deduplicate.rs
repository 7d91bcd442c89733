use lakefold_base::Result;

use crate::engine::{Engine, Entry};
use crate::output::Output;
use crate::windows::End;

/// The last row wins.
pub(crate) struct Deduplicate {
    /// Whether retractions are passed over.
    pub(crate) ignore_delete: bool,
}

impl Engine for Deduplicate {
    fn passes_on(&self, retracts: bool) -> Option<End> {
        (!(retracts && self.ignore_delete)).then_some(End::Newest)
    }

    fn merge(&mut self, group: &[Entry], output: &mut Output) -> Result<()> {
        let last = group.iter().rev().find(|e| !(self.ignore_delete && e.retracts()));
        if let Some(last) = last {
            output.push(*last);
        }
        Ok(())
    }
}
