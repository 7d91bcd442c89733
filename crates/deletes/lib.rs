//! Which rows live: deletion vectors, position deletes and equality deletes, as sets that can be asked.
//!
//! Pure: bytes and Arrow arrays go in, sets and masks come out; no file is opened here.

mod equality;
mod iceberg_dv;
mod keys;
mod paimon_dv;
mod positions;
mod puffin;
mod roaring32;
mod row_hash;

pub use equality::{EqualityGroup, EqualityIndex};
pub use iceberg_dv::{DvSource, read_dv};
pub use paimon_dv::read_paimon_dv;
pub use positions::PositionCollector;
pub use puffin::{Blob, Footer, footer_range, read_footer};
pub use roaring::RoaringTreemap;

#[cfg(test)]
mod tests;
