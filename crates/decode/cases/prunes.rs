use super::{PLAIN, context, plain_cases, tasks_of};
use crate::parquet_rows::ParquetRows;
use crate::work::{Form, Work};
use lakefold_store::{LocalStore, Store};
use lakefold_task::FileFormat;
use serde_json::Value;
use std::sync::Arc;

/// Row groups of a case's files: how many there are, are dropped whole, are read in part.
fn pruned(case: &Value) -> (usize, usize, usize) {
    let (mut all, mut dropped, mut partial) = (0, 0, 0);
    for task in tasks_of(case).into_iter().filter(|t| t.data_file.format == FileFormat::Parquet) {
        let source = LocalStore.open(&task.data_file.location).unwrap();
        let groups = crate::footer::read(source.as_ref()).unwrap().metadata.num_row_groups();
        let work = Arc::new(Work::new(Arc::new(task), context(PLAIN), Form::default()).unwrap());
        let reader = ParquetRows::open(work, source).unwrap();
        for group in 0..groups {
            all += 1;
            match reader.prune(group).unwrap() {
                Some(mask) if mask.count_set_bits() == 0 => dropped += 1,
                Some(_) => partial += 1,
                None => {}
            }
        }
    }
    (all, dropped, partial)
}

#[test]
fn absent_values_inside_the_bounds_drop_all_row_groups() {
    let cases = plain_cases(|c| {
        c["table"] != "bloom_dict"
            || c["count"] != 0
            || c["plan"].as_array().unwrap().is_empty()
            || c["scan"]["filter"]["type"] != "eq"
    });
    assert!(!cases.is_empty());
    for case in cases {
        let (all, dropped, _) = pruned(&case);
        assert_eq!((all, all > 0), (dropped, true), "{}", case["id"]);
    }
}

#[test]
fn statistics_drop_row_groups_and_page_indexes_drop_pages() {
    let mut total = (0, 0, 0);
    for case in
        plain_cases(|c| !(c["table"] == "row_groups" || c["table"] == "parquet_pages") || c["scan"]["filter"].is_null())
    {
        let (all, dropped, partial) = pruned(&case);
        total = (total.0 + all, total.1 + dropped, total.2 + partial);
    }
    assert!(total.1 > 20, "row groups, dropped, read in part: {total:?}");
    assert!(total.2 > 5, "row groups, dropped, read in part: {total:?}");
}
