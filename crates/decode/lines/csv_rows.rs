//! Lines of CSV to rows.

use super::column::{Column, Meter};
use super::fields::{Cut, Dialect};
use super::utf8::is_whitespace;
use super::{scalar, shorten};
use crate::casts::Cell;
use lakefold_base::{Error, Result};
use lakefold_task::{Delimited, Mode, Type};

/// Reads lines of CSV.
pub(super) struct CsvRows {
    dialect: Dialect,
    null_literal: String,
    mode: Mode,
    /// Where each column's field stands in a line.
    places: Vec<usize>,
}

impl CsvRows {
    pub(super) fn new(options: &Delimited, places: Vec<usize>) -> Result<Self> {
        let dialect = Dialect::new(options)?;
        Ok(Self { dialect, null_literal: options.null_literal.clone(), mode: options.mode, places })
    }

    /// Appends the row of a line to `columns`; false if it is dropped.
    pub(super) fn read(&self, line: &str, columns: &mut [Column], meter: &mut Meter) -> Result<bool> {
        if line.chars().all(is_whitespace) {
            columns.iter_mut().try_for_each(|column| column.push_null(meter))?;
            return Ok(true);
        }
        let wanted = self.places.iter().max().map_or(0, |place| place + 1);
        let mut fields = Vec::with_capacity(wanted);
        self.dialect.cut(line, wanted, &mut fields);
        // All values before the first is appended: a row is dropped whole.
        let mut values = Vec::with_capacity(columns.len());
        for (column, place) in columns.iter().zip(&self.places) {
            let Some(field) = fields[*place].as_ref().filter(|field| !self.is_null(field)) else {
                values.push(Value::Cell(None));
                continue;
            };
            let field_type = &column.field.field_type;
            values.push(match field_type {
                Type::String | Type::Char(_) | Type::Varchar(_) => Value::Text(&field.text),
                _ => match scalar::parse(&field.text, field_type) {
                    Some(cell) => Value::Cell(cell),
                    None => match self.mode {
                        Mode::Permissive => Value::Cell(None),
                        Mode::DropMalformed => return Ok(false),
                        Mode::FailFast => {
                            return Err(Error::corrupt(format!("a value that is no {field_type}"))
                                .with("field", &column.field.name)
                                .with("value", shorten(&field.text)));
                        }
                    },
                },
            });
        }
        for (column, value) in columns.iter_mut().zip(values) {
            match value {
                Value::Text(text) => column.push_text(text, meter)?,
                Value::Cell(cell) => column.push(cell, meter)?,
            }
        }
        Ok(true)
    }

    /// An escape character may be part of the literal, so the field counts as it stands too.
    fn is_null(&self, field: &Cut<'_>) -> bool {
        !field.quoted && (field.text == self.null_literal || field.raw == self.null_literal)
    }
}

enum Value<'a> {
    Text(&'a str),
    Cell(Option<Cell>),
}
