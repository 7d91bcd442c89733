use crate::PositionCollector;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use lakefold_base::Code;
use std::sync::Arc;

fn batch(paths: Vec<Option<&str>>, positions: Vec<Option<i64>>) -> RecordBatch {
    let paths: ArrayRef = Arc::new(StringArray::from(paths));
    let positions: ArrayRef = Arc::new(Int64Array::from(positions));
    RecordBatch::try_from_iter_with_nullable([("file_path", paths, true), ("pos", positions, true)]).unwrap()
}

#[test]
fn positions_gather_by_path_as_text() {
    let mut collector = PositionCollector::new("d.parquet");
    collector
        .add(&batch(vec![Some("file:/x"), Some("file:///x"), Some("file:/x")], vec![Some(7), Some(1), Some(7)]))
        .unwrap();
    collector.add(&batch(vec![Some("file:/x"), Some("file:/x")], vec![Some(i64::MAX), Some(0)])).unwrap();
    let maps = collector.finish();
    assert_eq!(maps.len(), 2);
    assert_eq!(maps["file:/x"].iter().collect::<Vec<_>>(), [0, 7, i64::MAX as u64]);
    assert_eq!(maps["file:///x"].iter().collect::<Vec<_>>(), [1]);
}

#[test]
fn null_and_negative_rows_name_the_delete_file() {
    for (paths, positions, field) in [
        (vec![Some("a"), None], vec![Some(1), Some(2)], "file_path"),
        (vec![Some("a"), Some("a")], vec![Some(1), None], "pos"),
        (vec![Some("a"), Some("a")], vec![Some(1), Some(-1)], "pos"),
    ] {
        let error = PositionCollector::new("d.parquet").add(&batch(paths, positions)).unwrap_err();
        assert_eq!(error.code(), Code::CorruptFile);
        let context: Vec<_> = error.context().collect();
        assert!(context.contains(&("file", "d.parquet")) && context.contains(&("field", field)), "{context:?}");
    }
}

#[test]
fn other_columns_are_refused() {
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let wrong = RecordBatch::try_from_iter([("file_path", numbers.clone()), ("pos", numbers)]).unwrap();
    assert!(PositionCollector::new("d").add(&wrong).is_err());
}
