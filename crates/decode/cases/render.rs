//! Rows as the fixtures write them.

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, RecordBatch};
use lakefold_task::{Field, Type};
use parquet::variant::{Variant, VariantArray};
use serde_json::{Map, Value, json};

pub(super) fn rows(fields: &[Field], batch: &RecordBatch, lines: &mut Vec<String>) {
    for row in 0..batch.num_rows() {
        let mut object = Map::new();
        for (field, array) in fields.iter().zip(batch.columns()) {
            object.insert(field.name.clone(), value(&field.field_type, array, row));
        }
        lines.push(Value::Object(object).to_string());
    }
}

fn float(v: f64) -> Value {
    if v.is_nan() {
        json!("NaN")
    } else if v.is_infinite() {
        json!(if v > 0.0 { "Infinity" } else { "-Infinity" })
    } else if v == 0.0 && v.is_sign_negative() {
        json!("-0")
    } else {
        serde_json::from_str(&format!("{v:?}")).unwrap()
    }
}

fn decimal(v: i128, scale: i8) -> String {
    let scale = scale as usize;
    let digits = format!("{:0width$}", v.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    format!("{}{whole}{}{fraction}", if v < 0 { "-" } else { "" }, if scale > 0 { "." } else { "" })
}

fn date(days: i64) -> String {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let (day, month) = (doy - (153 * mp + 2) / 5 + 1, if mp < 10 { mp + 3 } else { mp - 9 });
    let year = yoe + era * 400 + i64::from(month <= 2);
    let sign = if year > 9999 {
        "+"
    } else if year < 0 {
        "-"
    } else {
        ""
    };
    format!("{sign}{:04}-{month:02}-{day:02}", year.abs())
}

fn clock(of_day: i64, per_second: i64, digits: usize) -> String {
    let (s, f) = (of_day / per_second, of_day % per_second);
    format!("{:02}:{:02}:{:02}.{f:0digits$}", s / 3600, s / 60 % 60, s % 60)
}

fn timestamp(v: i64, per_second: i64, digits: usize, zone: &str) -> String {
    let per_day = per_second * 86_400;
    format!("{}T{}{zone}", date(v.div_euclid(per_day)), clock(v.rem_euclid(per_day), per_second, digits))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn value(field_type: &Type, array: &ArrayRef, row: usize) -> Value {
    if array.data_type() == &arrow_schema::DataType::Null || array.is_null(row) {
        return Value::Null;
    }
    match field_type {
        Type::Boolean => json!(array.as_boolean().value(row)),
        Type::Int => json!(array.as_primitive::<Int32Type>().value(row)),
        Type::Long => json!(array.as_primitive::<Int64Type>().value(row).to_string()),
        Type::Float => float(array.as_primitive::<Float32Type>().value(row).into()),
        Type::Double => float(array.as_primitive::<Float64Type>().value(row)),
        Type::Decimal(_, s) => json!(decimal(array.as_primitive::<Decimal128Type>().value(row), *s)),
        Type::Date => json!(date(array.as_primitive::<Date32Type>().value(row).into())),
        Type::Time => json!(clock(array.as_primitive::<Time64MicrosecondType>().value(row), 1_000_000, 6)),
        Type::Timestamp | Type::Timestamptz => {
            let zone = if *field_type == Type::Timestamptz { "Z" } else { "" };
            json!(timestamp(array.as_primitive::<TimestampMicrosecondType>().value(row), 1_000_000, 6, zone))
        }
        Type::TimestampNs | Type::TimestamptzNs => {
            let zone = if *field_type == Type::TimestamptzNs { "Z" } else { "" };
            json!(timestamp(array.as_primitive::<TimestampNanosecondType>().value(row), 1_000_000_000, 9, zone))
        }
        Type::String => json!(array.as_string::<i32>().value(row)),
        Type::Uuid => {
            let h = hex(array.as_fixed_size_binary().value(row));
            json!(format!("{}-{}-{}-{}-{}", &h[..8], &h[8..12], &h[12..16], &h[16..20], &h[20..]))
        }
        Type::Fixed(_) => json!(hex(array.as_fixed_size_binary().value(row))),
        Type::Binary | Type::Geometry(_) | Type::Geography(_) => json!(hex(array.as_binary::<i32>().value(row))),
        Type::Struct(fields) => {
            let parent = array.as_struct();
            let member = |(i, f): (usize, &Field)| (f.name.clone(), value(&f.field_type, parent.column(i), row));
            Value::Object(fields.iter().enumerate().map(member).collect())
        }
        Type::List(element) => {
            let items = array.as_list::<i32>().value(row);
            Value::Array((0..items.len()).map(|i| value(&element.field_type, &items, i)).collect())
        }
        Type::Map(k, v) => {
            let entries = array.as_map().value(row);
            let entry =
                |i| json!([value(&k.field_type, entries.column(0), i), value(&v.field_type, entries.column(1), i)]);
            Value::Array((0..entries.len()).map(entry).collect())
        }
        Type::Variant => variant(VariantArray::try_new(array.as_ref()).unwrap().value(row)),
        Type::Unknown => Value::Null,
        other => panic!("no rendering of {other}"),
    }
}

fn variant(v: Variant<'_, '_>) -> Value {
    let number = |text: String| serde_json::from_str(&text).unwrap();
    match v {
        Variant::Null => Value::Null,
        Variant::BooleanTrue => json!(true),
        Variant::BooleanFalse => json!(false),
        Variant::Int8(v) => json!(v),
        Variant::Int16(v) => json!(v),
        Variant::Int32(v) => json!(v),
        Variant::Int64(v) => json!(v),
        Variant::Float(v) => float(v.into()),
        Variant::Double(v) => float(v),
        Variant::Decimal4(v) => number(v.to_string()),
        Variant::Decimal8(v) => number(v.to_string()),
        Variant::Decimal16(v) => number(v.to_string()),
        Variant::Date(v) => json!(v.to_string()),
        Variant::String(v) => json!(v),
        Variant::ShortString(v) => json!(v.as_str()),
        Variant::Object(o) => Value::Object(o.iter().map(|(k, v)| (k.to_string(), variant(v))).collect()),
        Variant::List(l) => Value::Array(l.iter().map(variant).collect()),
        Variant::TimestampMicros(v) => json!(v.format("%Y-%m-%d %H:%M:%S%.f%:z").to_string()),
        Variant::TimestampNtzMicros(v) => json!(v.format("%Y-%m-%d %H:%M:%S%.f").to_string()),
        Variant::Binary(v) => json!(base64(v)),
        other => json!(format!("{other:?}")),
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let encode = |chunk: &[u8]| {
        let bits = chunk.iter().fold(0_u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        (0..4)
            .map(|i| if i > chunk.len() { '=' } else { DIGITS[(bits >> (18 - 6 * i)) as usize & 63] as char })
            .collect::<String>()
    };
    bytes.chunks(3).map(encode).collect()
}
