//! Avro object container files to Arrow (Avro 1.12 spec; Iceberg spec, appendix A "Avro").

mod arrays;
mod blocks;
mod builder;
mod codec;
mod column;
mod input;
mod reader;
mod schema;
mod skip;

pub use reader::AvroFile;

#[cfg(test)]
mod tests;
