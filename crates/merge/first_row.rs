use lakefold_base::{Error, Result};

use crate::engine::{Engine, Entry};
use crate::output::Output;
use crate::windows::End;

/// The first row wins.
pub(crate) struct FirstRow {
    /// Whether retractions are passed over; else they are an error.
    pub(crate) ignore_delete: bool,
}

impl Engine for FirstRow {
    fn passes_on(&self, retracts: bool) -> Option<End> {
        (!retracts).then_some(End::Oldest)
    }

    fn merge(&mut self, group: &[Entry], output: &mut Output) -> Result<()> {
        if !self.ignore_delete && group.iter().any(Entry::retracts) {
            return Err(Error::corrupt("the first-row merge engine takes no -U and -D rows without ignore-delete"));
        }
        if let Some(first) = group.iter().find(|e| !e.retracts()) {
            output.push(*first);
        }
        Ok(())
    }
}
