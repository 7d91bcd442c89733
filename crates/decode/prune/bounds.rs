use lakefold_task::Op;
use std::cmp::Ordering;

use crate::filter::Predicate;
use crate::operand::{Literals, Operand, Values};

/// What statistics say about some units of a column: row groups or pages.
pub(super) struct Bounds {
    /// Smallest values, null where unknown.
    pub min: Option<Operand>,
    /// Largest values, null where unknown.
    pub max: Option<Operand>,
    /// Nulls, where known.
    pub nulls: Vec<Option<u64>>,
    /// Rows.
    pub rows: Vec<u64>,
    /// Whether bounds are values of the column, not only bounds.
    pub exact: bool,
}

fn of_bytes(values: &Values, i: usize) -> Option<&[u8]> {
    Some(match values {
        Values::Text(v) => v.value(i).as_bytes(),
        Values::Bytes(v) => v.value(i),
        Values::Fixed(v) => v.value(i),
        _ => return None,
    })
}

/// A bound against a literal. NaN is no bound; a zero is one of either sign.
fn compare(bound: &Operand, i: usize, literals: &Literals, j: usize, lower: bool) -> Option<Ordering> {
    if bound.nulls.as_ref().is_some_and(|n| n.is_null(i)) {
        return None;
    }
    let zero32 = |v: f32| if v == 0.0 { if lower { -0.0 } else { 0.0 } } else { v };
    let zero64 = |v: f64| if v == 0.0 { if lower { -0.0 } else { 0.0 } } else { v };
    Some(match (&bound.values, literals) {
        (Values::Bool(v), Literals::Bool(l)) => v.value(i).cmp(&l[j]),
        (Values::I32(v), Literals::I32(l)) => v[i].cmp(&l[j]),
        (Values::I64(v), Literals::I64(l)) => v[i].cmp(&l[j]),
        (Values::I128(v), Literals::I128(l)) => v[i].cmp(&l[j]),
        (Values::F32(v), Literals::F32(l)) if !v[i].is_nan() => zero32(v[i]).total_cmp(&l[j]),
        (Values::F64(v), Literals::F64(l)) if !v[i].is_nan() => zero64(v[i]).total_cmp(&l[j]),
        (values, Literals::Bytes(l)) => of_bytes(values, i)?.cmp(&l[j][..]),
        _ => return None,
    })
}

impl Bounds {
    /// Whether both bounds are there and one value.
    fn single(&self, unit: usize) -> bool {
        let (Some(min), Some(max)) = (&self.min, &self.max) else { return false };
        if min.nulls.as_ref().is_some_and(|n| n.is_null(unit)) || max.nulls.as_ref().is_some_and(|n| n.is_null(unit)) {
            return false;
        }
        match (&min.values, &max.values) {
            (Values::Bool(a), Values::Bool(b)) => a.value(unit) == b.value(unit),
            (Values::I32(a), Values::I32(b)) => a[unit] == b[unit],
            (Values::I64(a), Values::I64(b)) => a[unit] == b[unit],
            (Values::I128(a), Values::I128(b)) => a[unit] == b[unit],
            // Floats may hide NaN.
            (a, b) => of_bytes(a, unit).is_some() && of_bytes(a, unit) == of_bytes(b, unit),
        }
    }

    /// Whether some row of a unit may satisfy the predicate.
    pub(super) fn may(&self, predicate: &Predicate, unit: usize) -> bool {
        let nulls = self.nulls[unit].filter(|n| *n <= self.rows[unit]);
        let all_null = nulls == Some(self.rows[unit]);
        let literals = &predicate.literals;
        // One side alone, or a lower bound above the upper, says nothing.
        let trusted = self.ordered(unit);
        let low = |j: usize| self.min.as_ref().filter(|_| trusted).and_then(|b| compare(b, unit, literals, j, true));
        let high = |j: usize| self.max.as_ref().filter(|_| trusted).and_then(|b| compare(b, unit, literals, j, false));
        let within = |j: usize| low(j).is_none_or(Ordering::is_le) && high(j).is_none_or(Ordering::is_ge);
        let excluded = || nulls == Some(0) && self.exact && self.single(unit) && trusted;
        match predicate.op {
            Op::IsNull => nulls != Some(0),
            Op::NotNull | Op::IsNan => !all_null,
            Op::NotNan | Op::EndsWith | Op::NotEndsWith | Op::Contains | Op::NotContains | Op::Like | Op::NotLike => {
                true
            }
            Op::NotEq | Op::NotIn => !(excluded() && (0..literals.len()).any(|j| low(j) == Some(Ordering::Equal))),
            Op::NotStartsWith => !(excluded() && self.prefix(unit, literals) == Some((true, true))),
            _ if all_null => false,
            Op::Lt => low(0).is_none_or(Ordering::is_lt),
            Op::LtEq => low(0).is_none_or(Ordering::is_le),
            Op::Gt => high(0).is_none_or(Ordering::is_gt),
            Op::GtEq => high(0).is_none_or(Ordering::is_ge),
            Op::Eq => within(0),
            Op::In => (0..literals.len()).any(within),
            Op::StartsWith => self.prefix_between(unit, literals),
        }
    }

    fn pair<'a>(&'a self, unit: usize) -> Option<(&'a [u8], &'a [u8])> {
        let side = |operand: &'a Option<Operand>| -> Option<&'a [u8]> {
            let operand = operand.as_ref()?;
            if operand.nulls.as_ref().is_some_and(|n| n.is_null(unit)) {
                return None;
            }
            of_bytes(&operand.values, unit)
        };
        Some((side(&self.min)?, side(&self.max)?))
    }

    fn prefix(&self, unit: usize, literals: &Literals) -> Option<(bool, bool)> {
        let Literals::Bytes(prefixes) = literals else { return None };
        let (min, max) = self.pair(unit)?;
        Some((min.starts_with(prefixes.first()?), max.starts_with(prefixes.first()?)))
    }

    fn prefix_between(&self, unit: usize, literals: &Literals) -> bool {
        let Literals::Bytes(prefixes) = literals else { return true };
        let (Some(prefix), Some((min, max)), true) = (prefixes.first(), self.pair(unit), self.ordered(unit)) else {
            return true;
        };
        let cut = |bytes: &[u8]| bytes[..bytes.len().min(prefix.len())].to_vec();
        cut(min) <= *prefix && cut(max) >= *prefix
    }

    /// Whether both bounds are there, and not inverted.
    fn ordered(&self, unit: usize) -> bool {
        let (Some(min), Some(max)) = (&self.min, &self.max) else { return false };
        if min.nulls.as_ref().is_some_and(|n| n.is_null(unit)) || max.nulls.as_ref().is_some_and(|n| n.is_null(unit)) {
            return false;
        }
        match (&min.values, &max.values) {
            (Values::Bool(a), Values::Bool(b)) => a.value(unit) <= b.value(unit),
            (Values::I32(a), Values::I32(b)) => a[unit] <= b[unit],
            (Values::I64(a), Values::I64(b)) => a[unit] <= b[unit],
            (Values::I128(a), Values::I128(b)) => a[unit] <= b[unit],
            (Values::F32(a), Values::F32(b)) => a[unit] <= b[unit],
            (Values::F64(a), Values::F64(b)) => a[unit] <= b[unit],
            (a, b) => of_bytes(a, unit).is_some() && of_bytes(a, unit) <= of_bytes(b, unit),
        }
    }
}
