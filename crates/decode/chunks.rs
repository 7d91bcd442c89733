use bytes::Bytes;
use lakefold_base::{Error, Result};
use lakefold_store::Source;
use parquet::basic::Compression;
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, Length, SerializedPageReader};
use std::io::Read;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::guard::{carry, parquet_error};
use crate::meter::{AtWork, Meter};
use crate::thrift;

/// Read at least this much at once: many small pages together.
const WINDOW: u64 = 64 << 10;

/// A page from this size on is read alone, into memory that its reader gives back once it is decompressed: the next page, of
/// whatever column, comes to lie where the processor's caches still are.
const LARGE_PAGE: u64 = 32 << 10;

/// Read for a header where little is known.
const HEADER_AHEAD: u64 = 4 << 10;

/// Read beyond a large page, for the header of the next one.
const NEXT_HEADER: u64 = 512;

/// Longest page header, statistics included: they may be of long values.
const MAX_HEADER: u64 = 16 << 20;

/// A page may claim to decompress to this much whatever its size...
const FREE_PAGE: u64 = 16 << 20;

/// ...and to this much for each byte of it: more than zstd's runs (128 KiB in 4 bytes) can reach.
const MOST_RATIO: u64 = 1 << 16;

/// One column chunk of a file, read page by page, so that a chunk is never held whole unless it is small. What it holds
/// counts as at work.
struct Chunk {
    source: Arc<dyn Source>,
    range: Range<u64>,
    /// Whether pages are compressed by Zstandard and handed out decompressed, to a parser that takes them for such that never
    /// were: by contexts that threads keep, while the parser makes one for each column, in memory that is new each time.
    unpacks: bool,
    window: Mutex<Window>,
}

struct Window {
    at: u64,
    bytes: Bytes,
    /// The page in it that is being decoded, and the dictionary that was.
    page: u64,
    dictionary: u64,
    /// The page whose header was read last.
    body: Option<Body>,
    work: AtWork,
}

/// What a header tells of its page.
#[derive(Clone, Copy)]
struct Body {
    at: u64,
    uncompressed: usize,
    levels: usize,
    plain: bool,
}

impl Chunk {
    fn new(source: Arc<dyn Source>, range: Range<u64>, unpacks: bool, meter: Option<&Arc<Meter>>) -> Self {
        let work = AtWork::new(meter);
        let window = Window { at: 0, bytes: Bytes::new(), page: 0, dictionary: 0, body: None, work };
        Self { source, range, unpacks, window: Mutex::new(window) }
    }

    fn window(&self) -> MutexGuard<'_, Window> {
        self.window.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// At least `length` bytes from `start`, more if they are at hand; those are read with up to `ahead` after them.
    fn at_least(&self, start: u64, length: usize, ahead: u64) -> ParquetResult<Bytes> {
        let end = start.saturating_add(length as u64);
        // Pages outside of the chunk are left to the source, which knows where the file ends.
        let mut window = self.window();
        if start >= window.at && end <= window.at + window.bytes.len() as u64 {
            return Ok(window.bytes.slice((start - window.at) as usize..));
        }
        let ahead = end.saturating_add(ahead).min(self.range.end.max(end));
        // The old one goes first.
        window.bytes = Bytes::new();
        window.bytes = self.source.read(start..ahead).map_err(carry)?;
        window.at = start;
        window.note();
        Ok(window.bytes.clone())
    }

    /// A page's bytes.
    fn page(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        if (length as u64) < LARGE_PAGE {
            return Ok(self.at_least(start, length, WINDOW.saturating_sub(length as u64))?.slice(..length));
        }
        let bytes = self.at_least(start, length, NEXT_HEADER)?;
        let mut window = self.window();
        window.at = start + length as u64;
        // A copy, so that the page's memory is its reader's alone.
        window.bytes = Bytes::copy_from_slice(&bytes[length..]);
        window.note();
        Ok(bytes.slice(..length))
    }

    /// A page's bytes as the parser takes them.
    fn parsed_page(&self, start: u64, length: usize) -> Result<Bytes> {
        let page = self.page(start, length).map_err(parquet_error)?;
        if !self.unpacks || length == 0 {
            return Ok(page);
        }
        let body = self.window().body.filter(|body| body.at == start);
        let Body { uncompressed, levels, plain, .. } =
            body.ok_or_else(|| Error::corrupt("a page without a header that can be read").with("offset", start))?;
        if plain {
            return Ok(page);
        }
        let place = |error: Error| error.with("offset", start);
        let (levels, packed) = page
            .split_at_checked(levels)
            .filter(|(levels, _)| levels.len() <= uncompressed)
            .ok_or_else(|| place(Error::corrupt("a page whose levels are longer than itself")))?;
        lakefold_codec::zstd_behind(levels, packed, uncompressed).map(Bytes::from).map_err(place)
    }

