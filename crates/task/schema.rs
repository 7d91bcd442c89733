use serde::{Deserialize, Serialize, de};
use serde_json::Value;
use std::fmt;

/// Reserved field ids of metadata columns (Iceberg spec, "Reserved Field IDs").
pub mod reserved {
    /// `_file`
    pub const FILE: i32 = 2147483646;
    /// `_pos`
    pub const POS: i32 = 2147483645;
    /// `_deleted`
    pub const DELETED: i32 = 2147483644;
    /// `_spec_id`
    pub const SPEC_ID: i32 = 2147483643;
    /// `_partition`
    pub const PARTITION: i32 = 2147483642;
    /// `file_path` of position delete files
    pub const DELETE_FILE_PATH: i32 = 2147483546;
    /// `pos` of position delete files
    pub const DELETE_POS: i32 = 2147483545;
    /// `_change_type`
    pub const CHANGE_TYPE: i32 = 2147483543;
    /// `_change_ordinal`
    pub const CHANGE_ORDINAL: i32 = 2147483542;
    /// `_commit_snapshot_id`
    pub const COMMIT_SNAPSHOT_ID: i32 = 2147483541;
    /// `_row_id`
    pub const ROW_ID: i32 = 2147483540;
    /// `_last_updated_sequence_number`
    pub const LAST_UPDATED_SEQUENCE_NUMBER: i32 = 2147483539;
    /// `_VALUE_KIND` of a key-value file, as tinyint: 0 insert, 1 update before, 2 update after, 3 delete.
    pub const VALUE_KIND: i32 = 2147483530;
    /// The row kind as text: `+I`, `-U`, `+U`, `-D`; only in projections.
    pub const ROW_KIND: i32 = 2147483529;
    /// `_SEQUENCE_NUMBER` of a key-value file.
    pub const SEQUENCE_NUMBER: i32 = 2147483528;
}

/// A type of the table's schema; JSON as in Iceberg metadata (a text, or an object for nested types).
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    /// `boolean`
    Boolean,
    /// `tinyint`, 8 bits
    TinyInt,
    /// `smallint`, 16 bits
    SmallInt,
    /// `int`
    Int,
    /// `long`
    Long,
    /// `float`
    Float,
    /// `double`
    Double,
    /// `decimal(P,S)`
    Decimal(u8, i8),
    /// `date`
    Date,
    /// `time`, micros
    Time,
    /// `timestamp`, micros
    Timestamp,
    /// `timestamptz`, micros
    Timestamptz,
    /// `timestamp_ns`
    TimestampNs,
    /// `timestamptz_ns`
    TimestamptzNs,
    /// `time(P)`, 0 to 9 fraction digits, held in millis
    TimeOf(u8),
    /// `timestamp(P)`, 0 to 9 fraction digits: millis up to 3, micros up to 6, nanos above
    TimestampOf(u8),
    /// `timestamptz(P)`, an instant, in units as above
    TimestamptzOf(u8),
    /// `char(N)`: N code points, padded with blanks
    Char(u32),
    /// `varchar(N)`: at most N code points
    Varchar(u32),
    /// `binary(N)`: N bytes, padded with zeros
    BinaryOf(u32),
    /// `varbinary(N)`: at most N bytes
    Varbinary(u32),
    /// `string`
    String,
    /// `uuid`
    Uuid,
    /// `fixed[L]`
    Fixed(u32),
    /// `binary`
    Binary,
    /// `unknown`: always null
    Unknown,
    /// `variant`
    Variant,
    /// `geometry(crs)`, WKB; the text is kept as written
    Geometry(String),
    /// `geography(crs, algorithm)`, WKB; the text is kept as written
    Geography(String),
    /// A struct.
    Struct(Vec<Field>),
    /// A list; its one child is named `element`.
    List(Box<Field>),
    /// A map: key and value.
    Map(Box<Field>, Box<Field>),
}

