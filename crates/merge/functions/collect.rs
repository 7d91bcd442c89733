use lakefold_base::Result;
use std::collections::{HashMap, HashSet};

use super::Function;
use crate::element::Element;
use crate::value::Value;

/// `collect`: the elements of all lists, each once if distinct.
pub(super) struct Collect {
    pub(super) distinct: bool,
    /// Whether the elements have parts: what is accumulated then counts for distinct, be it an older list or not.
    pub(super) nested: bool,
}

impl Function for Collect {
    fn add(&mut self, accumulator: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        let (a, b) = match (accumulator, input) {
            (None, None) => return Ok(None),
            (a, b) if !self.distinct && (a.is_none() || b.is_none()) => return Ok(a.or(b)),
            pair => pair,
        };
        let mut all: Vec<Element> = a.map(|v| v.elements()).unwrap_or_default();
        let mut added: Vec<Element> = b.map(|v| v.elements()).unwrap_or_default();
        if self.distinct {
            let mut seen = HashSet::new();
            all.retain(|e| seen.insert(e.key()) || self.nested);
            added.retain(|e| seen.insert(e.key()));
        }
        all.append(&mut added);
        Ok(Some(Value::List(all)))
    }

    /// What was accumulated stays in front.
    fn add_older(&mut self, accumulator: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        self.add(accumulator, input)
    }

    /// Takes one element out for each one retracted.
    fn retract(&mut self, accumulator: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        let Some(accumulator) = accumulator else { return Ok(None) };
        let mut gone: HashMap<Vec<u8>, usize> = HashMap::new();
        for element in input.into_iter().flat_map(|v| v.elements()) {
            *gone.entry(element.key()).or_default() += 1;
        }
        let mut left = accumulator.elements();
        left.retain(|e| match gone.get_mut(&e.key()) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        });
        Ok(Some(Value::List(left)))
    }
}
