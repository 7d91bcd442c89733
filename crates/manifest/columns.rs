use crate::cursor::Cursor;
use crate::program::{Op, Pairs, Program};
use lakefold_base::{Code, Error, Result};
use std::collections::HashMap;

/// The columns that a program keeps, record by record.
pub(crate) struct Columns<'p> {
    ops: Vec<(&'p Op, Column)>,
    records: usize,
}

impl<'p> Columns<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        Columns { ops: program.ops.iter().map(|op| (op, Column::default())).collect(), records: 0 }
    }

    /// Decodes the next record.
    pub(crate) fn record(&mut self, cursor: &mut Cursor) -> Result<()> {
        for (op, column) in &mut self.ops {
            column.value(op, cursor, self.records)?;
        }
        self.records += 1;
        Ok(())
    }

    /// Bytes that the columns take.
    pub(crate) fn bytes(&self) -> usize {
        self.ops.iter().map(|(_, column)| column.bytes()).sum()
    }

    /// Lays the columns out in one buffer; see [`crate::decode`].
    pub(crate) fn finish(self, file: &str) -> Result<Vec<u8>> {
        let records = self.records;
        let segments: Vec<Vec<u8>> = self.ops.into_iter().flat_map(|(op, column)| column.segments(op)).collect();
        let head = 8 + 8 * segments.len();
        let total = segments.iter().fold(head, |sum, segment| sum + segment.len().next_multiple_of(8));
        if total > u32::MAX as usize {
            return Err(Error::new(Code::LimitExceeded, format!("{file}: its entries take {total} bytes"))
                .with("file", file)
                .with("limit", u32::MAX));
        }
        let mut out = Vec::with_capacity(total);
        out.extend_from_slice(&(records as u32).to_le_bytes());
        out.extend_from_slice(&(segments.len() as u32).to_le_bytes());
        let mut at = head;
        for segment in &segments {
            out.extend_from_slice(&(at as u32).to_le_bytes());
            out.extend_from_slice(&(segment.len() as u32).to_le_bytes());
            at += segment.len().next_multiple_of(8);
        }
        for segment in segments {
            out.extend_from_slice(&segment);
            out.resize(out.len().next_multiple_of(8), 0);
        }
        Ok(out)
    }
}

/// The storage of one column; which parts are used depends on its op.
#[derive(Default)]
struct Column {
    nulls: Vec<u8>,
    ints: Vec<i32>,
    longs: Vec<i64>,
    ends: Vec<u32>,
    value_ends: Vec<u32>,
    data: Vec<u8>,
    /// Codes of distinct values.
    codes: HashMap<Box<[u8]>, u32>,
    /// The range in `data` of the last distinct value: neighbours are often equal.
    last: Option<(usize, usize, u32)>,
}

impl Column {
    fn bytes(&self) -> usize {
        self.nulls.len()
            + 4 * (self.ints.len() + self.ends.len() + self.value_ends.len())
            + 8 * self.longs.len()
            + 2 * self.data.len()
            + 64 * self.codes.len()
    }

    fn value(&mut self, op: &Op, cursor: &mut Cursor, record: usize) -> Result<()> {
        match op {
            Op::Skip(skip) => return cursor.skip(skip),
            Op::Present { nulls, field } => {
                if cursor.is_null(nulls)? {
                    return Err(cursor.is_missing(field));
                }
            }
            Op::Distinct(skip) => {
                let start = cursor.position();
                cursor.skip(skip)?;
                self.distinct(cursor.since(start));
            }
            Op::Int { nulls } => {
                let null = self.null(cursor, nulls, record)?;
                self.ints.push(if null { 0 } else { cursor.int()? });
            }
            Op::Long { nulls, narrow } => {
                let null = self.null(cursor, nulls, record)?;
                self.longs.push(if null { 0 } else { cursor.integer(*narrow)? });
            }
            Op::Blob { nulls, value } => {
                if !self.null(cursor, nulls, record)? {
                    self.data.extend_from_slice(cursor.blob(*value)?);
                }
                self.ends.push(self.data.len() as u32);
            }
            Op::List { nulls, narrow } => {
                if !self.null(cursor, nulls, record)? {
                    cursor.items(|cursor| {
                        self.longs.push(cursor.integer(*narrow)?);
                        Ok(())
                    })?;
                }
                self.ends.push(self.longs.len() as u32);
            }
            Op::LongMap { nulls, narrow, pairs } => {
                if !self.null(cursor, nulls, record)? {
                    cursor.items(|cursor| {
                        if let Some(key) = wanted(cursor, pairs)? {
                            self.longs.push(cursor.integer(*narrow)?);
                            self.ints.push(key);
                        }
                        Ok(())
                    })?;
                }
                self.ends.push(self.ints.len() as u32);
            }
            Op::BlobMap { nulls, value, pairs } => {
                if !self.null(cursor, nulls, record)? {
                    cursor.items(|cursor| {
                        if let Some(key) = wanted(cursor, pairs)? {
                            self.data.extend_from_slice(cursor.blob(*value)?);
                            self.value_ends.push(self.data.len() as u32);
                            self.ints.push(key);
                        }
                        Ok(())
                    })?;
                }
                self.ends.push(self.ints.len() as u32);
            }
        }
        Ok(())
    }

