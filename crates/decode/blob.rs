//! Blob files: one column of bytes, each value with its own checksum, and an index of their lengths at the end.

use crate::source::{DataFileReader, RawBatch, RawBatches, ReadRequest};
use crate::types::arrow_field;
use arrow_array::builder::BinaryBuilder;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{Fields, Schema, SchemaRef};
use bytes::Bytes;
use lakefold_base::{Code, Error, Result};
use lakefold_store::Source;
use lakefold_task::{DataFile, Type};
use std::ops::Range;
use std::sync::Arc;

/// Before each value.
const MAGIC: [u8; 4] = 1_481_511_375_i32.to_le_bytes();
/// Before each array and map of values, in files of later writers.
const CONTAINERS: [[u8; 4]; 2] = [1_094_861_634_i32.to_le_bytes(), 1_296_188_226_i32.to_le_bytes()];
/// Bytes of an entry beside its value: the magic number, the entry's length and the checksum.
const AROUND: u64 = 16;
/// The index's length and the version.
const TAIL: u64 = 5;
/// Longest index, of one byte a value at least.
const MAX_INDEX: u64 = 256 << 20;
const READ_AHEAD: u64 = 1 << 20;

/// A value's entry in the index that says null.
const NULL: i64 = -1;
/// A value that another file has.
const PLACEHOLDER: i64 = -2;

/// What begins a descriptor: its version, and the number that tells it from a value.
const DESCRIPTOR_VERSION: u8 = 2;
const DESCRIPTOR_MAGIC: i64 = 0x424C_4F42_4445_5343;

/// An open blob file.
pub struct BlobFile {
    source: Arc<dyn Source>,
    schema: SchemaRef,
    index: Bytes,
    /// Where values end.
    end: u64,
    /// Where the file is, if descriptors are wanted.
    descriptors: Option<String>,
}

impl BlobFile {
    /// Reads the index. `file.fields` is the one column.
    pub fn open(source: Arc<dyn Source>, file: &DataFile) -> Result<Self> {
        let fields = file.fields.as_deref().unwrap_or_default();
        let [field] = fields else {
            let text = format!("a blob file of {} columns", fields.len());
            return Err(Error::new(Code::InvalidArgument, text).with("field", "fields"));
        };
        if field.field_type != Type::Binary {
            let text = format!("a blob file of a column of type {}", field.field_type);
            return Err(match field.field_type {
                Type::List(_) | Type::Map(..) => Error::unsupported(text),
                _ => Error::new(Code::InvalidArgument, text),
            }
            .with("field", &field.name));
        }
        let length = source.len();
        let Some(tail) = length.checked_sub(TAIL) else {
            return Err(Error::corrupt("a blob file without an index").with("length", length));
        };
        let bytes = source.read(tail..length)?;
        let (size, version) = match *bytes {
            [a, b, c, d, version] => (i32::from_le_bytes([a, b, c, d]), version),
            _ => return Err(Error::internal("a tail of another length")),
        };
        if version != 1 {
            return Err(Error::unsupported(format!("version {version} of blob files")).with("value", version));
        }
        let wrong = || Error::corrupt(format!("an index of {size} bytes in a blob file of {length}"));
        let size = u64::try_from(size).map_err(|_| wrong())?;
        let end = tail.checked_sub(size).ok_or_else(wrong)?;
        if size > MAX_INDEX {
            let error = Error::new(Code::LimitExceeded, format!("a blob file's index of {size} bytes"));
            return Err(error.with("maxLength", MAX_INDEX));
        }
        let index = source.read(end..tail)?;
        let schema = Arc::new(Schema::new(Fields::from(vec![arrow_field(field)?])));
        let descriptors = file.blob_descriptors.then(|| file.location.clone());
        Ok(Self { source, schema, index, end, descriptors })
    }
}

impl DataFileReader for BlobFile {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn read(self: Box<Self>, request: ReadRequest) -> Result<Box<dyn RawBatches>> {
        if request.start != 0 || request.length < self.source.len() {
            return Err(Error::new(Code::InvalidArgument, "a piece of a blob file").with("start", request.start));
        }
        let schema = Arc::new(Schema::new(Fields::from(request.fields.clone())));
        let window = (0, Bytes::new());
        Ok(Box::new(Blobs { file: *self, request, schema, taken: 0, length: 0, at: 0, row: 0, window }))
    }
}

struct Blobs {
    file: BlobFile,
    request: ReadRequest,
    schema: SchemaRef,
    /// Bytes of the index that are read, and the length that the last of them gave.
    taken: usize,
    length: i64,
    /// Where the next entry begins.
    at: u64,
    row: u64,
    window: (u64, Bytes),
}

