use lakefold_base::Result;
use std::collections::HashSet;

use super::{Function, Options};
use crate::value::Value;

/// `listagg`: texts joined by a delimiter; empty ones do not count.
pub(super) struct ListAgg {
    delimiter: Vec<u8>,
    distinct: bool,
}

impl ListAgg {
    pub(super) fn new(options: &Options<'_>) -> Result<Self> {
        let delimiter = options.text("list-agg-delimiter").unwrap_or(",").as_bytes().to_vec();
        Ok(Self { delimiter, distinct: options.flag("distinct")? })
    }

    fn tokens<'a>(&self, text: &'a [u8]) -> Vec<&'a [u8]> {
        // Texts joined by nothing are told apart by spaces.
        let delimiter = if self.delimiter.is_empty() { b" " } else { self.delimiter.as_slice() };
        let width = delimiter.len();
        let (mut tokens, mut from, mut at) = (Vec::new(), 0, 0);
        while at + width <= text.len() {
            if text[at..at + width] == *delimiter {
                tokens.push(&text[from..at]);
                at += width;
                from = at;
            } else {
                at += 1;
            }
        }
        tokens.push(&text[from..]);
        tokens
    }
}

impl Function for ListAgg {
    fn add(&mut self, accumulator: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        let (mut all, more) = match (accumulator, input) {
            (Some(Value::Bytes(all)), Some(Value::Bytes(more))) if !all.is_empty() && !more.is_empty() => (all, more),
            (Some(accumulator), Some(Value::Bytes(more))) if more.is_empty() => return Ok(Some(accumulator)),
            (accumulator, None) => return Ok(accumulator),
            (_, input) => return Ok(input),
        };
        if !self.distinct {
            all.extend_from_slice(&self.delimiter);
            all.extend_from_slice(&more);
            return Ok(Some(Value::Bytes(all)));
        }
        let mut seen: HashSet<Vec<u8>> = self.tokens(&all).into_iter().map(<[u8]>::to_vec).collect();
        for token in self.tokens(&more) {
            if !token.is_empty() && seen.insert(token.to_vec()) {
                all.extend_from_slice(&self.delimiter);
                all.extend_from_slice(token);
            }
        }
        Ok(Some(Value::Bytes(all)))
    }
}
