//! The text of one value to the value, as the reference's readers of lines do it.

use super::base64;
use crate::casts::{Cell, digits, float, text};
use lakefold_task::Type;

/// A value; none inside where the text is a value that the type has no room for and that becomes null, none outside
/// where it is no value of the type.
pub(super) fn parse(value: &str, to: &Type) -> Option<Option<Cell>> {
    let integer = |low: i64, high: i64| digits::integer(value).filter(|v| (low..=high).contains(v)).map(Cell::Int);
    Some(Some(match to {
        Type::TinyInt => integer(i8::MIN.into(), i8::MAX.into())?,
        Type::SmallInt => integer(i16::MIN.into(), i16::MAX.into())?,
        Type::Int => integer(i32::MIN.into(), i32::MAX.into())?,
        Type::Long => integer(i64::MIN, i64::MAX)?,
        Type::Float => Cell::Float(float::float(value)?),
        Type::Double => Cell::Double(float::double(value)?),
        Type::Boolean => Cell::Boolean(value.eq_ignore_ascii_case("true")),
        Type::String | Type::Char(_) | Type::Varchar(_) => Cell::Text(value.to_string()),
        Type::Binary | Type::BinaryOf(_) | Type::Varbinary(_) => Cell::Bytes(base64::decode(value)?),
        other => return text::parse(value, other).ok(),
    }))
}

/// Whether [`parse`] knows the type.
pub(super) fn knows(field_type: &Type) -> bool {
    matches!(
        field_type,
        Type::TinyInt
            | Type::SmallInt
            | Type::Int
            | Type::Long
            | Type::Float
            | Type::Double
            | Type::Boolean
            | Type::String
            | Type::Char(_)
            | Type::Varchar(_)
            | Type::Binary
            | Type::BinaryOf(_)
            | Type::Varbinary(_)
            | Type::Decimal(..)
            | Type::Date
            | Type::TimeOf(_)
            | Type::TimestampOf(_)
            | Type::TimestamptzOf(_)
    )
}
