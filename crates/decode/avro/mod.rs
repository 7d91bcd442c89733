//! Avro object container files to Arrow (Avro 1.12 spec; Iceberg spec, appendix A "Avro").

mod blocks;
mod builder;
mod codec;
mod input;
mod reader;
mod schema;

pub use reader::AvroFile;

#[cfg(test)]
mod tests;
