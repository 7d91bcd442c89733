//! The container: header, blocks, sync markers.

use super::codec::Codec;
use super::input::Input;
use bytes::Bytes;
use lakefold_base::{Error, Result};
use lakefold_store::Source;
use std::ops::Range;
use std::sync::Arc;

pub(super) const SYNC: u64 = 16;
const MAX_HEADER: u64 = 64 << 20;
/// A block's header: two variable-length integers.
const MAX_BLOCK_HEADER: u64 = 20;
const READ_AHEAD: u64 = 1 << 20;

/// What a file's header says.
pub(super) struct Header {
    pub(super) schema: Vec<u8>,
    pub(super) codec: Codec,
    pub(super) sync: [u8; 16],
    /// Where the first block begins.
    pub(super) end: u64,
}

/// Reads the header, as much of the file as it takes.
pub(super) fn read_header(source: &Arc<dyn Source>) -> Result<Header> {
    let most = source.len().min(MAX_HEADER);
    let mut size = most.min(16 << 10);
    loop {
        let bytes = source.read(0..size)?;
        match parse_header(&bytes) {
            Ok(header) => return Ok(header),
            Err(error) if size == most || !bytes.starts_with(b"Obj\x01") => return Err(error),
            Err(_) => size = most.min(size * 8),
        }
    }
}

fn parse_header(bytes: &[u8]) -> Result<Header> {
    let mut input = Input::new(bytes);
    if bytes.len() < 4 || input.array::<4>()? != *b"Obj\x01" {
        return Err(Error::corrupt("not an Avro file: no magic number"));
    }
    let (mut schema, mut codec) = (None, Codec::Null);
    loop {
        let count = input.items(2)?;
        if count == 0 {
            break;
        }
        for _ in 0..count {
            let n = input.length()?;
            let key = input.take(n)?;
            let n = input.length()?;
            let value = input.take(n)?;
            match key {
                b"avro.schema" => schema = Some(value.to_vec()),
                b"avro.codec" => codec = Codec::parse(value)?,
                _ => {}
            }
        }
    }
    let schema = schema.ok_or_else(|| Error::corrupt("an Avro file without a schema"))?;
    let sync = input.array()?;
    Ok(Header { schema, codec, sync, end: (bytes.len() - input.remaining()) as u64 })
}

/// Walks the blocks of a file in order.
pub(super) struct Blocks {
    source: Arc<dyn Source>,
    sync: [u8; 16],
    codec: Codec,
    next: u64,
    ahead: Bytes,
    ahead_start: u64,
}

/// One block, found but not read.
pub(super) struct Block {
    pub(super) rows: u64,
    /// Where its header begins.
    pub(super) start: u64,
    data: Range<u64>,
}

impl Blocks {
    pub(super) fn new(source: Arc<dyn Source>, header: &Header) -> Self {
        let (sync, codec, next) = (header.sync, header.codec, header.end);
        Blocks { source, sync, codec, next, ahead: Bytes::new(), ahead_start: 0 }
    }

    fn fetch(&mut self, range: Range<u64>, ahead: u64) -> Result<Bytes> {
        let end = self.ahead_start + self.ahead.len() as u64;
        if range.start < self.ahead_start || range.end > end {
            let to = self.source.len().min(range.end.max(range.start.saturating_add(ahead)));
            self.ahead = self.source.read(range.start..to.max(range.end))?;
            self.ahead_start = range.start;
        }
        let at = (range.start - self.ahead_start) as usize;
        Ok(self.ahead.slice(at..at + (range.end - range.start) as usize))
    }

    /// Where the next block begins, right after a sync marker.
    pub(super) fn position(&self) -> u64 {
        self.next
    }

    /// The next block, none at the end of the file. Its sync marker is checked here already.
    /// `wanted`: whether the bytes behind this place are going to be read.
    pub(super) fn next(&mut self, wanted: bool) -> Result<Option<Block>> {
        let (start, len) = (self.next, self.source.len());
        if start == len {
            return Ok(None);
        }
        let ahead = if wanted { READ_AHEAD } else { 0 };
        let bytes = self.fetch(start..len.min(start + MAX_BLOCK_HEADER), ahead)?;
        let mut input = Input::new(&bytes);
        let (rows, size) = (input.long()?, input.long()?);
        let data = start + (bytes.len() - input.remaining()) as u64;
        let end = u64::try_from(size).ok().and_then(|size| data.checked_add(size));
        let fits = end.filter(|end| end.checked_add(SYNC).is_some_and(|after| after <= len));
        let (Ok(rows), Some(end)) = (u64::try_from(rows), fits) else {
            return Err(Error::corrupt(format!("an Avro block of {rows} rows in {size} bytes")).with("offset", start));
        };
        let ahead = if wanted { 0 } else { SYNC + MAX_BLOCK_HEADER };
        if self.fetch(end..end + SYNC, ahead)?[..] != self.sync {
            return Err(Error::corrupt("the sync marker after an Avro block is not the file's").with("offset", end));
        }
        self.next = end + SYNC;
        Ok(Some(Block { rows, start, data: data..end }))
    }

    /// The rows of a block, decompressed.
    pub(super) fn read(&mut self, block: &Block) -> Result<Vec<u8>> {
        let bytes = self.fetch(block.data.clone(), 0)?;
        let plain = self.codec.decompress(&bytes).map_err(|e| e.with("offset", block.start))?;
        Ok(plain.into_owned())
    }
}
