//! Tasks out of a case's plan and its table's metadata.

use crate::literal::from_single_value;
use lakefold_task::{
    DataFile, DeleteContent, DeleteFile, Field, FileFormat, Filter, Literal, Op, PartitionField, Rows, ScanTask, Term,
    Transform, Type, VERSION, reserved,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Read;

fn metadata(case: &Value) -> Value {
    let bytes = std::fs::read(super::root().join(case["metadata"].as_str().unwrap())).unwrap();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut text = String::new();
        flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
        return serde_json::from_str(&text).unwrap();
    }
    serde_json::from_slice(&bytes).unwrap()
}

fn schemas(metadata: &Value) -> Vec<Value> {
    metadata["schemas"].as_array().cloned().unwrap_or_else(|| vec![metadata["schema"].clone()])
}

fn schema_of(case: &Value, metadata: &Value) -> Value {
    let scan = &case["scan"];
    let by_id = |id: &Value| schemas(metadata).into_iter().find(|s| &s["schema-id"] == id);
    let snapshot = |id: &str| {
        metadata["snapshots"]
            .as_array()
            .unwrap()
            .iter()
            .find(|s| s["snapshot-id"].as_i64().is_some_and(|n| n.to_string() == id))
            .cloned()
            .unwrap()
    };
    let current = || by_id(&metadata["current-schema-id"]).unwrap_or_else(|| metadata["schema"].clone());
    let of_snapshot = |s: Value| by_id(&s["schema-id"]).unwrap_or_else(current);
    if let Some(id) = scan["snapshotId"].as_str() {
        return of_snapshot(snapshot(id));
    }
    if let Some(name) = scan["ref"].as_str() {
        let r = &metadata["refs"][name];
        if r["type"] == "tag" {
            return of_snapshot(snapshot(&r["snapshot-id"].to_string()));
        }
    }
    if let Some(at) = scan["asOfTimestampMs"].as_i64().or_else(|| scan["asOfTimestampMs"].as_str()?.parse().ok()) {
        let log = metadata["snapshot-log"].as_array().unwrap();
        let entry =
            log.iter().filter(|e| e["timestamp-ms"].as_i64().unwrap() <= at).max_by_key(|e| e["timestamp-ms"].as_i64());
        return of_snapshot(snapshot(&entry.unwrap()["snapshot-id"].to_string()));
    }
    current()
}

fn struct_fields(schema: &Value) -> Vec<Field> {
    let value = json!({"type": "struct", "fields": schema["fields"]});
    let Type::Struct(fields) = serde_json::from_value(value).unwrap() else { panic!() };
    fields
}

fn location(path: &str) -> String {
    path.replace("file:/lake/iceberg", super::root().join("tables").to_str().unwrap())
}

fn format(text: &str) -> FileFormat {
    serde_json::from_value(json!(text.to_lowercase())).unwrap()
}

fn find(fields: &[Field], id: i32) -> Option<&Field> {
    fields.iter().find_map(|f| match &f.field_type {
        _ if f.id == id => Some(f),
        Type::Struct(children) => find(children, id),
        _ => None,
    })
}

pub(super) fn by_name<'a>(fields: &'a [Field], name: &str) -> Option<&'a Field> {
    if let Some(f) = fields.iter().find(|f| f.name.to_lowercase() == name.to_lowercase()) {
        return Some(f);
    }
    let (head, rest) = name.split_once('.')?;
    match &by_name(fields, head)?.field_type {
        Type::Struct(children) => by_name(children, rest),
        _ => None,
    }
}

fn literal_json(field_type: &Type, value: &Value) -> Value {
    match from_single_value(field_type, value).unwrap().unwrap() {
        Literal::Boolean(v) => json!(v),
        Literal::Int(v) => json!(v),
        Literal::Long(v) => json!(v),
        Literal::Float(v) if v.is_infinite() => json!(if v > 0.0 { "Infinity" } else { "-Infinity" }),
        Literal::Float(v) => serde_json::from_str(&format!("{v:?}")).unwrap(),
        Literal::Double(v) if v.is_infinite() => json!(if v > 0.0 { "Infinity" } else { "-Infinity" }),
        Literal::Double(v) => serde_json::from_str(&format!("{v:?}")).unwrap(),
        Literal::Decimal(v) => json!(v.to_string()),
        Literal::String(v) => json!(v),
        Literal::Binary(v) => json!(v.iter().map(|b| format!("{b:02x}")).collect::<String>()),
    }
}

