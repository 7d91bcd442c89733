//! The process-wide table of decoded batches. A worker thread leaves a batch here and passes on a ticket;
//! the thread that reads it claims the ticket and gets the batch's own memory, which no one else holds.

mod account;
mod dictionaries;
mod flatten;
mod rebuild;
mod table;

pub use account::{Account, Stats, stats};
pub use flatten::Node;
pub use table::{
    Claimed, Lease, Receipt, Slot, claim, claim_dictionary, discard, discard_all, put, settle_dictionaries, take_batch,
};

#[cfg(test)]
mod tests;
