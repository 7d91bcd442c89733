//! Rows to Arrow arrays: one slot for each wanted field; what is not wanted is passed over.

use super::input::Input;
use super::schema::{Kind, Node, Presence, RecordField, values};
use arrow_array::types::{ArrowPrimitiveType, Float32Type, Float64Type};
use arrow_array::{
    ArrayRef, BooleanArray, Decimal128Array, FixedSizeBinaryArray, GenericByteArray, ListArray, MapArray, NullArray,
    PrimitiveArray, StructArray, make_array, types::ByteArrayType, types::GenericBinaryType, types::GenericStringType,
};
use arrow_buffer::{BooleanBufferBuilder, Buffer, NullBuffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, FieldRef, Fields};
use lakefold_base::{Code, Error, Result};
use std::sync::Arc;

/// A field under construction.
pub(super) struct Slot {
    field: FieldRef,
    presence: Presence,
    nulls: NullBufferBuilder,
    column: Column,
}

enum Column {
    Null(usize),
    Boolean(BooleanBufferBuilder),
    I32(Vec<i32>),
    I64(Vec<i64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    Bytes(Vec<i32>, Vec<u8>),
    Enum(Vec<i32>, Vec<u8>, Arc<Node>),
    Fixed(usize, Vec<u8>, usize),
    Decimal(Vec<i128>, Option<usize>),
    List(Vec<i32>, Box<Slot>, usize),
    Map(Vec<i32>, Box<[Slot; 2]>, usize),
    Struct(Record),
}

/// A record under construction.
pub(super) struct Record {
    steps: Vec<Step>,
    children: Vec<Slot>,
    len: usize,
}

enum Step {
    Build(usize),
    Skip(Arc<Node>),
}

fn misfit(field: &FieldRef) -> Error {
    Error::internal(format!("field {:?} was asked for as {}", field.name(), field.data_type()))
}

fn internal(error: ArrowError) -> Error {
    Error::internal("cannot build an array").caused_by(error)
}

/// Arrow's own checks of what a file holds, such as UTF-8 and nulls in map keys.
fn invalid(field: &FieldRef) -> impl Fn(ArrowError) -> Error + '_ {
    |error| Error::corrupt("broken values").with("field", field.name()).caused_by(error)
}

fn offset(n: usize) -> Result<i32> {
    i32::try_from(n).map_err(|_| Error::new(Code::LimitExceeded, "more than 2 GiB in one column of a batch"))
}

impl Record {
    /// `wanted` are fields of the record, by name, in the order of the result.
    pub(super) fn new(fields: &[RecordField], wanted: &Fields) -> Result<Self> {
        let mut slots: Vec<Option<Slot>> = wanted.iter().map(|_| None).collect();
        let mut steps = Vec::new();
        for field in fields {
            let step = match wanted.iter().position(|w| *w.name() == field.name) {
                Some(at) => {
                    slots[at] = Some(Slot::new(&field.node, &wanted[at])?);
                    Step::Build(at)
                }
                None => Step::Skip(field.node.clone()),
            };
            steps.push(step);
        }
        let children = slots.into_iter().zip(wanted).map(|(slot, field)| slot.ok_or_else(|| misfit(field)));
        Ok(Record { steps, children: children.collect::<Result<_>>()?, len: 0 })
    }

    /// Reads one row.
    pub(super) fn read(&mut self, input: &mut Input<'_>) -> Result<()> {
        for step in &self.steps {
            match step {
                Step::Build(at) => self.children[*at].read(input)?,
                Step::Skip(node) => skip(node, input)?,
            }
        }
        self.len += 1;
        Ok(())
    }

    /// The arrays of the rows since the last call.
    pub(super) fn finish(&mut self) -> Result<Vec<ArrayRef>> {
        self.len = 0;
        self.children.iter_mut().map(Slot::finish).collect()
    }

    fn push_null(&mut self) -> Result<()> {
        self.children.iter_mut().try_for_each(Slot::push_null)?;
        self.len += 1;
        Ok(())
    }
}

impl Slot {
    fn new(node: &Arc<Node>, field: &FieldRef) -> Result<Self> {
        let Some((inner, presence)) = values(node) else {
            return Err(Error::unsupported("an Avro union of several types").with("field", field.name()));
        };
        let column = Column::new(inner, field)?;
        Ok(Slot { field: field.clone(), presence, nulls: NullBufferBuilder::new(0), column })
    }

