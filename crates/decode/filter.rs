use arrow_array::ArrayRef;
use arrow_buffer::BooleanBuffer;
use hashbrown::HashSet;
use lakefold_base::{Code, Error, Result};
use lakefold_task::{Field, Filter, Op, Transform, Type};
use std::cmp::Ordering;
use std::hash::Hash;

use crate::fields::{Columns, only_leaf};
use crate::like::Pattern;
use crate::literal::from_filter_value;
use crate::operand::{Literals, Operand, Values};
use crate::tested::tested;
use crate::transform;

/// Sets up to this size are searched value by value.
const SMALL_SET: usize = 8;

/// A residual made ready to run on batches.
pub(crate) struct Program {
    /// In postfix order.
    pub steps: Vec<Step>,
    /// The columns that it looks at, each cut down to the tested leaves.
    pub fields: Vec<Field>,
}

/// One step of a program on a stack of masks.
pub(crate) enum Step {
    /// Pushes a constant.
    Const(bool),
    /// Pushes a test's result.
    Test(Box<Predicate>),
    /// Joins the top masks.
    And(usize),
    /// Joins the top masks.
    Or(usize),
}

/// One test of one term.
pub(crate) struct Predicate {
    /// The leaf.
    pub id: i32,
    /// Its type in the table.
    pub source: Type,
    /// What is done to it first.
    pub transform: Transform,
    /// The operator.
    pub op: Op,
    /// The literals.
    pub literals: Literals,
    set: Set,
}

enum Set {
    None,
    I32(HashSet<i32>),
    I64(HashSet<i64>),
    I128(HashSet<i128>),
    Bytes(HashSet<Vec<u8>>),
}

/// Runs down a filter without recursion: width and depth are only bounded by memory.
pub(crate) fn postfix<'a>(filter: &'a Filter, visit: &mut dyn FnMut(&'a Filter) -> Result<()>) -> Result<()> {
    let mut stack = vec![(filter, false)];
    while let Some((node, opened)) = stack.pop() {
        match node {
            Filter::And { and: children } | Filter::Or { or: children } if !opened => {
                stack.push((node, true));
                stack.extend(children.iter().rev().map(|c| (c, false)));
            }
            _ => visit(node)?,
        }
    }
    Ok(())
}

impl Program {
    /// Types a filter by the schema that its ids refer to. A filter that is always true needs no program.
    pub(crate) fn compile(filter: &Filter, schema: &[Field]) -> Result<Option<Self>> {
        if filter.is_true() {
            return Ok(None);
        }
        let mut steps = Vec::new();
        let mut fields = Vec::new();
        postfix(filter, &mut |node| {
            steps.push(match node {
                Filter::Const(value) => Step::Const(*value),
                Filter::And { and } => Step::And(and.len()),
                Filter::Or { or } => Step::Or(or.len()),
                Filter::Predicate { .. } => {
                    let (predicate, field) = Predicate::compile(node, schema)?;
                    crate::fields::merge(&mut fields, &[field]);
                    Step::Test(Box::new(predicate))
                }
            });
            Ok(())
        })?;
        Ok(Some(Self { steps, fields }))
    }

    /// Which rows satisfy the filter.
    pub(crate) fn run(&self, columns: Columns<'_>, rows: usize) -> Result<BooleanBuffer> {
        let mut stack: Vec<BooleanBuffer> = Vec::new();
        let underflow = || Error::internal("a filter program without operands");
        for step in &self.steps {
            let result = match step {
                Step::Const(true) | Step::And(0) => BooleanBuffer::new_set(rows),
                Step::Const(false) | Step::Or(0) => BooleanBuffer::new_unset(rows),
                Step::Test(predicate) => predicate.run(columns)?,
                Step::And(n) | Step::Or(n) => {
                    let mut result = stack.pop().ok_or_else(underflow)?;
                    for _ in 1..*n {
                        let other = stack.pop().ok_or_else(underflow)?;
                        result = if matches!(step, Step::And(_)) { &result & &other } else { &result | &other };
                    }
                    result
                }
            };
            stack.push(result);
        }
        stack.pop().ok_or_else(underflow)
    }
}

