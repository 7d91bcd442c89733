use arrow_array::builder::{BinaryBuilder, BooleanBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, PrimitiveArray, make_array};
use arrow_schema::DataType;
use lakefold_base::{Error, Result};
use std::cmp::Ordering;
use std::sync::Arc;

use crate::element::{self, Element};
use crate::keys::arrow;

/// A value that is not null, as aggregate functions see it.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    Bool(bool),
    /// Integers, dates, times, timestamps.
    Int(i64),
    Float(f32),
    Double(f64),
    /// Unscaled.
    Decimal(i128),
    /// Text and bytes.
    Bytes(Vec<u8>),
    /// A nested value as it stands.
    Nested(ArrayRef, usize),
    /// A list, or the entries of a map.
    List(Vec<Element>),
}

/// An array's values as integers of its width.
fn integer(array: &ArrayRef, row: usize) -> Option<i64> {
    let data = array.to_data();
    let at = data.offset() + row;
    let buffer = data.buffers().first()?;
    Some(match array.data_type().primitive_width()? {
        1 => i64::from(buffer.typed_data::<i8>()[at]),
        2 => i64::from(buffer.typed_data::<i16>()[at]),
        4 => i64::from(buffer.typed_data::<i32>()[at]),
        8 => buffer.typed_data::<i64>()[at],
        _ => return None,
    })
}

impl Value {
    /// A value of an array; none if it is null.
    pub(crate) fn read(array: &ArrayRef, row: usize) -> Option<Value> {
        if array.is_null(row) || array.data_type() == &DataType::Null {
            return None;
        }
        Some(match array.data_type() {
            DataType::Boolean => Value::Bool(array.as_boolean().value(row)),
            DataType::Int32 => Value::Int(array.as_primitive::<Int32Type>().value(row).into()),
            DataType::Int64 => Value::Int(array.as_primitive::<Int64Type>().value(row)),
            DataType::Float32 => Value::Float(array.as_primitive::<Float32Type>().value(row)),
            DataType::Float64 => Value::Double(array.as_primitive::<Float64Type>().value(row)),
            DataType::Decimal128(..) => Value::Decimal(array.as_primitive::<Decimal128Type>().value(row)),
            DataType::Utf8 => Value::Bytes(array.as_string::<i32>().value(row).as_bytes().to_vec()),
            DataType::Binary => Value::Bytes(array.as_binary::<i32>().value(row).to_vec()),
            data_type if data_type.is_primitive() => Value::Int(integer(array, row)?),
            _ => Value::Nested(Arc::clone(array), row),
        })
    }

    /// The order of values of one type: NaN above all numbers, -0.0 below 0.0, bytes unsigned.
    pub(crate) fn compare(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
            (Value::Int(a), Value::Int(b)) => a.cmp(b),
            (Value::Decimal(a), Value::Decimal(b)) => a.cmp(b),
            (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
            (Value::Float(a), Value::Float(b)) => match (a.is_nan(), b.is_nan()) {
                (false, false) => a.total_cmp(b),
                (a, b) => a.cmp(&b),
            },
            (Value::Double(a), Value::Double(b)) => match (a.is_nan(), b.is_nan()) {
                (false, false) => a.total_cmp(b),
                (a, b) => a.cmp(&b),
            },
            _ => Ordering::Equal,
        }
    }

    /// The elements of a list, or the entries of a map.
    pub(crate) fn elements(&self) -> Vec<Element> {
        match self {
            Value::Nested(array, row) => element::elements(array, *row),
            Value::List(elements) => elements.clone(),
            _ => Vec::new(),
        }
    }
}

/// Nulls first, as sequence fields compare. Floats as numbers: -0.0 is 0.0, and no number is above or below NaN.
pub(crate) fn compare(a: &Option<Value>, b: &Option<Value>) -> Ordering {
    match (a, b) {
        (Some(Value::Float(a)), Some(Value::Float(b))) => a.partial_cmp(b).unwrap_or(Ordering::Equal),
        (Some(Value::Double(a)), Some(Value::Double(b))) => a.partial_cmp(b).unwrap_or(Ordering::Equal),
        (Some(a), Some(b)) => a.compare(b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}

/// An array of values.
pub(crate) fn build(values: Vec<Option<Value>>, data_type: &DataType) -> Result<ArrayRef> {
    let wrong = || Error::internal(format!("a merged value that is no {data_type}"));
    macro_rules! primitive {
        ($type:ty, $pattern:pat => $value:expr) => {{
            let mut native = Vec::with_capacity(values.len());
            for value in values {
                native.push(match value {
                    None => None,
                    Some($pattern) => Some($value),
                    Some(_) => return Err(wrong()),
                });
            }
            PrimitiveArray::<$type>::from_iter(native)
        }};
    }
    let typed = |data: arrow_data::ArrayData| {
        data.into_builder().data_type(data_type.clone()).build().map(make_array).map_err(arrow)
    };
    Ok(match data_type {
        DataType::Boolean => {
            let mut builder = BooleanBuilder::new();
            for value in values {
                match value {
                    None => builder.append_null(),
                    Some(Value::Bool(v)) => builder.append_value(v),
                    Some(_) => return Err(wrong()),
                }
            }
            Arc::new(builder.finish())
        }
        DataType::Float32 => Arc::new(primitive!(Float32Type, Value::Float(v) => v)),
        DataType::Float64 => Arc::new(primitive!(Float64Type, Value::Double(v) => v)),
        DataType::Decimal128(..) => typed(primitive!(Decimal128Type, Value::Decimal(v) => v).into_data())?,
        DataType::Utf8 => {
            let mut builder = StringBuilder::new();
            for value in values {
                match value {
                    None => builder.append_null(),
                    Some(Value::Bytes(v)) => builder.append_value(String::from_utf8(v).map_err(|_| wrong())?),
                    Some(_) => return Err(wrong()),
                }
            }
            Arc::new(builder.finish())
        }
        DataType::Binary => {
            let mut builder = BinaryBuilder::new();
            for value in values {
                match value {
                    None => builder.append_null(),
                    Some(Value::Bytes(v)) => builder.append_value(v),
                    Some(_) => return Err(wrong()),
                }
            }
            Arc::new(builder.finish())
        }
        DataType::List(field) => element::lists(nested(values), field)?,
        DataType::Map(entries, _) => element::maps(nested(values), entries)?,
        _ if data_type.is_primitive() => match data_type.primitive_width() {
            Some(1) => typed(primitive!(Int8Type, Value::Int(v) => v as i8).into_data())?,
            Some(2) => typed(primitive!(Int16Type, Value::Int(v) => v as i16).into_data())?,
            Some(4) => typed(primitive!(Int32Type, Value::Int(v) => v as i32).into_data())?,
            Some(8) => typed(primitive!(Int64Type, Value::Int(v) => v).into_data())?,
            _ => return Err(wrong()),
        },
        _ => {
            let elements: Vec<Element> = values
                .into_iter()
                .map(|v| match v {
                    Some(Value::Nested(array, row)) => Ok(Element::At(array, row)),
                    None => Ok(Element::Null),
                    Some(_) => Err(wrong()),
                })
                .collect::<Result<_>>()?;
            element::gather(&elements, data_type)?
        }
    })
}

fn nested(values: Vec<Option<Value>>) -> Vec<Option<Vec<Element>>> {
    values.into_iter().map(|v| v.map(|v| v.elements())).collect()
}
