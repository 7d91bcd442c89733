use serde::de::{self, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// A predicate operator, named as in Iceberg REST expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Op {
    /// The term is null.
    IsNull,
    /// The term is not null.
    NotNull,
    /// The term is NaN.
    IsNan,
    /// The term is null or not NaN.
    NotNan,
    /// Less than.
    Lt,
    /// Less than or equal.
    LtEq,
    /// Greater than.
    Gt,
    /// Greater than or equal.
    GtEq,
    /// Equal.
    Eq,
    /// Not equal; null satisfies it.
    NotEq,
    /// A string or binary prefix.
    StartsWith,
    /// Not a prefix; null satisfies it.
    NotStartsWith,
    /// A string suffix.
    EndsWith,
    /// Not a suffix; null satisfies it.
    NotEndsWith,
    /// A string within.
    Contains,
    /// Not within; null satisfies it.
    NotContains,
    /// A SQL pattern: `%` any text, `_` one character, `\\` takes the next character as it is.
    Like,
    /// Not of the pattern; null satisfies it.
    NotLike,
    /// One of the values.
    In,
    /// None of the values; null satisfies it.
    NotIn,
}

/// A bound filter without `not`, made for execution: each literal is exactly a value of its term's type.
///
/// JSON: `true`, `false`, `{"and":[...]}`, `{"or":[...]}`,
/// `{"op":"lt","term":{"field-id":3},"values":[5]}`. Values, by type of the term's result: boolean: JSON;
/// tinyint, smallint, int, long, date (days), time (micros), timestamps (micros, or nanos for `_ns`), `time(P)`
/// (millis), `timestamp(P)` (millis up to 3, micros up to 6, nanos above), all transforms' ints: integer;
/// float, double: number, or the text `Infinity`, `-Infinity`; decimal: the unscaled integer as text;
/// string: text; uuid: 32 hex digits; fixed, binary: hex.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Filter {
    /// A constant.
    Const(bool),
    /// All of these.
    And {
        /// The operands.
        and: Vec<Filter>,
    },
    /// Any of these.
    Or {
        /// The operands.
        or: Vec<Filter>,
    },
    /// A predicate.
    Predicate {
        /// The operator.
        op: Op,
        /// What it looks at.
        term: Term,
        /// None for unary operators, one for comparisons, any number for `in`.
        values: Vec<Value>,
    },
}

/// Not derived: an untagged enum copies all that is below at each level, in a stack that cannot grow.
impl<'de> Deserialize<'de> for Filter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FilterVisitor)
    }
}

struct FilterVisitor;

impl<'de> Visitor<'de> for FilterVisitor {
    type Value = Filter;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("true, false, or an object with `and`, with `or`, or with `op` and `term`")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Filter, E> {
        Ok(Filter::Const(value))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Filter, A::Error> {
        let (mut and, mut or, mut op, mut term, mut values) = (None, None, None, None, Vec::new());
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "and" => and = Some(map.next_value()?),
                "or" => or = Some(map.next_value()?),
                "op" => op = Some(map.next_value()?),
                "term" => term = Some(map.next_value()?),
                "values" => values = map.next_value()?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        match (and, or, op, term) {
            (Some(and), None, None, None) => Ok(Filter::And { and }),
            (None, Some(or), None, None) => Ok(Filter::Or { or }),
            (None, None, Some(op), Some(term)) => Ok(Filter::Predicate { op, term, values }),
            _ => Err(de::Error::custom("a filter that is neither `and`, `or` nor a predicate")),
        }
    }
}

/// A column, or a transform of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Term {
    /// A leaf of the task's schema, possibly inside structs.
    pub field_id: i32,
    /// Absent for the plain column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transform: Option<Transform>,
}

/// A transform in a filter term (Iceberg spec, "Partition Transforms").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transform {
    /// The value.
    Identity,
    /// `{"bucket":16}`
    Bucket(u32),
    /// `{"truncate":10}`
    Truncate(u32),
    /// Years since 1970.
    Year,
    /// Months since 1970-01.
    Month,
    /// Days since 1970-01-01.
    Day,
    /// Hours since 1970-01-01T00.
    Hour,
    /// Always null.
    Void,
}

impl Op {
    /// The operator that an operator which null and NaN satisfy turns over; none for others.
    pub fn turned_over(self) -> Option<Op> {
        Some(match self {
            Op::NotEq => Op::Eq,
            Op::NotIn => Op::In,
            Op::NotStartsWith => Op::StartsWith,
            Op::NotEndsWith => Op::EndsWith,
            Op::NotContains => Op::Contains,
            Op::NotLike => Op::Like,
            _ => return None,
        })
    }
}

impl Filter {
    /// Whether nothing is left to test.
    pub fn is_true(&self) -> bool {
        matches!(self, Filter::Const(true))
    }
}
