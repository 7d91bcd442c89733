use arrow_array::ArrayRef;
use lakefold_task::{Type, reserved};
use parquet::basic::Type as Physical;
use parquet::file::metadata::ParquetMetaData;

use crate::convert;
use crate::filter::Predicate;
use crate::literal::repeat;
use crate::operand::Operand;
use crate::project::{Node, Projection, Source};
use crate::tree::Note;

/// A leaf that has one value a row.
pub(super) struct Column {
    /// Which leaf of the file.
    pub index: usize,
    /// How it is stored.
    pub physical: Physical,
    /// What its values mean.
    pub note: Note,
    /// Its type in the table.
    pub target: Type,
}

/// Where a predicate finds its values.
pub(super) enum Place {
    /// Nothing can be said.
    Unknown,
    /// The same value in every row.
    Constant(ArrayRef),
    /// A column of the file.
    Column(Column),
}

pub(super) fn place(predicate: &Predicate, projection: &Projection, metadata: &ParquetMetaData) -> Place {
    // Row ids are made of positions where the file has none.
    if matches!(predicate.id, reserved::ROW_ID | reserved::LAST_UPDATED_SEQUENCE_NUMBER) {
        return Place::Unknown;
    }
    for node in &projection.nodes {
        if let Some(place) = find(node, predicate, metadata, true) {
            return place;
        }
    }
    Place::Unknown
}

/// `everywhere`: whether the structs above are never null, or null makes the value null as well.
fn find(node: &Node, predicate: &Predicate, metadata: &ParquetMetaData, everywhere: bool) -> Option<Place> {
    let here = node.field.id == predicate.id;
    match &node.source {
        Source::Constant(None) if here || holds(&node.field.field_type, predicate.id) => {
            let null = repeat(&predicate.source, None, 1).ok()?;
            Some(Place::Constant(null))
        }
        Source::Constant(value @ Some(_)) if here => Some(match repeat(&node.field.field_type, value.as_ref(), 1) {
            // Below a struct that may be null the value is not the same in every row.
            Ok(array) if everywhere => Place::Constant(array),
            _ => Place::Unknown,
        }),
        // What the file says about its values says little about what they are cast to.
        Source::Leaf { declared: Some(_), .. } if here => Some(Place::Unknown),
        Source::Leaf { column, note, .. } if here => {
            let schema = metadata.file_metadata().schema_descr();
            if schema.column(*column).max_rep_level() > 0 {
                return Some(Place::Unknown);
            }
            Some(Place::Column(Column {
                index: *column,
                physical: schema.column(*column).physical_type(),
                note: *note,
                target: predicate.source.clone(),
            }))
        }
        Source::Struct(children) if !here => children.iter().find_map(|c| find(c, predicate, metadata, false)),
        Source::Defaults(children) if !here => children.iter().find_map(|c| find(c, predicate, metadata, everywhere)),
        _ if here => Some(Place::Unknown),
        _ => None,
    }
}

fn holds(field_type: &Type, id: i32) -> bool {
    match field_type {
        Type::Struct(children) => children.iter().any(|c| c.id == id || holds(&c.field_type, id)),
        _ => false,
    }
}

impl Column {
    /// Whether values are compared as bytes.
    pub(super) fn is_bytes(&self) -> bool {
        matches!(self.target, Type::String | Type::Binary | Type::Uuid | Type::Fixed(_))
    }

    /// Values as stored, in the table's type and unit; none if they cannot be brought there.
    /// Bounds of strings stay bytes, as they may be cut inside a character.
    pub(super) fn typed(&self, raw: &ArrayRef) -> Option<Operand> {
        if self.is_bytes() {
            return Some(Operand::of(raw));
        }
        convert::leaf(raw, self.note, &self.target).ok().map(|array| Operand::of(&array))
    }
}
