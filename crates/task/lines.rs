use serde::{Deserialize, Serialize};

/// How a file of lines is written: CSV, JSON or plain text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct LineOptions {
    /// What ends a line. Line feed, carriage return and both together are one: any of them ends a line then.
    pub line_delimiter: String,
    /// CSV only.
    pub delimited: Delimited,
    /// JSON only.
    pub json: Json,
}

/// How the fields of a CSV line are written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Delimited {
    /// What stands between fields.
    pub field_delimiter: char,
    /// What fields with special characters are put in; the null character: nothing.
    pub quote: char,
    /// What takes the meaning off a quote or itself; the null character: nothing.
    pub escape: char,
    /// The text of null, where it is not quoted.
    pub null_literal: String,
    /// Whether the file's first line names the columns.
    pub header: bool,
    /// What is done with values that are none of their type.
    pub mode: Mode,
}

/// What is done with values that are none of their type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// They are null.
    Permissive,
    /// Their rows are left out.
    DropMalformed,
    /// They are an error.
    FailFast,
}

/// How a line of JSON is read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Json {
    /// Whether lines that are no objects are left out and values that are none of their type null; an error else.
    pub ignore_parse_errors: bool,
}

impl Default for LineOptions {
    fn default() -> Self {
        Self { line_delimiter: "\n".to_string(), delimited: Delimited::default(), json: Json::default() }
    }
}

impl Default for Delimited {
    fn default() -> Self {
        Self {
            field_delimiter: ',',
            quote: '"',
            escape: '\\',
            null_literal: String::new(),
            header: false,
            mode: Mode::Permissive,
        }
    }
}
