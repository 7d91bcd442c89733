use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ListArray, MapArray, StructArray, new_null_array};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, FieldRef};
use arrow_select::interleave::interleave;
use lakefold_base::{Error, Result};
use std::collections::HashMap;
use std::sync::Arc;

use crate::keys::arrow;
use crate::value::Value;

/// A value inside a list, map or struct.
#[derive(Debug, Clone)]
pub(crate) enum Element {
    /// Null.
    Null,
    /// A value of an array.
    At(ArrayRef, usize),
    /// A struct of these.
    Row(Vec<Element>),
}

impl Element {
    pub(crate) fn is_null(&self) -> bool {
        match self {
            Element::Null => true,
            Element::At(array, row) => array.is_null(*row),
            Element::Row(_) => false,
        }
    }

    /// A field of a struct; null if the struct is.
    pub(crate) fn field(&self, index: usize) -> Element {
        match self {
            Element::At(array, row) if array.is_valid(*row) => match array.as_struct_opt() {
                Some(parent) if index < parent.num_columns() => {
                    let child = parent.column(index);
                    if child.is_valid(*row) { Element::At(Arc::clone(child), *row) } else { Element::Null }
                }
                _ => Element::Null,
            },
            Element::Row(fields) => fields.get(index).cloned().unwrap_or(Element::Null),
            _ => Element::Null,
        }
    }

    /// The value as functions compare it.
    pub(crate) fn value(&self) -> Option<Value> {
        match self {
            Element::At(array, row) => Value::read(array, *row),
            _ => None,
        }
    }

    /// Bytes that are the same for equal values of one type, and for no others.
    pub(crate) fn fingerprint(&self, out: &mut Vec<u8>) {
        match self {
            Element::Null => out.push(0),
            Element::Row(fields) => {
                out.push(1);
                fields.iter().for_each(|f| f.fingerprint(out));
            }
            Element::At(array, row) if array.is_null(*row) => out.push(0),
            Element::At(array, row) => {
                out.push(1);
                let sized = |out: &mut Vec<u8>, bytes: &[u8]| {
                    out.extend((bytes.len() as u64).to_le_bytes());
                    out.extend(bytes);
                };
                match array.data_type() {
                    DataType::Struct(fields) => (0..fields.len()).for_each(|i| self.field(i).fingerprint(out)),
                    DataType::List(_) => {
                        let elements = elements(array, *row);
                        out.extend((elements.len() as u64).to_le_bytes());
                        elements.iter().for_each(|e| e.fingerprint(out));
                    }
                    // Entries are in no order: what is written again may come in another.
                    DataType::Map(..) => {
                        let mut entries: Vec<Vec<u8>> = elements(array, *row).iter().map(Self::key).collect();
                        entries.sort_unstable();
                        out.extend((entries.len() as u64).to_le_bytes());
                        entries.iter().for_each(|e| out.extend(e));
                    }
                    _ => match Value::read(array, *row) {
                        Some(Value::Bool(v)) => out.push(v.into()),
                        Some(Value::Int(v)) => out.extend(v.to_le_bytes()),
                        Some(Value::Float(v)) => out.extend(if v.is_nan() { f32::NAN } else { v }.to_le_bytes()),
                        Some(Value::Double(v)) => out.extend(if v.is_nan() { f64::NAN } else { v }.to_le_bytes()),
                        Some(Value::Decimal(v)) => out.extend(v.to_le_bytes()),
                        Some(Value::Bytes(v)) => sized(out, &v),
                        _ => out.push(0),
                    },
                }
            }
        }
    }

    pub(crate) fn key(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.fingerprint(&mut out);
        out
    }
}

/// The elements of a list, or the entries of a map.
pub(crate) fn elements(array: &ArrayRef, row: usize) -> Vec<Element> {
    let (values, from, to) = match array.data_type() {
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            (Arc::clone(list.values()), list.value_offsets()[row], list.value_offsets()[row + 1])
        }
        DataType::Map(..) => {
            let map = array.as_map();
            (Arc::new(map.entries().clone()) as ArrayRef, map.value_offsets()[row], map.value_offsets()[row + 1])
        }
        _ => return Vec::new(),
    };
    (from as usize..to as usize).map(|i| Element::At(Arc::clone(&values), i)).collect()
}

/// An array of elements.
pub(crate) fn gather(elements: &[Element], data_type: &DataType) -> Result<ArrayRef> {
    if let (DataType::Struct(fields), true) = (data_type, elements.iter().any(|e| matches!(e, Element::Row(_)))) {
        let nulls: NullBuffer = elements.iter().map(|e| !e.is_null()).collect();
        let mut columns = Vec::with_capacity(fields.len());
        for (index, field) in fields.iter().enumerate() {
            let children: Vec<Element> = elements.iter().map(|e| e.field(index)).collect();
            columns.push(gather(&children, field.data_type())?);
        }
        return Ok(Arc::new(StructArray::try_new(fields.clone(), columns, Some(nulls)).map_err(arrow)?));
    }
    let null = new_null_array(data_type, 1);
    let mut sources: Vec<&dyn Array> = vec![null.as_ref()];
    let mut known: HashMap<usize, usize> = HashMap::new();
    let mut picks = Vec::with_capacity(elements.len());
    for element in elements {
        picks.push(match element {
            Element::Null => (0, 0),
            Element::At(array, row) => {
                let at = known.entry(Arc::as_ptr(array).cast::<()>() as usize).or_insert_with(|| {
                    sources.push(array.as_ref());
                    sources.len() - 1
                });
                (*at, *row)
            }
            Element::Row(_) => return Err(Error::internal("a struct where none can be")),
        });
    }
    if picks.is_empty() {
        return Ok(null.slice(0, 0));
    }
    interleave(&sources, &picks).map_err(arrow)
}

fn offsets(lists: &[Option<Vec<Element>>]) -> OffsetBuffer<i32> {
    OffsetBuffer::from_lengths(lists.iter().map(|l| l.as_ref().map_or(0, Vec::len)))
}

/// A list array.
pub(crate) fn lists(lists: Vec<Option<Vec<Element>>>, field: &FieldRef) -> Result<ArrayRef> {
    let (offsets, nulls) = (offsets(&lists), lists.iter().map(Option::is_some).collect::<NullBuffer>());
    let flat: Vec<Element> = lists.into_iter().flatten().flatten().collect();
    let values = gather(&flat, field.data_type())?;
    Ok(Arc::new(ListArray::try_new(Arc::clone(field), offsets, values, Some(nulls)).map_err(arrow)?))
}

/// A map array; entries are structs of key and value.
pub(crate) fn maps(maps: Vec<Option<Vec<Element>>>, entries: &FieldRef) -> Result<ArrayRef> {
    let DataType::Struct(fields) = entries.data_type() else { return Err(Error::internal("a map without entries")) };
    let (offsets, nulls) = (offsets(&maps), maps.iter().map(Option::is_some).collect::<NullBuffer>());
    let flat: Vec<Element> = maps.into_iter().flatten().flatten().collect();
    let mut columns = Vec::with_capacity(2);
    for (index, field) in fields.iter().enumerate() {
        let side: Vec<Element> = flat.iter().map(|e| e.field(index)).collect();
        columns.push(gather(&side, field.data_type())?);
    }
    let structs = StructArray::try_new(fields.clone(), columns, None).map_err(arrow)?;
    Ok(Arc::new(MapArray::try_new(Arc::clone(entries), offsets, structs, Some(nulls), false).map_err(arrow)?))
}
