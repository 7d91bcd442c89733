use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    Time32MillisecondType, Time64MicrosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef, BinaryArray, FixedSizeBinaryArray, StringArray};
use arrow_buffer::{BooleanBuffer, NullBuffer, ScalarBuffer};
use arrow_schema::{DataType, TimeUnit};
use lakefold_base::{Error, Result};
use lakefold_task::{Literal, Type};

/// The values of a filter's term, in the few forms that comparisons need.
pub(crate) struct Operand {
    /// Which values are null.
    pub nulls: Option<NullBuffer>,
    /// The values.
    pub values: Values,
    /// How many.
    pub len: usize,
}

/// Typed values; where null, anything.
pub(crate) enum Values {
    /// boolean
    Bool(BooleanBuffer),
    /// int, date, transforms' ints
    I32(ScalarBuffer<i32>),
    /// long, time, timestamps
    I64(ScalarBuffer<i64>),
    /// decimal
    I128(ScalarBuffer<i128>),
    /// float
    F32(ScalarBuffer<f32>),
    /// double
    F64(ScalarBuffer<f64>),
    /// string
    Text(StringArray),
    /// binary
    Bytes(BinaryArray),
    /// uuid, fixed
    Fixed(FixedSizeBinaryArray),
    /// Values of a type that is only ever tested for null.
    Opaque,
}

impl Operand {
    /// A column of the table.
    pub(crate) fn of(array: &ArrayRef) -> Self {
        let nulls = array.logical_nulls();
        let values = match array.data_type() {
            DataType::Boolean => Values::Bool(array.as_boolean().values().clone()),
            DataType::Int32 => Values::I32(array.as_primitive::<Int32Type>().values().clone()),
            DataType::Int8 => {
                Values::I32(array.as_primitive::<Int8Type>().values().iter().map(|v| i32::from(*v)).collect())
            }
            DataType::Int16 => {
                Values::I32(array.as_primitive::<Int16Type>().values().iter().map(|v| i32::from(*v)).collect())
            }
            DataType::Time32(TimeUnit::Millisecond) => {
                Values::I32(array.as_primitive::<Time32MillisecondType>().values().clone())
            }
            DataType::Timestamp(TimeUnit::Millisecond, _) => {
                Values::I64(array.as_primitive::<TimestampMillisecondType>().values().clone())
            }
            DataType::Date32 => Values::I32(array.as_primitive::<Date32Type>().values().clone()),
            DataType::Int64 => Values::I64(array.as_primitive::<Int64Type>().values().clone()),
            DataType::Time64(TimeUnit::Microsecond) => {
                Values::I64(array.as_primitive::<Time64MicrosecondType>().values().clone())
            }
            DataType::Timestamp(TimeUnit::Microsecond, _) => {
                Values::I64(array.as_primitive::<TimestampMicrosecondType>().values().clone())
            }
            DataType::Timestamp(TimeUnit::Nanosecond, _) => {
                Values::I64(array.as_primitive::<TimestampNanosecondType>().values().clone())
            }
            DataType::Decimal128(..) => Values::I128(array.as_primitive::<Decimal128Type>().values().clone()),
            DataType::Float32 => Values::F32(array.as_primitive::<Float32Type>().values().clone()),
            DataType::Float64 => Values::F64(array.as_primitive::<Float64Type>().values().clone()),
            DataType::Utf8 => Values::Text(array.as_string::<i32>().clone()),
            DataType::Binary => Values::Bytes(array.as_binary::<i32>().clone()),
            DataType::FixedSizeBinary(_) => Values::Fixed(array.as_fixed_size_binary().clone()),
            _ => Values::Opaque,
        };
        Self { nulls, values, len: array.len() }
    }
}

/// Literals of one predicate, in the form of its operand.
#[derive(Debug)]
pub(crate) enum Literals {
    /// boolean
    Bool(Vec<bool>),
    /// int, date, transforms' ints
    I32(Vec<i32>),
    /// long, time, timestamps
    I64(Vec<i64>),
    /// decimal
    I128(Vec<i128>),
    /// float
    F32(Vec<f32>),
    /// double
    F64(Vec<f64>),
    /// string, binary, uuid, fixed
    Bytes(Vec<Vec<u8>>),
}

impl Literals {
    /// Groups literals of one type.
    pub(crate) fn of(field_type: &Type, literals: Vec<Literal>) -> Result<Self> {
        let wrong = |literal: &Literal| Error::internal(format!("literal {literal:?} for type {field_type}"));
        macro_rules! collect {
            ($variant:ident, $pattern:pat => $value:expr) => {
                Literals::$variant(
                    literals
                        .into_iter()
                        .map(|literal| match literal {
                            $pattern => Ok($value),
                            other => Err(wrong(&other)),
                        })
                        .collect::<Result<_>>()?,
                )
            };
        }
        Ok(match field_type {
            Type::Boolean => collect!(Bool, Literal::Boolean(v) => v),
            Type::TinyInt | Type::SmallInt | Type::Int | Type::Date | Type::TimeOf(_) => {
                collect!(I32, Literal::Int(v) => v)
            }
            Type::Long
            | Type::Time
            | Type::Timestamp
            | Type::Timestamptz
            | Type::TimestampNs
            | Type::TimestamptzNs
            | Type::TimestampOf(_)
            | Type::TimestamptzOf(_) => collect!(I64, Literal::Long(v) => v),
            Type::Decimal(..) => collect!(I128, Literal::Decimal(v) => v),
            Type::Float => collect!(F32, Literal::Float(v) => v),
            Type::Double => collect!(F64, Literal::Double(v) => v),
            Type::String | Type::Char(_) | Type::Varchar(_) => collect!(Bytes, Literal::String(v) => v.into_bytes()),
            _ => collect!(Bytes, Literal::Binary(v) => v),
        })
    }

    /// How many.
    pub(crate) fn len(&self) -> usize {
        match self {
            Literals::Bool(v) => v.len(),
            Literals::I32(v) => v.len(),
            Literals::I64(v) => v.len(),
            Literals::I128(v) => v.len(),
            Literals::F32(v) => v.len(),
            Literals::F64(v) => v.len(),
            Literals::Bytes(v) => v.len(),
        }
    }
}
