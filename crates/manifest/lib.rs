//! The records of an Avro manifest as columns in one flat buffer, for a planner that looks at few of them.
//!
//! The planner reads the file's header and compiles the writer's schema to a [`Program`]: what to keep of a record, and how to pass
//! over the rest. Here the blocks are decompressed and run through it. No length or count in the file makes this allocate more than
//! a constant times the bytes that are there, and both are bounded ([`MAX_BLOCK_BYTES`], [`MAX_COLUMN_BYTES`]).

mod blocks;
mod columns;
mod cursor;
mod program;
mod records;
#[cfg(test)]
mod tests;

pub use program::{Blob, Op, Pairs, Program, Skip};
pub use records::Records;

use blocks::Blocks;
use columns::Columns;
use cursor::Cursor;
use lakefold_base::{Code, Error, Result};

/// Most bytes that one block may decompress to.
pub const MAX_BLOCK_BYTES: usize = 256 << 20;
/// Most bytes that the columns of a manifest may take.
pub const MAX_COLUMN_BYTES: usize = 1 << 30;

/// How many records are decoded between two looks at the memory that they take.
const RECORDS_BETWEEN_CHECKS: usize = 1024;

/// Blocks of a manifest, all or some that follow each other, and what the header says of them.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The blocks.
    pub blocks: &'a [u8],
    /// Where in the file they begin, for errors.
    pub offset: usize,
    /// What errors call the file.
    pub file: &'a str,
    /// The codec by its name in the header.
    pub codec: &'a str,
    /// The header's sync marker.
    pub sync: &'a [u8],
}

/// Decodes all records to columns.
///
/// The buffer begins with little-endian u32: the number of records, the number of segments, and for each segment its offset and its
/// length in bytes. Segments are aligned to 8 bytes and come in the order of the program's ops; see [`Op`] for those of each.
///
/// # Errors
/// `CorruptFile` naming the file and position for bytes that are no such records, `Unsupported` for an unknown codec,
/// `LimitExceeded` for a block or columns beyond the limits.
pub fn decode(source: &Source, program: &Program) -> Result<Vec<u8>> {
    let mut columns = Columns::new(program);
    for block in Blocks::open(source, program.min_bytes)? {
        let block = block?;
        let mut cursor = Cursor::new(&block.data, source.file);
        for record in 0..block.count {
            columns.record(&mut cursor)?;
            if record % RECORDS_BETWEEN_CHECKS == 0 {
                check_size(columns.bytes(), source.file)?;
            }
        }
        cursor.finish()?;
    }
    columns.finish(source.file)
}

/// Refuses what takes more bytes than the limit.
fn check_size(bytes: usize, file: &str) -> Result<()> {
    if bytes <= MAX_COLUMN_BYTES {
        return Ok(());
    }
    let text = format!("{file}: its entries take more than {MAX_COLUMN_BYTES} bytes");
    Err(Error::new(Code::LimitExceeded, text).with("file", file).with("limit", MAX_COLUMN_BYTES))
}
