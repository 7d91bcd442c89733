//! Files of lines: CSV, JSON and plain text, perhaps compressed as a whole, read piece by piece.

mod base64;
mod blocks;
mod codec;
mod column;
mod csv_rows;
mod cut;
mod fields;
mod json;
mod json_rows;
mod scalar;
mod source;
mod utf8;

use crate::source::{DataFileReader, RawBatch, RawBatches, ReadRequest};
use crate::types::arrow_field;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{Fields, Schema, SchemaRef};
use codec::Codec;
use column::{Column, Meter};
use csv_rows::CsvRows;
use cut::{Delimiter, Lines};
use json_rows::JsonRows;
use lakefold_base::{Code, Error, Result};
use lakefold_store::Source;
use lakefold_task::{DataFile, Field, FileFormat, LineOptions, Type};
use source::SourceReader;
use std::sync::Arc;

/// An open file of lines.
pub struct LinesFile {
    source: Arc<dyn Source>,
    format: FileFormat,
    codec: Codec,
    fields: Vec<Field>,
    options: LineOptions,
    schema: SchemaRef,
}

impl LinesFile {
    /// Opens a file whose columns are `file.fields`. Types that its format has not are `Unsupported` once they are read.
    pub fn open(source: Arc<dyn Source>, file: &DataFile) -> Result<Self> {
        let fields = file.fields.clone().ok_or_else(|| {
            Error::new(Code::InvalidArgument, "a file of lines whose columns the task does not tell")
                .with("field", "fields")
        })?;
        let options = file.lines.clone().unwrap_or_default();
        let arrow = fields.iter().map(arrow_field).collect::<Result<Fields>>()?;
        let codec = Codec::of(&file.path);
        let schema = Arc::new(Schema::new(arrow));
        Ok(Self { source, format: file.format, codec, fields, options, schema })
    }

    fn rows(&self, columns: &[Column]) -> Result<RowReader> {
        for column in columns {
            check(self.format, &column.field)?;
        }
        let places = columns.iter().filter_map(|c| self.fields.iter().position(|f| f.id == c.field.id)).collect();
        Ok(match self.format {
            FileFormat::Csv => RowReader::Csv(CsvRows::new(&self.options.delimited, places)?),
            FileFormat::Json => RowReader::Json(JsonRows::new(&self.options.json)),
            FileFormat::Text if self.fields.len() != 1 => {
                let text = format!("a text file of {} columns: there can be one only", self.fields.len());
                return Err(Error::unsupported(text));
            }
            FileFormat::Text => RowReader::Text,
            other => return Err(Error::internal(format!("{other:?} files hold no lines"))),
        })
    }
}

/// Fails with `Unsupported` for types that the format has not.
fn check(format: FileFormat, field: &Field) -> Result<()> {
    let known = match (format, &field.field_type) {
        (FileFormat::Text, of) => matches!(of, Type::String | Type::Char(_) | Type::Varchar(_)),
        (FileFormat::Json, Type::Struct(fields)) => return fields.iter().try_for_each(|f| check(format, f)),
        (FileFormat::Json, Type::List(element)) => return check(format, element),
        (FileFormat::Json, Type::Map(key, value)) if scalar::knows(&key.field_type) => return check(format, value),
        (_, of) => scalar::knows(of),
    };
    if known {
        return Ok(());
    }
    let text = format!("a column of type {} in a {format:?} file", field.field_type);
    Err(Error::unsupported(text).with("field", &field.name).with("field-id", field.id))
}

