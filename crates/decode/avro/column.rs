use super::builder::{Record, Slot, misfit};
use super::input::Input;
use super::schema::{Kind, Node};
use crate::convert::big_endian;
use arrow_buffer::BooleanBufferBuilder;
use arrow_schema::{DataType, FieldRef};
use lakefold_base::{Code, Error, Result};
use std::sync::Arc;

/// Values under construction; those of a null are there too, as zeros.
pub(super) enum Column {
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

fn offset(n: usize) -> Result<i32> {
    i32::try_from(n).map_err(|_| Error::new(Code::LimitExceeded, "more than 2 GiB in one column of a batch"))
}

impl Column {
    pub(super) fn new(node: &Arc<Node>, field: &FieldRef) -> Result<Self> {
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
                let text = Slot::plain(key, Column::Bytes(vec![0], Vec::new()));
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

    pub(super) fn read(&mut self, input: &mut Input<'_>) -> Result<()> {
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
                let count = items(*min_size, input, |input| item.read(input))?;
                offsets.push(offset(last(offsets) + count)?);
            }
            Column::Map(offsets, slots, min_size) => {
                let count = items(*min_size, input, |input| slots.iter_mut().try_for_each(|slot| slot.read(input)))?;
                offsets.push(offset(last(offsets) + count)?);
            }
            Column::Struct(record) => record.read(input)?,
        }
        Ok(())
    }

    pub(super) fn push_null(&mut self) -> Result<()> {
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
}

/// Reads the items of an array or map, block by block; returns how many there were.
fn items(min_size: usize, input: &mut Input<'_>, mut item: impl FnMut(&mut Input<'_>) -> Result<()>) -> Result<usize> {
    let mut all = 0;
    loop {
        let count = input.items(min_size)?;
        if count == 0 {
            return Ok(all);
        }
        for _ in 0..count {
            item(input)?;
        }
        all += count;
    }
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

pub(super) fn read_bool(input: &mut Input<'_>) -> Result<bool> {
    match input.array::<1>()? {
        [0] => Ok(false),
        [1] => Ok(true),
        [other] => Err(Error::corrupt(format!("boolean {other}"))),
    }
}

pub(super) fn symbol(node: &Node, at: i64) -> Result<&str> {
    let Kind::Enum(symbols) = &node.kind else { return Err(Error::internal("not an enum")) };
    let found = usize::try_from(at).ok().and_then(|i| symbols.get(i));
    found.map(String::as_str).ok_or_else(|| Error::corrupt(format!("enum symbol {at}")))
}

fn decimal(bytes: &[u8]) -> Result<i128> {
    big_endian(bytes)
        .ok_or_else(|| Error::corrupt(format!("a decimal of {} bytes that 128 bits cannot hold", bytes.len())))
}
