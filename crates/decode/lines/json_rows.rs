//! JSON values to rows, as the reference's reader converts them.

use super::column::{Column, Meter};
use super::json::{Node, parse};
use super::{base64, scalar, shorten};
use crate::casts::{Cell, text};
use hashbrown::HashMap;
use lakefold_base::{Code, Error, Result};
use lakefold_task::{Json, Type};
use std::borrow::Cow;

/// Reads lines of JSON, each an object.
pub(super) struct JsonRows {
    /// Whether what cannot be read is null, and a line that is no object no row.
    ignore_errors: bool,
}

impl JsonRows {
    pub(super) fn new(options: &Json) -> Self {
        Self { ignore_errors: options.ignore_parse_errors }
    }

    /// Appends the row of a line to `columns`; false if it is none.
    pub(super) fn read(&self, line: &str, columns: &mut [Column], meter: &mut Meter) -> Result<bool> {
        let node = match parse(line) {
            Ok(node) => node,
            Err(fault) if self.ignore_errors && !fault.limit => return Ok(false),
            Err(fault) => {
                let code = if fault.limit { Code::LimitExceeded } else { Code::CorruptFile };
                let error = Error::new(code, format!("a line that cannot be read as JSON: {}", fault.what));
                return Err(error.with("column", fault.at + 1).with("value", shorten(line)));
            }
        };
        match node {
            Some(Node::Object(fields)) => {
                for column in columns {
                    let node = find(&fields, &column.field.name);
                    let name = column.field.name.clone();
                    self.append(node, column, meter).map_err(|e| e.with("field", name))?;
                }
                Ok(true)
            }
            // The reference takes the row itself for null, and passes it over.
            Some(Node::Null) => Ok(false),
            _ if self.ignore_errors => Ok(false),
            other => {
                let kind = other.map_or("nothing", |node| node.kind());
                Err(Error::corrupt(format!("a line with {kind} instead of an object")).with("value", shorten(line)))
            }
        }
    }

    fn append(&self, node: Option<&Node<'_>>, column: &mut Column, meter: &mut Meter) -> Result<()> {
        let Some(node) = node.filter(|node| **node != Node::Null) else { return column.push_null(meter) };
        match (&column.field.field_type, node) {
            (Type::Struct(_), Node::Object(fields)) => column.push_struct(meter, |child, meter| {
                let node = find(fields, &child.field.name);
                let name = child.field.name.clone();
                self.append(node, child, meter).map_err(|e| e.with("field", name))
            }),
            (Type::List(_), Node::Array(items)) => column.push_list(meter, |element, meter| {
                items.iter().try_for_each(|item| self.append(Some(item), element, meter))?;
                Ok(items.len())
            }),
            (Type::Map(..), Node::Object(fields)) => {
                column.push_map(meter, |keys, values, meter| self.entries(fields, keys, values, meter))
            }
            (Type::Struct(_) | Type::List(_) | Type::Map(..), other) => {
                let wanted = if matches!(column.field.field_type, Type::List(_)) { "an array" } else { "an object" };
                self.refused(column, meter, format!("{} where {wanted} should be", other.kind()), None)
            }
            (Type::String | Type::Char(_) | Type::Varchar(_), node) => column.push_text(&as_text(node), meter),
            (Type::Binary | Type::BinaryOf(_) | Type::Varbinary(_), node) => {
                let text = as_text(node);
                match base64::decode(&text) {
                    Some(bytes) => column.push(Some(Cell::Bytes(bytes)), meter),
                    None => self.refused(column, meter, "a value that is no base64".to_string(), Some(&text)),
                }
            }
            (field_type, node) => {
                let text = as_text(node);
                match scalar::parse(&text, field_type) {
                    Some(cell) => column.push(cell, meter),
                    None => {
                        let what = format!("a value that is no {field_type}");
                        self.refused(column, meter, what, Some(&text))
                    }
                }
            }
        }
    }