    fn read(&mut self, input: &mut Input<'_>) -> Result<()> {
        if let Presence::Branches(value, null) = self.presence {
            let branch = input.long()?;
            if Some(branch) == null {
                return self.push_null();
            }
            if branch != value {
                return Err(Error::corrupt(format!("union branch {branch}")).with("field", self.field.name()));
            }
        }
        self.nulls.append_non_null();
        self.column.read(input).map_err(|e| e.with("field", self.field.name()))
    }

    fn push_null(&mut self) -> Result<()> {
        self.nulls.append_null();
        self.column.push_null()
    }

    fn finish(&mut self) -> Result<ArrayRef> {
        let nulls = self.nulls.finish();
        self.column.finish(&self.field, nulls)
    }
}

impl Column {
    fn new(node: &Arc<Node>, field: &FieldRef) -> Result<Self> {
        Ok(match (&node.kind, field.data_type()) {
            (Kind::Null, DataType::Null) => Column::Null(0),
            (Kind::Boolean, DataType::Boolean) => Column::Boolean(BooleanBufferBuilder::new(0)),
            (Kind::Int(own), asked) if own == asked => Column::I32(Vec::new()),
            (Kind::Long(own), asked) if own == asked => Column::I64(Vec::new()),
            (Kind::Float, DataType::Float32) => Column::F32(Vec::new()),
            (Kind::Double, DataType::Float64) => Column::F64(Vec::new()),
            (Kind::Bytes, DataType::Binary) | (Kind::String, DataType::Utf8) => Column::Bytes(vec![0], Vec::new()),
            (Kind::Enum(_), DataType::Utf8) => Column::Enum(vec![0], Vec::new(), node.clone()),
            (Kind::Fixed(n), DataType::FixedSizeBinary(m)) if *n as i32 == *m => Column::Fixed(*n, Vec::new(), 0),
            (Kind::Decimal(size, p, s), asked) if *asked == DataType::Decimal128(*p, *s) => {
                Column::Decimal(Vec::new(), *size)
            }
            (Kind::Array { item, .. }, DataType::List(element)) => {
                Column::List(vec![0], Box::new(Slot::new(item, element)?), item.min_size)
            }
            (Kind::Map { value, .. }, DataType::Map(entries, _)) => {
                let [key, val] = pair(entries)?;
                let text = Slot {
                    field: key.clone(),
                    presence: Presence::Plain,
                    nulls: NullBufferBuilder::new(0),
                    column: Column::Bytes(vec![0], Vec::new()),
                };
                Column::Map(vec![0], Box::new([text, Slot::new(value, val)?]), 1 + value.min_size)
            }
            (Kind::PairMap(fields), DataType::Map(entries, _)) => {
                let [key, val] = pair(entries)?;
                let slots = [Slot::new(&fields[0].node, key)?, Slot::new(&fields[1].node, val)?];
                Column::Map(vec![0], Box::new(slots), fields[0].node.min_size + fields[1].node.min_size)
            }
            (Kind::Record(fields), DataType::Struct(wanted)) => Column::Struct(Record::new(fields, wanted)?),
            _ => return Err(misfit(field)),
        })
    }

    fn read(&mut self, input: &mut Input<'_>) -> Result<()> {
        match self {
            Column::Null(n) => *n += 1,
            Column::Boolean(bits) => bits.append(read_bool(input)?),
            Column::I32(values) => values.push(input.int()?),
            Column::I64(values) => values.push(input.long()?),
            Column::F32(values) => values.push(f32::from_le_bytes(input.array()?)),
            Column::F64(values) => values.push(f64::from_le_bytes(input.array()?)),
            Column::Bytes(offsets, data) => {
                let n = input.length()?;
                data.extend_from_slice(input.take(n)?);
                offsets.push(offset(data.len())?);
            }
            Column::Enum(offsets, data, node) => {
                data.extend_from_slice(symbol(node, input.long()?)?.as_bytes());
                offsets.push(offset(data.len())?);
            }
            Column::Fixed(size, data, len) => {
                data.extend_from_slice(input.take(*size)?);
                *len += 1;
            }
            Column::Decimal(values, size) => {
                let n = match size {
                    Some(size) => *size,
                    None => input.length()?,
                };
                values.push(decimal(input.take(n)?)?);
            }
            Column::List(offsets, item, min_size) => {
                let mut end = last(offsets);
                loop {
                    let count = input.items(*min_size)?;
                    if count == 0 {
                        break;
                    }
                    for _ in 0..count {
                        item.read(input)?;
                    }
                    end += count;
                }
                offsets.push(offset(end)?);
            }
            Column::Map(offsets, slots, min_size) => {
                let mut end = last(offsets);
                loop {
                    let count = input.items(*min_size)?;
                    if count == 0 {
                        break;
                    }
                    for _ in 0..count {
                        slots[0].read(input)?;
                        slots[1].read(input)?;
                    }
                    end += count;
                }
                offsets.push(offset(end)?);
            }
            Column::Struct(record) => record.read(input)?,
        }
        Ok(())
    }

