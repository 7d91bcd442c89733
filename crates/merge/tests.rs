use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int32Type, Int64Type};
use arrow_array::{Array, Float64Array, Int8Array, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field as ArrowField, Schema, SchemaRef};
use lakefold_base::Result;
use lakefold_task::{Aggregate, Engine, Field, Merge, SequenceField, SequenceGroup, SortOrder, Type, reserved};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::keys::KeyMaker;
use crate::value::{Value, compare};
use crate::{KeyRange, MergeStream, RunSource, Spec, kind};

mod by_age;

/// Key, two values, the user's sequence; then number and kind.
type Row = (i32, Option<i32>, Option<i32>, Option<i32>, i64, i8);

fn fields() -> Vec<Field> {
    let field = |id, name: &str, field_type, required| Field {
        id,
        name: name.into(),
        required,
        field_type,
        initial_default: None,
    };
    vec![
        field(1, "k", Type::Int, true),
        field(2, "a", Type::Int, false),
        field(3, "b", Type::Int, false),
        field(4, "s", Type::Int, false),
        field(reserved::SEQUENCE_NUMBER, "_SEQUENCE_NUMBER", Type::Long, false),
        field(reserved::VALUE_KIND, "_VALUE_KIND", Type::TinyInt, false),
    ]
}

fn schema() -> SchemaRef {
    let types = [DataType::Int32, DataType::Int32, DataType::Int32, DataType::Int32, DataType::Int64, DataType::Int8];
    let field = |(f, t): (&Field, DataType)| ArrowField::new(&f.name, t, !f.required);
    Arc::new(Schema::new(fields().iter().zip(types).map(field).collect::<Vec<_>>()))
}

fn batch(rows: &[Row]) -> RecordBatch {
    let columns: Vec<Arc<dyn Array>> = vec![
        Arc::new(Int32Array::from_iter_values(rows.iter().map(|r| r.0))),
        Arc::new(Int32Array::from_iter(rows.iter().map(|r| r.1))),
        Arc::new(Int32Array::from_iter(rows.iter().map(|r| r.2))),
        Arc::new(Int32Array::from_iter(rows.iter().map(|r| r.3))),
        Arc::new(Int64Array::from_iter_values(rows.iter().map(|r| r.4))),
        Arc::new(Int8Array::from_iter_values(rows.iter().map(|r| r.5))),
    ];
    RecordBatch::try_new(schema(), columns).unwrap()
}

/// Values of a row: key, two values, the user's sequence.
type Values = (i32, Option<i32>, Option<i32>, Option<i32>);

/// What a test draws for a key.
type Drawn = (i32, (Option<i32>, Option<i32>, Option<i32>, i8));

struct Memory(std::vec::IntoIter<RecordBatch>);

impl RunSource for Memory {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        Ok(self.0.next())
    }
    fn file(&self) -> &str {
        "memory"
    }
}

fn run(rows: &[Row], batch_rows: usize) -> Box<dyn RunSource> {
    Box::new(Memory(rows.chunks(batch_rows).map(batch).collect::<Vec<_>>().into_iter()))
}

fn spec(engine: Engine, sequence: Option<SortOrder>, keep_deletes: bool) -> Arc<Spec> {
    let sequence = sequence.map(|order| SequenceField { field_id: 4, order }).into_iter().collect();
    let merge =
        Merge { keys: vec![1], sequence, engine, keep_deletes, retract: false, sections: Vec::new(), part: None };
    Arc::new(Spec::new(&merge, &fields(), 6, schema(), (3, 1 << 20)).unwrap())
}

fn merged(spec: &Arc<Spec>, runs: &[Vec<Row>], batch_rows: usize) -> Result<Vec<Row>> {
    let runs = runs.iter().map(|rows| run(rows, batch_rows)).collect();
    let mut stream = MergeStream::new(Arc::clone(spec), runs, &KeyRange::default())?;
    let mut all = Vec::new();
    while let Some(batch) = stream.next()? {
        let ints = |c: usize| batch.column(c).as_primitive::<Int32Type>();
        let value = |c: usize, i: usize| ints(c).is_valid(i).then(|| ints(c).value(i));
        for i in 0..batch.num_rows() {
            let number = batch.column(4).as_primitive::<Int64Type>().value(i);
            let kind = batch.column(5).as_primitive::<Int8Type>().value(i);
            all.push((ints(0).value(i), value(1, i), value(2, i), value(3, i), number, kind));
        }
    }
    Ok(all)
}

