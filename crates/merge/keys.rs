use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, StringArray};
use arrow_buffer::ScalarBuffer;
use arrow_row::{RowConverter, Rows, SortField};
use arrow_schema::{DataType, Schema};
use lakefold_base::{Error, Result};
use std::cmp::Ordering;
use std::sync::Arc;

/// The keys of a batch, in a form that compares fast.
pub(crate) enum Keys {
    /// A single int column.
    Ints(ScalarBuffer<i32>),
    /// A single long column.
    Longs(ScalarBuffer<i64>),
    /// A single string column.
    Texts(StringArray),
    /// Anything else, encoded so that bytes sort like values.
    Rows(Rows),
}

/// Makes keys of batches; all keys of one maker compare with each other.
pub(crate) struct KeyMaker {
    columns: Vec<usize>,
    /// Whether rows of a run come in the order of these keys. Java's writer puts -0.0 before 0.0 in its files, so where
    /// another column follows they need not.
    pub(crate) ordered: bool,
    converter: Option<RowConverter>,
}

pub(crate) fn arrow(error: arrow_schema::ArrowError) -> Error {
    Error::internal(format!("rows could not be merged: {error}"))
}

impl KeyMaker {
    pub(crate) fn new(columns: &[usize], schema: &Schema) -> Result<Self> {
        let types: Vec<&DataType> = columns.iter().map(|c| schema.field(*c).data_type()).collect();
        let floating = |t: &&DataType| matches!(t, DataType::Float32 | DataType::Float64);
        let ordered = types.len() == 1 || !types.iter().any(floating);
        let converter = match types[..] {
            [DataType::Int32 | DataType::Int64 | DataType::Utf8] => None,
            _ => {
                let fields = types.into_iter().map(|t| SortField::new(t.clone())).collect();
                Some(RowConverter::new(fields).map_err(|e| Error::unsupported(format!("a primary key: {e}")))?)
            }
        };
        Ok(Self { columns: columns.to_vec(), ordered, converter })
    }

    /// The keys of a batch's columns; those that are no key are not looked at. A null in a key is `CorruptFile`.
    pub(crate) fn keys(&self, columns: &[ArrayRef]) -> Result<Keys> {
        self.of_columns(&self.columns.iter().map(|c| ArrayRef::clone(&columns[*c])).collect::<Vec<_>>())
    }

    /// The keys that key columns hold, which come in the order that sorts.
    pub(crate) fn of_columns(&self, keys: &[ArrayRef]) -> Result<Keys> {
        if keys.iter().any(|k| k.null_count() > 0) {
            return Err(Error::corrupt("a primary key column holds null"));
        }
        if let Some(converter) = &self.converter {
            let keys: Vec<ArrayRef> = keys.iter().map(without_negative_zero).collect();
            return Ok(Keys::Rows(converter.convert_columns(&keys).map_err(arrow)?));
        }
        let key = keys.first().ok_or_else(|| Error::internal("a merge without keys"))?;
        Ok(match key.data_type() {
            DataType::Int32 => Keys::Ints(key.as_primitive::<Int32Type>().values().clone()),
            DataType::Int64 => Keys::Longs(key.as_primitive::<Int64Type>().values().clone()),
            _ => Keys::Texts(key.as_string::<i32>().clone()),
        })
    }
}

/// A column to order rows by: as numbers -0.0 and 0.0 are the same.
pub(crate) fn without_negative_zero(column: &ArrayRef) -> ArrayRef {
    match column.data_type() {
        DataType::Float32 => Arc::new(column.as_primitive::<Float32Type>().unary::<_, Float32Type>(|v| v + 0.0)),
        DataType::Float64 => Arc::new(column.as_primitive::<Float64Type>().unary::<_, Float64Type>(|v| v + 0.0)),
        _ => Arc::clone(column),
    }
}

impl Keys {
    /// The start of each key as a number that sorts like the key, so that most comparisons are over with it.
    pub(crate) fn heads(&self, rows: usize) -> Vec<u64> {
        match self {
            Keys::Ints(v) => v.iter().map(|v| u64::from(*v as u32 ^ 1 << 31)).collect(),
            Keys::Longs(v) => v.iter().map(|v| *v as u64 ^ 1 << 63).collect(),
            Keys::Texts(v) => (0..rows).map(|row| head(v.value(row).as_bytes())).collect(),
            Keys::Rows(v) => (0..rows).map(|row| head(v.row(row).as_ref())).collect(),
        }
    }

