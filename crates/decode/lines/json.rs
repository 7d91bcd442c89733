//! One JSON value from text, as strict as the reference's parser. What follows the value is not looked at.

use std::borrow::Cow;

/// Each level is one of the stack.
const MAX_DEPTH: usize = 1000;

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node<'a> {
    Null,
    Boolean(bool),
    /// Digits, perhaps after a minus.
    Integer(&'a str),
    /// A number with a fraction or an exponent.
    Float(&'a str),
    Text(Cow<'a, str>),
    Array(Vec<Node<'a>>),
    /// In the order of the text, names that come twice too.
    Object(Vec<(Cow<'a, str>, Node<'a>)>),
}

impl Node<'_> {
    /// The kind, for errors.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Node::Null => "null",
            Node::Boolean(_) => "a boolean",
            Node::Integer(_) | Node::Float(_) => "a number",
            Node::Text(_) => "a string",
            Node::Array(_) => "an array",
            Node::Object(_) => "an object",
        }
    }
}

/// What is wrong with a text, and where.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) what: &'static str,
    /// Whether the text may be well, but is more than is read.
    pub(super) limit: bool,
}

/// The first value of a text; none if there are only blanks.
pub(super) fn parse(text: &str) -> Result<Option<Node<'_>>, Fault> {
    let mut parser = Parser { text, bytes: text.as_bytes(), at: 0 };
    parser.blanks();
    if parser.at == parser.bytes.len() {
        return Ok(None);
    }
    parser.value(0).map(Some)
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Parser<'a> {
    fn fault<T>(&self, what: &'static str) -> Result<T, Fault> {
        Err(Fault { at: self.at, what, limit: false })
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node<'a>, Fault> {
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Node::Text),
            Some(b't') => self.word("true", Node::Boolean(true)),
            Some(b'f') => self.word("false", Node::Boolean(false)),
            Some(b'n') => self.word("null", Node::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => self.fault("no value begins here"),
            None => self.fault("the text ends where a value should be"),
        }
    }

    fn word(&mut self, word: &str, node: Node<'a>) -> Result<Node<'a>, Fault> {
        if !self.text[self.at..].starts_with(word) {
            return self.fault("an unknown word");
        }
        self.at += word.len();
        // Whatever could go on as a name makes another word of it.
        let next = self.text[self.at..].chars().next();
        match next {
            Some(c) if c.is_alphanumeric() || c == '_' || c == '$' => self.fault("an unknown word"),
            _ => Ok(node),
        }
    }

    fn number(&mut self) -> Result<Node<'a>, Fault> {
        let start = self.at;
        let negative = self.peek() == Some(b'-');
        self.at += usize::from(negative);
        let whole = self.digits();
        if whole == 0 {
            return self.fault("a number without digits");
        }
        if whole > 1 && self.bytes[self.at - whole] == b'0' {
            return self.fault("a number with a zero before it");
        }
        let mut float = false;
        if self.peek() == Some(b'.') {
            self.at += 1;
            float = true;
            if self.digits() == 0 {
                return self.fault("a number without digits after its point");
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            float = true;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return self.fault("a number without digits in its exponent");
            }
        }
        let text = &self.text[start..self.at];
        Ok(if float { Node::Float(text) } else { Node::Integer(text) })
    }

    fn digits(&mut self) -> usize {
        let count = self.bytes[self.at..].iter().take_while(|b| b.is_ascii_digit()).count();
        self.at += count;
        count
    }

    fn string(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.at += 1;
        let start = self.at;
        let mut owned: Option<String> = None;
        loop {
            let plain = self.bytes[self.at..].iter().take_while(|b| **b >= b' ' && **b != b'"' && **b != b'\\').count();
            let from = self.at;
            self.at += plain;
            if let Some(owned) = &mut owned {
                owned.push_str(&self.text[from..self.at]);
            }
            match self.peek() {
                Some(b'"') => {
                    let text = match owned {
                        Some(text) => Cow::Owned(text),
                        None => Cow::Borrowed(&self.text[start..self.at]),
                    };
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => {
                    let so_far = &self.text[start..self.at];
                    self.at += 1;
                    let c = self.escape()?;
                    owned.get_or_insert_with(|| so_far.to_string()).push(c);
                }
                Some(_) => return self.fault("a control character in a string"),
                None => return self.fault("a string without end"),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Fault> {
        let Some(byte) = self.peek() else { return self.fault("a string without end") };
        self.at += 1;
        Ok(match byte {
            b'"' | b'\\' | b'/' => byte as char,
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let high = self.unit()?;
                if !(0xd800..0xdc00).contains(&high) || !self.bytes[self.at..].starts_with(b"\\u") {
                    // The writer of strings to bytes puts a question mark for half a pair.
                    return Ok(char::from_u32(high).unwrap_or('?'));
                }
                let back = self.at;
                self.at += 2;
                let low = self.unit()?;
                if (0xdc00..0xe000).contains(&low) {
                    return Ok(char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)).unwrap_or('?'));
                }
                self.at = back;
                '?'
            }
            _ => {
                self.at -= 1;
                return self.fault("an unknown escape");
            }
        })
    }

    fn unit(&mut self) -> Result<u32, Fault> {
        let Some(digits) = self.bytes.get(self.at..self.at + 4) else { return self.fault("an escape that is cut") };
        let mut value = 0;
        for byte in digits {
            let Some(digit) = (*byte as char).to_digit(16) else { return self.fault("an escape without digits") };
            value = value << 4 | digit;
        }
        self.at += 4;
        Ok(value)
    }

    fn array(&mut self, depth: usize) -> Result<Node<'a>, Fault> {
        self.enter(depth)?;
        let mut items = Vec::new();
        self.blanks();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Node::Array(items));
        }
        loop {
            self.blanks();
            items.push(self.value(depth + 1)?);
            self.blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(Node::Array(items));
                }
                _ => return self.fault("neither a comma nor the end of the array"),
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Node<'a>, Fault> {
        self.enter(depth)?;
        let mut fields = Vec::new();
        self.blanks();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Node::Object(fields));
        }
        loop {
            self.blanks();
            if self.peek() != Some(b'"') {
                return self.fault("no name of a field");
            }
            let name = self.string()?;
            self.blanks();
            if self.peek() != Some(b':') {
                return self.fault("no colon after a name");
            }
            self.at += 1;
            self.blanks();
            fields.push((name, self.value(depth + 1)?));
            self.blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Node::Object(fields));
                }
                _ => return self.fault("neither a comma nor the end of the object"),
            }
        }
    }

    fn enter(&mut self, depth: usize) -> Result<(), Fault> {
        if depth >= MAX_DEPTH {
            return Err(Fault { at: self.at, what: "nested deeper than 1000", limit: true });
        }
        self.at += 1;
        Ok(())
    }
}
