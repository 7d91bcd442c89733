use crate::program::{Blob, Skip};
use lakefold_base::{Error, Result};

/// A 64-bit integer has no more.
const MOST_INTEGER_BYTES: usize = 10;

/// Reads Avro's binary encoding from a decompressed block; nothing is read past its end.
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    pos: usize,
    file: &'a str,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8], file: &'a str) -> Self {
        Cursor { bytes, pos: 0, file }
    }

    pub(crate) fn position(&self) -> usize {
        self.pos
    }

    /// Goes to a position within the bytes.
    pub(crate) fn seek(&mut self, position: usize) {
        self.pos = position;
    }

    pub(crate) fn left(&self) -> usize {
        self.bytes.len() - self.pos
    }

    /// A fault if bytes are left where the last record of a block ends.
    pub(crate) fn finish(&self) -> Result<()> {
        match self.left() {
            0 => Ok(()),
            left => Err(self.fail(&format!("{left} bytes are left after the last record of a block"))),
        }
    }

    /// The bytes from `start` up to where the cursor is.
    pub(crate) fn since(&self, start: usize) -> &'a [u8] {
        &self.bytes[start..self.pos]
    }

    #[cold]
    pub(crate) fn fail(&self, what: &str) -> Error {
        Error::corrupt(format!("{} is damaged: {what}", self.file)).with("file", self.file).with("position", self.pos)
    }

    /// A fault of a value that must not be null but is.
    pub(crate) fn is_missing(&self, field: &str) -> Error {
        let separator = if field.is_empty() { "" } else { " " };
        let text = format!("{}: {field}{separator}is null", self.file);
        Error::corrupt(text).with("file", self.file).with("field", field)
    }

    fn byte(&mut self) -> Result<u8> {
        match self.bytes.get(self.pos) {
            Some(&byte) => {
                self.pos += 1;
                Ok(byte)
            }
            None => Err(self.fail("it ends inside an integer")),
        }
    }

    /// A 64-bit zig-zag integer.
    #[inline]
    pub(crate) fn long(&mut self) -> Result<i64> {
        match self.single() {
            Some(value) => Ok(value),
            None => self.long_of_many(),
        }
    }

    /// The next integer if it has one byte, as most have.
    #[inline]
    fn single(&mut self) -> Option<i64> {
        let byte = *self.bytes.get(self.pos)?;
        if byte >= 0x80 {
            return None;
        }
        self.pos += 1;
        Some(i64::from(byte >> 1) ^ -i64::from(byte & 1))
    }

    fn long_of_many(&mut self) -> Result<i64> {
        let mut raw = 0u64;
        for shift in (0..70).step_by(7) {
            let byte = self.byte()?;
            if shift == 63 && byte > 1 {
                break;
            }
            raw |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok((raw >> 1) as i64 ^ -((raw & 1) as i64));
            }
        }
        Err(self.fail("an integer has more than 64 bits"))
    }

    /// A zig-zag integer of at most seven bytes: a length, count or 32-bit value.
    #[inline]
    fn short(&mut self) -> Result<i64> {
        match self.single() {
            Some(value) => Ok(value),
            None => self.short_of_many(),
        }
    }

    fn short_of_many(&mut self) -> Result<i64> {
        let mut raw = 0u64;
        for shift in (0..49).step_by(7) {
            let byte = self.byte()?;
            raw |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok((raw >> 1) as i64 ^ -((raw & 1) as i64));
            }
        }
        Err(self.fail("an integer has too many bytes"))
    }

    /// A 32-bit zig-zag integer.
    pub(crate) fn int(&mut self) -> Result<i32> {
        let value = self.short()?;
        i32::try_from(value).map_err(|_| self.fail(&format!("the integer {value} has more than 32 bits")))
    }

    /// A 64-bit integer whose type may be the narrow one.
    pub(crate) fn integer(&mut self, narrow: bool) -> Result<i64> {
        if narrow { self.int().map(i64::from) } else { self.long() }
    }

    fn length(&mut self) -> Result<usize> {
        let length = self.short()?;
        match usize::try_from(length) {
            Ok(size) if size <= self.left() => Ok(size),
            _ => Err(self.fail(&format!("a length of {length} where {} bytes are left", self.left()))),
        }
    }

    fn take(&mut self, size: usize) -> Result<&'a [u8]> {
        if size > self.left() {
            return Err(self.fail(&format!("it ends where {size} more bytes should be")));
        }
        let start = self.pos;
        self.pos += size;
        Ok(&self.bytes[start..self.pos])
    }

    pub(crate) fn blob(&mut self, form: Blob) -> Result<&'a [u8]> {
        let size = match form {
            Blob::Fixed(size) => size,
            Blob::Text | Blob::Bytes => self.length()?,
        };
        let bytes = self.take(size)?;
        if matches!(form, Blob::Text) && std::str::from_utf8(bytes).is_err() {
            return Err(self.fail("a string is not UTF-8"));
        }
        Ok(bytes)
    }

    /// The count of the next block of an array or map, 0 at its end. Items take a byte at least.
    pub(crate) fn block_count(&mut self) -> Result<usize> {
        let mut count = self.short()?;
        if count < 0 {
            count = -count;
            self.length()?;
        }
        let count = count as usize;
        if count > self.left() {
            return Err(self.fail(&format!("a block of {count} items where {} bytes are left", self.left())));
        }
        Ok(count)
    }

    /// The branch that a union's value names, of so many.
    pub(crate) fn branch(&mut self, count: usize) -> Result<usize> {
        let index = self.int()?;
        match usize::try_from(index) {
            Ok(branch) if branch < count => Ok(branch),
            _ => Err(self.fail(&format!("a union has {count} types, the value names number {index}"))),
        }
    }

    /// Whether a nullable value is null, by the nulls of its branches; never where there are none.
    pub(crate) fn is_null(&mut self, nulls: &[bool]) -> Result<bool> {
        if nulls.is_empty() {
            return Ok(false);
        }
        Ok(nulls[self.branch(nulls.len())?])
    }

    fn skip_varint(&mut self) -> Result<()> {
        let rest = &self.bytes[self.pos..];
        match rest.iter().take(MOST_INTEGER_BYTES).position(|&byte| byte < 0x80) {
            Some(last) => {
                self.pos += last + 1;
                Ok(())
            }
            None if rest.len() < MOST_INTEGER_BYTES => Err(self.fail("it ends inside an integer")),
            None => Err(self.fail("an integer has more than 64 bits")),
        }
    }

    fn skip_varints(&mut self, mut count: usize) -> Result<()> {
        while count > 0 {
            if self.byte()? < 0x80 {
                count -= 1;
            }
        }
        Ok(())
    }

    /// Passes over a value. The depth of a program is that of the writer's schema, which is bounded.
    pub(crate) fn skip(&mut self, skip: &Skip) -> Result<()> {
        match skip {
            Skip::Varint => self.skip_varint(),
            Skip::Fixed(size) => self.take(*size).map(drop),
            Skip::Blob => {
                let size = self.length()?;
                self.take(size).map(drop)
            }
            Skip::Text => self.blob(Blob::Text).map(drop),
            Skip::Prefixed(size) => {
                let length = self.length()?;
                if length != *size {
                    return Err(self.fail(&format!("a fixed value has {length} bytes, not {size}")));
                }
                self.take(length).map(drop)
            }
            Skip::Union(branches) => {
                let branch = self.branch(branches.len())?;
                self.skip(&branches[branch])
            }
            Skip::Record(fields) => fields.iter().try_for_each(|field| self.skip(field)),
            Skip::Array(item) => self.items(|cursor| cursor.skip(item)),
            Skip::Map(value) => self.items(|cursor| {
                cursor.skip(&Skip::Blob)?;
                cursor.skip(value)
            }),
            Skip::Varints(each) => loop {
                match self.block_count()? {
                    0 => return Ok(()),
                    // A count is at most the bytes left, and a schema has at most some thousand types.
                    count => self.skip_varints(count.saturating_mul(*each))?,
                }
            },
        }
    }

    /// Runs `item` for each item of all blocks of an array or map.
    pub(crate) fn items(&mut self, mut item: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        loop {
            let count = self.block_count()?;
            if count == 0 {
                return Ok(());
            }
            for _ in 0..count {
                item(self)?;
            }
        }
    }
}
