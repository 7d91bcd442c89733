//! A stream of bytes cut into lines.

use super::codec::broken;
use lakefold_base::{Code, Error, Result};
use std::io::Read;

/// Longest line in bytes.
const MAX_LINE: usize = 256 << 20;

/// How much is read at once.
const STEP: usize = 64 << 10;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What ends a line.
#[derive(Debug, Clone)]
pub(super) enum Delimiter {
    /// A line feed, a carriage return, or both: where the option names any of them.
    Standard,
    /// Just these bytes.
    Custom(Vec<u8>),
}

impl Delimiter {
    pub(super) fn new(text: &str) -> Result<Self> {
        match text {
            "" => Err(Error::new(Code::InvalidArgument, "an empty line delimiter").with("field", "line-delimiter")),
            "\n" | "\r\n" | "\r" => Ok(Delimiter::Standard),
            other => Ok(Delimiter::Custom(other.as_bytes().to_vec())),
        }
    }
}

/// The lines of a piece. A line belongs to the piece in which it starts, one that starts just at the end included, and one
/// that starts just at the beginning excluded, unless the file begins there.
pub(super) struct Lines {
    input: Box<dyn Read + Send>,
    delimiter: Delimiter,
    buffer: Vec<u8>,
    /// Where the next line begins in the buffer, and how much of the buffer is filled.
    at: usize,
    filled: usize,
    /// Where the buffer begins in the file.
    base: u64,
    /// Lines that start behind this place are of another piece.
    last_start: u64,
    ended: bool,
    /// Whether bytes before the first line are still to be passed over.
    fresh: bool,
    max_line: usize,
}

/// A line without its end.
pub(super) struct Line<'a> {
    /// Where it begins in the (decompressed) file.
    pub(super) offset: u64,
    /// Its bytes.
    pub(super) bytes: &'a [u8],
}

impl Lines {
    /// `input` begins at `start` of the file.
    pub(super) fn new(input: Box<dyn Read + Send>, delimiter: Delimiter, start: u64, last_start: u64) -> Self {
        Self {
            input,
            delimiter,
            buffer: Vec::new(),
            at: 0,
            filled: 0,
            base: start,
            last_start,
            ended: false,
            fresh: true,
            max_line: MAX_LINE,
        }
    }

    #[cfg(test)]
    pub(super) fn with_max_line(mut self, max_line: usize) -> Self {
        self.max_line = max_line;
        self
    }

    fn position(&self) -> u64 {
        self.base + self.at as u64
    }