    /// Reads whether the value is null, and notes it.
    fn null(&mut self, cursor: &mut Cursor, nulls: &[bool], record: usize) -> Result<bool> {
        let null = cursor.is_null(nulls)?;
        if null && self.nulls.is_empty() {
            self.nulls.resize(record, 0);
            self.nulls.push(1);
        } else if !self.nulls.is_empty() {
            self.nulls.push(u8::from(null));
        }
        Ok(null)
    }

    fn distinct(&mut self, value: &[u8]) {
        if let Some((start, end, code)) = self.last
            && self.data.get(start..end) == Some(value)
        {
            return self.ints.push(code as i32);
        }
        let code = match self.codes.get(value) {
            Some(&code) => code,
            None => {
                let code = self.codes.len() as u32;
                self.codes.insert(value.into(), code);
                self.data.extend_from_slice(value);
                self.ends.push(self.data.len() as u32);
                code
            }
        };
        let end = self.ends[code as usize] as usize;
        self.last = Some((end - value.len(), end, code));
        self.ints.push(code as i32);
    }

    fn segments(self, op: &Op) -> Vec<Vec<u8>> {
        let Column { nulls, ints, longs, ends, value_ends, data, .. } = self;
        match op {
            Op::Skip(_) | Op::Present { .. } => vec![],
            Op::Int { .. } => vec![int_bytes(&ints), nulls],
            Op::Long { .. } => vec![long_bytes(&longs), nulls],
            Op::Blob { .. } => vec![offset_bytes(&ends), data, nulls],
            Op::List { .. } => vec![offset_bytes(&ends), long_bytes(&longs), nulls],
            Op::LongMap { .. } => vec![offset_bytes(&ends), int_bytes(&ints), long_bytes(&longs), nulls],
            Op::BlobMap { .. } => {
                vec![offset_bytes(&ends), int_bytes(&ints), offset_bytes(&value_ends), data, nulls]
            }
            Op::Distinct(_) => vec![int_bytes(&ints), offset_bytes(&ends), data],
        }
    }
}

/// The key of the next pair if its value is to be read, else past the pair.
fn wanted(cursor: &mut Cursor, pairs: &Pairs) -> Result<Option<i32>> {
    let key = cursor.int()?;
    if pairs.keys.as_ref().is_some_and(|keys| !keys.contains(&key)) {
        cursor.skip(&pairs.skip)?;
        return Ok(None);
    }
    Ok(if cursor.is_null(&pairs.nulls)? { None } else { Some(key) })
}

fn int_bytes(values: &[i32]) -> Vec<u8> {
    let mut out = vec![0; 4 * values.len()];
    for (bytes, value) in out.chunks_exact_mut(4).zip(values) {
        bytes.copy_from_slice(&value.to_le_bytes());
    }
    out
}

fn long_bytes(values: &[i64]) -> Vec<u8> {
    let mut out = vec![0; 8 * values.len()];
    for (bytes, value) in out.chunks_exact_mut(8).zip(values) {
        bytes.copy_from_slice(&value.to_le_bytes());
    }
    out
}

/// Ends as offsets, a 0 before them.
fn offset_bytes(ends: &[u32]) -> Vec<u8> {
    let mut out = vec![0; 4 * (ends.len() + 1)];
    for (bytes, end) in out[4..].chunks_exact_mut(4).zip(ends) {
        bytes.copy_from_slice(&end.to_le_bytes());
    }
    out
}
