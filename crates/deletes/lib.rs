//! lakefold-deletes