    /// Reads on; what lies before the next line is given up.
    fn fill(&mut self) -> Result<()> {
        if self.at > 0 {
            self.buffer.copy_within(self.at..self.filled, 0);
            self.base += self.at as u64;
            self.filled -= self.at;
            self.at = 0;
        }
        if self.filled > self.max_line {
            let text = format!("a line of more than {} bytes", self.max_line);
            let error = Error::new(Code::LimitExceeded, text).with("maxLength", self.max_line);
            return Err(error.with("offset", self.base));
        }
        // Doubled, so that a long line costs its length a few times only.
        let wanted = self.filled + self.filled.max(STEP);
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted, 0);
        }
        let n = loop {
            match self.input.read(&mut self.buffer[self.filled..wanted]) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                result => break result.map_err(broken)?,
            }
        };
        self.filled += n;
        self.ended = n == 0;
        Ok(())
    }

    /// Has so many bytes at hand behind `at`, if the file has them.
    fn ensure(&mut self, count: usize) -> Result<()> {
        while !self.ended && self.filled - self.at < count {
            self.fill()?;
        }
        Ok(())
    }

    fn begin(&mut self) -> Result<()> {
        self.fresh = false;
        if !matches!(self.delimiter, Delimiter::Standard) {
            return Ok(());
        }
        if self.base == 0 {
            self.ensure(BYTE_ORDER_MARK.len())?;
            if self.buffer[..self.filled].starts_with(BYTE_ORDER_MARK) {
                self.at = BYTE_ORDER_MARK.len();
            }
            return Ok(());
        }
        // The rest of a line of the piece before.
        while self.position() <= self.last_start {
            if self.at == self.filled {
                if self.ended {
                    break;
                }
                self.fill()?;
                continue;
            }
            match memchr::memchr2(b'\n', b'\r', &self.buffer[self.at..self.filled]) {
                Some(found) => {
                    self.at += found;
                    return self.pass_end();
                }
                None => self.at = self.filled,
            }
        }
        Ok(())
    }

    /// Passes over the end of a line that begins here.
    fn pass_end(&mut self) -> Result<()> {
        self.ensure(2)?;
        let both = self.buffer[self.at..self.filled].starts_with(b"\r\n");
        self.at += if both { 2 } else { 1 };
        Ok(())
    }

    /// The next line; none at the end of the piece. The end of the file ends a line that has bytes.
    pub(super) fn next(&mut self) -> Result<Option<Line<'_>>> {
        if self.fresh {
            self.begin()?;
        }
        if self.position() > self.last_start {
            return Ok(None);
        }
        let mut searched = 0;
        let (length, end) = loop {
            let rest = &self.buffer[self.at..self.filled];
            let found = match &self.delimiter {
                Delimiter::Standard => match memchr::memchr2(b'\n', b'\r', &rest[searched..]) {
                    Some(found) => {
                        let found = searched + found;
                        match rest[found..] {
                            // What follows a carriage return must be at hand.
                            [b'\r'] if !self.ended => None,
                            [b'\r', b'\n', ..] => Some((found, 2)),
                            _ => Some((found, 1)),
                        }
                    }
                    None => None,
                },
                Delimiter::Custom(bytes) => {
                    memchr::memmem::find(&rest[searched..], bytes).map(|found| (searched + found, bytes.len()))
                }
            };
            if let Some(found) = found {
                break found;
            }
            if self.ended {
                if rest.is_empty() {
                    return Ok(None);
                }
                break (rest.len(), 0);
            }
            // The end may begin in the bytes at hand.
            let overlap = if let Delimiter::Custom(bytes) = &self.delimiter { bytes.len() - 1 } else { 1 };
            searched = rest.len().saturating_sub(overlap);
            self.fill()?;
        };
        if length > self.max_line {
            let error = Error::new(Code::LimitExceeded, format!("a line of {length} bytes"));
            return Err(error.with("maxLength", self.max_line).with("offset", self.position()));
        }
        let (offset, start) = (self.position(), self.at);
        self.at += length + end;
        Ok(Some(Line { offset, bytes: &self.buffer[start..start + length] }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time.
    struct Slow(std::vec::IntoIter<u8>);

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            Ok(match (buffer.first_mut(), self.0.next()) {
                (Some(slot), Some(byte)) => {
                    *slot = byte;
                    1
                }
                _ => 0,
            })
        }
    }

    fn lines(bytes: &[u8], delimiter: &str, start: u64, last: u64) -> Vec<String> {
        let all = |input: Box<dyn Read + Send>| {
            let mut lines = Lines::new(input, Delimiter::new(delimiter).unwrap(), start, last);
            let mut out = Vec::new();
            while let Some(line) = lines.next().unwrap() {
                let own = &bytes[line.offset as usize..line.offset as usize + line.bytes.len()];
                assert_eq!(own, line.bytes);
                out.push(String::from_utf8_lossy(line.bytes).into_owned());
            }
            out
        };
        let rest = bytes[start as usize..].to_vec();
        let at_once = all(Box::new(std::io::Cursor::new(rest.clone())));
        assert_eq!(all(Box::new(Slow(rest.into_iter()))), at_once);
        at_once
    }

    #[test]
    fn any_end_of_line_ends_a_line_and_empty_ones_count() {
        assert_eq!(lines(b"a\r\nb\rc\n\n\rd", "\n", 0, u64::MAX), ["a", "b", "c", "", "", "d"]);
        assert_eq!(lines(b"a\n", "\r\n", 0, u64::MAX), ["a"]);
        assert_eq!(lines(b"a\r", "\r", 0, u64::MAX), ["a"]);
        assert_eq!(lines(b"", "\n", 0, u64::MAX), Vec::<String>::new());
        assert_eq!(lines(b"\xef\xbb\xbfa\nb", "\n", 0, u64::MAX), ["a", "b"]);
        assert_eq!(lines(b"\xef\xbb\xbf", "\n", 0, u64::MAX), Vec::<String>::new());
    }

    #[test]
    fn other_delimiters_are_found_where_they_overlap_with_what_is_before() {
        assert_eq!(lines(b"a||b|c||||d", "||", 0, u64::MAX), ["a", "b|c", "", "d"]);
        assert_eq!(lines(b"aaab\naab", "aab", 0, u64::MAX), ["a", "\n"]);
        assert_eq!(lines(b"x\ny;", ";", 0, u64::MAX), ["x\ny"]);
        assert_eq!(lines(b"x|", "||", 0, u64::MAX), ["x|"]);
        assert!(Delimiter::new("").is_err());
    }

    /// However a file is cut, each line is in one piece.
    #[test]
    fn each_line_is_in_the_piece_in_which_it_starts() {
        for text in ["one\ntwo\r\n\r\nthree\rfour\n\n", "one\ntwo", "\n\n\n", "\r\n\r\n", "a"] {
            let all = lines(text.as_bytes(), "\n", 0, u64::MAX);
            for size in 1..=text.len() as u64 {
                let mut pieces = Vec::new();
                for start in (0..text.len() as u64).step_by(size as usize) {
                    pieces.extend(lines(text.as_bytes(), "\n", start, start + size));
                }
                assert_eq!(pieces, all, "{text:?} in pieces of {size}");
            }
        }
    }

    #[test]
    fn a_line_without_end_is_an_error_and_not_passed_over_in_memory() {
        let endless = || Box::new(std::io::repeat(b'x'));
        let mut lines = Lines::new(endless(), Delimiter::Standard, 0, u64::MAX).with_max_line(1 << 20);
        let error = lines.next().err().unwrap();
        assert_eq!(error.code(), Code::LimitExceeded);
        assert!(lines.buffer.len() <= 4 << 20);
        // The piece before has the line: this one has none.
        let mut lines = Lines::new(endless(), Delimiter::Standard, 10, 5 << 20).with_max_line(1 << 20);
        assert!(lines.next().unwrap().is_none());
        assert!(lines.buffer.len() <= 4 << 20);
    }
}
