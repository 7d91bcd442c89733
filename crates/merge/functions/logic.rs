use lakefold_base::{Error, Result};
use roaring::RoaringBitmap;

use super::Function;
use crate::value::Value;

/// `bool_and`, `bool_or`; nulls do not count.
pub(super) struct Logic {
    pub(super) and: bool,
}

impl Function for Logic {
    fn add(&mut self, accumulator: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        Ok(match (accumulator, input) {
            (Some(Value::Bool(a)), Some(Value::Bool(b))) => Some(Value::Bool(if self.and { a && b } else { a || b })),
            (a, b) => a.or(b),
        })
    }
}

/// `rbm32`: the union of 32-bit Roaring bitmaps in the portable format.
pub(super) struct Bitmap;

impl Function for Bitmap {
    fn add(&mut self, accumulator: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        let (a, b) = match (accumulator, input) {
            (Some(Value::Bytes(a)), Some(Value::Bytes(b))) => (a, b),
            (a, b) => return Ok(a.or(b)),
        };
        let read = |bytes: &[u8]| {
            RoaringBitmap::deserialize_from(bytes).map_err(|e| Error::corrupt("a broken bitmap in a row").caused_by(e))
        };
        let mut union = read(&a)? | read(&b)?;
        union.optimize();
        let mut bytes = Vec::with_capacity(union.serialized_size());
        union.serialize_into(&mut bytes).map_err(|e| Error::internal("a bitmap was not written").caused_by(e))?;
        Ok(Some(Value::Bytes(bytes)))
    }
}
