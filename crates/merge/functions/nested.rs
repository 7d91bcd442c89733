use arrow_schema::{DataType, Fields};
use lakefold_base::{Error, Result};
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use super::{Function, Options, bad};
use crate::element::Element;
use crate::value::{Value, compare};

/// What a row with null in its nested key is.
#[derive(Clone, Copy)]
enum NullKeys {
    /// A row like others.
    Merge,
    /// Passed over.
    Ignore,
    /// An error.
    Error,
}

/// The rows of a list of structs by their nested key.
struct Keyed {
    key: Vec<usize>,
    nulls: NullKeys,
    /// Whether the options are those of later writers, which hold a single list to key and limit too.
    strict: bool,
}

fn fields_of(data_type: &DataType) -> Result<&Fields> {
    if let DataType::List(element) = data_type
        && let DataType::Struct(fields) = element.data_type()
    {
        return Ok(fields);
    }
    Err(bad(format!("a nested update of a {data_type}; it takes a list of structs")))
}

fn places(fields: &Fields, names: &[&str]) -> Result<Vec<usize>> {
    let place = |name: &&str| {
        let found = fields.iter().position(|f| f.name() == name);
        found.ok_or_else(|| bad(format!("the nested table has no field {name:?}")))
    };
    names.iter().map(place).collect()
}

impl Keyed {
    fn new(fields: &Fields, options: &Options<'_>) -> Result<Self> {
        let nulls = match options.text("nested-key-null-strategy").map(str::to_lowercase).as_deref() {
            None | Some("merge") => NullKeys::Merge,
            Some("ignore") => NullKeys::Ignore,
            Some("error") => NullKeys::Error,
            Some(other) => return Err(bad(format!("nested-key-null-strategy {other:?}"))),
        };
        let strict = ["nested-key-null-strategy", "nested-sequence-field"].iter().any(|o| options.text(o).is_some());
        Ok(Self { key: places(fields, &options.names("nested-key"))?, nulls, strict })
    }

    /// The key of a row; none if the row does not count.
    fn of(&self, row: &Element) -> Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        for index in &self.key {
            let part = row.field(*index);
            match (part.is_null(), self.nulls) {
                (true, NullKeys::Ignore) => return Ok(None),
                (true, NullKeys::Error) => return Err(Error::corrupt("a nested key holds null")),
                _ => part.fingerprint(&mut bytes),
            }
        }
        Ok(Some(bytes))
    }
}

fn rows_of(value: Option<Value>) -> Vec<Element> {
    let mut rows = value.map(|v| v.elements()).unwrap_or_default();
    rows.retain(|row| !row.is_null());
    rows
}

/// `nested_update`: appends rows, or puts them in place of those with the same nested key.
pub(super) struct NestedUpdate {
    keyed: Option<Keyed>,
    sequence: Vec<usize>,
    limit: usize,
}

impl NestedUpdate {
    pub(super) fn new(data_type: &DataType, options: &Options<'_>) -> Result<Self> {
        let fields = fields_of(data_type)?;
        let keyed = Keyed::new(fields, options)?;
        let sequence = places(fields, &options.names("nested-sequence-field"))?;
        if keyed.key.is_empty() && !sequence.is_empty() {
            return Err(bad("nested-sequence-field without nested-key"));
        }
        let limit = match options.text("count-limit") {
            None => usize::MAX,
            Some(text) => text.trim().parse().map_err(|_| bad(format!("count-limit is {text:?}")))?,
        };
        Ok(Self { keyed: (!keyed.key.is_empty()).then_some(keyed), sequence, limit })
    }

    fn newer(&self, row: &Element, than: &Element) -> Ordering {
        let values = |e: &Element, i: &usize| e.field(*i).value();
        let orders = self.sequence.iter().map(|i| compare(&values(row, i), &values(than, i)));
        orders.into_iter().find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
    }
}