impl DataFileReader for LinesFile {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn read(self: Box<Self>, request: ReadRequest) -> Result<Box<dyn RawBatches>> {
        let column = |wanted: &arrow_schema::FieldRef| {
            let field = self.fields.iter().find(|f| f.name == *wanted.name());
            let field = field.ok_or_else(|| Error::internal("an unknown field").with("field", wanted.name()))?;
            check(self.format, field)?;
            Column::new(field, wanted)
        };
        let columns = request.fields.iter().map(column).collect::<Result<Vec<_>>>()?;
        let rows = self.rows(&columns)?;
        let delimiter = Delimiter::new(&self.options.line_delimiter)?;
        let whole = request.start == 0 && request.length >= self.source.len();
        if !whole && (self.codec != Codec::None || !matches!(delimiter, Delimiter::Standard)) {
            let text = "a piece of a file that is compressed or has other ends of lines than usual";
            return Err(Error::new(Code::InvalidArgument, text).with("start", request.start));
        }
        let last_start = if whole { u64::MAX } else { request.start.saturating_add(request.length) };
        let input = SourceReader::new(Arc::clone(&self.source), request.start, last_start);
        let lines = Lines::new(self.codec.open(input)?, delimiter, request.start, last_start);
        let header = self.format == FileFormat::Csv && self.options.delimited.header && request.start == 0;
        let schema = Arc::new(Schema::new(Fields::from(request.fields.clone())));
        Ok(Box::new(Batches { lines, header, rows, columns, schema, request, line: 0, row: 0 }))
    }
}

enum RowReader {
    Csv(CsvRows),
    Json(JsonRows),
    Text,
}

struct Batches {
    lines: Lines,
    /// Whether the first line names the columns.
    header: bool,
    rows: RowReader,
    columns: Vec<Column>,
    schema: SchemaRef,
    request: ReadRequest,
    /// Lines read so far.
    line: u64,
    /// Rows given so far.
    row: u64,
}

impl Batches {
    /// Appends one row at most; false at the end.
    fn step(&mut self, meter: &mut Meter, count: &mut usize) -> Result<bool> {
        let Some(line) = self.lines.next()? else { return Ok(false) };
        self.line += 1;
        if std::mem::take(&mut self.header) {
            return Ok(true);
        }
        meter.row();
        // Lines that give nothing count too: a batch is what is read at once.
        meter.used += line.bytes.len();
        let columns = &mut self.columns[..];
        let appended = match &self.rows {
            RowReader::Csv(_) if columns.is_empty() => Ok(true),
            RowReader::Csv(rows) => rows.read(&utf8::text(line.bytes), columns, meter),
            RowReader::Json(rows) => rows.read(&utf8::text(line.bytes), columns, meter),
            RowReader::Text => {
                columns.iter_mut().try_for_each(|c| c.push_text(&utf8::text(line.bytes), meter)).map(|()| true)
            }
        };
        let appended = appended.map_err(|error| {
            let error = error.with("offset", line.offset);
            // Where the piece begins, nobody has counted the lines before.
            if self.request.start == 0 { error.with("line", self.line) } else { error }
        })?;
        *count += usize::from(appended);
        Ok(true)
    }
}

impl RawBatches for Batches {
    fn next(&mut self) -> Result<Option<RawBatch>> {
        let most_bytes = self.request.context.options.batch_bytes.clamp(1, 1 << 30);
        let mut meter = Meter::default();
        let mut rows = 0;
        let mut steps: usize = 0;
        while rows < self.request.batch_size && meter.used < most_bytes {
            steps += 1;
            if steps.is_multiple_of(1024) {
                self.request.context.check()?;
            }
            if !self.step(&mut meter, &mut rows)? {
                if rows == 0 {
                    return Ok(None);
                }
                break;
            }
            if rows == 0 {
                // Lines without rows fill no batch.
                meter.used = 0;
            }
        }
        let arrays = self.columns.iter_mut().map(Column::finish).collect::<Result<Vec<ArrayRef>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options)
            .map_err(|e| Error::internal("a batch of lines cannot be built").caused_by(e))?;
        let first_row = self.row;
        self.row += rows as u64;
        Ok(Some(RawBatch { batch, first_row }))
    }
}

/// A value for an error, cut to what a message can hold.
fn shorten(value: &str) -> String {
    const MOST: usize = 200;
    match value.char_indices().nth(MOST) {
        None => value.to_string(),
        Some((at, _)) => format!("{}…", &value[..at]),
    }
}

#[cfg(test)]
mod tests;