/// Rows of each key in merge order, by sorting everything in memory.
fn by_key(runs: &[Vec<Row>], sequence: Option<SortOrder>) -> BTreeMap<i32, Vec<Row>> {
    let mut keys: BTreeMap<i32, Vec<Row>> = BTreeMap::new();
    for row in runs.iter().flatten() {
        keys.entry(row.0).or_default().push(*row);
    }
    for rows in keys.values_mut() {
        rows.sort_by(|a, b| {
            let user = match sequence {
                None => std::cmp::Ordering::Equal,
                Some(SortOrder::Asc) => a.3.cmp(&b.3),
                // Nulls come first in either order.
                Some(SortOrder::Desc) => a.3.is_some().cmp(&b.3.is_some()).then(b.3.cmp(&a.3)),
            };
            user.then(a.4.cmp(&b.4))
        });
    }
    keys
}

/// Runs with strictly ascending keys and sequence numbers of their own.
fn runs(kinds: &'static [i8]) -> impl Strategy<Value = Vec<Vec<Row>>> {
    let value = || proptest::option::of(-5..5);
    let row = (value(), value(), proptest::option::of(0..3), proptest::sample::select(kinds));
    let one = proptest::collection::btree_map(0..20, row, 0..12);
    proptest::collection::vec(one, 2..6).prop_map(|runs| {
        let mut number = 0;
        let mut row = |(k, (a, b, s, kind)): Drawn| {
            number += 1;
            (k, a, b, s, number, kind)
        };
        runs.into_iter().map(|run| run.into_iter().map(&mut row).collect()).collect()
    })
}

const ALL: &[i8] = &[kind::INSERT, kind::UPDATE_BEFORE, kind::UPDATE_AFTER, kind::DELETE];
const ADDS: &[i8] = &[kind::INSERT, kind::UPDATE_AFTER];

fn add(a: Option<i32>, b: Option<i32>) -> Option<i32> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a + b),
        (a, b) => a.or(b),
    }
}

fn sum_of(id: i32) -> Aggregate {
    Aggregate { field_id: id, function: Some("sum".into()), options: BTreeMap::new() }
}