    fn refused(&self, column: &mut Column, meter: &mut Meter, what: String, value: Option<&str>) -> Result<()> {
        if self.ignore_errors {
            return column.push_null(meter);
        }
        let error = Error::corrupt(what).with("field", &column.field.name);
        Err(match value {
            Some(value) => error.with("value", shorten(value)),
            None => error,
        })
    }

    /// The entries of a map: of names that give the same key, the last one's value. Keys that become null are left out.
    fn entries(
        &self,
        fields: &[(Cow<'_, str>, Node<'_>)],
        keys: &mut Column,
        values: &mut Column,
        meter: &mut Meter,
    ) -> Result<usize> {
        let mut entries: Vec<(Cell, &Node<'_>)> = Vec::with_capacity(fields.len());
        let mut places: HashMap<Vec<u8>, usize> = HashMap::with_capacity(fields.len());
        for (name, node) in fields {
            let Some(cell) = self.key(name, &keys.field.field_type, keys)? else { continue };
            match places.entry(identity(&cell)) {
                hashbrown::hash_map::Entry::Occupied(place) => entries[*place.get()].1 = node,
                hashbrown::hash_map::Entry::Vacant(place) => {
                    place.insert(entries.len());
                    entries.push((cell, node));
                }
            }
        }
        let count = entries.len();
        for (key, node) in entries {
            keys.push(Some(key), meter)?;
            self.append(Some(node), values, meter)?;
        }
        Ok(count)
    }

    /// Keys of bytes are the bytes of the text; there is no base64 in names.
    fn key(&self, name: &str, key_type: &Type, column: &Column) -> Result<Option<Cell>> {
        let cell = match key_type {
            Type::Binary | Type::BinaryOf(_) | Type::Varbinary(_) => text::parse(name, key_type).ok(),
            other => scalar::parse(name, other),
        };
        match cell {
            Some(cell) => Ok(cell),
            None if self.ignore_errors => Ok(None),
            None => Err(Error::corrupt(format!("a key that is no {key_type}"))
                .with("field", &column.field.name)
                .with("value", shorten(name))),
        }
    }
}

/// The last field of a name.
fn find<'n, 'a>(fields: &'n [(Cow<'a, str>, Node<'a>)], name: &str) -> Option<&'n Node<'a>> {
    fields.iter().rev().find(|(own, _)| own == name).map(|(_, node)| node)
}

/// A value as text: numbers as Java prints them, nothing for arrays and objects.
fn as_text<'n>(node: &'n Node<'_>) -> Cow<'n, str> {
    match node {
        Node::Null => Cow::Borrowed("null"),
        Node::Boolean(value) => Cow::Borrowed(if *value { "true" } else { "false" }),
        Node::Integer("-0") => Cow::Borrowed("0"),
        Node::Integer(digits) => Cow::Borrowed(digits),
        // The reference holds it as a double, whatever the column is. Its digits are the fewest that read back, as
        // Java 19 and later print them; older ones print one more now and then.
        Node::Float(digits) => Cow::Owned(text::of_double(digits.parse().unwrap_or(f64::NAN))),
        Node::Text(text) => Cow::Borrowed(text),
        Node::Array(_) | Node::Object(_) => Cow::Borrowed(""),
    }
}

/// Bytes that equal keys have in common.
fn identity(cell: &Cell) -> Vec<u8> {
    match cell {
        Cell::Text(text) => text.as_bytes().to_vec(),
        Cell::Bytes(bytes) => bytes.clone(),
        // All not-a-numbers are one key, and the zeros are two.
        Cell::Float(v) => if v.is_nan() { f32::NAN } else { *v }.to_bits().to_be_bytes().to_vec(),
        Cell::Double(v) => if v.is_nan() { f64::NAN } else { *v }.to_bits().to_be_bytes().to_vec(),
        Cell::Boolean(v) => vec![u8::from(*v)],
        Cell::Int(v) => v.to_be_bytes().to_vec(),
        Cell::Date(v) | Cell::Time(v) => v.to_be_bytes().to_vec(),
        Cell::Decimal(v, _) | Cell::Timestamp(v) => v.to_be_bytes().to_vec(),
    }
}
