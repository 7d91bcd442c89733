use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::task::{DataFile, DeleteFile};

/// How the rows of a task come about.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Rows {
    /// As they stand in the task's data file.
    #[default]
    Plain,
    /// From sorted runs, merged by key.
    Merge(Box<Merge>),
    /// Files one after the other, as they stand, each row with its kind.
    Concat(Concat),
    /// What changed between two states of a bucket.
    Diff(Box<Diff>),
    /// Columns from several files with the same rows, put side by side.
    Stitch(Stitch),
}

/// One of several files of a task. The task's own `data-file` is the first of them and only gives the task a name
/// in errors; its `delete-files` are not used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RowFile {
    /// The file, read whole.
    pub data_file: DataFile,
    /// What hides rows of it, before any merging.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delete_files: Vec<DeleteFile>,
    /// Row id of its first row, for `_ROW_ID`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_row_id: Option<i64>,
    /// Its largest sequence number, for `_SEQUENCE_NUMBER` of row tracking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_sequence_number: Option<i64>,
}

/// Sorted runs of key-value files, and how rows of one key become one.
///
/// The rows of a key are put in order by the sequence fields, then by `_SEQUENCE_NUMBER`, retractions first among
/// equals; a key with a single row is not merged at all. The task's residual is applied to merged rows; conjuncts
/// over key columns alone are also applied to each file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Merge {
    /// Field ids of the trimmed primary key, in its declared order, which is the order of rows in each file.
    pub keys: Vec<i32>,
    /// User-defined sequence fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sequence: Vec<SequenceField>,
    /// What becomes of the rows of a key.
    pub engine: Engine,
    /// Whether retractions (`-U`, `-D`) are returned; a batch read drops them.
    #[serde(default)]
    pub keep_deletes: bool,
    /// Whether the merged rows are taken back: each is a `-D`.
    #[serde(default)]
    pub retract: bool,
    /// Sections in key order with no key in common; each is a list of runs, a run a list of files in key order with
    /// no key in common.
    #[serde(default)]
    pub sections: Vec<Vec<Vec<RowFile>>>,
    /// If set, only a part of the rows of the one section there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<KeyPart>,
}

/// One of the parts that a section's keys are divided into, so that several threads merge it; one after the other they
/// have its rows in key order. Where the cuts are is decided while reading, the same way for each part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct KeyPart {
    /// Counted from 0.
    pub index: usize,
    /// How many parts there are.
    pub count: usize,
}

/// A field that orders the rows of a key; nulls come first in either order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SequenceField {
    /// The field.
    pub field_id: i32,
    /// `sequence.field.sort-order`
    #[serde(default)]
    pub order: SortOrder,
}

/// A direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SortOrder {
    /// Small to large.
    #[default]
    Asc,
    /// Large to small.
    Desc,
}

/// A merge engine with its options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Engine {
    /// The last row wins.
    Deduplicate {
        /// Whether retractions are skipped.
        #[serde(default)]
        ignore_delete: bool,
    },
    /// The first row wins.
    FirstRow {
        /// Whether retractions are skipped; else they are an error.
        #[serde(default)]
        ignore_delete: bool,
    },
    /// Fields that are not null overwrite.
    PartialUpdate {
        /// Whether retractions are skipped.
        #[serde(default)]
        ignore_delete: bool,
        /// Whether `-D` clears the row.
        #[serde(default)]
        remove_record_on_delete: bool,
        /// Sequence fields whose group's `-D` deletes the row (`partial-update.remove-record-on-sequence-group`).
        #[serde(default)]
        remove_record_on_sequence_group: Vec<i32>,
        /// Fields that are updated together.
        #[serde(default)]
        groups: Vec<SequenceGroup>,
        /// Aggregate functions of single fields.
        #[serde(default)]
        aggregates: Vec<Aggregate>,
        /// `fields.default-aggregate-function`
        #[serde(default)]
        default_function: Option<String>,
    },
    /// Each field by its function.
    Aggregation {
        /// Whether `-D` deletes the row.
        #[serde(default)]
        remove_record_on_delete: bool,
        /// Aggregate functions of single fields; key and sequence fields need none.
        #[serde(default)]
        aggregates: Vec<Aggregate>,
        /// `fields.default-aggregate-function`; else `last_non_null_value`.
        #[serde(default)]
        default_function: Option<String>,
    },
}

/// `fields.<g1>[,<g2>].sequence-group`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SequenceGroup {
    /// The fields that order it, ascending, compared one after the other.
    pub sequence: Vec<i32>,
    /// The fields that it protects.
    pub fields: Vec<i32>,
}

/// The aggregate function of a field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Aggregate {
    /// The field.
    pub field_id: i32,
    /// Its name, such as `sum`; absent: the default function, with the options below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The rest of its options, as the table has them: those that are named `fields.<field>.<key>`, by `<key>`
    /// (`ignore-retract`, `distinct`, `list-agg-delimiter`, `nested-key`, `nested-sequence-field`, `count-limit`, ...).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
}

/// Files read one after the other without merging. A file without `_VALUE_KIND` holds insertions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Concat {
    /// The files, in order.
    pub files: Vec<RowFile>,
    /// Whether retractions (`-U`, `-D`) are returned.
    #[serde(default)]
    pub keep_deletes: bool,
}

/// Both states are merged by `merge` (whose own sections are the state after) and compared key by key: a row only
/// before gives it as `-D`, if deletes are kept; a row only after, or with another row, the new one. If deletes are
/// kept, a state's retractions are rows of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Diff {
    /// The sections of the state before.
    pub before: Vec<Vec<Vec<RowFile>>>,
    /// The state after, and how to merge.
    pub merge: Merge,
}

/// The files of one range of row ids. All have the same number of rows. The task's own `delete-files` apply, by
/// position in the range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Stitch {
    /// One for files that give the same columns. Columns that no part gives are null.
    pub parts: Vec<Part>,
    /// Row id of the first row.
    pub first_row_id: i64,
    /// How many rows the range has.
    pub row_count: u64,
}

/// Files and the columns that they give.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Part {
    /// One after the other they have the rows of the range.
    pub files: Vec<RowFile>,
    /// Top-level field ids.
    pub field_ids: Vec<i32>,
}
