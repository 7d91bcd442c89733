//! The schema of a Parquet file in one canonical layout, whatever its writer did about lists and maps.
//!
//! The canonical schema has the same leaves in the same order with the same levels, so column chunks decode
//! alike. Lists take the three-level form, maps become lists of key and value structs (so either side can be
//! projected alone), and leaves lose their annotations, which [`Note`] keeps: the physical type decides.

use lakefold_base::{Error, Result};
use parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};
use std::sync::Arc;

use crate::guard::parquet_error;
use crate::tree::{FileKind, FileNode, Note, Unit};
use crate::types::MAX_DEPTH;

/// A Parquet schema in canonical form, and as a tree of fields.
pub(crate) struct Layout {
    /// The canonical schema; leaf i is leaf i of the file.
    pub canonical: SchemaDescriptor,
    /// The top-level fields.
    pub roots: Vec<FileNode>,
}

struct Visitor {
    next_column: usize,
}

pub(crate) fn layout(schema: &SchemaDescriptor) -> Result<Layout> {
    let root = schema.root_schema();
    let mut visitor = Visitor { next_column: 0 };
    let mut roots = Vec::new();
    let mut types = Vec::new();
    for field in root.get_fields() {
        let (node, canonical) = visitor.field(field, false, 1)?;
        roots.push(node);
        types.push(canonical);
    }
    let message = Type::group_type_builder("schema").with_fields(types).build().map_err(parquet_error)?;
    Ok(Layout { canonical: SchemaDescriptor::new(Arc::new(message)), roots })
}

fn group(name: &str, repetition: Repetition, fields: Vec<TypePtr>, list: bool) -> Result<TypePtr> {
    let mut builder = Type::group_type_builder(name).with_repetition(repetition).with_fields(fields);
    if list {
        builder = builder.with_converted_type(ConvertedType::LIST);
    }
    Ok(Arc::new(builder.build().map_err(parquet_error)?))
}

/// `<repetition> group <name> (LIST) { repeated group list { <element> } }`
fn list_type(name: &str, repetition: Repetition, element: TypePtr) -> Result<TypePtr> {
    let repeated = group("list", Repetition::REPEATED, vec![element], false)?;
    group(name, repetition, vec![repeated], true)
}

fn id_of(field: &Type) -> Option<i32> {
    let info = field.get_basic_info();
    info.has_id().then(|| info.id())
}

fn repetition_of(field: &Type) -> Repetition {
    let info = field.get_basic_info();
    if info.has_repetition() { info.repetition() } else { Repetition::REQUIRED }
}

fn is_list(field: &Type) -> bool {
    let info = field.get_basic_info();
    info.converted_type() == ConvertedType::LIST || matches!(info.logical_type_ref(), Some(LogicalType::List))
}

fn is_map(field: &Type) -> bool {
    let info = field.get_basic_info();
    matches!(info.converted_type(), ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE)
        || matches!(info.logical_type_ref(), Some(LogicalType::Map))
}

/// A group that holds a variant, by annotation or by the names and types that the encoding fixes.
fn is_variant(field: &Type) -> bool {
    if matches!(field.get_basic_info().logical_type_ref(), Some(LogicalType::Variant(_))) {
        return true;
    }
    let children = field.get_fields();
    let bytes = |t: &TypePtr| t.is_primitive() && t.get_physical_type() == Physical::BYTE_ARRAY;
    children.iter().any(|c| c.name() == "metadata" && bytes(c))
        && children.iter().any(|c| c.name() == "value" && bytes(c))
        && children.iter().all(|c| matches!(c.name(), "metadata" | "value" | "typed_value"))
}

impl Visitor {
    /// A field in any repetition; a bare repeated one is a required list of required elements.
    fn field(&mut self, field: &TypePtr, faithful: bool, depth: usize) -> Result<(FileNode, TypePtr)> {
        match repetition_of(field) {
            Repetition::REPEATED => {
                let (element, canonical) = self.value(field, Repetition::REQUIRED, faithful, depth + 1)?;
                let node = FileNode {
                    id: id_of(field),
                    name: field.name().to_string(),
                    kind: FileKind::List(Box::new(FileNode { id: None, ..element })),
                    declared: None,
                };
                Ok((node, list_type(field.name(), Repetition::REQUIRED, canonical)?))
            }
            repetition => self.value(field, repetition, faithful, depth),
        }
    }

