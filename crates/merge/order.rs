use arrow_array::{RecordBatch, UInt64Array};
use arrow_schema::Schema;
use arrow_select::take::take_record_batch;
use lakefold_base::{Error, Result};
use std::cmp::Ordering;

use crate::keys::{KeyMaker, Keys, arrow};

/// The order of keys, for those who divide runs by it. Its batches hold the key columns and nothing else.
pub struct KeyOrder {
    maker: KeyMaker,
}

impl KeyOrder {
    /// Of batches with this schema.
    pub fn new(schema: &Schema) -> Result<Self> {
        let columns: Vec<usize> = (0..schema.fields().len()).collect();
        Ok(Self { maker: KeyMaker::new(&columns, schema)? })
    }

    /// Whether rows of a run come in this order.
    pub fn sorts_runs(&self) -> bool {
        self.maker.ordered
    }

    /// The keys where the parts but the first begin, given samples that stand for so many rows each. Parts may be empty.
    pub fn bounds(&self, samples: &RecordBatch, weights: &[u64], parts: usize) -> Result<RecordBatch> {
        let keys = self.maker.keys(samples.columns())?;
        let mut order: Vec<usize> = (0..samples.num_rows()).collect();
        order.sort_by(|a, b| keys.compare(*a, &keys, *b));
        let weight = |row: usize| u128::from(weights.get(row).copied().unwrap_or(0));
        let whole: u128 = order.iter().map(|row| weight(*row)).sum();
        let mut picked = Vec::new();
        let (mut sorted, mut passed) = (order.iter().peekable(), 0);
        for part in 1..parts {
            let wanted = whole * part as u128 / parts as u128;
            while let Some(row) = sorted.next_if(|row| passed + weight(**row) <= wanted) {
                passed += weight(*row);
            }
            picked.extend(sorted.peek().map(|row| **row as u64));
        }
        take_record_batch(samples, &UInt64Array::from(picked)).map_err(arrow)
    }

    /// How many of the keys, which are sorted, are below each of the bounds.
    pub fn below(&self, keys: &RecordBatch, bounds: &RecordBatch) -> Result<Vec<usize>> {
        let (sorted, bounds_keys) = (self.maker.keys(keys.columns())?, self.maker.keys(bounds.columns())?);
        let count = |bound: usize| {
            let (mut low, mut high) = (0, keys.num_rows());
            while low < high {
                let middle = low + (high - low) / 2;
                match sorted.compare(middle, &bounds_keys, bound).is_lt() {
                    true => low = middle + 1,
                    false => high = middle,
                }
            }
            low
        };
        Ok((0..bounds.num_rows()).map(count).collect())
    }
}

/// The keys that all rows of a merge have: from one on, and below another.
#[derive(Debug, Clone, Default)]
pub struct KeyRange {
    /// One row of the key columns, in their order.
    pub from: Option<RecordBatch>,
    /// As `from`.
    pub to: Option<RecordBatch>,
}

/// A [`KeyRange`] as keys that compare with those of batches.
pub(crate) struct Ends {
    from: Option<Keys>,
    to: Option<Keys>,
}

impl Ends {
    /// None if there are no ends.
    pub(crate) fn new(range: &KeyRange, maker: &KeyMaker) -> Result<Option<Self>> {
        let end = |end: &Option<RecordBatch>| end.as_ref().map(|end| maker.of_columns(end.columns())).transpose();
        let ends = Self { from: end(&range.from)?, to: end(&range.to)? };
        Ok((ends.from.is_some() || ends.to.is_some()).then_some(ends))
    }

