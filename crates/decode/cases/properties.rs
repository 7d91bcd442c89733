use super::{context, written};
use crate::reader::open_as;
use crate::work::Form;
use crate::{Options, TaskGroup, count_rows, open};
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use lakefold_task::{Filter, ScanTask};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::Arc;

type Row = (Option<i64>, Option<f64>, Option<String>);

fn any_row() -> impl Strategy<Value = Row> {
    let float = prop_oneof![Just(f64::NAN), Just(0.0), Just(-0.0), -3.0..3.0, Just(f64::INFINITY)];
    let text = prop_oneof!["[ab]{0,3}", Just("é😀".to_string()), "\\PC{0,40}"];
    (proptest::option::of(-5_i64..5), proptest::option::of(float), proptest::option::of(text))
}

fn any_test() -> impl Strategy<Value = Value> {
    let compare = prop_oneof![Just("lt"), Just("lt-eq"), Just("gt"), Just("gt-eq"), Just("eq"), Just("not-eq")];
    let number = (compare.clone(), -6_i64..6).prop_map(|(op, v)| (1, op.to_string(), vec![json!(v)]));
    let numbers = (prop_oneof![Just("in"), Just("not-in")], proptest::collection::vec(-6_i64..6, 1..12))
        .prop_map(|(op, v)| (1, op.to_string(), v.into_iter().map(Value::from).collect()));
    let float = (compare.clone(), prop_oneof![Just(0.0), Just(-0.0), -3.0..3.0])
        .prop_map(|(op, v): (_, f64)| (2, op.to_string(), vec![json!(v)]));
    let texts = prop_oneof![compare, Just("starts-with"), Just("not-starts-with")];
    let text = (texts, prop_oneof!["[ab]{0,2}", Just("é".to_string())])
        .prop_map(|(op, v)| (3, op.to_string(), vec![json!(v)]));
    let unary =
        (1_i32..4, prop_oneof![Just("is-null"), Just("not-null")]).prop_map(|(c, op)| (c, op.to_string(), vec![]));
    let nan = prop_oneof![Just("is-nan"), Just("not-nan")].prop_map(|op: &str| (2, op.to_string(), vec![]));
    prop_oneof![number, numbers, float, text, unary, nan]
        .prop_map(|(id, op, values)| json!({"op": op, "term": {"field-id": id}, "values": values}))
}

fn any_filter() -> impl Strategy<Value = Value> {
    any_test().prop_recursive(3, 8, 3, |inner| {
        (any::<bool>(), proptest::collection::vec(inner, 1..4))
            .prop_map(|(and, list)| if and { json!({"and": list}) } else { json!({"or": list}) })
    })
}

/// Section 1.4 of the rules, value by value, independent of arrays.
fn holds(filter: &Value, row: &Row) -> bool {
    if let Some(list) = filter["and"].as_array() {
        return list.iter().all(|f| holds(f, row));
    }
    if let Some(list) = filter["or"].as_array() {
        return list.iter().any(|f| holds(f, row));
    }
    let values = filter["values"].as_array().unwrap();
    let op = filter["op"].as_str().unwrap();
    let (null, nan) = match filter["term"]["field-id"].as_i64().unwrap() {
        1 => (row.0.is_none(), false),
        2 => (row.1.is_none(), row.1.is_some_and(f64::is_nan)),
        _ => (row.2.is_none(), false),
    };
    let order = |v: &Value| match filter["term"]["field-id"].as_i64().unwrap() {
        1 => row.0.unwrap().cmp(&v.as_i64().unwrap()),
        2 => row.1.unwrap().total_cmp(&v.as_f64().unwrap()),
        _ => row.2.as_ref().unwrap().as_bytes().cmp(v.as_str().unwrap().as_bytes()),
    };
    let positive = |op: &str| {
        !null
            && !nan
            && match op {
                "lt" => order(&values[0]).is_lt(),
                "lt-eq" => order(&values[0]).is_le(),
                "gt" => order(&values[0]).is_gt(),
                "gt-eq" => order(&values[0]).is_ge(),
                "eq" => order(&values[0]).is_eq(),
                "in" => values.iter().any(|v| order(v).is_eq()),
                _ => row.2.as_ref().unwrap().starts_with(values[0].as_str().unwrap()),
            }
    };
    match op {
        "is-null" => null,
        "not-null" => !null,
        "is-nan" => nan,
        "not-nan" => !nan,
        "not-eq" => !positive("eq"),
        "not-in" => !positive("in"),
        "not-starts-with" => !positive("starts-with"),
        op => positive(op),
    }
}

