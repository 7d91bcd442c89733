use arrow_schema::{DataType, Field, FieldRef, Fields, TimeUnit};
use lakefold_base::{Error, Result};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Nesting beyond this is refused, so that decoding can recurse.
const MAX_DEPTH: usize = 64;
/// A null of a fixed takes its whole size in memory.
const MAX_FIXED: usize = 16 << 20;
/// Nodes of the schema with named types written out; guards against types that double at every level.
const MAX_NODES: u64 = 100_000;

/// A node of the writer's schema, with sizes for checks.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// Fewest bytes that a value takes.
    pub(super) min_size: usize,
    nodes: u64,
    depth: usize,
}

/// What a node is.
#[derive(Debug)]
pub(super) enum Kind {
    Null,
    Boolean,
    Int(DataType),
    Long(DataType),
    Float,
    Double,
    Bytes,
    String,
    Enum(Vec<String>),
    Fixed(usize),
    /// `None`: bytes; else a fixed of this size.
    Decimal(Option<usize>, u8, i8),
    Array {
        item: Arc<Node>,
        id: Option<i64>,
    },
    /// Text keys.
    Map {
        value: Arc<Node>,
        ids: [Option<i64>; 2],
    },
    /// An array of key and value records that stands for a map.
    PairMap(Vec<RecordField>),
    Record(Vec<RecordField>),
    Union(Vec<Arc<Node>>),
}

/// A record's field.
#[derive(Debug)]
pub(super) struct RecordField {
    pub(super) name: String,
    pub(super) id: Option<i64>,
    pub(super) node: Arc<Node>,
}

fn bad(problem: impl std::fmt::Display) -> Error {
    Error::corrupt(format!("broken Avro schema: {problem}")).with("field", "avro.schema")
}

struct Parser {
    named: HashMap<String, Arc<Node>>,
    open: HashSet<String>,
}

/// Parses the JSON of `avro.schema`.
pub(super) fn parse(json: &[u8]) -> Result<Arc<Node>> {
    // serde_json bounds the nesting of the text.
    let value: Value = serde_json::from_slice(json).map_err(bad)?;
    Parser { named: HashMap::new(), open: HashSet::new() }.node(&value, "")
}

fn id(object: &Map<String, Value>, key: &str) -> Option<i64> {
    object.get(key).and_then(Value::as_i64)
}

fn make(kind: Kind) -> Result<Arc<Node>> {
    let all: Vec<&Arc<Node>> = match &kind {
        Kind::Array { item, .. } => vec![item],
        Kind::Map { value, .. } => vec![value],
        Kind::PairMap(fields) | Kind::Record(fields) => fields.iter().map(|f| &f.node).collect(),
        Kind::Union(branches) => branches.iter().collect(),
        _ => Vec::new(),
    };
    let nodes = all.iter().fold(1u64, |n, node| n.saturating_add(node.nodes));
    let depth = 1 + all.iter().map(|node| node.depth).max().unwrap_or(0);
    if nodes > MAX_NODES || depth > MAX_DEPTH {
        return Err(Error::unsupported(format!("an Avro schema of {nodes} nodes, {depth} deep")));
    }
    let min_size = match &kind {
        Kind::Null => 0,
        Kind::Float => 4,
        Kind::Double => 8,
        Kind::Fixed(n) | Kind::Decimal(Some(n), ..) => *n,
        Kind::Record(fields) => fields.iter().fold(0usize, |n, f| n.saturating_add(f.node.min_size)),
        _ => 1,
    };
    Ok(Arc::new(Node { kind, min_size, nodes, depth }))
}

impl Parser {
    fn node(&mut self, value: &Value, namespace: &str) -> Result<Arc<Node>> {
        match value {
            Value::String(name) => match primitive(name) {
                Some(kind) => make(kind),
                None => self.reference(name, namespace),
            },
            Value::Array(branches) => {
                let branches = branches.iter().map(|b| self.node(b, namespace)).collect::<Result<Vec<_>>>()?;
                if branches.is_empty() {
                    return Err(bad("a union without branches"));
                }
                make(Kind::Union(branches))
            }
            Value::Object(object) => self.object(object, namespace),
            other => Err(bad(format!("a type cannot be {other}"))),
        }
    }

    fn reference(&mut self, name: &str, namespace: &str) -> Result<Arc<Node>> {
        let full = full_name(name, namespace);
        if self.open.contains(&full) {
            return Err(Error::unsupported(format!("the Avro type {name:?} contains itself")));
        }
        let found = self.named.get(&full).or_else(|| self.named.get(name));
        found.cloned().ok_or_else(|| bad(format!("unknown type {name:?}")))
    }

