use lakefold_base::Result;

use super::Function;
use crate::value::Value;

/// The key stays what it is.
pub(super) struct Key;

impl Function for Key {
    fn add(&mut self, _: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        Ok(input)
    }
    fn retract(&mut self, _: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        Ok(input)
    }
}

/// `last_value`
pub(super) struct Last;

impl Function for Last {
    fn add(&mut self, _: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        Ok(input)
    }
    fn retract(&mut self, _: Option<Value>, _: Option<Value>) -> Result<Option<Value>> {
        Ok(None)
    }
}

/// `last_non_null_value`
pub(super) struct LastNonNull;

impl Function for LastNonNull {
    fn add(&mut self, accumulator: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        Ok(input.or(accumulator))
    }
    fn retract(&mut self, accumulator: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        Ok(if input.is_some() { None } else { accumulator })
    }
}

/// `first_value`
#[derive(Default)]
pub(super) struct First {
    seen: bool,
}

impl Function for First {
    fn reset(&mut self) {
        self.seen = false;
    }
    fn add(&mut self, accumulator: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        Ok(if std::mem::replace(&mut self.seen, true) { accumulator } else { input })
    }
}

/// `first_non_null_value`
#[derive(Default)]
pub(super) struct FirstNonNull {
    seen: bool,
}

impl Function for FirstNonNull {
    fn reset(&mut self) {
        self.seen = false;
    }
    fn add(&mut self, accumulator: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        if self.seen || input.is_none() {
            return Ok(accumulator);
        }
        self.seen = true;
        Ok(input)
    }
}
