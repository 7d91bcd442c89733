//! Aggregate functions of single fields, one idea a file.

mod bitmap32;
mod bitmap64;
mod collect;
mod compare;
mod container;
mod listagg;
mod logic;
mod map;
mod nested;
mod number;
mod pick;
mod radix_tree;
mod sketch;
mod union;

use arrow_schema::DataType;
use lakefold_base::{Code, Error, Result};
use lakefold_task::{Aggregate, Field};
use std::collections::BTreeMap;

use crate::value::Value;

/// An aggregate function of one field. Values are none where null.
pub(crate) trait Function: Send {
    /// Forgets what it knows of the last key.
    fn reset(&mut self) {}
    /// The accumulated value with one more.
    fn add(&mut self, accumulator: Option<Value>, input: Option<Value>) -> Result<Option<Value>>;
    /// Like `add` for a value that is older than what is accumulated.
    fn add_older(&mut self, accumulator: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        self.add(input, accumulator)
    }
    /// The accumulated value without one.
    fn retract(&mut self, _accumulator: Option<Value>, _input: Option<Value>) -> Result<Option<Value>> {
        Err(Error::corrupt("the aggregate function takes no -U and -D rows without ignore-retract"))
    }
}

/// A function that takes no value back. Java's does not know how its function takes older values: it adds to them.
struct IgnoreRetract(Box<dyn Function>);

impl Function for IgnoreRetract {
    fn reset(&mut self) {
        self.0.reset();
    }
    fn add(&mut self, accumulator: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        self.0.add(accumulator, input)
    }
    fn retract(&mut self, accumulator: Option<Value>, _input: Option<Value>) -> Result<Option<Value>> {
        Ok(accumulator)
    }
}

/// The options of a field's function.
pub(super) struct Options<'a>(Option<&'a BTreeMap<String, String>>);

impl Options<'_> {
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.0.and_then(|options| options.get(key)).map(String::as_str)
    }

    pub(super) fn flag(&self, key: &str) -> Result<bool> {
        match self.text(key).map(|text| text.trim().to_lowercase()).as_deref() {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(other) => Err(bad(format!("option {key} is {other:?}"))),
        }
    }

    pub(super) fn names(&self, key: &str) -> Vec<&str> {
        self.text(key).map_or_else(Vec::new, |text| text.split(',').map(str::trim).filter(|n| !n.is_empty()).collect())
    }
}

pub(super) fn bad(problem: impl Into<String>) -> Error {
    Error::new(Code::InvalidArgument, problem)
}

/// Makes the function of a field. One that is not known, or not for the field's type, is an error that names both.
pub(crate) fn create(
    name: &str,
    field: &Field,
    data_type: &DataType,
    aggregate: Option<&Aggregate>,
) -> Result<Box<dyn Function>> {
    let options = Options(aggregate.map(|a| &a.options));
    let named = |e: Error| e.with("function", name).with("field", &field.name);
    let function = make(name, field, data_type, &options).map_err(named)?;
    Ok(if options.flag("ignore-retract").map_err(named)? { Box::new(IgnoreRetract(function)) } else { function })
}

fn make(name: &str, field: &Field, data_type: &DataType, options: &Options<'_>) -> Result<Box<dyn Function>> {
    let wants = |fits: bool| match fits {
        true => Ok(()),
        false => Err(bad(format!("the aggregate function {name} of a {}", field.field_type))),
    };
    let numeric = matches!(
        data_type,
        DataType::Int8
            | DataType::Int16
            | DataType::Int32
            | DataType::Int64
            | DataType::Float32
            | DataType::Float64
            | DataType::Decimal128(..)
    );
    let ordered =
        data_type.is_primitive() || matches!(data_type, DataType::Utf8 | DataType::Binary | DataType::Boolean);
    Ok(match name {
        "sum" | "product" => {
            wants(numeric)?;
            number::create(name == "sum", data_type)
        }
        "max" | "min" => {
            wants(ordered)?;
            Box::new(compare::Extreme { largest: name == "max" })
        }
        "bool_and" | "bool_or" => {
            wants(data_type == &DataType::Boolean)?;
            Box::new(logic::Logic { and: name == "bool_and" })
        }
        "primary-key" => Box::new(pick::Key),
        "last_value" => Box::new(pick::Last),
        "last_non_null_value" => Box::new(pick::LastNonNull),
        "first_value" => Box::new(pick::First::default()),
        "first_non_null_value" | "first_not_null_value" => Box::new(pick::FirstNonNull::default()),
        "listagg" => {
            wants(data_type == &DataType::Utf8)?;
            Box::new(listagg::ListAgg::new(options)?)
        }
        "collect" => {
            wants(matches!(data_type, DataType::List(_)))?;
            let nested = matches!(data_type, DataType::List(element) if element.data_type().is_nested());
            Box::new(collect::Collect { distinct: options.flag("distinct")?, nested })
        }
        "merge_map" => {
            wants(matches!(data_type, DataType::Map(..)))?;
            Box::new(map::MergeMap)
        }
        "merge_map_with_keytime" => Box::new(map::WithKeyTime::new(data_type, options)?),
        "nested_update" => Box::new(nested::NestedUpdate::new(data_type, options)?),
        "nested_partial_update" => Box::new(nested::NestedPartialUpdate::new(data_type, options)?),
        "rbm32" | "rbm64" | "hll_sketch" | "theta_sketch" => {
            wants(data_type == &DataType::Binary)?;
            Box::new(union::Union(match name {
                "rbm32" => bitmap32::union,
                "rbm64" => bitmap64::union,
                "hll_sketch" => sketch::hll,
                _ => sketch::theta,
            }))
        }
        _ => return Err(Error::unsupported(format!("the aggregate function {name}"))),
    })
}

#[cfg(test)]
mod tests;
