//! Base64 (RFC 4648) as Java's basic decoder takes it: the padding may be missing, but not half of it; the last bits of a
//! short unit are not looked at.

/// The bytes; none if the text is no base64.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3 + 2);
    let (mut bits, mut have) = (0_u32, 0);
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' if have == 3 || have == 2 && bytes.next() == Some(b'=') => {
                if bytes.next().is_some() {
                    return None;
                }
                break;
            }
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        have += 1;
        if have == 4 {
            out.extend_from_slice(&bits.to_be_bytes()[1..]);
            (bits, have) = (0, 0);
        }
    }
    match have {
        0 => {}
        2 => out.push((bits >> 4) as u8),
        3 => out.extend_from_slice(&((bits >> 2) as u16).to_be_bytes()),
        _ => return None,
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::decode;

    /// Answers of `java.util.Base64.getDecoder()`.
    #[test]
    fn the_decoder_takes_what_java_takes() {
        for (text, bytes) in [
            ("", Some("")),
            ("YQ==", Some("a")),
            ("YQ", Some("a")),
            ("YR==", Some("a")),
            ("YWI=", Some("ab")),
            ("YWI", Some("ab")),
            ("YWJj", Some("abc")),
            ("YWJjZA==", Some("abcd")),
            ("Y", None),
            ("YQ=", None),
            ("Y===", None),
            ("=", None),
            ("YWJj=", None),
            ("YQ==YQ==", None),
            ("YQ==\n", None),
            ("Y Q=", None),
            ("YQ-_", None),
        ] {
            assert_eq!(decode(text).as_deref(), bytes.map(str::as_bytes), "{text:?}");
        }
    }
}