fn write(
    rows: &[Row],
    bloom: bool,
    v2: bool,
    dictionary: bool,
    statistics: EnabledStatistics,
) -> tempfile::NamedTempFile {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("n", Arc::new(rows.iter().map(|r| r.0).collect::<Int64Array>())),
        ("f", Arc::new(rows.iter().map(|r| r.1).collect::<Float64Array>())),
        ("s", Arc::new(rows.iter().map(|r| r.2.clone()).collect::<StringArray>())),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true))).unwrap();
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(16))
        .set_data_page_row_count_limit(3)
        .set_write_batch_size(1)
        .set_bloom_filter_enabled(bloom)
        .set_dictionary_enabled(dictionary)
        .set_statistics_enabled(statistics)
        .set_column_index_truncate_length(Some(2))
        .set_statistics_truncate_length(Some(2))
        .set_writer_version(if v2 { WriterVersion::PARQUET_2_0 } else { WriterVersion::PARQUET_1_0 })
        .build();
    written(&batch, properties)
}

fn task(path: &str, filter: &Value, projection: Value) -> ScanTask {
    let all = json!([
        {"id": 1, "name": "n", "required": false, "type": "long"},
        {"id": 2, "name": "f", "required": false, "type": "double"},
        {"id": 3, "name": "s", "required": false, "type": "string"},
    ]);
    serde_json::from_value(json!({
        "version": 1, "start": 0, "length": u64::MAX, "spec-id": 0, "data-sequence-number": 1,
        "data-file": {"path": path, "location": path, "format": "parquet", "file-size-in-bytes": 0, "record-count": 0},
        "schema": all, "projection": projection, "residual": serde_json::from_value::<Filter>(filter.clone()).unwrap(),
    }))
    .unwrap()
}

fn positions(task: &ScanTask, options: Options) -> Vec<i64> {
    let mut reader = open(Arc::new(task.clone()), context(options)).unwrap();
    let mut out = Vec::new();
    while let Some(batch) = reader.next().unwrap() {
        let column = batch.column(batch.num_columns() - 1);
        out.extend(column.as_any().downcast_ref::<Int64Array>().unwrap().values());
    }
    out
}

/// The texts of a projection's first column, which must come as dictionaries.
fn texts(task: &ScanTask, options: Options) -> Vec<Option<String>> {
    let mut shared = context(options);
    Arc::get_mut(&mut shared).unwrap().dictionaries = Arc::new([3].into());
    let mut group = TaskGroup::new(vec![serde_json::to_string(task).unwrap()], shared);
    let mut out = Vec::new();
    while let Some(batch) = group.next().unwrap() {
        let column = batch.column(0).as_dictionary::<Int32Type>().downcast_dict::<StringArray>().unwrap();
        out.extend(column.into_iter().map(|text| text.map(str::to_string)));
    }
    out
}

/// The texts of a projection's first column, which must come as views.
fn viewed(task: &ScanTask, options: Options) -> Vec<Option<String>> {
    let form = Form { views: Arc::new([3].into()), ..Form::default() };
    let mut reader = open_as(Arc::new(task.clone()), context(options), form).unwrap();
    let mut out = Vec::new();
    while let Some(batch) = reader.next().unwrap() {
        out.extend(batch.column(0).as_string_view().into_iter().map(|text| text.map(str::to_string)));
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn pruning_batches_and_late_materialisation_change_no_row(
        rows in proptest::collection::vec(any_row(), 1..60),
        filter in any_filter(),
        (bloom, v2, dictionary, verify_crc) in any::<(bool, bool, bool, bool)>(),
        batch_size in 1_usize..40,
        statistics in prop_oneof![
            Just(EnabledStatistics::None), Just(EnabledStatistics::Chunk), Just(EnabledStatistics::Page)
        ],
    ) {
        let file = write(&rows, bloom, v2, dictionary, statistics);
        let wanted: Vec<i64> = (0..rows.len()).filter(|i| holds(&filter, &rows[*i])).map(|i| i as i64).collect();
        let pos = json!({"id": lakefold_task::reserved::POS, "name": "_pos", "required": true, "type": "long"});
        let text = json!({"id": 3, "name": "s", "required": false, "type": "string"});
        for projection in [json!([pos]), json!([text, pos])] {
            let task = task(file.path().to_str().unwrap(), &filter, projection);
            for prune in [true, false] {
                let options = Options { batch_size, batch_bytes: 1 << 20, prune, verify_crc };
                prop_assert_eq!(&positions(&task, options), &wanted, "prune {}", prune);
            }
            let options = Options { batch_size, batch_bytes: 1, prune: true, verify_crc };
            prop_assert_eq!(count_rows(Arc::new(task), context(options)).unwrap(), wanted.len() as u64);
        }
        let task = task(file.path().to_str().unwrap(), &filter, json!([text]));
        let wanted: Vec<Option<String>> = wanted.iter().map(|at| rows[*at as usize].2.clone()).collect();
        let options = Options { batch_size, batch_bytes: 1 << 20, prune: true, verify_crc };
        prop_assert_eq!(&texts(&task, options), &wanted);
        prop_assert_eq!(viewed(&task, options), wanted);
    }
}
