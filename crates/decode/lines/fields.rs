//! A line of CSV cut into fields.

use lakefold_base::{Code, Error, Result};
use lakefold_task::Delimited;
use std::borrow::Cow;

use super::utf8::is_whitespace;

/// A field of a line.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Cut<'a> {
    /// The value, quotes and escapes taken off.
    pub(super) text: Cow<'a, str>,
    /// As it stands in the line.
    pub(super) raw: &'a str,
    /// Whether quotes were taken off.
    pub(super) quoted: bool,
}

/// The characters with a meaning.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dialect {
    separator: char,
    quote: char,
    escape: char,
}

impl Dialect {
    pub(super) fn new(options: &Delimited) -> Result<Self> {
        let Delimited { field_delimiter: separator, quote, escape, .. } = *options;
        let refuse = |field: &'static str, text: &str| {
            Err(Error::new(Code::InvalidArgument, text.to_string()).with("field", field))
        };
        if separator == '\0' {
            return refuse("field-delimiter", "the field delimiter is the null character");
        }
        if separator == quote || separator == escape {
            return refuse("field-delimiter", "the field delimiter is the quote or the escape character too");
        }
        // Both may be off.
        if quote == escape && quote != '\0' {
            return refuse("quote", "the quote character is the escape character too");
        }
        Ok(Self { separator, quote, escape })
    }

    /// The first `wanted` fields of a line; none for those that it has not, and for a last one whose quotes stay open.
    pub(super) fn cut<'a>(&self, line: &'a str, wanted: usize, out: &mut Vec<Option<Cut<'a>>>) {
        out.clear();
        if !line.contains([self.quote, self.escape]) {
            let fields = line.split(self.separator).take(wanted);
            out.extend(fields.map(|raw| Some(Cut { text: Cow::Borrowed(raw), raw, quoted: false })));
        } else {
            self.cut_quoted(line, wanted, out);
        }
        out.resize_with(wanted, || None);
    }

    fn cut_quoted<'a>(&self, line: &'a str, wanted: usize, out: &mut Vec<Option<Cut<'a>>>) {
        let mut buffer = String::new();
        let (mut in_quotes, mut in_field, mut quoted) = (false, false, false);
        let mut start = 0;
        // Counted as Java does, in UTF-16.
        let mut units = 0;
        let mut before = None;
        let mut rest = line.char_indices().peekable();
        while let Some((at, c)) = rest.next() {
            if out.len() == wanted {
                return;
            }
            let next = rest.peek().map(|(_, c)| *c);
            let (here, last) = (units, before);
            units += c.len_utf16();
            before = Some(c);
            let mut take = |rest: &mut std::iter::Peekable<std::str::CharIndices<'a>>, buffer: &mut String| {
                if let Some((_, c)) = rest.next() {
                    buffer.push(c);
                    units += c.len_utf16();
                    before = Some(c);
                }
            };
            if c == self.escape {
                // Before anything else than itself and a quote it is dropped, and always at a field's start.
                if (in_quotes || in_field) && (next == Some(self.quote) || next == Some(self.escape)) {
                    take(&mut rest, &mut buffer);
                }
            } else if c == self.quote {
                if (in_quotes || in_field) && next == Some(self.quote) {
                    take(&mut rest, &mut buffer);
                } else {
                    let inner =
                        here > 2 && last != Some(self.separator) && next.is_some_and(|next| next != self.separator);
                    if inner {
                        if !buffer.is_empty() && buffer.chars().all(is_whitespace) {
                            buffer.clear();
                        } else {
                            buffer.push(c);
                        }
                    }
                    in_quotes = !in_quotes;
                    quoted = true;
                }
                in_field = !in_field;
            } else if c == self.separator && !in_quotes {
                let text = Cow::Owned(std::mem::take(&mut buffer));
                out.push(Some(Cut { text, raw: &line[start..at], quoted }));
                (in_field, quoted, start) = (false, false, at + c.len_utf8());
            } else {
                buffer.push(c);
                in_field = true;
            }
        }
        if out.len() < wanted && !in_quotes {
            out.push(Some(Cut { text: Cow::Owned(buffer), raw: &line[start..], quoted }));
        }
    }
}