    /// What is at hand from `start` on.
    fn at_hand(&self, start: u64) -> Bytes {
        let window = self.window();
        match start.checked_sub(window.at).and_then(|skip| usize::try_from(skip).ok()) {
            Some(skip) if skip < window.bytes.len() => window.bytes.slice(skip..),
            _ => Bytes::new(),
        }
    }

    /// The header of the page at `at`.
    fn header(&self, at: u64) -> Result<thrift::PageHeader> {
        if let Ok(header) = thrift::page_header(&self.at_hand(at)) {
            return Ok(header);
        }
        let small = self.range.end.saturating_sub(self.range.start) <= WINDOW;
        let read = |most: u64| {
            let length = self.range.end.saturating_sub(at).min(most) as usize;
            thrift::page_header(&self.at_least(at, length, 0).map_err(parquet_error)?)
        };
        read(if small { WINDOW } else { HEADER_AHEAD }).or_else(|_| read(MAX_HEADER))
    }
}

impl Window {
    fn note(&mut self) {
        self.work.set(self.bytes.len() as u64 + self.page + self.dictionary);
    }
}

impl Length for Chunk {
    fn len(&self) -> u64 {
        self.source.len()
    }
}

/// [`Chunk`], shared between the readers of its column.
#[derive(Clone)]
pub(crate) struct SharedChunk(Arc<Chunk>);

impl SharedChunk {
    /// A range of a file as it is.
    pub(crate) fn raw(source: &Arc<dyn Source>, range: Range<u64>) -> Self {
        Self(Arc::new(Chunk::new(Arc::clone(source), range, false, None)))
    }

    /// The range in which a column's pages lie, or the first of them.
    pub(crate) fn of(
        column: &ColumnChunkMetaData,
        source: &Arc<dyn Source>,
        range: Range<u64>,
        meter: Option<&Arc<Meter>>,
    ) -> Self {
        let unpacks = matches!(column.compression(), Compression::ZSTD(_));
        Self(Arc::new(Chunk::new(Arc::clone(source), range, unpacks, meter)))
    }

    /// A reader of the pages of the column that it was made for.
    pub(crate) fn pages(self, column: &ColumnChunkMetaData, rows: usize) -> ParquetResult<SerializedPageReader<Self>> {
        if !self.0.unpacks {
            return SerializedPageReader::new(Arc::new(self), column, rows, None);
        }
        let unpacked = column.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
        SerializedPageReader::new(Arc::new(self), &unpacked, rows, None)
    }

    /// Refuses a page whose claimed size no codec could reach, before anything of that size is allocated. A header that
    /// cannot be read is left to the real parser. Where the header says that the number of nulls is unknown.
    fn bound(&self, at: u64) -> Result<Option<u64>> {
        // The parser comes here again, for the page, if it has looked at the header before.
        if self.0.window().body.is_some_and(|body| body.at == at) {
            return Ok(None);
        }
        let Ok(header) = self.0.header(at) else { return Ok(None) };
        if header.uncompressed > FREE_PAGE.saturating_add(header.compressed.saturating_mul(MOST_RATIO)) {
            return Err(Error::corrupt("a page that claims to be larger than its bytes can hold")
                .with("offset", at)
                .with("compressed", header.compressed)
                .with("uncompressed", header.uncompressed));
        }
        let mut window = self.0.window();
        // Where a page has no bytes, the next header begins.
        window.body = (header.compressed > 0).then_some(Body {
            at: at + header.length as u64,
            uncompressed: usize::try_from(header.uncompressed).unwrap_or(usize::MAX),
            levels: usize::try_from(header.levels).unwrap_or(usize::MAX),
            plain: header.plain,
        });
        match header.dictionary {
            true => window.dictionary = header.uncompressed,
            false => window.page = header.uncompressed,
        }
        window.note();
        Ok(header.unknown_nulls.map(|offset| at + offset as u64))
    }

    /// Compares each page that carries a checksum with it.
    pub(crate) fn verify(&self) -> Result<()> {
        self.walk(|at, header| match header.crc {
            Some(crc) => {
                let page = self.0.page(at, header.compressed as usize).map_err(parquet_error)?;
                match crc32fast::hash(&page) == crc {
                    true => Ok(()),
                    false => Err(Error::corrupt("a page's checksum does not match").with("offset", at)),
                }
            }
            None => Ok(()),
        })
    }