impl Blobs {
    /// The next length of the index, which holds each as a difference to the one before.
    fn next_length(&mut self) -> Result<Option<i64>> {
        if self.taken == self.file.index.len() {
            return Ok(None);
        }
        let broken = || Error::corrupt("a broken length in the index of a blob file");
        let mut value = 0_u64;
        for shift in (0..70).step_by(7) {
            let byte = *self.file.index.get(self.taken).ok_or_else(broken)?;
            self.taken += 1;
            if shift == 63 && byte > 1 {
                break;
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                let difference = (value >> 1) as i64 ^ -((value & 1) as i64);
                self.length = self.length.checked_add(difference).ok_or_else(broken)?;
                return Ok(Some(self.length));
            }
        }
        Err(broken())
    }

    /// Where the next entry lies; none where it is null.
    fn entry(&self, length: i64) -> Result<Option<Range<u64>>> {
        match length {
            NULL => Ok(None),
            PLACEHOLDER => Err(Error::unsupported("a blob file that leaves a value to another file")),
            length => {
                let end = u64::try_from(length).ok().filter(|n| *n >= AROUND).and_then(|n| self.at.checked_add(n));
                match end {
                    Some(end) if end <= self.file.end => Ok(Some(self.at..end)),
                    _ => Err(Error::corrupt(format!("a value of {length} bytes"))
                        .with("offset", self.at)
                        .with("end", self.file.end)),
                }
            }
        }
    }

    fn fetch(&mut self, range: Range<u64>) -> Result<Bytes> {
        let (start, window) = &self.window;
        if range.start < *start || range.end > start + window.len() as u64 {
            let to = range.end.max(range.start.saturating_add(READ_AHEAD).min(self.file.end));
            self.window = (range.start, self.file.source.read(range.start..to)?);
        }
        let (start, window) = &self.window;
        let at = (range.start - start) as usize;
        Ok(window.slice(at..at + (range.end - range.start) as usize))
    }

    /// The value of an entry, checked.
    fn value(&mut self, range: Range<u64>) -> Result<Bytes> {
        let (start, length) = (range.start, range.end - range.start);
        let bytes = self.fetch(range)?;
        let wrong = |text: &str| Error::corrupt(text.to_string()).with("offset", start);
        let (covered, checksum) = bytes.split_at(bytes.len() - 4);
        let (head, own_length) = covered.split_at(covered.len() - 8);
        if CONTAINERS.iter().any(|magic| head.starts_with(magic)) {
            return Err(Error::unsupported("a blob file of arrays or maps").with("offset", start));
        }
        if !head.starts_with(&MAGIC) {
            return Err(wrong("a value without its magic number"));
        }
        if own_length != length.to_le_bytes() {
            return Err(wrong("a value whose length is not that of the index"));
        }
        // The writer sums up what stands before the checksum, the length too.
        if checksum != crc32fast::hash(covered).to_le_bytes() {
            return Err(wrong("a value whose checksum does not match"));
        }
        Ok(bytes.slice(MAGIC.len()..head.len()))
    }

    fn descriptor(location: &str, range: &Range<u64>) -> Result<Vec<u8>> {
        let uri = i32::try_from(location.len()).map_err(|_| Error::internal("a location of more than 2 GiB"))?;
        let mut out = vec![DESCRIPTOR_VERSION];
        out.extend_from_slice(&DESCRIPTOR_MAGIC.to_le_bytes());
        out.extend_from_slice(&uri.to_le_bytes());
        out.extend_from_slice(location.as_bytes());
        out.extend_from_slice(&(range.start + MAGIC.len() as u64).to_le_bytes());
        out.extend_from_slice(&(range.end - range.start - AROUND).to_le_bytes());
        Ok(out)
    }

    fn advance(&mut self) -> Result<Option<RawBatch>> {
        let most_bytes = self.request.context.options.batch_bytes.clamp(1, 1 << 30) as u64;
        let wanted = !self.request.fields.is_empty();
        let mut builder = BinaryBuilder::new();
        let (mut rows, mut used) = (0, 0);
        while rows < self.request.batch_size {
            let before = (self.taken, self.length);
            let Some(length) = self.next_length()? else { break };
            let named = |e: Error, row: u64| e.with("row", row);
            let row = self.row + rows as u64;
            match self.entry(length).map_err(|e| named(e, row))? {
                None => builder.append_null(),
                Some(range) => {
                    let size = range.end - range.start;
                    if wanted && rows > 0 && self.file.descriptors.is_none() && used + size > most_bytes {
                        (self.taken, self.length) = before;
                        break;
                    }
                    if wanted {
                        match self.file.descriptors.clone() {
                            Some(location) => builder.append_value(Self::descriptor(&location, &range)?),
                            None if size > i32::MAX as u64 => {
                                let error = Error::new(Code::LimitExceeded, format!("a blob of {size} bytes"));
                                return Err(named(error.with("maxLength", i32::MAX), row));
                            }
                            None => {
                                self.request.context.check()?;
                                let value = self.value(range.clone()).map_err(|e| named(e, row))?;
                                builder.append_value(value);
                            }
                        }
                    }
                    used += size;
                    self.at = range.end;
                }
            }
            rows += 1;
        }
        if rows == 0 {
            return Ok(None);
        }
        let arrays = if wanted { vec![Arc::new(builder.finish()) as ArrayRef] } else { Vec::new() };
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options)
            .map_err(|e| Error::corrupt("null in a column that is NOT NULL").caused_by(e))?;
        let first_row = self.row;
        self.row += rows as u64;
        Ok(Some(RawBatch { batch, first_row }))
    }
}

