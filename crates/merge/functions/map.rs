use arrow_schema::DataType;
use lakefold_base::Result;
use std::collections::{HashMap, HashSet};

use super::{Function, Options, bad};
use crate::element::Element;
use crate::value::Value;

/// Entries by key, in the order in which keys came first.
#[derive(Default)]
struct Entries {
    places: HashMap<Vec<u8>, usize>,
    entries: Vec<Option<Element>>,
}

impl Entries {
    fn put(&mut self, entry: Element) {
        let key = entry.field(0).key();
        match self.places.get(&key) {
            Some(place) => self.entries[*place] = Some(entry),
            None => {
                self.places.insert(key, self.entries.len());
                self.entries.push(Some(entry));
            }
        }
    }

    fn get(&self, key: &[u8]) -> Option<&Element> {
        self.places.get(key).and_then(|place| self.entries[*place].as_ref())
    }

    fn remove(&mut self, key: &[u8]) {
        if let Some(place) = self.places.remove(key) {
            self.entries[place] = None;
        }
    }

    fn finish(self) -> Value {
        Value::List(self.entries.into_iter().flatten().collect())
    }
}

/// `merge_map`: the entries of all maps, later values over earlier ones.
pub(super) struct MergeMap;

impl Function for MergeMap {
    fn add(&mut self, accumulator: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        let (a, b) = match (accumulator, input) {
            (Some(a), Some(b)) => (a, b),
            (a, b) => return Ok(a.or(b)),
        };
        let mut entries = Entries::default();
        a.elements().into_iter().chain(b.elements()).for_each(|e| entries.put(e));
        Ok(Some(entries.finish()))
    }

    fn retract(&mut self, accumulator: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        let Some(accumulator) = accumulator else { return Ok(None) };
        let gone: HashSet<Vec<u8>> = input.into_iter().flat_map(|v| v.elements()).map(|e| e.field(0).key()).collect();
        let mut left = accumulator.elements();
        left.retain(|e| !gone.contains(&e.field(0).key()));
        Ok(Some(Value::List(left)))
    }
}

/// `merge_map_with_keytime`: of each key the value with the largest time, a text in the value's struct: the field that
/// `ts-field` names, else the last. A null value removes its key; a value without a time does not count.
pub(super) struct WithKeyTime {
    time: usize,
}

impl WithKeyTime {
    pub(super) fn new(data_type: &DataType, options: &Options<'_>) -> Result<Self> {
        let wrong = || bad(format!("merge_map_with_keytime of a {data_type}"));
        let DataType::Map(entries, _) = data_type else { return Err(wrong()) };
        let DataType::Struct(sides) = entries.data_type() else { return Err(wrong()) };
        let DataType::Struct(fields) = sides[1].data_type() else { return Err(wrong()) };
        let time = match options.text("ts-field") {
            None => fields.len().checked_sub(1),
            Some(name) => match fields.iter().position(|f| f.name() == name) {
                None => return Err(bad(format!("ts-field {name:?}, which the map's values have not"))),
                found => found,
            },
        };
        match time {
            Some(time) if fields.len() >= 2 && fields[time].data_type() == &DataType::Utf8 => Ok(Self { time }),
            _ => Err(wrong()),
        }
    }
}

/// Whether a time is after another: texts by their UTF-16 units, as Java compares them.
fn later(time: &Value, than: &Value) -> bool {
    match (time, than) {
        (Value::Bytes(a), Value::Bytes(b)) => {
            let (a, b) = (String::from_utf8_lossy(a), String::from_utf8_lossy(b));
            a.encode_utf16().gt(b.encode_utf16())
        }
        _ => time.compare(than).is_gt(),
    }
}

impl Function for WithKeyTime {
    fn add(&mut self, accumulator: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        let (a, b) = match (accumulator, input) {
            (Some(a), Some(b)) => (a, b),
            (a, b) => return Ok(a.or(b)),
        };
        let mut entries = Entries::default();
        a.elements().into_iter().for_each(|e| entries.put(e));
        for entry in b.elements() {
            let (key, value) = (entry.field(0).key(), entry.field(1));
            if value.is_null() {
                entries.remove(&key);
                continue;
            }
            let Some(time) = value.field(self.time).value() else { continue };
            let known = entries.get(&key).and_then(|e| e.field(1).field(self.time).value());
            if known.is_none_or(|known| later(&time, &known)) {
                entries.put(entry);
            }
        }
        Ok(Some(entries.finish()))
    }
}
