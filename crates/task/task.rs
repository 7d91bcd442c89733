use lakefold_base::{Code, Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

use crate::filter::Filter;
use crate::lines::LineOptions;
use crate::rows::Rows;
use crate::schema::{Field, NameMapping};

/// The version of the document that this build reads and writes.
pub const VERSION: u32 = 1;

/// One piece of a scan: a range of one data file, and all that is needed to turn it into rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ScanTask {
    /// See [`VERSION`].
    pub version: u32,
    /// The file to read.
    pub data_file: DataFile,
    /// First byte of the range, in bytes.
    pub start: u64,
    /// Length of the range, in bytes.
    pub length: u64,
    /// The snapshot that was planned.
    #[serde(default)]
    pub snapshot_id: Option<i64>,
    /// The partition spec of the file.
    pub spec_id: i32,
    /// The file's data sequence number.
    pub data_sequence_number: i64,
    /// The file's file sequence number.
    #[serde(default)]
    pub file_sequence_number: Option<i64>,
    /// Row id of the file's first row (v3).
    #[serde(default)]
    pub first_row_id: Option<i64>,
    /// The file's partition fields with their values, in the order of its spec.
    #[serde(default)]
    pub partition: Vec<PartitionField>,
    /// The struct of `_partition`: the fields of all specs of the table. Empty: the column is null.
    #[serde(default)]
    pub partition_type: Vec<Field>,
    /// The columns of the table as of the scan; the filter's field ids refer to it.
    pub schema: Vec<Field>,
    /// The columns to return, in order, nested types pruned; metadata columns by their reserved ids.
    pub projection: Vec<Field>,
    /// What is left of the filter for this file; applied exactly.
    pub residual: Filter,
    /// The residual as the array DSL prints it; not read here.
    #[serde(default)]
    pub residual_text: Option<String>,
    /// For files without field ids.
    #[serde(default)]
    pub name_mapping: Option<Vec<NameMapping>>,
    /// What hides rows of this file.
    #[serde(default)]
    pub delete_files: Vec<DeleteFile>,
    /// If set, only rows that these hide are returned (changelog: rows that a snapshot deleted).
    #[serde(default)]
    pub only_deleted_by: Option<Vec<DeleteFile>>,
    /// If set, only rows at these positions are returned: both ends inclusive, counted as `_pos` is; of a stitch, in
    /// its range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row_ranges: Option<Vec<[u64; 2]>>,
    /// Values of columns that are the same for the whole task, single-value JSON by field id.
    #[serde(default)]
    pub constants: BTreeMap<i32, Value>,
    /// How the rows come about.
    #[serde(default)]
    pub rows: Rows,
}

/// The file that a task reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct DataFile {
    /// The path as the manifest has it; what `_file` returns and position deletes compare with.
    pub path: String,
    /// Where to open it (after location rewrites).
    pub location: String,
    /// Its format.
    pub format: FileFormat,
    /// Its size as the manifest has it, in bytes; may be wrong.
    pub file_size_in_bytes: u64,
    /// Its rows as the manifest has them; may be negative in broken tables.
    pub record_count: i64,
    /// The schema that the file was written with, where its format keeps schemas apart from files (Paimon). Columns
    /// are then found by name in the file, by id from this schema to the table's, at every depth, and values whose
    /// types differ are cast as Paimon's schema evolution does. Columns that this schema lacks are null, and
    /// partition values come from the task even if the file has the column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<Vec<Field>>,
    /// How a file of lines is written; absent: as its format does unless told otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<LineOptions>,
    /// Whether the values of a blob file are told as descriptors of where they lie.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blob_descriptors: bool,
    /// Whether the instants of an ORC file are wall clocks: the local times of those stored in the zone of its writer
    /// (Paimon's `orc.timestamp-ltz.legacy.type`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub local_instants: bool,
    /// Which failures of the file end its rows instead of the read (Paimon's `scan.ignore-corrupt-files` and
    /// `scan.ignore-lost-files`).
    #[serde(default, skip_serializing_if = "Ignored::nothing")]
    pub ignore: Ignored,
}

/// Failures of a data file that its reader was told to pass over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Ignored {
    /// The file is damaged: what comes before the damage is returned.
    pub corrupt: bool,
    /// The file is not there.
    pub lost: bool,
    /// Only what fails once the file is open: one that cannot be opened fails the read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub once_open: bool,
}

