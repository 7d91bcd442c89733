use crate::fields::Columns;
use crate::filter::Program;
use crate::murmur::murmur3_32;
use arrow_array::{
    ArrayRef, Decimal128Array, Float64Array, Int32Array, Int64Array, StringArray, TimestampMicrosecondArray,
};
use lakefold_task::{Field, Filter};
use serde_json::{Value, json};
use std::sync::Arc;

fn hits(field_type: &str, array: ArrayRef, filter: Value) -> Vec<usize> {
    let field: Field =
        serde_json::from_value(json!({"id": 1, "name": "c", "required": false, "type": field_type})).unwrap();
    let filter: Filter = serde_json::from_value(filter).unwrap();
    let rows = array.len();
    let program = Program::compile(&filter, std::slice::from_ref(&field)).unwrap().unwrap();
    let columns = Columns { fields: &[field], arrays: &[array] };
    program.run(columns, rows).unwrap().set_indices().collect()
}

fn test(op: &str, values: Value) -> Value {
    json!({"op": op, "term": {"field-id": 1}, "values": values})
}

fn term(transform: Value, op: &str, values: Value) -> Value {
    json!({"op": op, "term": {"field-id": 1, "transform": transform}, "values": values})
}

/// Vectors of the Iceberg spec, appendix B.
#[test]
fn hashes_are_those_of_the_specification() {
    assert_eq!(murmur3_32(&34_i64.to_le_bytes()), 2017239379);
    assert_eq!(murmur3_32(b"iceberg"), 1210000089);
    assert_eq!(murmur3_32(&[0, 1, 2, 3]), -188683207);
    assert_eq!(murmur3_32(&[0x05, 0x8c]), -500754589);
}

#[test]
fn nan_and_null_satisfy_only_the_negative_operators_and_zeros_differ() {
    let doubles = || {
        let values = [Some(f64::NAN), Some(-0.0), Some(0.0), None, Some(f64::INFINITY), Some(-1.5)];
        Arc::new(Float64Array::from(values.to_vec())) as ArrayRef
    };
    let ask = |op: &str, values: Value| hits("double", doubles(), test(op, values));
    assert_eq!(ask("lt", json!([0.0])), [1, 5]);
    assert_eq!(ask("lt-eq", json!([-0.0])), [1, 5]);
    assert_eq!(ask("gt", json!([-0.0])), [2, 4]);
    assert_eq!(ask("eq", json!([0.0])), [2]);
    assert_eq!(ask("not-eq", json!([0.0])), [0, 1, 3, 4, 5]);
    assert_eq!(ask("in", json!([0.0, "Infinity"])), [2, 4]);
    assert_eq!(ask("not-in", json!([0.0, "Infinity"])), [0, 1, 3, 5]);
    assert_eq!(ask("is-nan", json!([])), [0]);
    assert_eq!(ask("not-nan", json!([])), [1, 2, 3, 4, 5]);
    assert_eq!(ask("is-null", json!([])), [3]);
    // Large sets are looked up by bits.
    let many: Vec<Value> = (1..50).map(|i| json!(f64::from(i))).chain([json!(-0.0), json!(-1.5)]).collect();
    assert_eq!(ask("in", json!(many)), [1, 5]);
}

