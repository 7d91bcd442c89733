//! ORC files to Arrow (ORC v1 spec; Iceberg spec, appendix A "ORC"), on orc-rust.
//!
//! orc-rust trusts lengths, type trees and dictionary sizes. So the tail, the stripe footers and the compressed
//! chunks are read and checked here, and orc-rust gets each stripe as a small file in memory: not compressed,
//! with the wanted columns only, nested ones too.

mod codec;
mod convert;
mod lengths;
mod local_instants;
mod reader;
mod stripe;
mod tail;
mod types;

pub use reader::OrcFile;

#[cfg(test)]
mod tests;
