use super::blocks::{Block, Blocks, Header, SYNC, read_header};
use super::builder::{Record, width};
use super::input::Input;
use super::schema::{Kind, Node, Presence, arrow_fields, parse, values};
use crate::source::{DataFileReader, RawBatch, RawBatches, ReadRequest};
use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Fields, Schema, SchemaRef};
use lakefold_base::{COUNTERS, Error, Result};
use lakefold_store::Source;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// An open Avro file.
pub struct AvroFile {
    source: Arc<dyn Source>,
    header: Header,
    root: Arc<Node>,
    schema: SchemaRef,
}

impl AvroFile {
    /// Reads the header and its schema. Codecs: null, deflate, snappy, zstandard, bzip2; others are `Unsupported`.
    pub fn open(source: Arc<dyn Source>) -> Result<Self> {
        let open = || {
            let header = read_header(&source)?;
            let root = parse(&header.schema)?;
            let no_records = || Error::unsupported("an Avro file whose rows are no records");
            // Some writers let whole rows be null in the schema, though none is.
            let (rows, _) = values(&root).ok_or_else(no_records)?;
            let Kind::Record(fields) = &rows.kind else { return Err(no_records()) };
            let schema = Arc::new(Schema::new(arrow_fields(fields)));
            Ok((header, root, schema))
        };
        let (header, root, schema) = open().map_err(|e| e.in_file(source.location()))?;
        Ok(AvroFile { source, header, root, schema })
    }
}

impl DataFileReader for AvroFile {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// A block belongs to the range in which the sync marker before it begins, as in Avro's own splits.
    fn read(self: Box<Self>, request: ReadRequest) -> Result<Box<dyn RawBatches>> {
        let Some((rows, presence)) = values(&self.root) else { return Err(Error::internal("not a record")) };
        let Kind::Record(fields) = &rows.kind else { return Err(Error::internal("not a record")) };
        let wanted = Fields::from(request.fields.clone());
        let record = Record::new(fields, &wanted).map_err(|e| e.in_file(self.source.location()))?;
        let blocks = Blocks::new(self.source.clone(), &self.header);
        let width = width(&wanted);
        let schema = Arc::new(Schema::new(wanted));
        let min_size = self.root.min_size;
        Ok(Box::new(Rows {
            source: self.source,
            blocks,
            presence,
            record,
            schema,
            min_size,
            width,
            request,
            current: None,
            row: 0,
        }))
    }
}

struct Rows {
    source: Arc<dyn Source>,
    blocks: Blocks,
    presence: Presence,
    record: Record,
    schema: SchemaRef,
    /// Fewest bytes that a row takes.
    min_size: usize,
    /// See [`width`].
    width: usize,
    request: ReadRequest,
    current: Option<Open>,
    /// Ordinal of the next row.
    row: u64,
}

/// A block being read.
struct Open {
    bytes: Vec<u8>,
    at: usize,
    rows: u64,
    start: u64,
}

/// Reads one row; a row that is null is `CorruptFile`.
fn row(record: &mut Record, presence: Presence, input: &mut Input<'_>) -> Result<()> {
    if let Presence::Branches(value, _) = presence {
        let branch = input.long()?;
        if branch != value {
            return Err(Error::corrupt(format!("a row of union branch {branch}")));
        }
    }
    record.read(input)
}

impl Rows {
    /// The next block of the range; earlier ones only count.
    fn next_block(&mut self) -> Result<Option<Open>> {
        let start = self.request.start;
        let end = start.saturating_add(self.request.length);
        loop {
            self.request.context.check()?;
            let marker = self.blocks.position() - SYNC;
            if marker >= end {
                return Ok(None);
            }
            let wanted = marker >= start;
            let Some(block) = self.blocks.next(wanted)? else { return Ok(None) };
            if wanted {
                return self.open(block).map(Some);
            }
            self.row = self.row.checked_add(block.rows).ok_or_else(|| Error::corrupt("too many rows"))?;
        }
    }

    fn open(&mut self, block: Block) -> Result<Open> {
        let bytes = self.blocks.read(&block)?;
        COUNTERS.groups_read.fetch_add(1, Ordering::Relaxed);
        Input::new(&bytes).check_items(block.rows, self.min_size).map_err(|e| e.with("offset", block.start))?;
        if block.rows == 0 && !bytes.is_empty() {
            return Err(Error::corrupt("a block without rows that holds bytes").with("offset", block.start));
        }
        Ok(Open { bytes, at: 0, rows: block.rows, start: block.start })
    }

    /// Reads rows of the current block; returns how many rows and bytes.
    fn fill(&mut self, most_rows: usize, most_bytes: usize) -> Result<(usize, usize)> {
        let Some(open) = &mut self.current else { return Ok((0, 0)) };
        let mut input = Input::new(&open.bytes[open.at..]);
        let before = input.remaining();
        let mut rows = 0;
        while open.rows > 0 && rows < most_rows && before - input.remaining() < most_bytes {
            row(&mut self.record, self.presence, &mut input)
                .map_err(|e| e.with("offset", open.start).with("row", self.row + rows as u64))?;
            rows += 1;
            open.rows -= 1;
        }
        let used = before - input.remaining();
        open.at += used;
        if open.rows == 0 {
            if !input.is_empty() {
                return Err(Error::corrupt("bytes after the last row of a block").with("offset", open.start));
            }
            self.current = None;
        }
        Ok((rows, used))
    }

    fn advance(&mut self) -> Result<Option<RawBatch>> {
        let first_row;
        let batch_bytes = self.request.context.options.batch_bytes.clamp(1, 1 << 30);
        let batch_size = self.request.batch_size.min(batch_bytes / self.width.max(1)).max(1);
        let (mut rows, mut used) = (0, 0);
        loop {
            if self.current.is_none() {
                self.current = self.next_block()?;
            }
            if self.current.is_none() {
                first_row = self.row;
                break;
            }
            let (more, bytes) = self.fill(batch_size - rows, batch_bytes - used)?;
            rows += more;
            used += bytes;
            self.row += more as u64;
            if rows >= batch_size || used >= batch_bytes {
                first_row = self.row;
                break;
            }
        }
        if rows == 0 {
            return Ok(None);
        }
        let columns = self.record.finish()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
            .map_err(|e| Error::corrupt("broken values").caused_by(e))?;
        Ok(Some(RawBatch { batch, first_row: first_row - rows as u64 }))
    }
}

impl RawBatches for Rows {
    fn next(&mut self) -> Result<Option<RawBatch>> {
        self.advance().map_err(|e| e.in_file(self.source.location()))
    }
}
