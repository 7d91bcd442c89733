use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Decimal256Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, Decimal128Array};
use arrow_buffer::{NullBuffer, i256};
use arrow_schema::DataType;
use lakefold_base::Result;
use lakefold_task::Type;
use std::sync::Arc;

use super::{mismatch, too_large};
use crate::guard::arrow_error;
use crate::tree::Note;

/// A big-endian two's complement number of any length; none if it needs more than 128 bits.
pub(crate) fn big_endian(bytes: &[u8]) -> Option<i128> {
    let negative = bytes.first().is_some_and(|b| b & 0x80 != 0);
    let fill = if negative { 0xff } else { 0 };
    let cut = bytes.len().saturating_sub(16);
    if bytes[..cut].iter().any(|b| *b != fill) {
        return None;
    }
    let mut wide = [fill; 16];
    let tail = &bytes[cut..];
    wide[16 - tail.len()..].copy_from_slice(tail);
    let value = i128::from_be_bytes(wide);
    ((value < 0) == negative).then_some(value)
}

pub(super) fn decimal(array: &ArrayRef, note: Note, to: &Type, precision: u8, scale: i8) -> Result<ArrayRef> {
    let no = || mismatch(array, note, to);
    let stored_precision = match (note, array.data_type()) {
        (Note::Decimal { precision, scale: stored }, _) if stored == i32::from(scale) => precision,
        (
            _,
            DataType::Decimal32(p, s)
            | DataType::Decimal64(p, s)
            | DataType::Decimal128(p, s)
            | DataType::Decimal256(p, s),
        ) if *s == scale => u32::from(*p),
        _ => return Err(no()),
    };
    let wide = |bytes: &[u8]| big_endian(bytes).ok_or_else(|| too_large(to, format!("{bytes:02x?}")));
    let unscaled: Decimal128Array = match array.data_type() {
        DataType::Int32 => array.as_primitive::<Int32Type>().unary(i128::from),
        DataType::Int64 => array.as_primitive::<Int64Type>().unary(i128::from),
        DataType::FixedSizeBinary(_) => {
            let fixed = array.as_fixed_size_binary();
            build_decimals(fixed.len(), fixed.nulls(), |i| wide(fixed.value(i)))?
        }
        DataType::Binary => {
            let bytes = array.as_binary::<i32>();
            build_decimals(bytes.len(), bytes.nulls(), |i| wide(bytes.value(i)))?
        }
        DataType::Decimal128(..) => array.as_primitive::<Decimal128Type>().clone(),
        DataType::Decimal32(..) | DataType::Decimal64(..) => {
            let cast = arrow_cast::cast(array, &DataType::Decimal128(38, scale)).map_err(arrow_error)?;
            cast.as_primitive::<Decimal128Type>().clone()
        }
        DataType::Decimal256(..) => {
            let wider = array.as_primitive::<Decimal256Type>();
            let narrow = |i: usize| {
                let value: i256 = wider.value(i);
                value.to_i128().ok_or_else(|| too_large(to, value))
            };
            build_decimals(wider.len(), wider.nulls(), narrow)?
        }
        _ => return Err(no()),
    };
    if stored_precision > u32::from(precision) {
        let limit = 10_i128.pow(precision.into());
        for value in unscaled.iter().flatten() {
            if value.unsigned_abs() >= limit.unsigned_abs() {
                return Err(too_large(to, value));
            }
        }
    }
    Ok(Arc::new(unscaled.with_precision_and_scale(precision, scale).map_err(arrow_error)?))
}

fn build_decimals(
    len: usize,
    nulls: Option<&NullBuffer>,
    value: impl Fn(usize) -> Result<i128>,
) -> Result<Decimal128Array> {
    let mut values = vec![0_i128; len];
    for (i, slot) in values.iter_mut().enumerate() {
        if nulls.is_none_or(|n| n.is_valid(i)) {
            *slot = value(i)?;
        }
    }
    Ok(Decimal128Array::new(values.into(), nulls.cloned()))
}