impl RawBatches for Blobs {
    fn next(&mut self) -> Result<Option<RawBatch>> {
        self.advance().map_err(|e| e.in_file(self.file.source.location()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_file::{memory, read_range};
    use arrow_array::cast::AsArray;
    use lakefold_task::{Field, FileFormat};

    /// The fixture's file, which the reference wrote: values of 0, 100, 200, ... 500 bytes.
    fn fixture() -> Vec<u8> {
        let folder =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../__test__/fixtures/paimon/warehouse/fx.db/blob_table/bucket-0");
        let blob = |e: &std::fs::DirEntry| e.path().extension().is_some_and(|e| e == "blob");
        let entry = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap()).find(blob).unwrap();
        std::fs::read(entry.path()).unwrap()
    }

    fn open(bytes: Vec<u8>, descriptors: bool) -> Result<Box<BlobFile>> {
        let field =
            Field { id: 0, name: "data".to_string(), required: false, field_type: Type::Binary, initial_default: None };
        let file = DataFile {
            path: "/lake/x.blob".to_string(),
            location: "/lake/x.blob".to_string(),
            format: FileFormat::Blob,
            file_size_in_bytes: 0,
            record_count: -1,
            fields: Some(vec![field]),
            lines: None,
            blob_descriptors: descriptors,
            local_instants: false,
            ignore: Default::default(),
        };
        BlobFile::open(memory(bytes), &file).map(Box::new)
    }

    fn values(bytes: Vec<u8>) -> Result<Vec<Option<Vec<u8>>>> {
        let batches = read_range(open(bytes, false)?, None, 0..u64::MAX, 4)?;
        let arrays = batches.iter().map(|b| b.batch.column(0).as_binary::<i32>().clone()).collect::<Vec<_>>();
        Ok(arrays.iter().flat_map(|a| a.iter().map(|v| v.map(<[u8]>::to_vec)).collect::<Vec<_>>()).collect())
    }

    /// A file whose index alone tells its values: `lengths`, as the reference packs them.
    fn only_index(lengths: &[i64]) -> Vec<u8> {
        let mut index = Vec::new();
        let mut before = 0;
        for length in lengths {
            let difference = length.wrapping_sub(before);
            before = *length;
            let mut rest = (difference << 1 ^ difference >> 63) as u64;
            while rest >= 0x80 {
                index.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            index.push(rest as u8);
        }
        let size = index.len() as i32;
        [index, size.to_le_bytes().to_vec(), vec![1]].concat()
    }

    #[test]
    fn values_are_those_that_the_reference_wrote() {
        let expected: Vec<_> = (0..6_u8).map(|i| Some(vec![i + 1; usize::from(i) * 100])).collect();
        assert_eq!(values(fixture()).unwrap(), expected);
        assert_eq!(values(only_index(&[-1, -1])).unwrap(), [None, None]);
        assert_eq!(values(only_index(&[])).unwrap(), []);
    }

    #[test]
    fn descriptors_tell_place_and_length() {
        let batches = read_range(open(fixture(), true).unwrap(), None, 0..u64::MAX, 10).unwrap();
        let array = batches[0].batch.column(0).as_binary::<i32>();
        let mut expected = vec![2];
        expected.extend_from_slice(b"CSEDBOLB");
        expected.extend_from_slice(&[12, 0, 0, 0]);
        expected.extend_from_slice(b"/lake/x.blob");
        // The second value: behind the first entry of 16 bytes and a magic number.
        expected.extend_from_slice(&20_i64.to_le_bytes());
        expected.extend_from_slice(&100_i64.to_le_bytes());
        assert_eq!(array.value(1), expected);
    }

    #[test]
    fn whatever_is_damaged_is_an_error() {
        let good = fixture();
        for at in 0..good.len() {
            let mut bytes = good.clone();
            bytes[at] ^= 0x11;
            assert!(values(bytes).is_err(), "byte {at}");
        }
        for length in 0..good.len() {
            assert!(values(good[..length].to_vec()).is_err(), "cut at {length}");
        }
        for lengths in [vec![15], vec![16], vec![i64::MAX], vec![i64::MIN], vec![-3], vec![i64::MAX, i64::MIN]] {
            assert_eq!(values(only_index(&lengths)).unwrap_err().code(), Code::CorruptFile, "{lengths:?}");
        }
    }

    #[test]
    fn what_later_writers_write_is_refused_by_name() {
        assert_eq!(values(only_index(&[-2])).unwrap_err().code(), Code::Unsupported);
        for magic in CONTAINERS {
            let mut bytes = fixture();
            bytes[..4].copy_from_slice(&magic);
            assert_eq!(values(bytes).unwrap_err().code(), Code::Unsupported);
        }
    }
}
