//! lakefold-ledger
