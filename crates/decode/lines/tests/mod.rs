//! Files of lines against what the Java reference (1.4.2) reads from the same bytes: `vectors.json` has its answers.

mod hostile;
mod packed;
mod vectors;

use super::LinesFile;
use crate::memory_file::{context, memory};
use crate::paimon_cases::{render, types};
use crate::source::{DataFileReader, ReadRequest};
use lakefold_base::Result;
use lakefold_task::{DataFile, Field, FileFormat, LineOptions, Mode};
use serde_json::Value;

/// A file and how it is read.
pub(super) struct Ask {
    pub(super) format: FileFormat,
    /// Decides the codec.
    pub(super) path: String,
    pub(super) fields: Vec<Field>,
    pub(super) options: LineOptions,
    pub(super) bytes: Vec<u8>,
    /// First byte and length.
    pub(super) piece: (u64, u64),
    /// Columns by name; all, if none.
    pub(super) select: Option<Vec<String>>,
}

impl Ask {
    pub(super) fn new(format: FileFormat, columns: &[(&str, &str)], bytes: &[u8]) -> Self {
        let field = |(id, (name, kind)): (usize, &(&str, &str))| field(id, name, &Value::from(*kind));
        Self {
            format,
            path: "/lake/file".to_string(),
            fields: columns.iter().enumerate().map(field).collect(),
            options: LineOptions::default(),
            bytes: bytes.to_vec(),
            piece: (0, u64::MAX),
            select: None,
        }
    }

    /// The rows, each the values of its columns in the file's order.
    pub(super) fn rows(&self) -> Result<Vec<Vec<Value>>> {
        let file = DataFile {
            path: self.path.clone(),
            location: self.path.clone(),
            format: self.format,
            file_size_in_bytes: self.bytes.len() as u64,
            record_count: -1,
            fields: Some(self.fields.clone()),
            lines: Some(self.options.clone()),
            blob_descriptors: false,
            local_instants: false,
            ignore: Default::default(),
        };
        let reader = LinesFile::open(memory(self.bytes.clone()), &file)?;
        let wanted = |name: &str| self.select.as_ref().is_none_or(|names| names.iter().any(|n| n == name));
        let fields: Vec<&Field> = self.fields.iter().filter(|f| wanted(&f.name)).collect();
        let arrow = reader.schema().fields().iter().filter(|f| wanted(f.name())).cloned().collect();
        let (start, length) = self.piece;
        let request = ReadRequest { fields: arrow, start, length, batch_size: 7, context: context() };
        let mut batches = Box::new(reader).read(request)?;
        let mut rows = Vec::new();
        while let Some(raw) = batches.next()? {
            assert_eq!(raw.first_row, rows.len() as u64);
            for row in 0..raw.batch.num_rows() {
                let value = |(field, array): (&&Field, _)| render::value(&field.field_type, array, row);
                rows.push(fields.iter().zip(raw.batch.columns()).map(value).collect());
            }
        }
        Ok(rows)
    }
}

/// A column of a type as schema files spell it.
pub(super) fn field(id: usize, name: &str, kind: &Value) -> Field {
    let (field_type, required) = types::parse(kind);
    Field { id: id as i32, name: name.to_string(), required, field_type, initial_default: None }
}

/// Table options by their names in the reference.
pub(super) fn options(json: &Value) -> LineOptions {
    let mut options = LineOptions::default();
    for (key, value) in json.as_object().into_iter().flatten() {
        let text = value.as_str().unwrap();
        let one = || text.chars().next().unwrap();
        let delimited = &mut options.delimited;
        match key.as_str() {
            "csv.field-delimiter" | "field-delimiter" | "seq" => delimited.field_delimiter = one(),
            "csv.quote-character" | "quote" => delimited.quote = one(),
            "csv.escape-character" | "escape" => delimited.escape = one(),
            "csv.null-literal" | "nullvalue" => delimited.null_literal = text.to_string(),
            "csv.include-header" | "header" => delimited.header = text == "true",
            "csv.mode" | "mode" => delimited.mode = serde_json::from_value(text.to_lowercase().into()).unwrap(),
            "json.ignore-parse-errors" => options.json.ignore_parse_errors = text == "true",
            "csv.line-delimiter" | "json.line-delimiter" | "text.line-delimiter" | "lineSep" => {
                options.line_delimiter = text.to_string();
            }
            other => panic!("option {other}"),
        }
    }
    options
}