/// An expression of the REST form, bound; none if a literal needs the folds of a planner.
fn filter(e: &Value, schema: &[Field], negate: bool) -> Option<Filter> {
    if let Some(value) = e.as_bool() {
        return Some(Filter::Const(value != negate));
    }
    let kind = e["type"].as_str().unwrap();
    Some(match kind {
        "not" => filter(&e["child"], schema, !negate)?,
        "and" | "or" => {
            let both = vec![filter(&e["left"], schema, negate)?, filter(&e["right"], schema, negate)?];
            if (kind == "and") != negate { Filter::And { and: both } } else { Filter::Or { or: both } }
        }
        _ => {
            let op: Op = serde_json::from_value(json!(kind)).unwrap();
            let op = if negate { negated(op) } else { op };
            let (name, transform) = match &e["term"] {
                Value::String(name) => (name.as_str(), None),
                term if term["type"] == "transform" => {
                    (term["term"].as_str().unwrap(), Some(transform(term["transform"].as_str().unwrap())))
                }
                term => (term["term"].as_str().unwrap(), None),
            };
            let field = by_name(schema, name).unwrap_or_else(|| panic!("no column {name}"));
            let raw: Vec<Value> = match (&e["value"], &e["values"]) {
                (_, Value::Array(list)) => list.clone(),
                (Value::Null, _) => vec![],
                (one, _) => vec![one.clone()],
            };
            let result =
                crate::transform::result_type(transform.unwrap_or(Transform::Identity), &field.field_type).unwrap();
            let day = matches!(transform, Some(Transform::Day));
            let values = raw.iter().map(|v| {
                let typed = if day && v.is_string() { Type::Date } else { result.clone() };
                match from_single_value(&typed, v) {
                    Ok(Some(_)) => Some(literal_json(&typed, v)),
                    _ => None,
                }
            });
            Filter::Predicate {
                op,
                term: Term { field_id: field.id, transform },
                values: values.collect::<Option<_>>()?,
            }
        }
    })
}

fn negated(op: Op) -> Op {
    use Op::*;
    match op {
        IsNull => NotNull,
        NotNull => IsNull,
        IsNan => NotNan,
        NotNan => IsNan,
        Lt => GtEq,
        LtEq => Gt,
        Gt => LtEq,
        GtEq => Lt,
        Eq => NotEq,
        NotEq => Eq,
        StartsWith => NotStartsWith,
        NotStartsWith => StartsWith,
        In => NotIn,
        NotIn => In,
        EndsWith => NotEndsWith,
        NotEndsWith => EndsWith,
        Contains => NotContains,
        NotContains => Contains,
        Like => NotLike,
        NotLike => Like,
    }
}

fn transform(text: &str) -> Transform {
    match text.split_once('[') {
        Some((name, rest)) => {
            let n: u32 = rest.trim_end_matches(']').parse().unwrap();
            if name == "bucket" { Transform::Bucket(n) } else { Transform::Truncate(n) }
        }
        None => serde_json::from_value(json!(text)).unwrap(),
    }
}

fn metadata_column(name: &str) -> Option<Field> {
    let (id, field_type) = match name {
        "_file" => (reserved::FILE, Type::String),
        "_pos" => (reserved::POS, Type::Long),
        "_spec_id" => (reserved::SPEC_ID, Type::Int),
        "_row_id" => (reserved::ROW_ID, Type::Long),
        "_last_updated_sequence_number" => (reserved::LAST_UPDATED_SEQUENCE_NUMBER, Type::Long),
        _ => return None,
    };
    Some(Field { id, name: name.into(), required: false, field_type, initial_default: None })
}

fn select(schema: &[Field], names: &[Value]) -> Vec<Field> {
    let mut out: Vec<Field> = Vec::new();
    for name in names.iter().map(|n| n.as_str().unwrap()) {
        let field = match by_name(schema, name) {
            Some(leaf) => schema.iter().find_map(|f| crate::fields::only_leaf(f, leaf.id)).unwrap(),
            None => metadata_column(name).unwrap_or_else(|| panic!("no column {name}")),
        };
        crate::fields::merge(&mut out, &[field]);
    }
    out
}

