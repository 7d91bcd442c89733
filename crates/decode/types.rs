use arrow_schema::{DataType, Field as ArrowField, FieldRef, Fields, Schema, SchemaRef, TimeUnit};
use lakefold_base::{Error, Result};
use lakefold_task::{Field, Type};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::dictionary::dictionary_type;

/// The metadata key under which Arrow fields carry the Iceberg field id.
pub const FIELD_ID_KEY: &str = "PARQUET:field_id";

/// Deepest nesting of a type that is read, in files and in requests.
pub(crate) const MAX_DEPTH: usize = 64;

/// The Arrow type of the batches for a type of the table.
pub(crate) fn arrow_type(field_type: &Type) -> Result<DataType> {
    nested(field_type, 0)
}

/// The Arrow field of a column or nested field, with its id.
pub(crate) fn arrow_field(field: &Field) -> Result<FieldRef> {
    field_at(field, 0)
}

fn field_at(field: &Field, depth: usize) -> Result<FieldRef> {
    let id = HashMap::from([(FIELD_ID_KEY.to_string(), field.id.to_string())]);
    let nullable = !field.required || field.field_type == Type::Unknown;
    Ok(Arc::new(ArrowField::new(&field.name, nested(&field.field_type, depth)?, nullable).with_metadata(id)))
}

fn nested(field_type: &Type, depth: usize) -> Result<DataType> {
    if depth > MAX_DEPTH {
        return Err(Error::unsupported(format!("types nested deeper than {MAX_DEPTH}")));
    }
    let utc = || Some(Arc::from("UTC"));
    Ok(match field_type {
        Type::Boolean => DataType::Boolean,
        Type::TinyInt => DataType::Int8,
        Type::SmallInt => DataType::Int16,
        Type::Int => DataType::Int32,
        Type::Long => DataType::Int64,
        Type::Float => DataType::Float32,
        Type::Double => DataType::Float64,
        Type::Decimal(p, s) => DataType::Decimal128(*p, *s),
        Type::Date => DataType::Date32,
        Type::Time => DataType::Time64(TimeUnit::Microsecond),
        Type::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
        Type::Timestamptz => DataType::Timestamp(TimeUnit::Microsecond, utc()),
        Type::TimestampNs => DataType::Timestamp(TimeUnit::Nanosecond, None),
        Type::TimestamptzNs => DataType::Timestamp(TimeUnit::Nanosecond, utc()),
        Type::TimeOf(_) => DataType::Time32(TimeUnit::Millisecond),
        Type::TimestampOf(digits) => DataType::Timestamp(unit_of(*digits), None),
        Type::TimestamptzOf(digits) => DataType::Timestamp(unit_of(*digits), utc()),
        Type::String | Type::Char(_) | Type::Varchar(_) => DataType::Utf8,
        Type::Uuid => DataType::FixedSizeBinary(16),
        Type::Fixed(length) => DataType::FixedSizeBinary(
            i32::try_from(*length).map_err(|_| Error::unsupported(format!("fixed[{length}] is too long")))?,
        ),
        Type::Binary | Type::BinaryOf(_) | Type::Varbinary(_) | Type::Geometry(_) | Type::Geography(_) => {
            DataType::Binary
        }
        Type::Unknown => DataType::Null,
        Type::Variant => DataType::Struct(variant_fields()),
        Type::Struct(fields) => {
            DataType::Struct(fields.iter().map(|f| field_at(f, depth + 1)).collect::<Result<Fields>>()?)
        }
        Type::List(element) => DataType::List(field_at(element, depth + 1)?),
        Type::Map(key, value) => {
            let entries = Fields::from(vec![field_at(key, depth + 1)?, field_at(value, depth + 1)?]);
            DataType::Map(Arc::new(ArrowField::new("entries", DataType::Struct(entries), false)), false)
        }
    })
}

/// The unit that holds a timestamp of so many fraction digits.
pub(crate) fn unit_of(digits: u8) -> TimeUnit {
    match digits {
        0..=3 => TimeUnit::Millisecond,
        4..=6 => TimeUnit::Microsecond,
        _ => TimeUnit::Nanosecond,
    }
}

/// A variant in memory is always unshredded (Parquet spec, "Variant Binary Encoding").
pub(crate) fn variant_fields() -> Fields {
    Fields::from(vec![
        ArrowField::new("metadata", DataType::Binary, false),
        ArrowField::new("value", DataType::Binary, true),
    ])
}

/// The schema of the batches that a task with this projection returns. Each field, nested ones too, has its
/// Iceberg field id as decimal text under the metadata key [`FIELD_ID_KEY`]. Columns of strings whose ids are in
/// `dictionaries` are dictionaries with 32-bit keys.
pub fn output_schema(projection: &[Field], dictionaries: &BTreeSet<i32>) -> Result<SchemaRef> {
    let field = |field: &Field| match arrow_field(field)? {
        text if dictionaries.contains(&field.id) && text.data_type() == &DataType::Utf8 => {
            Ok(Arc::new(text.as_ref().clone().with_data_type(dictionary_type())))
        }
        other => Ok(other),
    };
    let fields = projection.iter().map(field).collect::<Result<Fields>>()?;
    Ok(Arc::new(Schema::new(fields)))
}