    fn push_null(&mut self) -> Result<()> {
        match self {
            Column::Null(n) => *n += 1,
            Column::Boolean(bits) => bits.append(false),
            Column::I32(values) => values.push(0),
            Column::I64(values) => values.push(0),
            Column::F32(values) => values.push(0.0),
            Column::F64(values) => values.push(0.0),
            Column::Decimal(values, _) => values.push(0),
            Column::Fixed(size, data, len) => {
                // A null costs a byte in the file, but the whole size here.
                offset(data.len() + *size)?;
                data.resize(data.len() + *size, 0);
                *len += 1;
            }
            Column::Bytes(offsets, _)
            | Column::Enum(offsets, ..)
            | Column::List(offsets, ..)
            | Column::Map(offsets, ..) => offsets.push(last(offsets) as i32),
            Column::Struct(record) => record.push_null()?,
        }
        Ok(())
    }

    fn finish(&mut self, field: &FieldRef, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        use std::mem::take;
        let data_type = field.data_type();
        Ok(match self {
            Column::Null(n) => Arc::new(NullArray::new(take(n))),
            Column::Boolean(bits) => Arc::new(BooleanArray::new(bits.finish(), nulls)),
            Column::I32(values) => flat(data_type, values.len(), Buffer::from_vec(take(values)), nulls)?,
            Column::I64(values) => flat(data_type, values.len(), Buffer::from_vec(take(values)), nulls)?,
            Column::F32(values) => primitive::<Float32Type>(take(values), nulls),
            Column::F64(values) => primitive::<Float64Type>(take(values), nulls),
            Column::Bytes(offsets, data) | Column::Enum(offsets, data, _) => {
                let (offsets, data) = (offset_buffer(offsets), Buffer::from_vec(take(data)));
                match data_type {
                    DataType::Utf8 => bytes::<GenericStringType<i32>>(field, offsets, data, nulls)?,
                    _ => bytes::<GenericBinaryType<i32>>(field, offsets, data, nulls)?,
                }
            }
            Column::Fixed(size, data, len) => {
                let data = Buffer::from_vec(take(data));
                let len = take(len);
                Arc::new(FixedSizeBinaryArray::try_new_with_len(*size as i32, data, nulls, len).map_err(internal)?)
            }
            Column::Decimal(values, _) => {
                let array = Decimal128Array::new(ScalarBuffer::from(take(values)), nulls);
                Arc::new(array.with_data_type(data_type.clone()))
            }
            Column::List(offsets, item, _) => {
                let offsets = offset_buffer(offsets);
                let values = item.finish()?;
                let array = ListArray::try_new(item.field.clone(), offsets, values, nulls).map_err(invalid(field))?;
                Arc::new(array)
            }
            Column::Map(offsets, slots, _) => {
                let DataType::Map(entries, _) = data_type else { return Err(misfit(field)) };
                let offsets = offset_buffer(offsets);
                let children = vec![slots[0].finish()?, slots[1].finish()?];
                let fields = Fields::from(vec![slots[0].field.clone(), slots[1].field.clone()]);
                let pairs = StructArray::try_new(fields, children, None).map_err(invalid(field))?;
                let map = MapArray::try_new(entries.clone(), offsets, pairs, nulls, false).map_err(invalid(field))?;
                Arc::new(map)
            }
            Column::Struct(record) => {
                let DataType::Struct(fields) = data_type else { return Err(misfit(field)) };
                let len = record.len;
                let children = record.finish()?;
                let array = StructArray::try_new_with_length(fields.clone(), children, nulls, len);
                Arc::new(array.map_err(invalid(field))?)
            }
        })
    }
}

/// Bytes that a row takes in memory at least, whatever the file holds.
pub(super) fn width(fields: &Fields) -> usize {
    let bytes = fields.iter().map(|field| match field.data_type() {
        DataType::FixedSizeBinary(n) => *n as usize,
        DataType::Struct(children) => width(children),
        _ => 1,
    });
    bytes.fold(0, usize::saturating_add)
}

