use lakefold_base::{Error, Result};

/// Nesting of a footer's structures; the deepest that the format has is far below.
const MAX_NESTING: usize = 32;

struct Walker<'a> {
    bytes: &'a [u8],
    at: usize,
}

fn broken(text: &str) -> Error {
    Error::corrupt(format!("the footer is no Parquet metadata: {text}"))
}

/// Walks over a footer in Thrift's compact protocol before the real parser sees it: every length is backed by
/// bytes that exist, and neither structures nor the schema nest deeper than a parser's stack bears.
pub(crate) fn check_footer(bytes: &[u8]) -> Result<()> {
    let mut walker = Walker { bytes, at: 0 };
    walker.structure(0, true)
}

/// The same for another structure, such as a page index.
pub(crate) fn check(bytes: &[u8]) -> Result<()> {
    let mut walker = Walker { bytes, at: 0 };
    walker.structure(0, false)
}

/// `PageType::DICTIONARY_PAGE`.
const DICTIONARY_PAGE: i64 = 2;

/// What a page header says about the bytes after it (parquet.thrift, `PageHeader`).
pub(crate) struct PageHeader {
    /// Bytes of the header itself.
    pub length: usize,
    /// Bytes of the page.
    pub compressed: u64,
    /// Bytes of the page once decompressed; 0 if that is not said.
    pub uncompressed: u64,
    /// CRC-32 of those bytes.
    pub crc: Option<u32>,
    /// Whether it is a dictionary.
    pub dictionary: bool,
    /// Bytes at its beginning that are never compressed: the levels of a data page of version 2.
    pub levels: u64,
    /// Whether the rest is as it is, whatever the column's codec.
    pub plain: bool,
    /// Where a data page of version 2 says that it has -1 nulls: parquet-java does so where it keeps no statistics.
    pub unknown_nulls: Option<usize>,
}

/// Reads a page header from the beginning of some bytes.
pub(crate) fn page_header(bytes: &[u8]) -> Result<PageHeader> {
    let mut walker = Walker { bytes, at: 0 };
    let (mut uncompressed, mut compressed, mut crc, mut dictionary) = (0, None, None, false);
    let mut v2 = HeaderV2::default();
    let mut id = 0;
    while let Some(kind) = walker.field(&mut id)? {
        match (id, kind) {
            (1, 5) => dictionary = walker.zigzag()? == DICTIONARY_PAGE,
            (2, 5) => uncompressed = u64::try_from(walker.zigzag()?).unwrap_or(0),
            (3, 5) => compressed = u64::try_from(walker.zigzag()?).ok(),
            (4, 5) => crc = Some(walker.zigzag()? as i32 as u32),
            (8, 12) => v2 = walker.header_v2()?,
            (_, 1 | 2) => {}
            (_, kind) => walker.value(kind, 1)?,
        }
    }
    let compressed = compressed.ok_or_else(|| Error::corrupt("a page header without a size"))?;
    let HeaderV2 { levels, plain, unknown_nulls } = v2;
    Ok(PageHeader { length: walker.at, compressed, uncompressed, crc, dictionary, levels, plain, unknown_nulls })
}

/// What a `DataPageHeaderV2` adds, as [`PageHeader`] has it.
#[derive(Default)]
struct HeaderV2 {
    levels: u64,
    plain: bool,
    unknown_nulls: Option<usize>,
}