    /// Goes through the headers of all pages, with the places of their pages.
    pub(crate) fn walk(&self, mut each: impl FnMut(u64, &thrift::PageHeader) -> Result<()>) -> Result<()> {
        let Range { start: mut at, end } = self.0.range.clone();
        while at < end {
            let header = self.0.header(at)?;
            at += header.length as u64;
            if header.compressed > end.saturating_sub(at) {
                return Err(Error::corrupt("a page that passes the end of its column"));
            }
            each(at, &header)?;
            at += header.compressed;
        }
        Ok(())
    }
}

impl Length for SharedChunk {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

/// A reader of page headers, which pulls in more of the chunk as it goes.
pub(crate) struct HeaderReader {
    chunk: SharedChunk,
    at: u64,
    bytes: Bytes,
    unknown_nulls: Option<u64>,
}

impl Read for HeaderReader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.bytes.is_empty() && self.at < self.chunk.0.range.end {
            self.bytes = self.chunk.0.at_least(self.at, 1, HEADER_AHEAD).map_err(std::io::Error::other)?;
        }
        let n = buffer.len().min(self.bytes.len());
        buffer[..n].copy_from_slice(&self.bytes.split_to(n));
        // The parser takes no negative number. Without nulls the page is decoded as one of version 1, which has no such number.
        if let Some(offset) = self.unknown_nulls.and_then(|nulls| nulls.checked_sub(self.at)).filter(|o| *o < n as u64)
        {
            buffer[offset as usize] = 0;
        }
        self.at += n as u64;
        Ok(n)
    }
}

impl ChunkReader for SharedChunk {
    type T = HeaderReader;

    fn get_read(&self, start: u64) -> ParquetResult<HeaderReader> {
        let unknown_nulls = self.bound(start).map_err(carry)?;
        Ok(HeaderReader { chunk: self.clone(), at: start, bytes: Bytes::new(), unknown_nulls })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        self.0.parsed_page(start, length).map_err(carry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lakefold_base::Code;

    /// A page header in Thrift's compact protocol: type, uncompressed size, compressed size.
    fn header(uncompressed: i32, compressed: i32) -> Vec<u8> {
        let mut bytes = vec![0x15, 0];
        for value in [uncompressed, compressed] {
            bytes.push(0x15);
            let mut rest = (value as u32) << 1;
            while rest >= 0x80 {
                bytes.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            bytes.push(rest as u8);
        }
        bytes.push(0);
        bytes
    }

    /// A page header of version 2 in front of nothing: 3 values, `nulls` as it is spelled, 3 rows.
    fn header_v2(nulls: u8) -> Vec<u8> {
        vec![0x15, 6, 0x15, 0, 0x15, 0, 0x5c, 0x15, 6, 0x15, nulls, 0x15, 6, 0x15, 0, 0x15, 0, 0x15, 0, 0, 0]
    }

    #[test]
    #[allow(clippy::unbuffered_bytes)]
    fn an_unknown_number_of_nulls_is_read_as_none() {
        for nulls in [0, 2, 1] {
            let bytes = header_v2(nulls);
            let range = 0..bytes.len() as u64;
            let chunk = SharedChunk::raw(&crate::memory_file::memory(bytes.clone()), range);
            let mut read = Vec::new();
            // Byte by byte, as parsers do.
            for byte in chunk.get_read(0).unwrap().bytes() {
                read.push(byte.unwrap());
            }
            // -1 is spelled 1.
            assert_eq!(read, header_v2(if nulls == 1 { 0 } else { nulls }));
            assert_eq!(chunk.get_bytes(0, bytes.len()).unwrap(), bytes);
        }
    }

    fn read_at_start(bytes: Vec<u8>) -> Result<()> {
        let range = 0..bytes.len() as u64;
        let chunk = SharedChunk::raw(&crate::memory_file::memory(bytes), range);
        chunk.get_read(0).map(|_| ()).map_err(parquet_error)
    }

    #[test]
    fn a_page_cannot_claim_more_than_a_codec_can_reach() {
        let error = read_at_start(header(1 << 30, 100)).unwrap_err();
        assert_eq!(error.code(), Code::CorruptFile);
        assert!(error.context().any(|(key, value)| key == "uncompressed" && value == "1073741824"), "{error:?}");
        // A page of zeros: 100 bytes of zstd may be a few MiB.
        read_at_start(header(6 << 20, 100)).unwrap();
        read_at_start(header(1 << 30, 20_000)).unwrap();
        // Not a header: the real parser says what is wrong with it.
        read_at_start(vec![0xff; 40]).unwrap();
    }
}
