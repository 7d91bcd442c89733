use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ListArray, MapArray, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field as ArrowField, FieldRef, Fields};
use lakefold_base::{Error, Result};
use std::sync::Arc;

use crate::casts;
use crate::convert;
use crate::guard::arrow_error;
use crate::literal::repeat;
use crate::project::{Node, Source};
use crate::variant;

/// Brings decoded columns to the requested fields. `columns` are the file's top-level fields that the nodes' projection
/// reads, in the file's order.
pub(crate) fn evolve<'a>(
    nodes: impl IntoIterator<Item = &'a Node>,
    columns: &[ArrayRef],
    rows: usize,
) -> Result<Vec<ArrayRef>> {
    nodes
        .into_iter()
        .map(|node| {
            let array = child(node, columns, rows, None)?;
            if node.field.required && array.null_count() > 0 && array.data_type() != &DataType::Null {
                return Err(required(node));
            }
            Ok(array)
        })
        .collect()
}

fn required(node: &Node) -> Error {
    Error::corrupt("a required field holds null").with("field", &node.field.name).with("field-id", node.field.id)
}

/// `above` are the nulls of the structs around the siblings.
fn child(node: &Node, siblings: &[ArrayRef], rows: usize, above: Option<&NullBuffer>) -> Result<ArrayRef> {
    match &node.source {
        Source::Constant(value) => repeat(&node.field.field_type, value.as_ref(), rows),
        Source::Defaults(children) => {
            let arrays = children.iter().map(|c| child(c, &[], rows, None)).collect::<Result<Vec<_>>>()?;
            build_struct(children, arrays, None, rows)
        }
        _ => {
            let array = siblings
                .get(node.from)
                .ok_or_else(|| Error::internal("a projected column was not decoded").with("field", &node.field.name))?;
            stored(node, array, above).map_err(|e| e.with("field", &node.field.name).with("field-id", node.field.id))
        }
    }
}

fn build_struct(children: &[Node], arrays: Vec<ArrayRef>, nulls: Option<NullBuffer>, rows: usize) -> Result<ArrayRef> {
    if children.is_empty() {
        return Ok(Arc::new(StructArray::new_empty_fields(rows, nulls)));
    }
    let fields: Fields = children.iter().map(|c| Arc::clone(&c.arrow)).collect();
    // Nulls of a required child below a null struct are no error: arrow checks for others.
    StructArray::try_new(fields, arrays, nulls).map(|s| Arc::new(s) as ArrayRef).map_err(arrow_error)
}

/// A list however the decoder returns it.
fn list_parts(array: &ArrayRef) -> Result<ListArray> {
    match array.data_type() {
        DataType::List(_) => Ok(array.as_list::<i32>().clone()),
        DataType::LargeList(child) => {
            let cast = arrow_cast::cast(array, &DataType::List(Arc::clone(child))).map_err(arrow_error)?;
            Ok(cast.as_list::<i32>().clone())
        }
        other => Err(Error::corrupt(format!("a list column decoded as {other}"))),
    }
}

fn stored(node: &Node, array: &ArrayRef, above: Option<&NullBuffer>) -> Result<ArrayRef> {
    match &node.source {
        Source::Constant(_) | Source::Defaults(_) => child(node, &[], array.len(), None),
        Source::Leaf { note, declared: None, .. } => convert::leaf(array, *note, &node.field.field_type),
        Source::Leaf { note, declared: Some(declared), .. } => {
            casts::cast(&convert::leaf(array, *note, declared)?, declared, &node.field.field_type)
        }
        Source::Struct(children) => {
            let parent =
                array.as_struct_opt().ok_or_else(|| Error::corrupt("a struct column decoded as another type"))?;
            // A required struct has no nulls of its own where one around it is null, but its children have.
            let nulls = NullBuffer::union(parent.nulls(), above);
            let part = |c: &Node| child(c, parent.columns(), parent.len(), nulls.as_ref());
            let arrays = children.iter().map(part).collect::<Result<Vec<_>>>()?;
            build_struct(children, arrays, nulls.clone(), parent.len())
        }
        Source::List(element) => {
            let (_, offsets, values, nulls) = list_parts(array)?.into_parts();
            let values = stored(element, &values, None)?;
            let list = ListArray::try_new(Arc::clone(&element.arrow), offsets, values, nulls).map_err(arrow_error)?;
            Ok(Arc::new(list))
        }
        Source::Map(key, value) => {
            let (offsets, entries, nulls) = match array.as_map_opt() {
                Some(map) => {
                    let (_, offsets, entries, nulls, _) = map.clone().into_parts();
                    (offsets, entries, nulls)
                }
                None => {
                    let (_, offsets, values, nulls) = list_parts(array)?.into_parts();
                    let entries = values
                        .as_struct_opt()
                        .ok_or_else(|| Error::corrupt("the entries of a map decoded as another type"))?;
                    (offsets, entries.clone(), nulls)
                }
            };
            let keys = child(key, entries.columns(), entries.len(), None)?;
            if keys.null_count() > 0 {
                return Err(Error::corrupt("a map holds a null key"));
            }
            let values = child(value, entries.columns(), entries.len(), None)?;
            let fields = Fields::from(vec![Arc::clone(&key.arrow), Arc::clone(&value.arrow)]);
            let entries = StructArray::try_new(fields.clone(), vec![keys, values], None).map_err(arrow_error)?;
            let field: FieldRef = Arc::new(ArrowField::new("entries", DataType::Struct(fields), false));
            Ok(Arc::new(MapArray::try_new(field, offsets, entries, nulls, false).map_err(arrow_error)?))
        }
        Source::Variant => variant::unshredded(array),
    }
}
