//! Rows in the encoding of the cases.

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef};
use lakefold_task::Type;
use serde_json::{Map, Value, json};

pub(crate) fn value(field_type: &Type, array: &ArrayRef, row: usize) -> Value {
    if array.is_null(row) {
        return Value::Null;
    }
    match field_type {
        Type::Boolean => json!(array.as_boolean().value(row)),
        Type::TinyInt => json!(array.as_primitive::<Int8Type>().value(row)),
        Type::SmallInt => json!(array.as_primitive::<Int16Type>().value(row)),
        Type::Int => json!(array.as_primitive::<Int32Type>().value(row)),
        Type::Long => json!(array.as_primitive::<Int64Type>().value(row).to_string()),
        Type::Float => {
            let v = array.as_primitive::<Float32Type>().value(row);
            if v.is_finite() { json!(v.to_string().parse::<f64>().unwrap()) } else { special(v.into()) }
        }
        Type::Double => {
            let v = array.as_primitive::<Float64Type>().value(row);
            if v.is_finite() { json!(v) } else { special(v) }
        }
        Type::Decimal(_, scale) => {
            let v = array.as_primitive::<Decimal128Type>().value(row);
            let digits = format!("{:0>width$}", v.unsigned_abs(), width = *scale as usize + 1);
            let (whole, fraction) = digits.split_at(digits.len() - *scale as usize);
            let dot = if *scale == 0 { "" } else { "." };
            json!(format!("{}{whole}{dot}{fraction}", if v < 0 { "-" } else { "" }))
        }
        Type::Char(_) | Type::Varchar(_) | Type::String => json!(array.as_string::<i32>().value(row)),
        Type::BinaryOf(_) | Type::Varbinary(_) | Type::Binary => json!(hex(array.as_binary::<i32>().value(row))),
        Type::Date => json!(date(array.as_primitive::<Date32Type>().value(row).into())),
        Type::TimeOf(digits) => {
            json!(clock(i128::from(array.as_primitive::<Time32MillisecondType>().value(row)) * 1_000_000, *digits))
        }
        Type::TimestampOf(digits) => json!(stamp(array, row, *digits)),
        Type::TimestamptzOf(digits) => json!(format!("{}Z", stamp(array, row, *digits))),
        Type::Struct(fields) => {
            let parent = array.as_struct();
            let pairs = fields.iter().zip(parent.columns());
            Value::Object(pairs.map(|(f, c)| (f.name.clone(), value(&f.field_type, c, row))).collect::<Map<_, _>>())
        }
        Type::List(element) => {
            let list = array.as_list::<i32>().value(row);
            Value::Array((0..list.len()).map(|i| value(&element.field_type, &list, i)).collect())
        }
        Type::Map(key, item) => {
            let entries = array.as_map().value(row);
            let (keys, items) = (entries.column(0), entries.column(1));
            let pair = |i| json!([value(&key.field_type, keys, i), value(&item.field_type, items, i)]);
            let mut pairs: Vec<Value> = (0..entries.len()).map(pair).collect();
            pairs.sort_by_key(|p| p[0].to_string());
            Value::Array(pairs)
        }
        Type::Variant => {
            let parts = array.as_struct();
            let part = |name: &str| hex(parts.column_by_name(name).unwrap().as_binary::<i32>().value(row));
            json!({"value": part("value"), "metadata": part("metadata")})
        }
        other => panic!("a {other}"),
    }
}

fn special(v: f64) -> Value {
    json!(if v.is_nan() {
        "NaN"
    } else if v > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn stamp(array: &ArrayRef, row: usize, digits: u8) -> String {
    let nanos = match digits {
        0..=3 => i128::from(array.as_primitive::<TimestampMillisecondType>().value(row)) * 1_000_000,
        4..=6 => i128::from(array.as_primitive::<TimestampMicrosecondType>().value(row)) * 1000,
        _ => array.as_primitive::<TimestampNanosecondType>().value(row).into(),
    };
    const DAY: i128 = 86_400_000_000_000;
    format!("{}T{}", date(nanos.div_euclid(DAY) as i64), clock(nanos.rem_euclid(DAY), digits))
}

fn clock(nanos: i128, digits: u8) -> String {
    let seconds = nanos / 1_000_000_000;
    let base = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    let fraction = format!("{:09}", nanos % 1_000_000_000);
    if digits == 0 { base } else { format!("{base}.{}", &fraction[..digits as usize]) }
}

/// Walks the calendar year by year: slow, and nothing like the code under test.
fn date(mut days: i64) -> String {
    let leap = |y: i64| y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
    let length = |y| if leap(y) { 366 } else { 365 };
    let mut year = 1970;
    while days < 0 {
        year -= 1;
        days += length(year);
    }
    while days >= length(year) {
        days -= length(year);
        year += 1;
    }
    let february = if leap(year) { 29 } else { 28 };
    let mut month = 1;
    for months_days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < months_days {
            break;
        }
        days -= months_days;
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", days + 1)
}