fn delete(d: &Value, metadata: &Value, schema: &[Field]) -> DeleteFile {
    let content = match (d["content"].as_str().unwrap(), d["format"].as_str().unwrap()) {
        ("EQUALITY_DELETES", _) => DeleteContent::Equality,
        (_, "PUFFIN") => DeleteContent::PuffinDv,
        _ => DeleteContent::Positions,
    };
    let ids: Option<Vec<i32>> = serde_json::from_value(d["equalityIds"].clone()).unwrap();
    let fields = ids.as_ref().map(|ids| {
        let older: Vec<Vec<Field>> = schemas(metadata).iter().rev().map(struct_fields).collect();
        let mut out = Vec::new();
        for id in ids {
            let tops = std::iter::once(schema).chain(older.iter().map(|s| &s[..]));
            let found = tops.flat_map(|s| s.iter().filter_map(|f| crate::fields::only_leaf(f, *id))).next();
            crate::fields::merge(&mut out, &[found.unwrap()]);
        }
        out
    });
    DeleteFile {
        content,
        path: d["path"].as_str().unwrap().into(),
        location: location(d["path"].as_str().unwrap()),
        format: format(d["format"].as_str().unwrap()),
        file_size_in_bytes: d["fileSizeInBytes"].as_u64().unwrap(),
        record_count: d["recordCount"].as_i64().unwrap(),
        data_sequence_number: d["dataSequenceNumber"].as_i64().unwrap(),
        spec_id: d["specId"].as_i64().unwrap() as i32,
        content_offset: d["contentOffset"].as_u64(),
        content_size_in_bytes: d["contentSizeInBytes"].as_u64(),
        referenced_data_file: d["referencedDataFile"].as_str().map(Into::into),
        equality_ids: ids,
        equality_fields: fields,
        lower_path: None,
        upper_path: None,
    }
}

/// None if a literal needs the folds of a planner.
pub(super) fn tasks(case: &Value) -> Option<Vec<ScanTask>> {
    if case["plan"].as_array().unwrap().is_empty() {
        return Some(vec![]);
    }
    let metadata = metadata(case);
    let schema = struct_fields(&schema_of(case, &metadata));
    let projection = match &case["scan"]["select"] {
        Value::Array(names) => select(&schema, names),
        _ => schema.clone(),
    };
    let wanted = &case["scan"]["filter"];
    let filter = match wanted {
        Value::Null => Filter::Const(true),
        _ if case["scan"]["ignoreResiduals"] == json!(true) => Filter::Const(true),
        e => filter(e, &schema, false)?,
    };
    let mapping =
        metadata["properties"]["schema.name-mapping.default"].as_str().map(|t| serde_json::from_str(t).unwrap());
    let tasks = case["plan"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| {
            let spec = metadata["partition-specs"]
                .as_array()
                .and_then(|specs| specs.iter().find(|s| s["spec-id"] == p["specId"]))
                .map(|s| s["fields"].as_array().cloned().unwrap_or_default())
                .or_else(|| metadata["partition-spec"].as_array().cloned())
                .unwrap_or_default();
            let partition = spec
                .iter()
                .filter_map(|f| {
                    let source = f["source-id"].as_i64()? as i32;
                    Some(PartitionField {
                        field_id: f["field-id"].as_i64().unwrap_or(0) as i32,
                        name: f["name"].as_str()?.into(),
                        source_ids: vec![source],
                        transform: f["transform"].as_str()?.into(),
                        field_type: find(&schema, source)?.field_type.clone(),
                        value: p["partition"][f["name"].as_str()?].clone(),
                    })
                })
                .collect();
            ScanTask {
                version: VERSION,
                data_file: DataFile {
                    path: p["path"].as_str().unwrap().into(),
                    location: location(p["path"].as_str().unwrap()),
                    format: format(p["format"].as_str().unwrap()),
                    file_size_in_bytes: p["fileSizeInBytes"].as_u64().unwrap(),
                    record_count: p["recordCount"].as_i64().unwrap(),
                    fields: None,
                    lines: None,
                    blob_descriptors: false,
                    local_instants: false,
                    ignore: Default::default(),
                },
                start: p["start"].as_u64().unwrap(),
                length: p["length"].as_u64().unwrap(),
                snapshot_id: None,
                spec_id: p["specId"].as_i64().unwrap() as i32,
                data_sequence_number: p["dataSequenceNumber"].as_i64().unwrap(),
                file_sequence_number: p["fileSequenceNumber"].as_i64(),
                first_row_id: p["firstRowId"].as_i64(),
                partition,
                partition_type: vec![],
                schema: schema.clone(),
                projection: projection.clone(),
                residual: filter.clone(),
                residual_text: None,
                name_mapping: mapping.clone(),
                delete_files: p["deletes"].as_array().unwrap().iter().map(|d| delete(d, &metadata, &schema)).collect(),
                only_deleted_by: None,
                row_ranges: None,
                constants: BTreeMap::new(),
                rows: Rows::Plain,
            }
        })
        .collect();
    Some(tasks)
}