impl Predicate {
    /// Types one predicate; also gives the column that it needs.
    pub(crate) fn compile(node: &Filter, schema: &[Field]) -> Result<(Self, Field)> {
        let Filter::Predicate { op, term, values } = node else {
            return Err(Error::internal("a connective is no predicate"));
        };
        let unknown = || {
            Error::new(Code::InvalidArgument, "the residual names a field that is not in the task's schema")
                .with("field-id", term.field_id)
        };
        let field = schema.iter().find_map(|f| only_leaf(f, term.field_id)).ok_or_else(unknown)?;
        let mut leaf = &field;
        while leaf.id != term.field_id {
            match &leaf.field_type {
                Type::Struct(children) if !children.is_empty() => leaf = &children[0],
                _ => return Err(unknown()),
            }
        }
        let source = leaf.field_type.clone();
        let named = |e: Error| e.with("field", &leaf.name).with("field-id", leaf.id);
        let transform = term.transform.unwrap_or(Transform::Identity);
        let result = transform::result_type(transform, &source).map_err(named)?;
        if matches!(op.turned_over().unwrap_or(*op), Op::EndsWith | Op::Contains | Op::Like)
            && !matches!(result, Type::String | Type::Char(_) | Type::Varchar(_))
        {
            return Err(named(Error::new(Code::InvalidArgument, format!("operator {op:?} on a {result}"))));
        }
        let expected = match op {
            Op::IsNull | Op::NotNull | Op::IsNan | Op::NotNan => Some(0),
            Op::In | Op::NotIn => None,
            _ => Some(1),
        };
        if expected.is_some_and(|n| n != values.len()) {
            let text = format!("operator {op:?} with {} literals", values.len());
            return Err(named(Error::new(Code::InvalidArgument, text)));
        }
        let typed = values.iter().map(|v| from_filter_value(&result, v)).collect::<Result<Vec<_>>>().map_err(named)?;
        let mut literals = Literals::of(&result, typed).map_err(named)?;
        if let Transform::Truncate(_) = transform {
            // The transform widens integers (see there).
            literals = match literals {
                Literals::I32(v) => Literals::I64(v.into_iter().map(i64::from).collect()),
                Literals::I64(v) => Literals::I128(v.into_iter().map(i128::from).collect()),
                other => other,
            };
        }
        let set = match &literals {
            _ if literals.len() <= SMALL_SET => Set::None,
            Literals::I32(v) => Set::I32(v.iter().copied().collect()),
            Literals::I64(v) => Set::I64(v.iter().copied().collect()),
            Literals::I128(v) => Set::I128(v.iter().copied().collect()),
            Literals::F32(v) => Set::I32(v.iter().map(|v| v.to_bits() as i32).collect()),
            Literals::F64(v) => Set::I64(v.iter().map(|v| v.to_bits() as i64).collect()),
            Literals::Bytes(v) => Set::Bytes(v.iter().cloned().collect()),
            Literals::Bool(_) => Set::None,
        };
        let predicate = Self { id: term.field_id, source, transform, op: *op, literals, set };
        Ok((predicate, field))
    }

    fn run(&self, columns: Columns<'_>) -> Result<BooleanBuffer> {
        let array = columns.leaf(self.id).map_err(|e| e.with("field-id", self.id))?;
        self.run_on(&array)
    }

    /// Which values of a column satisfy it.
    pub(crate) fn run_on(&self, array: &ArrayRef) -> Result<BooleanBuffer> {
        let operand = transform::apply(self.transform, &self.source, Operand::of(array))?;
        self.test(&operand)
    }

    /// Tests typed values: null and NaN satisfy no comparison but the negative ones.
    fn test(&self, operand: &Operand) -> Result<BooleanBuffer> {
        let len = operand.len;
        let valid = || match &operand.nulls {
            Some(nulls) => nulls.inner().clone(),
            None => BooleanBuffer::new_set(len),
        };
        let nan = || match &operand.values {
            Values::F32(v) => tested(v, f32::is_nan),
            Values::F64(v) => tested(v, f64::is_nan),
            _ => BooleanBuffer::new_unset(len),
        };
        let positive = match self.op {
            Op::IsNull => return Ok(!&valid()),
            Op::NotNull => return Ok(valid()),
            Op::IsNan => return Ok(&nan() & &valid()),
            Op::NotNan => return Ok(!&(&nan() & &valid())),
            op => op.turned_over().unwrap_or(op),
        };
        let hits = if operand.nulls.as_ref().is_some_and(|n| n.null_count() == len) {
            BooleanBuffer::new_unset(len)
        } else {
            self.hits(operand, positive)?
        };
        let hits = match &operand.nulls {
            Some(nulls) => &hits & nulls.inner(),
            None => hits,
        };
        Ok(if positive == self.op { hits } else { !&hits })
    }

