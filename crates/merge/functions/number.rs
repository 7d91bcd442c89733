use arrow_buffer::i256;
use arrow_schema::DataType;
use lakefold_base::{Error, Result};

use super::Function;
use crate::value::Value;

/// `sum` or `product` of a numeric type.
pub(super) fn create(sum: bool, data_type: &DataType) -> Box<dyn Function> {
    let bits = data_type.primitive_width().map_or(64, |bytes| 8 * bytes);
    let (precision, scale) = if let DataType::Decimal128(p, s) = data_type { (*p, *s) } else { (38, 0) };
    let limits = Limits { bits, precision, scale };
    if sum { Box::new(Sum(limits)) } else { Box::new(Product(limits)) }
}

#[derive(Clone, Copy)]
struct Limits {
    bits: usize,
    precision: u8,
    scale: i8,
}

fn mixed() -> Error {
    Error::internal("numbers of two types")
}

impl Limits {
    /// Integers that wrap around.
    fn wrapped(&self, value: i64) -> Option<Value> {
        Some(Value::Int(match self.bits {
            8 => (value as i8).into(),
            16 => (value as i16).into(),
            32 => (value as i32).into(),
            _ => value,
        }))
    }

    /// Decimals with too many digits are null.
    fn decimal(&self, value: Option<i128>) -> Option<Value> {
        let limit = 10_u128.pow(u32::from(self.precision.min(38)));
        value.filter(|v| v.unsigned_abs() < limit).map(Value::Decimal)
    }

    /// A sum of decimals. Java adds those of up to 18 digits as they are held, without a look at the digits they have.
    fn decimal_sum(&self, a: i128, b: i128) -> Option<Value> {
        match self.precision {
            0..=18 => Some(Value::Decimal((a as i64).wrapping_add(b as i64).into())),
            _ => self.decimal(a.checked_add(b)),
        }
    }

    fn power(&self) -> i128 {
        10_i128.pow(u32::try_from(self.scale).unwrap_or(0).min(38))
    }
}

/// Null does not count; integers wrap around, decimals of more than 18 digits with too many of them become null.
struct Sum(Limits);

impl Function for Sum {
    fn add(&mut self, accumulator: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        Ok(match (accumulator, input) {
            (Some(Value::Int(a)), Some(Value::Int(b))) => self.0.wrapped(a.wrapping_add(b)),
            (Some(Value::Float(a)), Some(Value::Float(b))) => Some(Value::Float(a + b)),
            (Some(Value::Double(a)), Some(Value::Double(b))) => Some(Value::Double(a + b)),
            (Some(Value::Decimal(a)), Some(Value::Decimal(b))) => self.0.decimal_sum(a, b),
            (Some(_), Some(_)) => return Err(mixed()),
            (a, b) => a.or(b),
        })
    }

    fn retract(&mut self, accumulator: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        Ok(match (accumulator, input) {
            (Some(Value::Int(a)), Some(Value::Int(b))) => self.0.wrapped(a.wrapping_sub(b)),
            (Some(Value::Float(a)), Some(Value::Float(b))) => Some(Value::Float(a - b)),
            (Some(Value::Double(a)), Some(Value::Double(b))) => Some(Value::Double(a - b)),
            (Some(Value::Decimal(a)), Some(Value::Decimal(b))) => self.0.decimal_sum(a, -b),
            (None, Some(Value::Int(b))) => self.0.wrapped(b.wrapping_neg()),
            (None, Some(Value::Float(b))) => Some(Value::Float(-b)),
            (None, Some(Value::Double(b))) => Some(Value::Double(-b)),
            (None, Some(Value::Decimal(b))) => Some(Value::Decimal(-b)),
            (a, None) => a,
            _ => return Err(mixed()),
        })
    }
}

/// Null does not count; integers wrap around, decimals with too many digits become null.
struct Product(Limits);

/// A quotient rounded half up.
fn rounded(dividend: i256, divisor: i256) -> Option<i128> {
    let (whole, rest) = (dividend.checked_div(divisor)?, dividend.checked_rem(divisor)?);
    let twice = rest.wrapping_abs().checked_mul(i256::from_i128(2))?;
    let up = twice >= divisor.wrapping_abs();
    let negative = (dividend < i256::ZERO) != (divisor < i256::ZERO);
    let step = i256::from_i128(if !up {
        0
    } else if negative {
        -1
    } else {
        1
    });
    whole.checked_add(step)?.to_i128()
}

/// Whether a quotient has finitely many digits.
fn terminates(dividend: i128, divisor: i128) -> bool {
    let (mut a, mut b) = (dividend.unsigned_abs(), divisor.unsigned_abs());
    while a != 0 {
        (a, b) = (b % a, a);
    }
    let mut rest = divisor.unsigned_abs() / b.max(1);
    for prime in [2, 5] {
        while rest > 1 && u128::is_multiple_of(rest, prime) {
            rest /= prime;
        }
    }
    rest == 1
}

impl Function for Product {
    fn add(&mut self, accumulator: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        Ok(match (accumulator, input) {
            (Some(Value::Int(a)), Some(Value::Int(b))) => self.0.wrapped(a.wrapping_mul(b)),
            (Some(Value::Float(a)), Some(Value::Float(b))) => Some(Value::Float(a * b)),
            (Some(Value::Double(a)), Some(Value::Double(b))) => Some(Value::Double(a * b)),
            (Some(Value::Decimal(a)), Some(Value::Decimal(b))) => {
                let wide = i256::from_i128(a).checked_mul(i256::from_i128(b));
                self.0.decimal(wide.and_then(|wide| rounded(wide, i256::from_i128(self.0.power()))))
            }
            (Some(_), Some(_)) => return Err(mixed()),
            (a, b) => a.or(b),
        })
    }

    fn retract(&mut self, accumulator: Option<Value>, input: Option<Value>) -> Result<Option<Value>> {
        Ok(match (accumulator, input) {
            (Some(Value::Int(_)), Some(Value::Int(0))) | (Some(Value::Decimal(_)), Some(Value::Decimal(0))) => {
                return Err(Error::corrupt("a product divided by zero"));
            }
            (Some(Value::Int(a)), Some(Value::Int(b))) => self.0.wrapped(a.wrapping_div(b)),
            (Some(Value::Float(a)), Some(Value::Float(b))) => Some(Value::Float(a / b)),
            (Some(Value::Double(a)), Some(Value::Double(b))) => Some(Value::Double(a / b)),
            (Some(Value::Decimal(a)), Some(Value::Decimal(b))) => {
                if !terminates(a, b) {
                    return Err(Error::corrupt("a quotient of decimals without an end"));
                }
                let wide = i256::from_i128(a).checked_mul(i256::from_i128(self.0.power()));
                self.0.decimal(wide.and_then(|wide| rounded(wide, i256::from_i128(b))))
            }
            (Some(_), Some(_)) => return Err(mixed()),
            (a, _) => a,
        })
    }
}
