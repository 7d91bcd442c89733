use lakefold_base::{Error, Result};
use serde::Deserialize;

/// What to do with a record, compiled from a writer's schema.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Program {
    /// The least bytes of a record, at least 1: bounds the count that a block may claim.
    pub min_bytes: usize,
    /// The fields in the order in which they are encoded, nested records written out.
    pub ops: Vec<Op>,
}

/// What to do with one field. `nulls` says of each branch of a nullable field whether it is null; empty for a field that is no union.
/// A column's segment of nulls has a byte a record, 1 for null, and is empty where none is.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Op {
    /// Passes over it: no segments.
    Skip(Skip),
    /// 32-bit integers: values (i32), nulls.
    Int {
        /// See [`Op`].
        nulls: Vec<bool>,
    },
    /// 64-bit integers: values (i64), nulls.
    Long {
        /// See [`Op`].
        nulls: Vec<bool>,
        /// Whether the writer's type has 32 bits.
        narrow: bool,
    },
    /// Text or bytes: offsets (u32, one more than records), bytes, nulls.
    Blob {
        /// See [`Op`].
        nulls: Vec<bool>,
        /// The form of the value.
        value: Blob,
    },
    /// Lists of integers: offsets (u32, one more than records), values (i64), nulls.
    List {
        /// See [`Op`].
        nulls: Vec<bool>,
        /// Whether the writer's items have 32 bits.
        narrow: bool,
    },
    /// Maps from field ids to integers: offsets (u32, one more than records), keys (i32), values (i64), nulls.
    LongMap {
        /// See [`Op`].
        nulls: Vec<bool>,
        /// Whether the writer's values have 32 bits.
        narrow: bool,
        /// The pairs.
        pairs: Pairs,
    },
    /// Maps from field ids to bytes: offsets (u32, one more than records), keys (i32), offsets of values (u32, one more
    /// than keys), bytes, nulls.
    BlobMap {
        /// See [`Op`].
        nulls: Vec<bool>,
        /// The form of the values.
        value: Blob,
        /// The pairs.
        pairs: Pairs,
    },
    /// A record that must not be null, before its fields: no segments.
    Present {
        /// See [`Op`].
        nulls: Vec<bool>,
        /// What errors call it.
        field: String,
    },
    /// Values in their encoding, equal ones once: codes (u32), offsets (u32, one more than distinct values), bytes.
    Distinct(Skip),
}

/// The form of text or bytes.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Blob {
    /// A length, then UTF-8.
    Text,
    /// A length, then bytes.
    Bytes,
    /// So many bytes.
    Fixed(usize),
}

/// What is kept of the pairs of a map.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Pairs {
    /// The keys that are kept; all if there are none here.
    pub keys: Option<Vec<i32>>,
    /// As `nulls` of [`Op`], for the values; pairs with null are dropped.
    pub nulls: Vec<bool>,
    /// How to pass over a value.
    pub skip: Skip,
}

/// How to pass over a value.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Skip {
    /// An integer.
    Varint,
    /// A length and as many bytes.
    Blob,
    /// A length and as many bytes, which must be UTF-8.
    Text,
    /// So many bytes.
    Fixed(usize),
    /// A length, which must be this one, and as many bytes.
    Prefixed(usize),
    /// A branch and its value.
    Union(Vec<Skip>),
    /// One value after the other.
    Record(Vec<Skip>),
    /// Blocks of items.
    Array(Box<Skip>),
    /// Blocks of items that are so many integers each.
    Varints(usize),
    /// Blocks of texts and values.
    Map(Box<Skip>),
}

impl Program {
    /// Reads a program from JSON; one that is broken is a fault of the caller.
    pub fn parse(json: &str) -> Result<Self> {
        let program: Program =
            serde_json::from_str(json).map_err(|e| Error::internal("a broken manifest program").caused_by(e))?;
        if program.min_bytes == 0 {
            return Err(Error::internal("a manifest program for records without bytes"));
        }
        Ok(program)
    }
}
