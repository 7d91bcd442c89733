//! Bytes to text as Java decodes UTF-8: what is malformed becomes U+FFFD.

use std::borrow::Cow;

const REPLACEMENT: char = '\u{fffd}';

/// The text of a line.
pub(super) fn text(bytes: &[u8]) -> Cow<'_, str> {
    let mut rest = bytes;
    let mut out = String::new();
    loop {
        match std::str::from_utf8(rest) {
            Ok(valid) if out.is_empty() && rest.len() == bytes.len() => return Cow::Borrowed(valid),
            Ok(valid) => {
                out.push_str(valid);
                return Cow::Owned(out);
            }
            Err(error) => {
                let (valid, bad) = rest.split_at(error.valid_up_to());
                out.push_str(&String::from_utf8_lossy(valid));
                out.push(REPLACEMENT);
                let length = match bad {
                    // Half of a surrogate pair is one character to Java.
                    [0xed, 0xa0..=0xbf, 0x80..=0xbf, ..] => 3,
                    [0xed, 0xa0..=0xbf, ..] => 2,
                    _ => error.error_len().unwrap_or(bad.len()),
                };
                rest = &bad[length..];
                if rest.is_empty() {
                    return Cow::Owned(out);
                }
            }
        }
    }
}

/// What Java counts as whitespace: not the blanks that do not break.
pub(super) fn is_whitespace(c: char) -> bool {
    match c {
        '\u{9}'..='\u{d}' | '\u{1c}'..='\u{1f}' => true,
        '\u{85}' | '\u{a0}' | '\u{2007}' | '\u{202f}' => false,
        c => c.is_whitespace(),
    }
}
