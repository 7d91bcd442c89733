/// One step of a SQL pattern.
enum Step {
    /// `%`
    Any,
    /// `_`
    One,
    /// A byte as it is.
    Byte(u8),
}

/// A SQL `LIKE` pattern: `%` any text, `_` one character, a backslash takes the next character as it is.
pub(crate) struct Pattern(Vec<Step>);

impl Pattern {
    /// Reads a pattern in UTF-8. A backslash at the end stands for itself.
    pub(crate) fn parse(text: &[u8]) -> Self {
        let mut steps = Vec::with_capacity(text.len());
        let mut bytes = text.iter().copied();
        while let Some(byte) = bytes.next() {
            steps.push(match byte {
                b'%' => Step::Any,
                b'_' => Step::One,
                b'\\' => Step::Byte(bytes.next().unwrap_or(byte)),
                byte => Step::Byte(byte),
            });
        }
        Self(steps)
    }

    /// Whether all of a text fits. Goes back to the last `%` only, so the time is at most the product of both lengths.
    pub(crate) fn matches(&self, text: &[u8]) -> bool {
        let (mut step, mut at) = (0, 0);
        let mut retry: Option<(usize, usize)> = None;
        loop {
            match self.0.get(step) {
                Some(Step::Any) => {
                    retry = Some((step + 1, at));
                    step += 1;
                    continue;
                }
                Some(Step::One) if at < text.len() => {
                    at += character(text, at);
                    step += 1;
                    continue;
                }
                Some(Step::Byte(byte)) if text.get(at) == Some(byte) => {
                    at += 1;
                    step += 1;
                    continue;
                }
                None if at == text.len() => return true,
                _ => {}
            }
            match &mut retry {
                Some((after, from)) if *from < text.len() => {
                    *from += character(text, *from);
                    (step, at) = (*after, *from);
                }
                _ => return false,
            }
        }
    }
}

/// How many bytes the character at `at` takes.
fn character(text: &[u8], at: usize) -> usize {
    1 + text[at + 1..].iter().take_while(|b| **b & 0xc0 == 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn wildcards_span_characters_and_escapes_stand_for_themselves() {
        for (pattern, text, fits) in [
            ("a%", "abc", true),
            ("%c", "abc", true),
            ("a_c", "aéc", true),
            ("a_c", "ac", false),
            ("%b%b%", "abab", true),
            ("%b%b%", "ab", false),
            ("a\\%", "a%", true),
            ("a\\%", "ab", false),
            ("", "", true),
            ("", "a", false),
            ("%", "", true),
        ] {
            assert_eq!(Pattern::parse(pattern.as_bytes()).matches(text.as_bytes()), fits, "{text} like {pattern}");
        }
    }
}
