use crate::{EqualityGroup, EqualityIndex};
use arrow_array::{
    ArrayRef, BinaryArray, Date32Array, Decimal128Array, Float32Array, Float64Array, Int32Array, Int64Array,
    RecordBatch, StringArray, StructArray,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Fields};
use proptest::prelude::*;
use std::sync::Arc;

fn one(array: ArrayRef) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable([("k", array, true)]).unwrap()
}

fn index_of(batches: &[&RecordBatch]) -> Arc<EqualityIndex> {
    let index = Arc::new(EqualityIndex::new(Vec::new()));
    for batch in batches {
        index.add(index.new_file(), batch).unwrap();
    }
    index
}

fn hits(index: &Arc<EqualityIndex>, files: &[u32], rows: &RecordBatch) -> Vec<bool> {
    let group = EqualityGroup::new(index.clone(), files.iter().copied());
    group.contains(rows).unwrap().iter().map(Option::unwrap).collect()
}

fn check(deletes: ArrayRef, rows: ArrayRef, wanted: &[bool]) {
    assert_eq!(hits(&index_of(&[&one(deletes)]), &[0], &one(rows)), wanted);
}

#[test]
fn null_matches_null_and_nothing_else() {
    check(
        Arc::new(Int64Array::from(vec![Some(5), None])),
        Arc::new(Int64Array::from(vec![Some(0), None, Some(5)])),
        &[false, true, true],
    );
    check(Arc::new(Int64Array::from(vec![Some(0)])), Arc::new(Int64Array::from(vec![None, Some(0)])), &[false, true]);
    check(
        Arc::new(StringArray::from(vec![Some("")])),
        Arc::new(StringArray::from(vec![None, Some("")])),
        &[false, true],
    );
    check(
        Arc::new(StringArray::from(vec![None::<&str>])),
        Arc::new(StringArray::from(vec![None, Some("")])),
        &[true, false],
    );
}

#[test]
fn floats_match_by_iceberg_equality() {
    let quiet = f64::from_bits(0x7ff8_0000_0000_0001);
    let negative = f64::from_bits(0xfff8_0000_0000_0000);
    check(
        Arc::new(Float64Array::from(vec![f64::NAN, 0.0])),
        Arc::new(Float64Array::from(vec![quiet, negative, -0.0, 0.0, 1.0])),
        &[true, true, false, true, false],
    );
    check(Arc::new(Float32Array::from(vec![-0.0])), Arc::new(Float32Array::from(vec![0.0, -0.0])), &[false, true]);
}

#[test]
fn typed_keys_of_one_column() {
    check(Arc::new(Date32Array::from(vec![-1])), Arc::new(Date32Array::from(vec![0, -1])), &[false, true]);
    check(Arc::new(Int32Array::from(vec![i32::MIN])), Arc::new(Int32Array::from(vec![i32::MIN, 0])), &[true, false]);
    check(
        Arc::new(BinaryArray::from(vec![&b"\x00"[..]])),
        Arc::new(BinaryArray::from(vec![&b""[..], b"\x00", b"\x00\x00"])),
        &[false, true, false],
    );
    let decimal = |v: Vec<i128>| Arc::new(Decimal128Array::from(v).with_precision_and_scale(38, 2).unwrap());
    check(decimal(vec![-1]), decimal(vec![-1, 1]), &[true, false]);
}

#[test]
fn a_row_goes_only_by_the_files_that_apply() {
    let keys = |v: Vec<i64>| one(Arc::new(Int64Array::from(v)));
    let index = index_of(&[&keys(vec![1, 2, 2]), &keys(vec![2, 3]), &keys(vec![2])]);
    let rows = keys(vec![1, 2, 3, 4]);
    assert_eq!(hits(&index, &[0], &rows), [true, true, false, false]);
    assert_eq!(hits(&index, &[1], &rows), [false, true, true, false]);
    assert_eq!(hits(&index, &[2], &rows), [false, true, false, false]);
    assert_eq!(hits(&index, &[0, 1], &rows), [true, true, true, false]);
    assert_eq!(hits(&index, &[], &rows), [false; 4]);
}

#[test]
fn tuples_and_struct_leaves() {
    let rows = |ids: Vec<Option<i64>>, names: Vec<Option<&str>>, parents: Vec<bool>| {
        let name: ArrayRef = Arc::new(StringArray::from(names));
        let fields = Fields::from(vec![Field::new("n", DataType::Utf8, true)]);
        let parent: ArrayRef = Arc::new(StructArray::new(fields, vec![name], Some(NullBuffer::from(parents))));
        let id: ArrayRef = Arc::new(Int64Array::from(ids));
        RecordBatch::try_from_iter_with_nullable([("id", id, true), ("st", parent, true)]).unwrap()
    };
    let deletes = rows(vec![Some(1), Some(2), None], vec![Some("a"), Some("hidden"), None], vec![true, false, true]);
    let data = rows(
        vec![Some(1), Some(1), Some(2), Some(2), None, None, Some(1)],
        vec![Some("a"), Some("b"), None, Some("hidden"), None, Some("a"), Some("a")],
        vec![true, true, true, true, true, true, false],
    );
    assert_eq!(hits(&index_of(&[&deletes]), &[0], &data), [true, false, true, false, true, false, false]);
}

#[test]
fn lists_and_other_types_are_refused() {
    let index = index_of(&[&one(Arc::new(Int64Array::from(vec![1])))]);
    let group = EqualityGroup::new(index, [0]);
    assert!(group.contains(&one(Arc::new(Int32Array::from(vec![1])))).is_err());
}

#[test]
fn an_index_without_rows_matches_nothing() {
    let index = Arc::new(EqualityIndex::new(Vec::new()));
    assert_eq!(hits(&index, &[0], &one(Arc::new(Int64Array::from(vec![None, Some(1)])))), [false, false]);
}

#[test]
fn hundreds_of_thousands_of_keys_stay_small_and_fast() {
    let started = std::time::Instant::now();
    let keys = one(Arc::new(Int64Array::from_iter_values((0..500_000).map(|i| i * 3))));
    let index = index_of(&[&keys]);
    let found = hits(&index, &[0], &one(Arc::new(Int64Array::from_iter_values(0..300_000))));
    assert_eq!(found.iter().filter(|hit| **hit).count(), 100_000);
    assert!(index.bytes() < 500_000 * 40, "{} bytes", index.bytes());
    assert!(started.elapsed().as_secs() < 10);
}

proptest! {
    // A file of seeds in the source tree would look like a crate to the workspace.
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// Against a plain set of pairs.
    #[test]
    fn pairs_match_like_a_set(
        deletes in prop::collection::vec((prop::option::of(-3i64..3), prop::option::of("[ab]{0,2}")), 0..30),
        rows in prop::collection::vec((prop::option::of(-3i64..3), prop::option::of("[ab]{0,2}")), 1..60),
    ) {
        let batch = |pairs: &[(Option<i64>, Option<String>)]| {
            let a: ArrayRef = Arc::new(pairs.iter().map(|p| p.0).collect::<Int64Array>());
            let b: ArrayRef = Arc::new(pairs.iter().map(|p| p.1.clone()).collect::<StringArray>());
            RecordBatch::try_from_iter_with_nullable([("a", a, true), ("b", b, true)]).unwrap()
        };
        let set: std::collections::HashSet<_> = deletes.iter().cloned().collect();
        let wanted: Vec<bool> = rows.iter().map(|row| set.contains(row)).collect();
        prop_assert_eq!(hits(&index_of(&[&batch(&deletes)]), &[0], &batch(&rows)), wanted);
    }
}