#[test]
fn transform_terms_give_the_values_of_the_specification() {
    let longs = || Arc::new(Int64Array::from(vec![Some(i64::MIN), Some(-1), Some(1), Some(34), None])) as ArrayRef;
    assert_eq!(hits("long", longs(), term(json!({"truncate": 10}), "eq", json!([-10]))), [1]);
    // Truncation near the smallest value does not wrap around.
    assert_eq!(hits("long", longs(), term(json!({"truncate": 10}), "lt", json!([0]))), [0, 1]);
    assert_eq!(hits("long", longs(), term(json!({"bucket": 100}), "eq", json!([2017239379 % 100]))), [3]);
    let decimals = Arc::new(Decimal128Array::from(vec![1065, -1]).with_precision_and_scale(9, 2).unwrap());
    assert_eq!(hits("decimal(9,2)", decimals, term(json!({"truncate": 50}), "eq", json!(["1050"]))), [0]);
    let texts = Arc::new(StringArray::from(vec!["iceberg", "☃😀x"]));
    assert_eq!(hits("string", texts, term(json!({"truncate": 2}), "in", json!(["☃😀"]))), [1]);
    let before = || Arc::new(TimestampMicrosecondArray::from(vec![-1, 1_510_871_468_000_000])) as ArrayRef;
    for (unit, early, late) in [("year", -1, 47), ("month", -1, 574), ("day", -1, 17_486), ("hour", -1, 419_686)] {
        assert_eq!(hits("timestamp", before(), term(json!(unit), "eq", json!([early]))), [0], "{unit}");
        assert_eq!(hits("timestamp", before(), term(json!(unit), "eq", json!([late]))), [1], "{unit}");
    }
}

#[test]
fn width_costs_no_stack() {
    let array = Arc::new(Int32Array::from(vec![5, 60_000, -1])) as ArrayRef;
    let leaf = |i: i32| -> Filter { serde_json::from_value(test("eq", json!([i]))).unwrap() };
    let wide = Filter::Or { or: (0..50_000).map(leaf).collect() };
    let deep = (0..50_000).fold(leaf(5), |inner, i| Filter::Or { or: vec![inner, leaf(i)] });
    let field: Field = serde_json::from_value(json!({"id": 1, "name": "c", "required": false, "type": "int"})).unwrap();
    for filter in [&wide, &deep] {
        let program = Program::compile(filter, std::slice::from_ref(&field)).unwrap().unwrap();
        let columns = Columns { fields: std::slice::from_ref(&field), arrays: std::slice::from_ref(&array) };
        assert_eq!(program.run(columns, 3).unwrap().set_indices().collect::<Vec<_>>(), [0]);
    }
    // The tree's own drop would recurse.
    std::mem::forget(deep);
}

/// The rows are those that SQL gives for the positive operator; a negative one takes all others, null too (a plan that
/// keeps SQL's meaning adds `not-null`).
#[test]
fn negated_text_operators_take_the_other_rows_and_null() {
    let texts = || Arc::new(StringArray::from(vec![Some("apple"), Some("pineapple"), Some("é"), Some(""), None]));
    let ask = |op: &str, value: &str| hits("string", texts(), test(op, json!([value])));
    for (op, value, positive) in [
        ("starts-with", "app", vec![0]),
        ("ends-with", "apple", vec![0, 1]),
        ("contains", "eapp", vec![1]),
        ("contains", "", vec![0, 1, 2, 3]),
        ("like", "%pp%", vec![0, 1]),
        ("like", "_", vec![2]),
    ] {
        assert_eq!(ask(op, value), positive, "{op} {value:?}");
        let others: Vec<usize> = (0..5).filter(|row| !positive.contains(row)).collect();
        assert_eq!(ask(&format!("not-{op}"), value), others, "not-{op} {value:?}");
        let and_present = json!({"and": [test(&format!("not-{op}"), json!([value])), test("not-null", json!([]))]});
        let present: Vec<usize> = others.iter().copied().filter(|row| *row != 4).collect();
        assert_eq!(hits("string", texts(), and_present), present, "not-{op} {value:?} and not null");
    }
}

#[test]
fn negated_text_operators_need_text() {
    let field: Field = serde_json::from_value(json!({"id": 1, "name": "c", "required": false, "type": "int"})).unwrap();
    for op in ["not-ends-with", "not-contains", "not-like"] {
        let filter: Filter = serde_json::from_value(test(op, json!([1]))).unwrap();
        let Err(error) = Program::compile(&filter, std::slice::from_ref(&field)) else { panic!("{op} on an int") };
        assert_eq!(error.code(), lakefold_base::Code::InvalidArgument);
        assert!(error.context().any(|(key, value)| key == "field" && value == "c"), "{error:?}");
    }
}
