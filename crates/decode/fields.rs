use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ListArray, MapArray, StructArray, make_array};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field as ArrowField, Fields};
use lakefold_base::{Error, Result};
use lakefold_task::{Field, Type};
use std::sync::Arc;

use crate::guard::own_arrow_error;
use crate::types::arrow_field;

/// Columns in the table's types with the fields that they hold.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'a> {
    /// The fields.
    pub fields: &'a [Field],
    /// One array a field.
    pub arrays: &'a [ArrayRef],
}

impl Columns<'_> {
    /// A leaf, possibly inside structs; a null struct makes it null.
    pub(crate) fn leaf(&self, id: i32) -> Result<ArrayRef> {
        let mut found = self.fields.iter().zip(self.arrays).find_map(|(field, array)| {
            let path = path_to(field, id)?;
            Some((Arc::clone(array), path))
        });
        let (mut array, path) =
            found.take().ok_or_else(|| Error::internal("a column of the filter was not read").with("field-id", id))?;
        for index in path {
            let parent = array.as_struct_opt().ok_or_else(|| Error::internal("a filter path through no struct"))?;
            let child = Arc::clone(parent.column(index));
            array = match parent.nulls() {
                Some(nulls) if nulls.null_count() > 0 => mask(&child, nulls)?,
                _ => child,
            };
        }
        Ok(array)
    }

    /// A column, nested ones cut down to the children that `wanted` has.
    pub(crate) fn column(&self, wanted: &Field) -> Result<ArrayRef> {
        let found = self.fields.iter().zip(self.arrays).find(|(field, _)| holds(field, wanted));
        let (field, array) = found.ok_or_else(|| {
            Error::internal("a column was not read").with("field", &wanted.name).with("field-id", wanted.id)
        })?;
        narrow(array, field, wanted)
    }
}

fn mask(array: &ArrayRef, parent: &NullBuffer) -> Result<ArrayRef> {
    if array.data_type() == &DataType::Null {
        return Ok(Arc::clone(array));
    }
    let nulls = NullBuffer::union(array.nulls(), Some(parent));
    let data = array.to_data().into_builder().nulls(nulls).build().map_err(own_arrow_error)?;
    Ok(make_array(data))
}

fn path_to(field: &Field, id: i32) -> Option<Vec<usize>> {
    if field.id == id {
        return Some(Vec::new());
    }
    let Type::Struct(children) = &field.field_type else { return None };
    children.iter().enumerate().find_map(|(index, child)| {
        let mut path = path_to(child, id)?;
        path.insert(0, index);
        Some(path)
    })
}

/// A top-level field cut down to one leaf of it, which may lie in structs.
pub(crate) fn only_leaf(field: &Field, id: i32) -> Option<Field> {
    if field.id == id {
        return Some(field.clone());
    }
    let Type::Struct(children) = &field.field_type else { return None };
    let child = children.iter().find_map(|c| only_leaf(c, id))?;
    Some(Field { field_type: Type::Struct(vec![child]), ..field.clone() })
}

fn holds(field: &Field, wanted: &Field) -> bool {
    field.id == wanted.id && type_holds(&field.field_type, &wanted.field_type)
}

fn type_holds(have: &Type, wanted: &Type) -> bool {
    match (have, wanted) {
        (Type::Struct(have), Type::Struct(wanted)) => wanted.iter().all(|w| have.iter().any(|h| holds(h, w))),
        (Type::List(have), Type::List(wanted)) => holds(have, wanted),
        (Type::Map(k, v), Type::Map(wk, wv)) => holds(k, wk) && holds(v, wv),
        (have, wanted) => have == wanted,
    }
}

/// Adds fields to read, joining structs that are wanted in parts.
pub(crate) fn merge(into: &mut Vec<Field>, more: &[Field]) {
    for field in more {
        match into.iter_mut().find(|f| f.id == field.id && joinable(&f.field_type, &field.field_type)) {
            Some(have) => join(&mut have.field_type, &field.field_type),
            None => into.push(field.clone()),
        }
    }
}

fn joinable(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Struct(_), Type::Struct(_)) => true,
        (Type::List(a), Type::List(b)) => joinable(&a.field_type, &b.field_type),
        (Type::Map(ak, av), Type::Map(bk, bv)) => {
            joinable(&ak.field_type, &bk.field_type) && joinable(&av.field_type, &bv.field_type)
        }
        (a, b) => a == b,
    }
}

fn join(have: &mut Type, more: &Type) {
    match (have, more) {
        (Type::Struct(have), Type::Struct(more)) => merge(have, more),
        (Type::List(have), Type::List(more)) => join(&mut have.field_type, &more.field_type),
        (Type::Map(hk, hv), Type::Map(mk, mv)) => {
            join(&mut hk.field_type, &mk.field_type);
            join(&mut hv.field_type, &mv.field_type);
        }
        _ => {}
    }
}

fn narrow(array: &ArrayRef, have: &Field, wanted: &Field) -> Result<ArrayRef> {
    if have == wanted {
        return Ok(Arc::clone(array));
    }
    let wrong = || Error::internal("a column of another type than its field").with("field", &wanted.name);
    Ok(match (&have.field_type, &wanted.field_type) {
        (Type::Struct(children), Type::Struct(picks)) => {
            let parent = array.as_struct_opt().ok_or_else(wrong)?;
            let mut arrays = Vec::with_capacity(picks.len());
            let mut fields = Vec::with_capacity(picks.len());
            for pick in picks {
                let index = children.iter().position(|c| holds(c, pick)).ok_or_else(wrong)?;
                arrays.push(narrow(parent.column(index), &children[index], pick)?);
                fields.push(arrow_field(pick)?);
            }
            if fields.is_empty() {
                Arc::new(StructArray::new_empty_fields(parent.len(), parent.nulls().cloned()))
            } else {
                let cut = StructArray::try_new(Fields::from(fields), arrays, parent.nulls().cloned());
                Arc::new(cut.map_err(own_arrow_error)?)
            }
        }
        (Type::List(child), Type::List(pick)) => {
            let (_, offsets, values, nulls) = array.as_list_opt::<i32>().ok_or_else(wrong)?.clone().into_parts();
            let values = narrow(&values, child, pick)?;
            Arc::new(ListArray::try_new(arrow_field(pick)?, offsets, values, nulls).map_err(own_arrow_error)?)
        }
        (Type::Map(key, value), Type::Map(pick_key, pick_value)) => {
            let (_, offsets, entries, nulls, _) = array.as_map_opt().ok_or_else(wrong)?.clone().into_parts();
            let fields = Fields::from(vec![arrow_field(pick_key)?, arrow_field(pick_value)?]);
            let arrays = vec![narrow(entries.column(0), key, pick_key)?, narrow(entries.column(1), value, pick_value)?];
            let entries = StructArray::try_new(fields.clone(), arrays, None).map_err(own_arrow_error)?;
            let field = Arc::new(ArrowField::new("entries", DataType::Struct(fields), false));
            Arc::new(MapArray::try_new(field, offsets, entries, nulls, false).map_err(own_arrow_error)?)
        }
        _ => Arc::clone(array),
    })
}