/// A column or nested field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Field {
    /// The field id.
    pub id: i32,
    /// The name.
    pub name: String,
    /// Whether null is illegal.
    pub required: bool,
    /// The type.
    #[serde(rename = "type")]
    pub field_type: Type,
    /// Single-value JSON; what rows of files without the field hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial_default: Option<Value>,
}

/// One node of a name mapping (Iceberg spec, "Name Mapping Serialization").
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct NameMapping {
    /// Absent: the column is hidden.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field_id: Option<i32>,
    /// All names that the field has had.
    #[serde(default)]
    pub names: Vec<String>,
    /// Children of a struct, or `element`, `key`, `value`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<NameMapping>,
}

/// A constant of a primitive type.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// boolean
    Boolean(bool),
    /// tinyint, smallint, int, date, time(P)
    Int(i32),
    /// long, time, timestamps
    Long(i64),
    /// float
    Float(f32),
    /// double
    Double(f64),
    /// decimal, unscaled
    Decimal(i128),
    /// string
    String(String),
    /// uuid, fixed, binary, geometry, geography
    Binary(Vec<u8>),
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Boolean => f.write_str("boolean"),
            Type::TinyInt => f.write_str("tinyint"),
            Type::SmallInt => f.write_str("smallint"),
            Type::Int => f.write_str("int"),
            Type::TimeOf(p) => write!(f, "time({p})"),
            Type::TimestampOf(p) => write!(f, "timestamp({p})"),
            Type::TimestamptzOf(p) => write!(f, "timestamptz({p})"),
            Type::Char(n) => write!(f, "char({n})"),
            Type::Varchar(n) => write!(f, "varchar({n})"),
            Type::BinaryOf(n) => write!(f, "binary({n})"),
            Type::Varbinary(n) => write!(f, "varbinary({n})"),
            Type::Long => f.write_str("long"),
            Type::Float => f.write_str("float"),
            Type::Double => f.write_str("double"),
            Type::Decimal(p, s) => write!(f, "decimal({p}, {s})"),
            Type::Date => f.write_str("date"),
            Type::Time => f.write_str("time"),
            Type::Timestamp => f.write_str("timestamp"),
            Type::Timestamptz => f.write_str("timestamptz"),
            Type::TimestampNs => f.write_str("timestamp_ns"),
            Type::TimestamptzNs => f.write_str("timestamptz_ns"),
            Type::String => f.write_str("string"),
            Type::Uuid => f.write_str("uuid"),
            Type::Fixed(n) => write!(f, "fixed[{n}]"),
            Type::Binary => f.write_str("binary"),
            Type::Unknown => f.write_str("unknown"),
            Type::Variant => f.write_str("variant"),
            Type::Geometry(text) | Type::Geography(text) => f.write_str(text),
            Type::Struct(_) => f.write_str("struct"),
            Type::List(_) => f.write_str("list"),
            Type::Map(..) => f.write_str("map"),
        }
    }
}