impl Walker<'_> {
    fn byte(&mut self) -> Result<u8> {
        let byte = *self.bytes.get(self.at).ok_or_else(|| broken("it ends early"))?;
        self.at += 1;
        Ok(byte)
    }

    fn varint(&mut self) -> Result<u64> {
        let mut value = 0;
        for shift in (0..70).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(broken("a number without end"))
    }

    /// Walks over a `DataPageHeaderV2`.
    fn header_v2(&mut self) -> Result<HeaderV2> {
        let (mut id, mut found) = (0, HeaderV2::default());
        while let Some(kind) = self.field(&mut id)? {
            match (id, kind) {
                (2, 5) => {
                    let at = self.at;
                    // One byte, as any number is that is so small; another spelling is left to the real parser.
                    if self.zigzag()? == -1 && self.at == at + 1 {
                        found.unknown_nulls = Some(at);
                    }
                }
                (5 | 6, 5) => {
                    let length = u64::try_from(self.zigzag()?).map_err(|_| broken("levels of a negative length"))?;
                    found.levels = found.levels.saturating_add(length);
                }
                // A boolean's value is its type; 2 is false.
                (7, kind @ (1 | 2)) => found.plain = kind == 2,
                (_, 1 | 2) => {}
                (_, kind) => self.value(kind, 2)?,
            }
        }
        Ok(found)
    }

    fn zigzag(&mut self) -> Result<i64> {
        let raw = self.varint()?;
        Ok((raw >> 1) as i64 ^ -((raw & 1) as i64))
    }

    /// The type of a structure's next field, none at its end; `id` goes along.
    fn field(&mut self, id: &mut i64) -> Result<Option<u8>> {
        let header = self.byte()?;
        let kind = header & 0x0f;
        if kind == 0 {
            return Ok(None);
        }
        *id = match header >> 4 {
            0 => self.zigzag()?,
            delta => id.saturating_add(delta.into()),
        };
        Ok(Some(kind))
    }

    fn skip(&mut self, length: u64) -> Result<()> {
        if length > (self.bytes.len() - self.at) as u64 {
            return Err(broken("a length beyond its end"));
        }
        self.at += length as usize;
        Ok(())
    }

    fn structure(&mut self, depth: usize, footer: bool) -> Result<()> {
        if depth > MAX_NESTING {
            return Err(broken("it nests too deeply"));
        }
        let mut id = 0;
        while let Some(kind) = self.field(&mut id)? {
            match (footer, id, kind) {
                (true, 2, 9) => self.schema(depth)?,
                (true, 8, _) => return Err(Error::unsupported("encrypted Parquet: columns are encrypted")),
                // Booleans of fields are in the header.
                (_, _, 1 | 2) => {}
                (_, _, kind) => self.value(kind, depth + 1)?,
            }
        }
        Ok(())
    }

    fn list_header(&mut self) -> Result<(u8, u64)> {
        let header = self.byte()?;
        let size = match header >> 4 {
            15 => self.varint()?,
            size => size.into(),
        };
        if size > (self.bytes.len() - self.at) as u64 {
            return Err(broken("a list longer than its bytes"));
        }
        Ok((header & 0x0f, size))
    }

    fn value(&mut self, kind: u8, depth: usize) -> Result<()> {
        if depth > MAX_NESTING {
            return Err(broken("it nests too deeply"));
        }
        match kind {
            1..=3 => self.skip(1),
            4..=6 => self.varint().map(|_| ()),
            7 => self.skip(8),
            8 => {
                let length = self.varint()?;
                self.skip(length)
            }
            9 | 10 => {
                let (kind, size) = self.list_header()?;
                (0..size).try_for_each(|_| self.value(kind, depth + 1))
            }
            11 => {
                let size = self.varint()?;
                if size == 0 {
                    return Ok(());
                }
                if size > (self.bytes.len() - self.at) as u64 {
                    return Err(broken("a map longer than its bytes"));
                }
                let kinds = self.byte()?;
                (0..size).try_for_each(|_| {
                    self.value(kinds >> 4, depth + 1)?;
                    self.value(kinds & 0x0f, depth + 1)
                })
            }
            12 => self.structure(depth + 1, false),
            other => Err(broken(&format!("type {other}"))),
        }
    }

    /// The schema is a list of elements, depth-first; each says how many children follow.
    fn schema(&mut self, depth: usize) -> Result<()> {
        let (kind, size) = self.list_header()?;
        if kind != 12 {
            return Err(broken("a schema of no elements"));
        }
        // Children that are still to come, for each open level.
        let mut open: Vec<u64> = Vec::new();
        for index in 0..size {
            let children = self.element(depth + 1)?;
            if index > 0 {
                while open.last() == Some(&0) {
                    open.pop();
                }
                match open.last_mut() {
                    Some(left) => *left -= 1,
                    None => return Err(broken("a schema with two roots")),
                }
            }
            if children > size - index - 1 {
                return Err(broken("a schema element with more children than there are elements"));
            }
            if children > 0 {
                open.push(children);
            }
            if open.len() > 2 * crate::types::MAX_DEPTH {
                return Err(Error::unsupported("a Parquet schema that nests too deeply"));
            }
        }
        Ok(())
    }

    fn element(&mut self, depth: usize) -> Result<u64> {
        let (mut id, mut children) = (0, 0);
        while let Some(kind) = self.field(&mut id)? {
            match (id, kind) {
                (5, 5) => {
                    children = u64::try_from(self.zigzag()?).map_err(|_| broken("a negative number of children"))?;
                }
                (_, 1 | 2) => {}
                (_, kind) => self.value(kind, depth + 1)?,
            }
        }
        Ok(children)
    }
}
