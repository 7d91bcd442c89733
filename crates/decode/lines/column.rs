//! Columns under construction.

use crate::casts::Cell;
use crate::guard::own_arrow_error;
use crate::types::{arrow_type, unit_of};
use arrow_array::builder::{BinaryBuilder, BooleanBuilder, StringBuilder};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, Decimal128Array, ListArray, MapArray, PrimitiveArray, StructArray, make_array,
    types::{Date32Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType},
};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, FieldRef, Fields, TimeUnit};
use lakefold_base::{Code, Error, Result};
use lakefold_task::{Field, Type};
use std::sync::Arc;

/// Most bytes that one row may take.
const MAX_ROW: usize = 512 << 20;

/// Counts the bytes that rows take.
#[derive(Debug, Default)]
pub(super) struct Meter {
    /// Of all rows so far.
    pub(super) used: usize,
    row_start: usize,
}

impl Meter {
    /// Begins a row.
    pub(super) fn row(&mut self) {
        self.row_start = self.used;
    }

    fn add(&mut self, bytes: usize) -> Result<()> {
        self.used += bytes;
        if self.used - self.row_start > MAX_ROW {
            let error = Error::new(Code::LimitExceeded, format!("a row of more than {MAX_ROW} bytes"));
            return Err(error.with("maxLength", MAX_ROW));
        }
        Ok(())
    }
}

/// A column, or a child of one.
pub(super) struct Column {
    /// The field as the table declares it.
    pub(super) field: Field,
    arrow: FieldRef,
    values: Values,
}

enum Values {
    Boolean(BooleanBuilder),
    I8(Flat<Int8Type>),
    I16(Flat<Int16Type>),
    I32(Flat<Int32Type>),
    I64(Flat<Int64Type>),
    F32(Flat<Float32Type>),
    F64(Flat<Float64Type>),
    Date(Flat<Date32Type>),
    Time(Flat<Time32MillisecondType>),
    Decimal(Vec<i128>, NullBufferBuilder),
    /// The digits of the type and nanoseconds in a unit.
    Timestamp(Flat<Int64Type>, u8),
    Text(StringBuilder),
    Bytes(BinaryBuilder),
    Struct(Vec<Column>, NullBufferBuilder),
    List(Box<Column>, Vec<i32>, NullBufferBuilder),
    Map(Box<[Column; 2]>, Vec<i32>, NullBufferBuilder),
}

struct Flat<T: ArrowPrimitiveType>(Vec<T::Native>, NullBufferBuilder);

impl<T: ArrowPrimitiveType> Flat<T> {
    fn new() -> Self {
        Self(Vec::new(), NullBufferBuilder::new(0))
    }

    fn push(&mut self, value: Option<T::Native>) -> usize {
        self.1.append(value.is_some());
        self.0.push(value.unwrap_or_default());
        size_of::<T::Native>()
    }

    fn finish(&mut self) -> PrimitiveArray<T> {
        PrimitiveArray::new(ScalarBuffer::from(std::mem::take(&mut self.0)), self.1.finish())
    }
}

fn nulls() -> NullBufferBuilder {
    NullBufferBuilder::new(0)
}

fn offset(length: usize) -> Result<i32> {
    i32::try_from(length).map_err(|_| Error::new(Code::LimitExceeded, "more than 2^31 elements in one batch"))
}

impl Column {
    /// For a field, of which `wanted` names the children that are read.
    pub(super) fn new(field: &Field, wanted: &FieldRef) -> Result<Self> {
        let misfit = || Error::internal(format!("asked for as {}", wanted.data_type())).with("field", wanted.name());
        let values = match (&field.field_type, wanted.data_type()) {
            (Type::Boolean, _) => Values::Boolean(BooleanBuilder::new()),
            (Type::TinyInt, _) => Values::I8(Flat::new()),
            (Type::SmallInt, _) => Values::I16(Flat::new()),
            (Type::Int, _) => Values::I32(Flat::new()),
            (Type::Long, _) => Values::I64(Flat::new()),
            (Type::Float, _) => Values::F32(Flat::new()),
            (Type::Double, _) => Values::F64(Flat::new()),
            (Type::Date, _) => Values::Date(Flat::new()),
            (Type::TimeOf(_), _) => Values::Time(Flat::new()),
            (Type::Decimal(..), _) => Values::Decimal(Vec::new(), nulls()),
            (Type::TimestampOf(digits) | Type::TimestamptzOf(digits), _) => Values::Timestamp(Flat::new(), *digits),
            (Type::String | Type::Char(_) | Type::Varchar(_), _) => Values::Text(StringBuilder::new()),
            (Type::Binary | Type::BinaryOf(_) | Type::Varbinary(_), _) => Values::Bytes(BinaryBuilder::new()),
            (Type::Struct(fields), DataType::Struct(wanted)) => {
                let child = |w: &FieldRef| {
                    let field = fields.iter().find(|f| f.name == *w.name()).ok_or_else(misfit)?;
                    Column::new(field, w)
                };
                Values::Struct(wanted.iter().map(child).collect::<Result<_>>()?, nulls())
            }
            (Type::List(element), DataType::List(wanted)) => {
                Values::List(Box::new(Column::new(element, wanted)?), vec![0], nulls())
            }
            (Type::Map(key, value), DataType::Map(entries, _)) => {
                let DataType::Struct(sides) = entries.data_type() else { return Err(misfit()) };
                let [key_side, value_side] = &sides[..] else { return Err(misfit()) };
                let sides = [Column::new(key, key_side)?, Column::new(value, value_side)?];
                Values::Map(Box::new(sides), vec![0], nulls())
            }
            (other, _) => {
                return Err(
                    Error::unsupported(format!("columns of type {other} in files of lines")).with("field", &field.name)
                );
            }
        };
        Ok(Self { field: field.clone(), arrow: Arc::clone(wanted), values })
    }