    /// Rows were cut by where they stand, which is right only if they are sorted.
    pub(crate) fn check(&self, keys: &Keys, rows: usize) -> Result<()> {
        let is = |row: usize, end: &Option<Keys>, wrong: fn(Ordering) -> bool| {
            end.as_ref().is_some_and(|end| wrong(keys.compare(row, end, 0)))
        };
        if rows > 0 && (is(0, &self.from, Ordering::is_lt) || is(rows - 1, &self.to, Ordering::is_ge)) {
            return Err(Error::corrupt("the rows of a sorted run are not in key order"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    use arrow_array::{Int64Array, StringArray};
    use arrow_schema::{DataType, Field};
    use proptest::prelude::*;
    use std::sync::Arc;

    fn batch(keys: &[i64]) -> RecordBatch {
        let schema = Schema::new(vec![Field::new("k", DataType::Int64, false)]);
        RecordBatch::try_new(Arc::new(schema), vec![Arc::new(Int64Array::from(keys.to_vec()))]).unwrap()
    }

    fn values(batch: &RecordBatch) -> Vec<i64> {
        batch.column(0).as_primitive::<Int64Type>().values().to_vec()
    }

    #[test]
    fn bounds_divide_the_weight_of_the_samples() {
        let order = KeyOrder::new(&batch(&[]).schema()).unwrap();
        let bounds =
            |keys: &[i64], weights: &[u64], parts| values(&order.bounds(&batch(keys), weights, parts).unwrap());
        assert_eq!(bounds(&[4, 1, 3, 2], &[1, 1, 1, 1], 2), [3]);
        assert_eq!(bounds(&[4, 1, 3, 2], &[1, 1, 1, 1], 4), [2, 3, 4]);
        assert_eq!(bounds(&[4, 1, 3, 2], &[100, 1, 1, 1], 2), [4]);
        assert_eq!(bounds(&[1, 1, 1], &[1, 1, 1], 3), [1, 1]);
        assert_eq!(bounds(&[5], &[9], 4), [5, 5, 5]);
        assert_eq!(bounds(&[], &[], 4), [0; 0]);
    }

    proptest! {
        #[test]
        fn bounds_ascend_and_each_row_is_in_one_part(
            mut keys in proptest::collection::vec(-9_i64..9, 1..40),
            parts in 1_usize..9,
        ) {
            let order = KeyOrder::new(&batch(&[]).schema()).unwrap();
            let bounds = order.bounds(&batch(&keys), &vec![1; keys.len()], parts).unwrap();
            keys.sort_unstable();
            prop_assert_eq!(bounds.num_rows(), parts - 1);
            let below = order.below(&batch(&keys), &bounds).unwrap();
            let expected: Vec<usize> =
                values(&bounds).iter().map(|bound| keys.iter().filter(|key| *key < bound).count()).collect();
            prop_assert!(expected.is_sorted());
            prop_assert_eq!(below, expected);
        }
    }

    #[test]
    fn rows_outside_of_a_range_are_damage() {
        let schema = Schema::new(vec![Field::new("v", DataType::Utf8, false), Field::new("k", DataType::Int64, false)]);
        let maker = KeyMaker::new(&[1], &schema).unwrap();
        let range = |from: Option<i64>, to: Option<i64>| {
            let end = |end: Option<i64>| end.map(|end| batch(&[end]));
            Ends::new(&KeyRange { from: end(from), to: end(to) }, &maker).unwrap()
        };
        assert!(range(None, None).is_none());
        let fits = |ends: Option<Ends>, keys: &[i64]| {
            let texts = StringArray::from(vec![""; keys.len()]);
            let keys: [arrow_array::ArrayRef; 2] = [Arc::new(texts), Arc::new(Int64Array::from(keys.to_vec()))];
            ends.unwrap().check(&maker.keys(&keys).unwrap(), keys[0].len()).is_ok()
        };
        assert!(fits(range(Some(1), Some(4)), &[1, 2, 3]));
        assert!(fits(range(Some(1), Some(4)), &[]));
        assert!(!fits(range(Some(1), Some(4)), &[0, 2]));
        assert!(!fits(range(Some(1), Some(4)), &[1, 4]));
        assert!(!fits(range(None, Some(4)), &[5]));
        assert!(fits(range(Some(1), None), &[9]));
    }
}
