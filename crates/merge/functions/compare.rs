use lakefold_base::Result;

use super::Function;
use crate::value::Value;

/// `max`, `min`; nulls do not count.
pub(super) struct Extreme {
    pub(super) largest: bool,
}

impl Function for Extreme {
    fn add(&mut self, accumulator: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        Ok(match (accumulator, input) {
            (Some(a), Some(b)) => {
                let order = a.compare(&b);
                let keep = if self.largest { order.is_ge() } else { order.is_lt() };
                Some(if keep { a } else { b })
            }
            (a, b) => a.or(b),
        })
    }
}
