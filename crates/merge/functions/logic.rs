use lakefold_base::Result;

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