impl Ignored {
    /// Whether each failure is an error.
    pub fn nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// A file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileFormat {
    /// Apache Parquet.
    Parquet,
    /// Apache ORC.
    Orc,
    /// Apache Avro.
    Avro,
    /// Lines of delimited fields.
    Csv,
    /// Lines of JSON objects.
    Json,
    /// Lines of text, one column.
    Text,
    /// One column of large values (Paimon).
    Blob,
    /// Puffin, only for deletion vectors.
    Puffin,
}

/// One partition field of the file's spec with the file's value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PartitionField {
    /// The partition field's id.
    pub field_id: i32,
    /// Its name.
    pub name: String,
    /// The ids of its source columns.
    pub source_ids: Vec<i32>,
    /// The transform's text, such as `identity` or `bucket[16]`.
    pub transform: String,
    /// The result type, as in schemas.
    #[serde(rename = "type")]
    pub field_type: crate::schema::Type,
    /// Single-value JSON, null where the value is null.
    #[serde(default)]
    pub value: Value,
}

/// What kind of deletes a delete file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeleteContent {
    /// An Iceberg deletion vector: a blob of a Puffin file (Iceberg spec, "Deletion Vectors").
    PuffinDv,
    /// A Paimon deletion vector: a block of a deletion vector index file, 32 or 64 bit.
    PaimonDv,
    /// Position deletes.
    Positions,
    /// Equality deletes.
    Equality,
}

/// A file whose content hides rows of the data file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct DeleteFile {
    /// What it holds.
    pub content: DeleteContent,
    /// The path as the manifest has it.
    pub path: String,
    /// Where to open it.
    pub location: String,
    /// Its format.
    pub format: FileFormat,
    /// Its size as the manifest has it, in bytes.
    pub file_size_in_bytes: u64,
    /// Delete rows, or a vector's cardinality.
    pub record_count: i64,
    /// Its data sequence number.
    pub data_sequence_number: i64,
    /// Its partition spec.
    pub spec_id: i32,
    /// Where a vector's blob begins.
    #[serde(default)]
    pub content_offset: Option<u64>,
    /// How long a vector's blob is.
    #[serde(default)]
    pub content_size_in_bytes: Option<u64>,
    /// The one data file that it applies to.
    #[serde(default)]
    pub referenced_data_file: Option<String>,
    /// Field ids of the equality key.
    #[serde(default)]
    pub equality_ids: Option<Vec<i32>>,
    /// The key's columns: fields of the table pruned to the key's leaves (a key in a struct comes as that struct).
    #[serde(default)]
    pub equality_fields: Option<Vec<Field>>,
    /// Bounds of `file_path` in a position delete file; may be cut or inverted.
    #[serde(default)]
    pub lower_path: Option<String>,
    /// See `lower_path`.
    #[serde(default)]
    pub upper_path: Option<String>,
}

impl ScanTask {
    /// The bytes of the range. One that reaches the end which the manifest gives has no end: that size may be
    /// wrong, and what lies beyond it belongs to no other task.
    pub fn range_length(&self) -> u64 {
        let recorded = self.start.saturating_add(self.length) >= self.data_file.file_size_in_bytes;
        if recorded { u64::MAX } else { self.length }
    }

    /// Parses and checks the version.
    pub fn from_json(text: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct Head {
            version: Option<u32>,
        }
        let broken = |e: serde_json::Error| Error::new(Code::InvalidArgument, format!("not a scan task: {e}"));
        let head: Head = serde_json::from_str(text).map_err(broken)?;
        match head.version {
            Some(VERSION) => {
                // Filters may be nested deeper than a thread's stack: it grows with them.
                let mut json = serde_json::Deserializer::from_str(text);
                json.disable_recursion_limit();
                let task = Self::deserialize(serde_stacker::Deserializer::new(&mut json)).map_err(broken)?;
                json.end().map_err(broken)?;
                Ok(task)
            }
            Some(other) => {
                Err(Error::unsupported(format!("scan task version {other}; this build reads version {VERSION}"))
                    .with("field", "version")
                    .with("value", other))
            }
            None => Err(Error::new(Code::InvalidArgument, "scan task without a version").with("field", "version")),
        }
    }
}
