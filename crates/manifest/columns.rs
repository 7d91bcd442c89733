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
    ints: Numbers<4>,
    longs: Numbers<8>,
    ends: Numbers<4>,
    value_ends: Numbers<4>,
    data: Vec<u8>,
    /// Codes of distinct values.
    codes: HashMap<Box<[u8]>, u32>,
    /// The range in `data` of the last distinct value: neighbours are often equal.
    last: Option<(usize, usize, u32)>,
}

impl Column {
    fn bytes(&self) -> usize {
        let numbers = self.ints.bytes() + self.longs.bytes() + self.ends.bytes() + self.value_ends.bytes();
        self.nulls.len() + numbers + 2 * self.data.len() + 64 * self.codes.len()
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
                self.ints.push(if null { 0 } else { cursor.int()? }.to_le_bytes());
            }
            Op::Long { nulls, narrow } => {
                let null = self.null(cursor, nulls, record)?;
                self.longs.push(if null { 0 } else { cursor.integer(*narrow)? }.to_le_bytes());
            }
            Op::Blob { nulls, value } => {
                if !self.null(cursor, nulls, record)? {
                    self.data.extend_from_slice(cursor.blob(*value)?);
                }
                self.ends.push((self.data.len() as u32).to_le_bytes());
            }
            Op::List { nulls, narrow } => {
                if !self.null(cursor, nulls, record)? {
                    cursor.items(|cursor| {
                        self.longs.push(cursor.integer(*narrow)?.to_le_bytes());
                        Ok(())
                    })?;
                }
                self.ends.push((self.longs.len() as u32).to_le_bytes());
            }
            Op::LongMap { nulls, narrow, pairs } => {
                if !self.null(cursor, nulls, record)? {
                    cursor.items(|cursor| {
                        if let Some(key) = wanted(cursor, pairs)? {
                            self.longs.push(cursor.integer(*narrow)?.to_le_bytes());
                            self.ints.push(key.to_le_bytes());
                        }
                        Ok(())
                    })?;
                }
                self.ends.push((self.ints.len() as u32).to_le_bytes());
            }
            Op::BlobMap { nulls, value, pairs } => {
                if !self.null(cursor, nulls, record)? {
                    cursor.items(|cursor| {
                        if let Some(key) = wanted(cursor, pairs)? {
                            self.data.extend_from_slice(cursor.blob(*value)?);
                            self.value_ends.push((self.data.len() as u32).to_le_bytes());
                            self.ints.push(key.to_le_bytes());
                        }
                        Ok(())
                    })?;
                }
                self.ends.push((self.ints.len() as u32).to_le_bytes());
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
            return self.ints.push(code.to_le_bytes());
        }
        let code = match self.codes.get(value) {
            Some(&code) => code,
            None => {
                let code = self.codes.len() as u32;
                self.codes.insert(value.into(), code);
                self.data.extend_from_slice(value);
                self.ends.push((self.data.len() as u32).to_le_bytes());
                code
            }
        };
        let end = u32::from_le_bytes(self.ends.at(code as usize)) as usize;
        self.last = Some((end - value.len(), end, code));
        self.ints.push(code.to_le_bytes());
    }

    fn segments(self, op: &Op) -> Vec<Vec<u8>> {
        let Column { nulls, ints, longs, ends, value_ends, data, .. } = self;
        match op {
            Op::Skip(_) | Op::Present { .. } => vec![],
            Op::Int { .. } => vec![ints.0, nulls],
            Op::Long { .. } => vec![longs.0, nulls],
            Op::Blob { .. } => vec![ends.offsets(), data, nulls],
            Op::List { .. } => vec![ends.offsets(), longs.0, nulls],
            Op::LongMap { .. } => vec![ends.offsets(), ints.0, longs.0, nulls],
            Op::BlobMap { .. } => vec![ends.offsets(), ints.0, value_ends.offsets(), data, nulls],
            Op::Distinct(_) => vec![ints.0, ends.offsets(), data],
        }
    }
}

/// Little-endian numbers of `N` bytes.
#[derive(Default)]
struct Numbers<const N: usize>(Vec<u8>);

impl<const N: usize> Numbers<N> {
    fn push(&mut self, number: [u8; N]) {
        self.0.extend_from_slice(&number);
    }

    fn len(&self) -> usize {
        self.0.len() / N
    }

    fn bytes(&self) -> usize {
        self.0.len()
    }

    fn at(&self, index: usize) -> [u8; N] {
        std::array::from_fn(|i| self.0[N * index + i])
    }

    /// Ends as offsets, a 0 before them.
    fn offsets(mut self) -> Vec<u8> {
        self.0.splice(0..0, [0; N]);
        self.0
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