    fn wrong(&self) -> Error {
        Error::internal(format!("a value that is no {}", self.field.field_type)).with("field", &self.field.name)
    }

    /// Appends null; an error where the field must not be null.
    pub(super) fn push_null(&mut self, meter: &mut Meter) -> Result<()> {
        if self.field.required {
            return Err(Error::corrupt("null in a column that is NOT NULL").with("field", &self.field.name));
        }
        self.push_gap(meter)
    }

    /// Appends what stands below a null.
    fn push_gap(&mut self, meter: &mut Meter) -> Result<()> {
        let size = match &mut self.values {
            Values::Boolean(values) => {
                values.append_null();
                1
            }
            Values::I8(values) => values.push(None),
            Values::I16(values) => values.push(None),
            Values::I32(values) => values.push(None),
            Values::I64(values) | Values::Timestamp(values, _) => values.push(None),
            Values::F32(values) => values.push(None),
            Values::F64(values) => values.push(None),
            Values::Date(values) => values.push(None),
            Values::Time(values) => values.push(None),
            Values::Decimal(values, nulls) => {
                values.push(0);
                nulls.append_null();
                16
            }
            Values::Text(values) => {
                values.append_null();
                4
            }
            Values::Bytes(values) => {
                values.append_null();
                4
            }
            Values::Struct(children, nulls) => {
                nulls.append_null();
                children.iter_mut().try_for_each(|child| child.push_gap(meter))?;
                1
            }
            Values::List(_, offsets, nulls) | Values::Map(_, offsets, nulls) => {
                nulls.append_null();
                offsets.push(offsets.last().copied().unwrap_or(0));
                4
            }
        };
        meter.add(size)
    }

    /// Appends text to a column of text.
    pub(super) fn push_text(&mut self, text: &str, meter: &mut Meter) -> Result<()> {
        let Values::Text(values) = &mut self.values else { return Err(self.wrong()) };
        // Counted first: a builder of more than 2 GiB gives up.
        meter.add(text.len() + 4)?;
        values.append_value(text);
        Ok(())
    }

    /// Appends a primitive value.
    pub(super) fn push(&mut self, cell: Option<Cell>, meter: &mut Meter) -> Result<()> {
        let Some(cell) = cell else { return self.push_null(meter) };
        let size = match (&mut self.values, cell) {
            (Values::Boolean(values), Cell::Boolean(v)) => {
                values.append_value(v);
                1
            }
            (Values::I8(values), Cell::Int(v)) => values.push(Some(v as i8)),
            (Values::I16(values), Cell::Int(v)) => values.push(Some(v as i16)),
            (Values::I32(values), Cell::Int(v)) => values.push(Some(v as i32)),
            (Values::I64(values), Cell::Int(v)) => values.push(Some(v)),
            (Values::F32(values), Cell::Float(v)) => values.push(Some(v)),
            (Values::F64(values), Cell::Double(v)) => values.push(Some(v)),
            (Values::Date(values), Cell::Date(v)) => values.push(Some(v)),
            (Values::Time(values), Cell::Time(v)) => values.push(Some(v)),
            (Values::Decimal(values, nulls), Cell::Decimal(v, _)) => {
                values.push(v);
                nulls.append_non_null();
                16
            }
            (Values::Timestamp(values, digits), Cell::Timestamp(nanos)) => {
                let digit = 10_i128.pow(9 - u32::from((*digits).min(9)));
                let per = match unit_of(*digits) {
                    TimeUnit::Millisecond => 1_000_000,
                    TimeUnit::Microsecond => 1000,
                    _ => 1,
                };
                let cut = (nanos.div_euclid(digit) * digit).div_euclid(per);
                let value = i64::try_from(cut).map_err(|_| {
                    let text = format!("a timestamp that {} in Arrow cannot hold", self.field.field_type);
                    Error::corrupt(text).with("field", &self.field.name)
                })?;
                values.push(Some(value))
            }
            (Values::Text(_), Cell::Text(v)) => return self.push_text(&v, meter),
            (Values::Bytes(values), Cell::Bytes(v)) => {
                meter.add(v.len() + 4)?;
                values.append_value(v);
                0
            }
            _ => return Err(self.wrong()),
        };
        meter.add(size)
    }