    fn object(&mut self, object: &Map<String, Value>, namespace: &str) -> Result<Arc<Node>> {
        let logical = object.get("logicalType").and_then(Value::as_str).unwrap_or_default();
        let child = |key: &str| object.get(key).ok_or_else(|| bad(format!("a type without {key:?}")));
        let kind = match child("type")? {
            Value::String(name) => name.as_str(),
            nested => return self.node(nested, namespace),
        };
        match kind {
            "record" | "error" => self.named(object, namespace, |parser, inner| {
                let fields = child("fields")?.as_array().ok_or_else(|| bad("fields must be a list"))?;
                let mut names = HashSet::new();
                let mut out = Vec::new();
                for field in fields {
                    let field = field.as_object().ok_or_else(|| bad("a field must be an object"))?;
                    let name =
                        field.get("name").and_then(Value::as_str).ok_or_else(|| bad("a field without a name"))?;
                    if !names.insert(name) {
                        return Err(bad(format!("two fields named {name:?}")));
                    }
                    let ty = field.get("type").ok_or_else(|| bad(format!("field {name:?} without a type")))?;
                    out.push(RecordField {
                        name: name.to_string(),
                        id: id(field, "field-id"),
                        node: parser.node(ty, inner)?,
                    });
                }
                make(Kind::Record(out))
            }),
            "enum" => self.named(object, namespace, |_, _| {
                let symbols = child("symbols")?.as_array().ok_or_else(|| bad("symbols must be a list"))?;
                let symbols = symbols.iter().map(|s| s.as_str().map(str::to_string)).collect::<Option<Vec<_>>>();
                make(Kind::Enum(symbols.ok_or_else(|| bad("a symbol must be text"))?))
            }),
            "fixed" => self.named(object, namespace, |_, _| {
                let size = child("size")?.as_u64().and_then(|n| i32::try_from(n).ok());
                let size = size.ok_or_else(|| bad("the size of a fixed"))? as usize;
                if size > MAX_FIXED {
                    return Err(Error::unsupported(format!("an Avro fixed of {size} bytes")));
                }
                match logical {
                    "decimal" => decimal(object, Some(size)),
                    _ => make(Kind::Fixed(size)),
                }
            }),
            "array" => {
                let item = self.node(child("items")?, namespace)?;
                if logical == "map" {
                    if let Kind::Record(fields) = &item.kind
                        && fields.len() == 2
                    {
                        let pair =
                            |f: &RecordField| RecordField { name: f.name.clone(), id: f.id, node: f.node.clone() };
                        return make(Kind::PairMap(fields.iter().map(pair).collect()));
                    }
                    return Err(bad("a map must be an array of key and value"));
                }
                make(Kind::Array { item, id: id(object, "element-id") })
            }
            "map" => make(Kind::Map {
                value: self.node(child("values")?, namespace)?,
                ids: [id(object, "key-id"), id(object, "value-id")],
            }),
            "bytes" if logical == "decimal" => decimal(object, None),
            "int" | "long" => make(number(kind, logical, object)),
            other => match primitive(other) {
                Some(kind) => make(kind),
                None => self.reference(other, namespace),
            },
        }
    }

    fn named(
        &mut self,
        object: &Map<String, Value>,
        namespace: &str,
        build: impl FnOnce(&mut Self, &str) -> Result<Arc<Node>>,
    ) -> Result<Arc<Node>> {
        let name = object.get("name").and_then(Value::as_str).ok_or_else(|| bad("a named type without a name"))?;
        let namespace = object.get("namespace").and_then(Value::as_str).unwrap_or(namespace);
        let full = full_name(name, namespace);
        if !self.open.insert(full.clone()) {
            return Err(bad(format!("type {full:?} is defined inside itself")));
        }
        let inner = full.rsplit_once('.').map_or("", |(inner, _)| inner).to_string();
        let node = build(self, &inner)?;
        self.open.remove(&full);
        self.named.insert(full, node.clone());
        Ok(node)
    }
}

fn full_name(name: &str, namespace: &str) -> String {
    if name.contains('.') || namespace.is_empty() { name.to_string() } else { format!("{namespace}.{name}") }
}

fn primitive(name: &str) -> Option<Kind> {
    Some(match name {
        "null" => Kind::Null,
        "boolean" => Kind::Boolean,
        "int" => Kind::Int(DataType::Int32),
        "long" => Kind::Long(DataType::Int64),
        "float" => Kind::Float,
        "double" => Kind::Double,
        "bytes" => Kind::Bytes,
        "string" => Kind::String,
        _ => return None,
    })
}