proptest! {
    #[test]
    fn deduplicate_keeps_the_last_row(runs in runs(ALL), size in 1..5_usize, ignore: bool, desc: bool, keep: bool) {
        let order = if desc { SortOrder::Desc } else { SortOrder::Asc };
        let spec = spec(Engine::Deduplicate { ignore_delete: ignore }, Some(order), keep);
        let expected: Vec<Row> = by_key(&runs, Some(order))
            .into_values()
            .filter_map(|rows| match rows[..] {
                [only] => Some(only),
                _ => rows.iter().rev().find(|r| !(ignore && kind::retracts(r.5))).copied(),
            })
            .filter(|r| keep || !kind::retracts(r.5))
            .collect();
        prop_assert_eq!(merged(&spec, &runs, size).unwrap(), expected);
    }

    #[test]
    fn first_row_keeps_the_first_row(runs in runs(ADDS), size in 1..5_usize) {
        let spec = spec(Engine::FirstRow { ignore_delete: false }, None, false);
        let expected: Vec<Row> = by_key(&runs, None).into_values().map(|rows| rows[0]).collect();
        prop_assert_eq!(merged(&spec, &runs, size).unwrap(), expected);
    }

    #[test]
    fn sums_add_what_is_added_and_subtract_what_is_taken_back(runs in runs(ALL), size in 1..5_usize) {
        let engine = Engine::Aggregation {
            remove_record_on_delete: false,
            aggregates: vec![sum_of(2), sum_of(3)],
            default_function: None,
        };
        let expected: Vec<(i32, Option<i32>, Option<i32>)> = by_key(&runs, None)
            .into_values()
            .filter_map(|rows| match rows[..] {
                [only] => (!kind::retracts(only.5)).then_some((only.0, only.1, only.2)),
                _ => {
                    let signed = |r: &Row, v: Option<i32>| v.map(|v| if kind::retracts(r.5) { -v } else { v });
                    let total = |f: fn(&Row) -> Option<i32>| rows.iter().fold(None, |t, r| add(t, signed(r, f(r))));
                    Some((rows[0].0, total(|r| r.1), total(|r| r.2)))
                }
            })
            .collect();
        let spec = spec(engine, None, false);
        let rows = merged(&spec, &runs, size).unwrap();
        prop_assert_eq!(rows.iter().map(|r| (r.0, r.1, r.2)).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn partial_updates_follow_their_sequence_group(runs in runs(ADDS), size in 1..5_usize) {
        let groups = vec![SequenceGroup { sequence: vec![4], fields: vec![3] }];
        let engine = partial_update(false, groups, Vec::new());
        let expected: Vec<Values> = by_key(&runs, None)
            .into_values()
            .map(|rows| {
                if let [only] = rows[..] {
                    return (only.0, only.1, only.2, only.3);
                }
                // a: the last that is not null; b: of the last row with the largest sequence.
                let a = rows.iter().rev().find_map(|r| r.1);
                let newest = rows.iter().filter(|r| r.3.is_some()).max_by_key(|r| (r.3, r.4));
                (rows[0].0, a, newest.and_then(|r| r.2), newest.and_then(|r| r.3))
            })
            .collect();
        let spec = spec(engine, None, false);
        let rows = merged(&spec, &runs, size).unwrap();
        prop_assert_eq!(rows.iter().map(|r| (r.0, r.1, r.2, r.3)).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn of_equal_sequence_numbers_the_retraction_comes_first() {
    let runs = [vec![(1, Some(7), None, None, 5, kind::INSERT)], vec![(1, Some(6), None, None, 5, kind::DELETE)]];
    let spec = spec(Engine::Deduplicate { ignore_delete: false }, None, false);
    assert_eq!(merged(&spec, &runs, 9).unwrap(), [runs[0][0]]);
}

/// A row of key 1: kind, two values, the user's sequence.
type OneKey = (i8, Option<i32>, Option<i32>, Option<i32>);

/// Runs of one row each.
fn one_key(rows: &[OneKey]) -> Vec<Vec<Row>> {
    (1..).zip(rows).map(|(number, (kind, a, b, s))| vec![(1, *a, *b, *s, number, *kind)]).collect()
}

fn partial_update(remove: bool, groups: Vec<SequenceGroup>, remove_on_group: Vec<i32>) -> Engine {
    Engine::PartialUpdate {
        ignore_delete: false,
        remove_record_on_delete: remove,
        remove_record_on_sequence_group: remove_on_group,
        groups,
        aggregates: Vec::new(),
        default_function: None,
    }
}

fn values(engine: Engine, runs: &[Vec<Row>]) -> Vec<Values> {
    let rows = merged(&spec(engine, None, false), runs, 9).unwrap();
    rows.iter().map(|r| (r.0, r.1, r.2, r.3)).collect()
}

// The rows of the three tests below are those that paimon-java 1.4.2 reads of such tables.

#[test]
fn what_follows_a_removed_record_keeps_its_values() {
    let runs = one_key(&[
        (kind::INSERT, Some(7), Some(8), None),
        (kind::DELETE, Some(5), Some(6), None),
        (kind::INSERT, None, Some(9), None),
    ]);
    assert_eq!(values(partial_update(true, Vec::new(), Vec::new()), &runs), [(1, Some(5), Some(9), None)]);

    let group = || vec![SequenceGroup { sequence: vec![4], fields: vec![3] }];
    let runs = one_key(&[
        (kind::INSERT, Some(1), Some(2), Some(1)),
        (kind::DELETE, Some(3), Some(4), Some(2)),
        (kind::INSERT, None, Some(9), None),
    ]);
    assert_eq!(values(partial_update(false, group(), vec![4]), &runs), [(1, Some(3), Some(4), Some(2))]);

    let sums = Engine::Aggregation {
        remove_record_on_delete: true,
        aggregates: Vec::new(),
        default_function: Some("sum".into()),
    };
    let runs = one_key(&[
        (kind::INSERT, Some(1), Some(2), Some(3)),
        (kind::DELETE, Some(10), Some(20), Some(30)),
        (kind::INSERT, Some(5), None, Some(1)),
    ]);
    assert_eq!(values(sums, &runs), [(1, Some(15), Some(20), Some(31))]);
}

#[test]
fn a_key_that_begins_with_a_retraction_begins_with_its_values() {
    let group = vec![SequenceGroup { sequence: vec![4], fields: vec![3] }];
    let runs = one_key(&[(kind::DELETE, Some(3), Some(4), Some(1)), (kind::INSERT, None, None, None)]);
    assert_eq!(values(partial_update(false, group, Vec::new()), &runs), [(1, Some(3), None, Some(1))]);
}

#[test]
fn floats_are_ordered_as_numbers() {
    let one = |v: f64| Arc::new(Float64Array::from(vec![v])) as Arc<dyn Array>;
    let schema = Schema::new(vec![ArrowField::new("k", DataType::Float64, false)]);
    let maker = KeyMaker::new(&[0], &schema).unwrap();
    let keys = |v| maker.keys(&[one(v)]).unwrap();
    assert!(keys(-0.0).compare(0, &keys(0.0), 0).is_eq());
    assert!(keys(-0.0).compare(0, &keys(1.0), 0).is_lt());
    let pair = [ArrowField::new("k", DataType::Float64, false), ArrowField::new("l", DataType::Float64, false)];
    assert!(maker.ordered && !KeyMaker::new(&[0, 1], &Schema::new(pair.to_vec())).unwrap().ordered);
    let double = |v| Some(Value::Double(v));
    assert!(compare(&double(f64::NAN), &double(1.0)).is_eq());
    assert!(compare(&double(0.0), &double(-0.0)).is_eq());
    assert!(compare(&None, &double(f64::NAN)).is_lt());
}

#[test]
fn a_run_out_of_order_is_corrupt() {
    let row = |k| (k, None, None, None, 1, kind::INSERT);
    let spec = spec(Engine::Deduplicate { ignore_delete: false }, None, false);
    for size in [1, 9] {
        let error = merged(&spec, &[vec![row(1), row(3), row(2)], vec![row(1)]], size).unwrap_err();
        assert_eq!(error.code(), lakefold_base::Code::CorruptFile, "{error}");
    }
}

#[test]
fn unknown_kinds_functions_and_contradictions_are_errors() {
    let row = |k, kind| (k, None, None, None, 1, kind);
    let plain = spec(Engine::Deduplicate { ignore_delete: false }, None, false);
    assert!(merged(&plain, &[vec![row(1, 9)], vec![row(1, 0)]], 9).is_err());
    assert!(merged(&plain, &[vec![row(1, 9)]], 9).is_err());
    let first = spec(Engine::FirstRow { ignore_delete: false }, None, false);
    assert!(merged(&first, &[vec![row(1, 0)], vec![row(1, kind::DELETE)]], 9).is_err());
    let engine = Engine::Aggregation {
        remove_record_on_delete: false,
        aggregates: Vec::new(),
        default_function: Some("no_such".into()),
    };
    let error = merged(&spec(engine, None, false), &[vec![row(1, 0)], vec![row(1, 0)]], 9).unwrap_err();
    assert_eq!(error.code(), lakefold_base::Code::Unsupported, "{error}");
}

#[test]
fn a_sum_that_overflows_wraps_around() {
    let sums =
        Engine::Aggregation { remove_record_on_delete: false, aggregates: vec![sum_of(2)], default_function: None };
    let runs = one_key(&[(kind::INSERT, Some(i32::MAX), None, None), (kind::INSERT, Some(2), None, None)]);
    assert_eq!(values(sums, &runs), [(1, Some(i32::MIN + 1), None, None)]);
}

/// Keys that agree in all that their heads tell.
#[test]
fn long_texts_are_merged_by_all_of_their_bytes() {
    let names = ["same-start-", "same-start-a", "same-start-ab", "same-start-b", "same-start-\u{0}", "short", "z"];
    let key = Field { id: 1, name: "k".into(), required: true, field_type: Type::String, initial_default: None };
    let fields: Vec<Field> = [vec![key], fields()[4..].to_vec()].concat();
    let types = [DataType::Utf8, DataType::Int64, DataType::Int8];
    let field = |(f, t): (&Field, DataType)| ArrowField::new(&f.name, t, !f.required);
    let schema = Arc::new(Schema::new(fields.iter().zip(types).map(field).collect::<Vec<_>>()));
    let engine = Engine::Deduplicate { ignore_delete: false };
    let merge = Merge {
        keys: vec![1],
        sequence: Vec::new(),
        engine,
        keep_deletes: false,
        retract: false,
        sections: Vec::new(),
        part: None,
    };
    let spec = Arc::new(Spec::new(&merge, &fields, fields.len(), Arc::clone(&schema), (2, 1 << 20)).unwrap());
    proptest!(|(picked in proptest::collection::vec(proptest::collection::btree_set(0..names.len(), 0..7), 2..6))| {
        let mut expected: BTreeMap<&str, i64> = BTreeMap::new();
        let mut runs: Vec<Box<dyn RunSource>> = Vec::new();
        for (number, picked) in picked.iter().enumerate() {
            let mut keys: Vec<&str> = picked.iter().map(|i| names[*i]).collect();
            keys.sort_unstable();
            expected.extend(keys.iter().map(|key| (*key, number as i64)));
            let batch = |keys: &[&str]| {
                let columns: Vec<Arc<dyn Array>> = vec![
                    Arc::new(StringArray::from_iter_values(keys)),
                    Arc::new(Int64Array::from_value(number as i64, keys.len())),
                    Arc::new(Int8Array::from_value(kind::INSERT, keys.len())),
                ];
                RecordBatch::try_new(Arc::clone(&schema), columns).unwrap()
            };
            runs.push(Box::new(Memory(keys.chunks(2).map(batch).collect::<Vec<_>>().into_iter())));
        }
        let mut stream = MergeStream::new(Arc::clone(&spec), runs, &KeyRange::default()).unwrap();
        let mut merged = Vec::new();
        while let Some(batch) = stream.next().unwrap() {
            let (keys, numbers) = (batch.column(0).as_string::<i32>(), batch.column(1).as_primitive::<Int64Type>());
            merged.extend((0..batch.num_rows()).map(|i| (keys.value(i).to_string(), numbers.value(i))));
        }
        prop_assert_eq!(merged, expected.iter().map(|(k, n)| (k.to_string(), *n)).collect::<Vec<_>>());
    });
}
