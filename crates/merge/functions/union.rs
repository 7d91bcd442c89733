use lakefold_base::Result;

use super::Function;
use crate::value::Value;

/// A set in each row, as bytes, and their union; nulls do not count.
pub(super) struct Union(pub(super) fn(&[u8], &[u8]) -> Result<Vec<u8>>);

impl Function for Union {
    fn add(&mut self, accumulator: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        match (accumulator, input) {
            (Some(Value::Bytes(a)), Some(Value::Bytes(b))) => (self.0)(&a, &b).map(|union| Some(Value::Bytes(union))),
            (a, b) => Ok(a.or(b)),
        }
    }
}