    fn value(
        &mut self,
        field: &TypePtr,
        repetition: Repetition,
        faithful: bool,
        depth: usize,
    ) -> Result<(FileNode, TypePtr)> {
        if depth > MAX_DEPTH {
            return Err(Error::unsupported(format!("a schema nested deeper than {MAX_DEPTH}")));
        }
        let name = field.name();
        let (kind, canonical) = if field.is_primitive() {
            self.leaf(field, repetition, faithful)?
        } else {
            let children = field.get_fields();
            match children {
                [inner] if is_list(field) && repetition_of(inner) == Repetition::REPEATED => {
                    let inner_is_element = inner.is_primitive()
                        || inner.get_fields().len() != 1
                        || inner.name() == "array"
                        || inner.name() == format!("{name}_tuple");
                    let (element, canonical) = if inner_is_element {
                        self.value(inner, Repetition::REQUIRED, faithful, depth + 1)?
                    } else {
                        self.field(&inner.get_fields()[0], faithful, depth + 1)?
                    };
                    (FileKind::List(Box::new(element)), list_type(name, repetition, canonical)?)
                }
                [entries]
                    if is_map(field)
                        && !entries.is_primitive()
                        && repetition_of(entries) == Repetition::REPEATED
                        && (1..=2).contains(&entries.get_fields().len()) =>
                {
                    let (key, key_type) = self.field(&entries.get_fields()[0], faithful, depth + 1)?;
                    let mut types = vec![key_type];
                    let mut value = None;
                    if let Some(field) = entries.get_fields().get(1) {
                        let (node, canonical) = self.field(field, faithful, depth + 1)?;
                        types.push(canonical);
                        value = Some(Box::new(node));
                    }
                    let entry = group("element", Repetition::REQUIRED, types, false)?;
                    (FileKind::Map(Box::new(key), value), list_type(name, repetition, entry)?)
                }
                _ => {
                    let faithful = faithful || is_variant(field);
                    let mut nodes = Vec::with_capacity(children.len());
                    let mut types = Vec::with_capacity(children.len());
                    for child in children {
                        let (node, canonical) = self.field(child, faithful, depth + 1)?;
                        nodes.push(node);
                        types.push(canonical);
                    }
                    (FileKind::Struct(nodes), group(name, repetition, types, false)?)
                }
            }
        };
        Ok((FileNode { id: id_of(field), name: name.to_string(), kind, declared: None }, canonical))
    }

    fn leaf(&mut self, field: &TypePtr, repetition: Repetition, faithful: bool) -> Result<(FileKind, TypePtr)> {
        let column = self.next_column;
        self.next_column += 1;
        let note = note_of(field);
        let info = field.get_basic_info();
        let builder = Type::primitive_type_builder(field.name(), field.get_physical_type()).with_repetition(repetition);
        let (note, builder) = match (note, field.get_physical_type()) {
            // Annotations stay where the variant decoder needs the real types.
            (note, _) if faithful && note != Note::Int96 => (
                Note::Native,
                builder
                    .with_length(length_of(field))
                    .with_converted_type(info.converted_type())
                    .with_logical_type(info.logical_type_ref().cloned())
                    .with_precision(precision_and_scale(field).0)
                    .with_scale(precision_and_scale(field).1),
            ),
            // An INT96 is twelve bytes in a row, in pages and dictionaries alike: taken as such nothing overflows.
            (note, Physical::INT96) => (
                note,
                Type::primitive_type_builder(field.name(), Physical::FIXED_LEN_BYTE_ARRAY)
                    .with_repetition(repetition)
                    .with_length(12),
            ),
            // The decoder checks UTF-8 once a dictionary entry, not once a value.
            (Note::Utf8, Physical::BYTE_ARRAY) => (note, builder.with_logical_type(Some(LogicalType::String))),
            (note, Physical::FIXED_LEN_BYTE_ARRAY) => (note, builder.with_length(length_of(field))),
            (note, _) => (note, builder),
        };
        Ok((FileKind::Leaf { column, note }, Arc::new(builder.build().map_err(parquet_error)?)))
    }
}

fn length_of(field: &Type) -> i32 {
    match field {
        Type::PrimitiveType { type_length, .. } => *type_length,
        Type::GroupType { .. } => -1,
    }
}

fn precision_and_scale(field: &Type) -> (i32, i32) {
    match field {
        Type::PrimitiveType { precision, scale, .. } => (*precision, *scale),
        Type::GroupType { .. } => (-1, -1),
    }
}

fn unit(unit: TimeUnit) -> Unit {
    match unit {
        TimeUnit::MILLIS => Unit::Millis,
        TimeUnit::MICROS => Unit::Micros,
        TimeUnit::NANOS => Unit::Nanos,
    }
}

fn note_of(field: &Type) -> Note {
    let info = field.get_basic_info();
    let decimal = |precision: i32, scale: i32| Note::Decimal { precision: precision.max(0) as u32, scale };
    if field.get_physical_type() == Physical::INT96 {
        return Note::Int96;
    }
    match info.logical_type_ref() {
        Some(LogicalType::Unknown) => Note::Null,
        Some(LogicalType::Date) => Note::Date,
        Some(LogicalType::Time(time)) => Note::Time(unit(time.unit)),
        Some(LogicalType::Timestamp(timestamp)) => Note::Timestamp(unit(timestamp.unit)),
        Some(LogicalType::Decimal(d)) => decimal(d.precision, d.scale),
        Some(LogicalType::Integer(int)) if !int.is_signed => Note::Unsigned,
        Some(LogicalType::String | LogicalType::Json | LogicalType::Enum) => Note::Utf8,
        Some(LogicalType::Float16) => Note::Float16,
        Some(_) => Note::Plain,
        None => match info.converted_type() {
            ConvertedType::DATE => Note::Date,
            ConvertedType::TIME_MILLIS => Note::Time(Unit::Millis),
            ConvertedType::TIME_MICROS => Note::Time(Unit::Micros),
            ConvertedType::TIMESTAMP_MILLIS => Note::Timestamp(Unit::Millis),
            ConvertedType::TIMESTAMP_MICROS => Note::Timestamp(Unit::Micros),
            ConvertedType::DECIMAL => {
                let (precision, scale) = precision_and_scale(field);
                decimal(precision, scale)
            }
            ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64 => {
                Note::Unsigned
            }
            ConvertedType::UTF8 | ConvertedType::JSON | ConvertedType::ENUM => Note::Utf8,
            _ => Note::Plain,
        },
    }
}