impl NestedUpdate {
    /// A list that stands alone stays as it is; the limit counts what comes in, also what takes the place of a row.
    fn append(&self, accumulator: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        let (a, b) = match (accumulator, input) {
            (Some(a), Some(b)) => (a, b),
            (a, b) => return Ok(a.or(b)),
        };
        let length = a.elements().len();
        if length >= self.limit {
            return Ok(Some(a));
        }
        let mut rows = rows_of(Some(a));
        rows.extend(rows_of(Some(b)).into_iter().take(self.limit - length));
        let Some(keyed) = &self.keyed else { return Ok(Some(Value::List(rows))) };
        let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut last: Vec<Element> = Vec::new();
        for row in rows {
            let Some(key) = keyed.of(&row)? else { continue };
            match places.get(&key) {
                Some(place) => last[*place] = row,
                None => {
                    places.insert(key, last.len());
                    last.push(row);
                }
            }
        }
        Ok(Some(Value::List(last)))
    }
}

impl Function for NestedUpdate {
    fn add(&mut self, accumulator: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        let keyed = match &self.keyed {
            Some(keyed) if keyed.strict => keyed,
            _ => return self.append(accumulator, input),
        };
        if input.is_none() {
            return Ok(accumulator);
        }
        let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut rows: Vec<Element> = Vec::new();
        let old = rows_of(accumulator).into_iter().map(|row| (row, false));
        for (row, limited) in old.chain(rows_of(input).into_iter().map(|row| (row, true))) {
            let Some(key) = keyed.of(&row)? else { continue };
            match places.get(&key) {
                Some(place) if self.newer(&row, &rows[*place]).is_ge() => rows[*place] = row,
                Some(_) => {}
                None if limited && rows.len() >= self.limit => {}
                None => {
                    places.insert(key, rows.len());
                    rows.push(row);
                }
            }
        }
        Ok(Some(Value::List(rows)))
    }

    fn retract(&mut self, accumulator: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        if accumulator.is_none() || input.is_none() {
            return Ok(accumulator);
        }
        let key = self.keyed.as_ref().map_or_else(Vec::new, |k| k.key.clone());
        let any = Keyed { key, nulls: NullKeys::Merge, strict: false };
        let key = |row: &Element| match self.keyed {
            Some(_) => any.of(row).map(Option::unwrap_or_default),
            None => Ok(row.key()),
        };
        let gone = rows_of(input).iter().map(key).collect::<Result<HashSet<_>>>()?;
        let mut left = Vec::new();
        for row in rows_of(accumulator) {
            if !gone.contains(&key(&row)?) {
                left.push(row);
            }
        }
        Ok(Some(Value::List(left)))
    }
}

/// `nested_partial_update`: rows with the same nested key become one, field by field, nulls not overwriting.
pub(super) struct NestedPartialUpdate {
    keyed: Keyed,
    width: usize,
}

impl NestedPartialUpdate {
    pub(super) fn new(data_type: &DataType, options: &Options<'_>) -> Result<Self> {
        let fields = fields_of(data_type)?;
        let keyed = Keyed::new(fields, options)?;
        if keyed.key.is_empty() {
            return Err(bad("nested_partial_update without nested-key"));
        }
        Ok(Self { keyed, width: fields.len() })
    }
}

impl Function for NestedPartialUpdate {
    fn add(&mut self, accumulator: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        if input.is_none() || (accumulator.is_none() && !self.keyed.strict) {
            return Ok(accumulator.or(input));
        }
        let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut rows: Vec<Vec<Element>> = Vec::new();
        for row in rows_of(accumulator).into_iter().chain(rows_of(input)) {
            let Some(key) = self.keyed.of(&row)? else { continue };
            let place = *places.entry(key).or_insert_with(|| {
                rows.push(vec![Element::Null; self.width]);
                rows.len() - 1
            });
            for (index, slot) in rows[place].iter_mut().enumerate() {
                let field = row.field(index);
                if !field.is_null() {
                    *slot = field;
                }
            }
        }
        Ok(Some(Value::List(rows.into_iter().map(Element::Row).collect())))
    }
}