fn parse_primitive(text: &str) -> Option<Type> {
    let t = text.trim();
    let inner = |prefix: &str, close: char| -> Option<String> {
        let rest = t.strip_prefix(prefix)?.trim_start();
        Some(rest.strip_suffix(close)?.chars().filter(|c| !c.is_whitespace()).collect())
    };
    Some(match t {
        "boolean" => Type::Boolean,
        "tinyint" => Type::TinyInt,
        "smallint" => Type::SmallInt,
        "int" => Type::Int,
        "long" => Type::Long,
        "float" => Type::Float,
        "double" => Type::Double,
        "date" => Type::Date,
        "time" => Type::Time,
        "timestamp" => Type::Timestamp,
        "timestamptz" => Type::Timestamptz,
        "timestamp_ns" => Type::TimestampNs,
        "timestamptz_ns" => Type::TimestamptzNs,
        "string" => Type::String,
        "uuid" => Type::Uuid,
        "binary" => Type::Binary,
        "unknown" => Type::Unknown,
        "variant" => Type::Variant,
        _ if t.starts_with("geometry") => Type::Geometry(t.to_string()),
        _ if t.starts_with("geography") => Type::Geography(t.to_string()),
        _ => {
            if let Some(args) = inner("decimal(", ')') {
                let (p, s) = args.split_once(',')?;
                let (p, s): (u8, i8) = (p.parse().ok()?, s.parse().ok()?);
                return (1..=38).contains(&p).then_some(Type::Decimal(p, s)).filter(|_| s >= 0 && s as u8 <= p);
            }
            let number = |prefix: &str| inner(prefix, ')').and_then(|n| n.parse::<u32>().ok());
            let digits = |prefix: &str| number(prefix).and_then(|p| u8::try_from(p).ok()).filter(|p| *p <= 9);
            let sized = digits("time(")
                .map(Type::TimeOf)
                .or_else(|| digits("timestamp(").map(Type::TimestampOf))
                .or_else(|| digits("timestamptz(").map(Type::TimestamptzOf))
                .or_else(|| number("char(").map(Type::Char))
                .or_else(|| number("varchar(").map(Type::Varchar))
                .or_else(|| number("binary(").map(Type::BinaryOf))
                .or_else(|| number("varbinary(").map(Type::Varbinary));
            if sized.is_some() {
                return sized;
            }
            return Some(Type::Fixed(inner("fixed[", ']')?.parse().ok()?));
        }
    })
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct StructJson {
    #[serde(rename = "type")]
    kind: String,
    fields: Vec<Field>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct ListJson {
    #[serde(rename = "type")]
    kind: String,
    element_id: i32,
    element: Type,
    element_required: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    element_default: Option<Value>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct MapJson {
    #[serde(rename = "type")]
    kind: String,
    key_id: i32,
    key: Type,
    value_id: i32,
    value: Type,
    value_required: bool,
}

impl Serialize for Type {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Type::Struct(fields) => StructJson { kind: "struct".into(), fields: fields.clone() }.serialize(serializer),
            Type::List(element) => ListJson {
                kind: "list".into(),
                element_id: element.id,
                element: element.field_type.clone(),
                element_required: element.required,
                element_default: element.initial_default.clone(),
            }
            .serialize(serializer),
            Type::Map(key, value) => MapJson {
                kind: "map".into(),
                key_id: key.id,
                key: key.field_type.clone(),
                value_id: value.id,
                value: value.field_type.clone(),
                value_required: value.required,
            }
            .serialize(serializer),
            primitive => serializer.collect_str(primitive),
        }
    }
}

impl<'de> Deserialize<'de> for Type {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        match &value {
            Value::String(text) => {
                parse_primitive(text).ok_or_else(|| de::Error::custom(format!("unknown type {text:?}")))
            }
            Value::Object(map) => match map.get("type").and_then(Value::as_str) {
                Some("struct") => {
                    let json: StructJson = serde_json::from_value(value).map_err(de::Error::custom)?;
                    Ok(Type::Struct(json.fields))
                }
                Some("list") => {
                    let json: ListJson = serde_json::from_value(value).map_err(de::Error::custom)?;
                    Ok(Type::List(Box::new(Field {
                        id: json.element_id,
                        name: "element".into(),
                        required: json.element_required,
                        field_type: json.element,
                        initial_default: json.element_default,
                    })))
                }
                Some("map") => {
                    let json: MapJson = serde_json::from_value(value).map_err(de::Error::custom)?;
                    let child = |id, name: &str, required, field_type| {
                        Box::new(Field { id, name: name.into(), required, field_type, initial_default: None })
                    };
                    Ok(Type::Map(
                        child(json.key_id, "key", true, json.key),
                        child(json.value_id, "value", json.value_required, json.value),
                    ))
                }
                other => Err(de::Error::custom(format!("unknown nested type {other:?}"))),
            },
            other => Err(de::Error::custom(format!("a type must be a text or an object, got {other}"))),
        }
    }
}