#[test]
fn values_that_are_no_values_tell_file_line_field_and_value() {
    let mut ask = Ask::new(FileFormat::Csv, &[("k", "STRING"), ("n", "INT")], b"a,1\nb,x\n");
    ask.options.delimited.mode = Mode::FailFast;
    let error = ask.rows().unwrap_err();
    let told: Vec<_> = error.context().collect();
    assert_eq!(told, [("field", "n"), ("line", "2"), ("offset", "4"), ("value", "x")]);
    let ask = Ask::new(FileFormat::Json, &[("n", "INT NOT NULL")], b"{\"n\":1}\n{}\n");
    let error = ask.rows().unwrap_err();
    assert!(error.message().contains("NOT NULL"), "{error}");
    assert!(error.context().any(|fact| fact == ("line", "2")), "{error:?}");
}

#[test]
fn types_that_a_format_has_not_are_refused_by_name() {
    let cases: [(FileFormat, &[(&str, &str)]); 3] = [
        (FileFormat::Csv, &[("k", "INT"), ("v", "VARIANT")]),
        (FileFormat::Text, &[("v", "INT")]),
        (FileFormat::Text, &[("a", "STRING"), ("b", "STRING")]),
    ];
    for (format, columns) in cases {
        let error = Ask::new(format, columns, b"1\n").rows().unwrap_err();
        assert_eq!(error.code(), lakefold_base::Code::Unsupported, "{error}");
    }
    // A column that is not read is not looked at.
    let mut ask = Ask::new(FileFormat::Csv, &[("k", "INT"), ("v", "VARIANT")], b"1\n");
    ask.select = Some(vec!["k".to_string()]);
    assert_eq!(ask.rows().unwrap(), [[Value::from(1)]]);
}

#[test]
fn characters_with_two_meanings_are_refused() {
    let ask = |edit: &dyn Fn(&mut LineOptions)| {
        let mut ask = Ask::new(FileFormat::Csv, &[("k", "STRING")], b"a\n");
        edit(&mut ask.options);
        ask.rows().map_err(|e| e.code())
    };
    let refused = Err(lakefold_base::Code::InvalidArgument);
    assert_eq!(ask(&|o| o.delimited.field_delimiter = '"'), refused);
    assert_eq!(ask(&|o| o.delimited.field_delimiter = '\\'), refused);
    assert_eq!(ask(&|o| o.delimited.field_delimiter = '\0'), refused);
    assert_eq!(ask(&|o| o.delimited.escape = '"'), refused);
    assert_eq!(ask(&|o| o.line_delimiter = String::new()), refused);
    assert!(
        ask(&|o| {
            o.delimited.quote = '\0';
            o.delimited.escape = '\0';
        })
        .is_ok()
    );
}

/// The reference returns 24:00:00 and -1:00:00 here, which Arrow has no values for.
#[test]
fn times_outside_of_the_day_are_malformed() {
    let ask = Ask::new(FileFormat::Csv, &[("t", "TIME(3)")], b"23:59:59.9996\n2-3\n23:59:59.9994\n");
    assert_eq!(ask.rows().unwrap(), [[Value::Null], [Value::Null], [Value::from("23:59:59.999")]]);
}

/// A timestamp that is well, but that 64 bits of nanoseconds cannot hold, is never null.
#[test]
fn timestamps_that_arrow_cannot_hold_are_errors() {
    let ask = Ask::new(FileFormat::Csv, &[("t", "TIMESTAMP(9)")], b"9999-12-31\n");
    let error = ask.rows().unwrap_err();
    assert!(error.context().any(|fact| fact == ("field", "t")), "{error:?}");
    let ask = Ask::new(FileFormat::Csv, &[("t", "TIMESTAMP(6)")], b"9999-12-31\n");
    assert_eq!(ask.rows().unwrap(), [[Value::from("9999-12-31T00:00:00.000000")]]);
}
