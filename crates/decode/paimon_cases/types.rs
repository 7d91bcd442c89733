//! Paimon schema files as fields of tasks.

use lakefold_task::{Field, Type};
use serde_json::Value;

/// The fields of a schema file or of a ROW.
pub(super) fn fields(json: &Value) -> Vec<Field> {
    json.as_array().unwrap().iter().map(field).collect()
}

fn field(json: &Value) -> Field {
    let (field_type, required) = parse(&json["type"]);
    Field {
        id: json["id"].as_i64().unwrap() as i32,
        name: json["name"].as_str().unwrap().into(),
        required,
        field_type,
        initial_default: None,
    }
}

fn child(name: &str, (field_type, required): (Type, bool)) -> Box<Field> {
    Box::new(Field { id: -1, name: name.into(), required, field_type, initial_default: None })
}

pub(crate) fn parse(json: &Value) -> (Type, bool) {
    if let Some(text) = json.as_str() {
        return atomic(text);
    }
    let kind = json["type"].as_str().unwrap();
    let required = kind.ends_with("NOT NULL");
    let count = || child("value", (Type::Int, true));
    let parsed = match kind.trim_end_matches(" NOT NULL") {
        "ARRAY" => Type::List(child("element", parse(&json["element"]))),
        "MULTISET" => Type::Map(child("key", (parse(&json["element"]).0, true)), count()),
        "MAP" => Type::Map(child("key", (parse(&json["key"]).0, true)), child("value", parse(&json["value"]))),
        "ROW" => Type::Struct(fields(&json["fields"])),
        other => panic!("type {other}"),
    };
    (parsed, required)
}

fn atomic(text: &str) -> (Type, bool) {
    let required = text.ends_with(" NOT NULL");
    let text = text.trim_end_matches(" NOT NULL");
    let numbers: Vec<u32> = text
        .split_once('(')
        .map(|(_, rest)| rest.split_once(')').unwrap().0)
        .map_or_else(Vec::new, |args| args.split(',').map(|n| n.trim().parse().unwrap()).collect());
    let size = |or: u32| numbers.first().copied().unwrap_or(or);
    let name = text.split(['(', ' ']).next().unwrap();
    let parsed = match name {
        "BOOLEAN" => Type::Boolean,
        "TINYINT" => Type::TinyInt,
        "SMALLINT" => Type::SmallInt,
        "INT" | "INTEGER" => Type::Int,
        "BIGINT" => Type::Long,
        "FLOAT" => Type::Float,
        "DOUBLE" => Type::Double,
        "DATE" => Type::Date,
        "STRING" => Type::String,
        "BYTES" | "BLOB" => Type::Binary,
        "VARIANT" => Type::Variant,
        "CHAR" => Type::Char(size(1)),
        "VARCHAR" => Type::Varchar(size(1)),
        "BINARY" => Type::BinaryOf(size(1)),
        "VARBINARY" => Type::Varbinary(size(1)),
        "TIME" => Type::TimeOf(size(0) as u8),
        "DECIMAL" => Type::Decimal(size(10) as u8, numbers.get(1).copied().unwrap_or(0) as i8),
        "TIMESTAMP" if text.contains("LOCAL") => Type::TimestamptzOf(size(6) as u8),
        "TIMESTAMP" => Type::TimestampOf(size(6) as u8),
        other => panic!("type {other}"),
    };
    (parsed, required)
}
