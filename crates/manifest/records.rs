use crate::blocks::Blocks;
use crate::columns::Columns;
use crate::cursor::Cursor;
use crate::{Program, RECORDS_BETWEEN_CHECKS, Source, check_size};
use lakefold_base::{Error, Result};
use std::borrow::Cow;

/// Decompressed records that have been passed over once, so that some of them can be decoded.
pub struct Records {
    file: String,
    blocks: Vec<Block>,
}

struct Block {
    data: Vec<u8>,
    /// Where each record begins.
    starts: Vec<u32>,
}

impl Records {
    /// Decodes what `program` keeps of all records, as [`crate::decode`] does, and holds on to the records.
    ///
    /// # Errors
    /// As [`crate::decode`]; the records that are held count as columns do.
    pub fn glance(source: &Source, program: &Program) -> Result<(Self, Vec<u8>)> {
        let mut columns = Columns::new(program);
        let mut blocks = Vec::new();
        let mut held = 0;
        for block in Blocks::open(source, program.min_bytes)? {
            let block = block?;
            let mut starts = Vec::with_capacity(block.count);
            let mut cursor = Cursor::new(&block.data, source.file);
            held += block.data.len() + 4 * block.count;
            for record in 0..block.count {
                // A block is smaller than 4 GiB.
                starts.push(cursor.position() as u32);
                columns.record(&mut cursor)?;
                if record % RECORDS_BETWEEN_CHECKS == 0 {
                    check_size(held + columns.bytes(), source.file)?;
                }
            }
            cursor.finish()?;
            blocks.push(Block { data: Cow::into_owned(block.data), starts });
        }
        let records = Records { file: source.file.to_string(), blocks };
        Ok((records, columns.finish(source.file)?))
    }

    /// Decodes the records at these places, which ascend.
    ///
    /// # Errors
    /// As [`crate::decode`]; `Internal` for a place that there is not.
    pub fn select(&self, places: &[u32], program: &Program) -> Result<Vec<u8>> {
        let mut columns = Columns::new(program);
        let mut places = places.iter().map(|&place| place as usize).peekable();
        let mut first = 0;
        for Block { data, starts } in &self.blocks {
            while let Some(place) = places.next_if(|place| (first..first + starts.len()).contains(place)) {
                let mut cursor = Cursor::new(data, &self.file);
                cursor.seek(starts[place - first] as usize);
                columns.record(&mut cursor)?;
            }
            check_size(columns.bytes(), &self.file)?;
            first += starts.len();
        }
        if let Some(place) = places.next() {
            return Err(Error::internal("a record that is not there, or out of order").with("place", place));
        }
        columns.finish(&self.file)
    }
}