fn number(kind: &str, logical: &str, object: &Map<String, Value>) -> Kind {
    let utc = object.get("adjust-to-utc").and_then(Value::as_bool).unwrap_or(false);
    let zone = || utc.then(|| "UTC".into());
    match (kind, logical) {
        ("int", "date") => Kind::Int(DataType::Date32),
        ("int", "time-millis") => Kind::Int(DataType::Time32(TimeUnit::Millisecond)),
        ("int", _) => Kind::Int(DataType::Int32),
        (_, "time-micros") => Kind::Long(DataType::Time64(TimeUnit::Microsecond)),
        (_, "timestamp-millis") => Kind::Long(DataType::Timestamp(TimeUnit::Millisecond, zone())),
        (_, "timestamp-micros") => Kind::Long(DataType::Timestamp(TimeUnit::Microsecond, zone())),
        (_, "timestamp-nanos") => Kind::Long(DataType::Timestamp(TimeUnit::Nanosecond, zone())),
        (_, "local-timestamp-millis") => Kind::Long(DataType::Timestamp(TimeUnit::Millisecond, None)),
        (_, "local-timestamp-micros") => Kind::Long(DataType::Timestamp(TimeUnit::Microsecond, None)),
        (_, "local-timestamp-nanos") => Kind::Long(DataType::Timestamp(TimeUnit::Nanosecond, None)),
        _ => Kind::Long(DataType::Int64),
    }
}

fn decimal(object: &Map<String, Value>, size: Option<usize>) -> Result<Arc<Node>> {
    let get = |key: &str| object.get(key).and_then(Value::as_u64);
    let (precision, scale) = (get("precision").unwrap_or(0), get("scale").unwrap_or(0));
    if !(1..=38).contains(&precision) || scale > precision {
        return Err(Error::unsupported(format!("an Avro decimal({precision}, {scale})")));
    }
    make(Kind::Decimal(size, precision as u8, scale as i8))
}

fn field(name: &str, id: Option<i64>, node: &Arc<Node>, may_be_null: bool) -> FieldRef {
    let (data_type, nullable) = arrow_type(node);
    let field = Field::new(name, data_type, nullable && may_be_null);
    Arc::new(match id {
        Some(id) => field.with_metadata(HashMap::from([("PARQUET:field_id".to_string(), id.to_string())])),
        None => field,
    })
}

/// The fields of a record.
pub(super) fn arrow_fields(fields: &[RecordField]) -> Fields {
    fields.iter().map(|f| field(&f.name, f.id, &f.node, true)).collect()
}

/// How a value says whether it is null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    /// No union: never null.
    Plain,
    /// A union: the branch of values and that of nulls.
    Branches(i64, Option<i64>),
}

/// The values of a node that is no union, or a union of one type with or without null; else none.
pub(super) fn values(node: &Arc<Node>) -> Option<(&Arc<Node>, Presence)> {
    let Kind::Union(branches) = &node.kind else { return Some((node, Presence::Plain)) };
    let is_null = |node: &Node| matches!(node.kind, Kind::Null);
    let (value, presence) = match branches.as_slice() {
        [only] => (only, Presence::Branches(0, None)),
        [first, second] if is_null(first) => (second, Presence::Branches(1, Some(0))),
        [first, second] if is_null(second) => (first, Presence::Branches(0, Some(1))),
        _ => return None,
    };
    (!matches!(value.kind, Kind::Union(_))).then_some((value, presence))
}

/// The Arrow type, and whether values may be null. A general union stands as Arrow's `Null`: it can't be read.
fn arrow_type(node: &Arc<Node>) -> (DataType, bool) {
    let Some((inner, presence)) = values(node) else { return (DataType::Null, true) };
    let data_type = match &inner.kind {
        Kind::Null | Kind::Union(_) => return (DataType::Null, true),
        Kind::Boolean => DataType::Boolean,
        Kind::Int(t) | Kind::Long(t) => t.clone(),
        Kind::Float => DataType::Float32,
        Kind::Double => DataType::Float64,
        Kind::Bytes => DataType::Binary,
        Kind::String | Kind::Enum(_) => DataType::Utf8,
        Kind::Fixed(n) => DataType::FixedSizeBinary(*n as i32),
        Kind::Decimal(_, p, s) => DataType::Decimal128(*p, *s),
        Kind::Array { item, id } => DataType::List(field("element", *id, item, true)),
        Kind::Map { value, ids } => {
            let key = Field::new("key", DataType::Utf8, false);
            let key = match ids[0] {
                Some(id) => key.with_metadata(HashMap::from([("PARQUET:field_id".to_string(), id.to_string())])),
                None => key,
            };
            map_type(Arc::new(key), field("value", ids[1], value, true))
        }
        Kind::PairMap(pair) => {
            map_type(field("key", pair[0].id, &pair[0].node, false), field("value", pair[1].id, &pair[1].node, true))
        }
        Kind::Record(fields) => DataType::Struct(arrow_fields(fields)),
    };
    (data_type, matches!(presence, Presence::Branches(_, Some(_))))
}

fn map_type(key: FieldRef, value: FieldRef) -> DataType {
    let entries = Field::new("entries", DataType::Struct(Fields::from(vec![key, value])), false);
    DataType::Map(Arc::new(entries), false)
}