    fn hits(&self, operand: &Operand, op: Op) -> Result<BooleanBuffer> {
        let len = operand.len;
        Ok(match (&operand.values, &self.literals) {
            (Values::Bool(v), Literals::Bool(l)) => {
                scan(&v.iter().collect::<Vec<_>>(), |v| v, op, l, None::<&HashSet<bool>>)
            }
            (Values::I32(v), Literals::I32(l)) => scan(v, |v| v, op, l, self.i32_set()),
            (Values::I64(v), Literals::I64(l)) => scan(v, |v| v, op, l, self.i64_set()),
            (Values::I128(v), Literals::I128(l)) => scan(v, |v| v, op, l, self.i128_set()),
            // As integers, floats sort by their total order once the negative ones are turned over.
            (Values::F32(v), Literals::F32(l)) => {
                if op == Op::In && self.i32_set().is_some() {
                    scan(v, |v: f32| v.to_bits() as i32, op, &[], self.i32_set())
                } else {
                    let keys: Vec<i32> = l.iter().map(|l| order32(*l)).collect();
                    &scan(v, order32, op, &keys, None) & &tested(v, |v| !v.is_nan())
                }
            }
            (Values::F64(v), Literals::F64(l)) => {
                if op == Op::In && self.i64_set().is_some() {
                    scan(v, |v: f64| v.to_bits() as i64, op, &[], self.i64_set())
                } else {
                    let keys: Vec<i64> = l.iter().map(|l| order64(*l)).collect();
                    &scan(v, order64, op, &keys, None) & &tested(v, |v| !v.is_nan())
                }
            }
            (Values::Text(v), Literals::Bytes(l)) => bytes(len, |i| v.value(i).as_bytes(), op, l, self.bytes_set()),
            (Values::Bytes(v), Literals::Bytes(l)) => bytes(len, |i| v.value(i), op, l, self.bytes_set()),
            (Values::Fixed(v), Literals::Bytes(l)) => bytes(len, |i| v.value(i), op, l, self.bytes_set()),
            _ => return Err(Error::internal("a filter's literals are of another type than its column")),
        })
    }

    fn i32_set(&self) -> Option<&HashSet<i32>> {
        if let Set::I32(set) = &self.set { Some(set) } else { None }
    }

    fn i64_set(&self) -> Option<&HashSet<i64>> {
        if let Set::I64(set) = &self.set { Some(set) } else { None }
    }

    fn i128_set(&self) -> Option<&HashSet<i128>> {
        if let Set::I128(set) = &self.set { Some(set) } else { None }
    }

    fn bytes_set(&self) -> Option<&HashSet<Vec<u8>>> {
        if let Set::Bytes(set) = &self.set { Some(set) } else { None }
    }
}

fn order32(value: f32) -> i32 {
    let bits = value.to_bits() as i32;
    bits ^ ((bits >> 31) as u32 >> 1) as i32
}

fn order64(value: f64) -> i64 {
    let bits = value.to_bits() as i64;
    bits ^ ((bits >> 63) as u64 >> 1) as i64
}

/// `key` gives what is compared.
fn scan<V: Copy, T: Ord + Copy + Hash>(
    values: &[V],
    key: impl Fn(V) -> T,
    op: Op,
    literals: &[T],
    set: Option<&HashSet<T>>,
) -> BooleanBuffer {
    match (op, literals, set) {
        (Op::In, _, Some(set)) => tested(values, |v| set.contains(&key(v))),
        (Op::In, literals, None) => tested(values, |v| literals.contains(&key(v))),
        (Op::Lt, &[l], _) => tested(values, |v| key(v) < l),
        (Op::LtEq, &[l], _) => tested(values, |v| key(v) <= l),
        (Op::Gt, &[l], _) => tested(values, |v| key(v) > l),
        (Op::GtEq, &[l], _) => tested(values, |v| key(v) >= l),
        (Op::Eq, &[l], _) => tested(values, |v| key(v) == l),
        _ => BooleanBuffer::new_unset(values.len()),
    }
}

fn bytes<'a>(
    len: usize,
    value: impl Fn(usize) -> &'a [u8],
    op: Op,
    literals: &[Vec<u8>],
    set: Option<&HashSet<Vec<u8>>>,
) -> BooleanBuffer {
    let ordered =
        |l: &[u8], wanted: &dyn Fn(Ordering) -> bool| BooleanBuffer::collect_bool(len, |i| wanted(value(i).cmp(l)));
    match (op, literals, set) {
        (Op::In, _, Some(set)) => BooleanBuffer::collect_bool(len, |i| set.contains(value(i))),
        (Op::In, literals, None) => BooleanBuffer::collect_bool(len, |i| literals.iter().any(|l| l == value(i))),
        (Op::StartsWith, [l], _) => BooleanBuffer::collect_bool(len, |i| value(i).starts_with(l)),
        (Op::EndsWith, [l], _) => BooleanBuffer::collect_bool(len, |i| value(i).ends_with(l)),
        (Op::Contains, [l], _) => {
            let finder = |text: &[u8]| l.is_empty() || text.windows(l.len()).any(|w| w == &l[..]);
            BooleanBuffer::collect_bool(len, |i| finder(value(i)))
        }
        (Op::Like, [l], _) => {
            let pattern = Pattern::parse(l);
            BooleanBuffer::collect_bool(len, |i| pattern.matches(value(i)))
        }
        (Op::Eq, [l], _) => BooleanBuffer::collect_bool(len, |i| value(i) == &l[..]),
        (Op::Lt, [l], _) => ordered(l, &|o| o.is_lt()),
        (Op::LtEq, [l], _) => ordered(l, &|o| o.is_le()),
        (Op::Gt, [l], _) => ordered(l, &|o| o.is_gt()),
        (Op::GtEq, [l], _) => ordered(l, &|o| o.is_ge()),
        _ => BooleanBuffer::new_unset(len),
    }
}