    /// Whether keys with the same head are the same.
    pub(crate) fn whole_in_head(&self) -> bool {
        matches!(self, Keys::Ints(_) | Keys::Longs(_))
    }

    /// Compares a key with one of another batch of the same maker.
    pub(crate) fn compare(&self, row: usize, other: &Keys, other_row: usize) -> Ordering {
        match (self, other) {
            (Keys::Ints(a), Keys::Ints(b)) => a[row].cmp(&b[other_row]),
            (Keys::Longs(a), Keys::Longs(b)) => a[row].cmp(&b[other_row]),
            (Keys::Texts(a), Keys::Texts(b)) => a.value(row).as_bytes().cmp(b.value(other_row).as_bytes()),
            (Keys::Rows(a), Keys::Rows(b)) => a.row(row).cmp(&b.row(other_row)),
            // One maker makes keys of one form.
            _ => Ordering::Equal,
        }
    }

    /// The first row that sorts before the one above it.
    pub(crate) fn disorder(&self, heads: &[u64]) -> Option<usize> {
        let whole = self.whole_in_head();
        (1..heads.len()).find(|row| match heads[row - 1].cmp(&heads[*row]) {
            Ordering::Equal => !whole && self.compare(row - 1, self, *row).is_gt(),
            order => order.is_gt(),
        })
    }
}

/// The first eight bytes; what is missing counts as zeros.
fn head(bytes: &[u8]) -> u64 {
    match bytes.first_chunk::<8>() {
        Some(first) => u64::from_be_bytes(*first),
        None => bytes.iter().enumerate().fold(0, |head, (i, byte)| head | u64::from(*byte) << (56 - 8 * i)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{Int32Array, Int64Array};
    use arrow_schema::Field;
    use proptest::prelude::*;
    use std::sync::Arc;

    fn keys_of(columns: Vec<ArrayRef>) -> Keys {
        let field = |column: &ArrayRef| Field::new("k", column.data_type().clone(), false);
        let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
        let all: Vec<usize> = (0..columns.len()).collect();
        KeyMaker::new(&all, &schema).unwrap().keys(&columns).unwrap()
    }

    /// Heads never contradict the order of the values, and decide alone where they say so.
    fn check<T: Ord>(columns: Vec<ArrayRef>, values: &[T]) {
        let keys = keys_of(columns);
        let heads = keys.heads(values.len());
        for (i, a) in values.iter().enumerate() {
            for (j, b) in values.iter().enumerate() {
                assert_eq!(keys.compare(i, &keys, j), a.cmp(b));
                match heads[i].cmp(&heads[j]) {
                    Ordering::Equal if keys.whole_in_head() => assert!(a == b),
                    Ordering::Equal => {}
                    order => assert_eq!(order, a.cmp(b)),
                }
            }
        }
        let wrong = (1..values.len()).find(|i| values[i - 1] > values[*i]);
        assert_eq!(keys.disorder(&heads), wrong);
    }

    proptest! {
        #[test]
        fn heads_sort_like_keys(
            ints in proptest::collection::vec(any::<i32>(), 0..9),
            longs in proptest::collection::vec(any::<i64>(), 0..9),
            // Long common starts, short ones, and zeros at the end, which the head cannot tell from nothing.
            texts in proptest::collection::vec("(prefix-)?[a\u{0}é]{0,5}", 0..9),
            pairs in proptest::collection::vec((any::<i16>(), "[ab\u{0}]{0,3}"), 0..9),
        ) {
            check(vec![Arc::new(Int32Array::from(ints.clone()))], &ints);
            check(vec![Arc::new(Int64Array::from(longs.clone()))], &longs);
            check(vec![Arc::new(StringArray::from(texts.clone()))], &texts);
            let first = Int32Array::from_iter_values(pairs.iter().map(|p| i32::from(p.0)));
            let second = StringArray::from_iter_values(pairs.iter().map(|p| &p.1));
            check(vec![Arc::new(first), Arc::new(second)], &pairs);
        }
    }
}