    /// Appends a struct whose children `fill` appends.
    pub(super) fn push_struct(
        &mut self,
        meter: &mut Meter,
        mut fill: impl FnMut(&mut Column, &mut Meter) -> Result<()>,
    ) -> Result<()> {
        let Values::Struct(children, nulls) = &mut self.values else { return Err(self.wrong()) };
        nulls.append_non_null();
        children.iter_mut().try_for_each(|child| fill(child, meter))?;
        meter.add(1)
    }

    /// Appends a list whose elements `fill` appends; it returns how many.
    pub(super) fn push_list(
        &mut self,
        meter: &mut Meter,
        fill: impl FnOnce(&mut Column, &mut Meter) -> Result<usize>,
    ) -> Result<()> {
        let Values::List(element, offsets, nulls) = &mut self.values else { return Err(self.wrong()) };
        let count = fill(element, meter)?;
        nulls.append_non_null();
        offsets.push(offset(offsets.last().map_or(0, |end| *end as usize) + count)?);
        meter.add(4)
    }

    /// Appends a map whose entries `fill` appends to keys and values; it returns how many.
    pub(super) fn push_map(
        &mut self,
        meter: &mut Meter,
        fill: impl FnOnce(&mut Column, &mut Column, &mut Meter) -> Result<usize>,
    ) -> Result<()> {
        let Values::Map(sides, offsets, nulls) = &mut self.values else { return Err(self.wrong()) };
        let [key, value] = &mut **sides;
        let count = fill(key, value, meter)?;
        nulls.append_non_null();
        offsets.push(offset(offsets.last().map_or(0, |end| *end as usize) + count)?);
        meter.add(4)
    }

    /// The array of all values since the last call.
    pub(super) fn finish(&mut self) -> Result<ArrayRef> {
        Ok(match &mut self.values {
            Values::Boolean(values) => Arc::new(values.finish()),
            Values::I8(values) => Arc::new(values.finish()),
            Values::I16(values) => Arc::new(values.finish()),
            Values::I32(values) => Arc::new(values.finish()),
            Values::I64(values) => Arc::new(values.finish()),
            Values::F32(values) => Arc::new(values.finish()),
            Values::F64(values) => Arc::new(values.finish()),
            Values::Date(values) => Arc::new(values.finish()),
            Values::Time(values) => Arc::new(values.finish()),
            Values::Decimal(values, nulls) => {
                let array = Decimal128Array::new(ScalarBuffer::from(std::mem::take(values)), nulls.finish());
                Arc::new(array.with_data_type(arrow_type(&self.field.field_type)?))
            }
            Values::Timestamp(values, _) => {
                let data = values.finish().into_data().into_builder().data_type(arrow_type(&self.field.field_type)?);
                make_array(data.build().map_err(own_arrow_error)?)
            }
            Values::Text(values) => Arc::new(values.finish()),
            Values::Bytes(values) => Arc::new(values.finish()),
            Values::Struct(children, nulls) => {
                let arrays = children.iter_mut().map(Column::finish).collect::<Result<Vec<_>>>()?;
                let fields: Fields = children.iter().map(|child| Arc::clone(&child.arrow)).collect();
                let length = nulls.len();
                let array = StructArray::try_new_with_length(fields, arrays, nulls.finish(), length);
                Arc::new(array.map_err(own_arrow_error)?)
            }
            Values::List(element, offsets, nulls) => {
                let values = element.finish()?;
                let array = ListArray::try_new(Arc::clone(&element.arrow), ends(offsets), values, nulls.finish());
                Arc::new(array.map_err(own_arrow_error)?)
            }
            Values::Map(sides, offsets, nulls) => {
                let DataType::Map(entries, _) = self.arrow.data_type() else { return Err(self.wrong()) };
                let fields = Fields::from(vec![Arc::clone(&sides[0].arrow), Arc::clone(&sides[1].arrow)]);
                let arrays = vec![sides[0].finish()?, sides[1].finish()?];
                let pairs = StructArray::try_new(fields, arrays, None).map_err(own_arrow_error)?;
                let array = MapArray::try_new(Arc::clone(entries), ends(offsets), pairs, nulls.finish(), false);
                Arc::new(array.map_err(own_arrow_error)?)
            }
        })
    }
}

fn ends(offsets: &mut Vec<i32>) -> OffsetBuffer<i32> {
    OffsetBuffer::new(ScalarBuffer::from(std::mem::replace(offsets, vec![0])))
}