fn pair(entries: &FieldRef) -> Result<[&FieldRef; 2]> {
    match entries.data_type() {
        DataType::Struct(fields) if fields.len() == 2 => Ok([&fields[0], &fields[1]]),
        _ => Err(misfit(entries)),
    }
}

fn last(offsets: &[i32]) -> usize {
    offsets.last().map_or(0, |end| *end as usize)
}

fn offset_buffer(offsets: &mut Vec<i32>) -> OffsetBuffer<i32> {
    OffsetBuffer::new(ScalarBuffer::from(std::mem::replace(offsets, vec![0])))
}

fn flat(data_type: &DataType, len: usize, data: Buffer, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    let data =
        ArrayData::builder(data_type.clone()).len(len).add_buffer(data).nulls(nulls).build().map_err(internal)?;
    Ok(make_array(data))
}

fn primitive<T: ArrowPrimitiveType>(values: Vec<T::Native>, nulls: Option<NullBuffer>) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::new(ScalarBuffer::from(values), nulls))
}

fn bytes<T: ByteArrayType>(
    field: &FieldRef,
    offsets: OffsetBuffer<T::Offset>,
    data: Buffer,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    Ok(Arc::new(GenericByteArray::<T>::try_new(offsets, data, nulls).map_err(invalid(field))?))
}

fn read_bool(input: &mut Input<'_>) -> Result<bool> {
    match input.array::<1>()? {
        [0] => Ok(false),
        [1] => Ok(true),
        [other] => Err(Error::corrupt(format!("boolean {other}"))),
    }
}

fn symbol(node: &Node, at: i64) -> Result<&str> {
    let Kind::Enum(symbols) = &node.kind else { return Err(Error::internal("not an enum")) };
    let found = usize::try_from(at).ok().and_then(|i| symbols.get(i));
    found.map(String::as_str).ok_or_else(|| Error::corrupt(format!("enum symbol {at}")))
}

/// Two's complement, big-endian, any length; none is zero.
fn decimal(bytes: &[u8]) -> Result<i128> {
    let sign = if bytes.first().is_some_and(|b| *b >= 0x80) { 0xff } else { 0 };
    let extra = bytes.len().saturating_sub(16);
    let (high, low) = bytes.split_at(extra);
    let mut wide = [sign; 16];
    wide[16 - low.len()..].copy_from_slice(low);
    let value = i128::from_be_bytes(wide);
    if high.iter().any(|b| *b != sign) || (value < 0) != (sign == 0xff) {
        return Err(Error::corrupt(format!("a decimal of {} bytes that 128 bits cannot hold", bytes.len())));
    }
    Ok(value)
}

/// Passes over one value.
fn skip(node: &Node, input: &mut Input<'_>) -> Result<()> {
    match &node.kind {
        Kind::Null => {}
        Kind::Boolean => drop(read_bool(input)?),
        Kind::Int(_) => drop(input.int()?),
        Kind::Long(_) => drop(input.long()?),
        Kind::Float => drop(input.take(4)?),
        Kind::Double => drop(input.take(8)?),
        Kind::Bytes | Kind::String | Kind::Decimal(None, ..) => {
            let n = input.length()?;
            input.take(n)?;
        }
        Kind::Enum(_) => drop(symbol(node, input.long()?)?),
        Kind::Fixed(n) | Kind::Decimal(Some(n), ..) => drop(input.take(*n)?),
        Kind::Array { item, .. } => skip_items(item.min_size, input, |input| skip(item, input))?,
        Kind::Map { value, .. } => skip_items(1 + value.min_size, input, |input| {
            let n = input.length()?;
            input.take(n)?;
            skip(value, input)
        })?,
        Kind::PairMap(fields) => {
            let min_size = fields.iter().map(|f| f.node.min_size).sum();
            skip_items(min_size, input, |input| fields.iter().try_for_each(|f| skip(&f.node, input)))?;
        }
        Kind::Record(fields) => fields.iter().try_for_each(|f| skip(&f.node, input))?,
        Kind::Union(branches) => {
            let branch = input.long()?;
            let found = usize::try_from(branch).ok().and_then(|i| branches.get(i));
            skip(found.ok_or_else(|| Error::corrupt(format!("union branch {branch}")))?, input)?;
        }
    }
    Ok(())
}

fn skip_items(
    min_size: usize,
    input: &mut Input<'_>,
    mut item: impl FnMut(&mut Input<'_>) -> Result<()>,
) -> Result<()> {
    loop {
        let count = input.skip_sized(min_size)?;
        if count == 0 {
            return Ok(());
        }
        for _ in 0..count {
            item(input)?;
        }
    }
}
