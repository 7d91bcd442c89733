//! The file's types as Arrow fields, with Iceberg's attributes; and the wanted part of them.

use arrow_schema::{DataType, Field, FieldRef, Fields, TimeUnit, UnionFields, UnionMode};
use lakefold_base::{Error, Result};
use orc_rust::proto::Type;
use orc_rust::proto::r#type::Kind;
use std::collections::HashMap;
use std::sync::Arc;

const MAX_DEPTH: usize = 64;

fn broken(problem: impl std::fmt::Display) -> Error {
    Error::corrupt(format!("broken ORC types: {problem}"))
}

/// The types as a tree, checked: every child comes after its parent and belongs to it alone.
pub(super) fn check(types: &[Type]) -> Result<()> {
    let mut depths = vec![None; types.len()];
    match types.first() {
        Some(root) if kind(root)? == Kind::Struct => depths[0] = Some(0),
        Some(_) => return Err(Error::unsupported("an ORC file whose rows are no structs")),
        None => return Err(broken("there are none")),
    }
    for (i, ty) in types.iter().enumerate() {
        let Some(depth) = depths[i] else { return Err(broken(format!("type {i} has no parent"))) };
        if depth >= MAX_DEPTH {
            return Err(Error::unsupported(format!("ORC types nested deeper than {MAX_DEPTH}")));
        }
        let children = ty.subtypes.len();
        let right = match kind(ty)? {
            Kind::Struct => children == ty.field_names.len(),
            Kind::List => children == 1,
            Kind::Map => children == 2,
            Kind::Union => true,
            Kind::Decimal => {
                let (precision, scale) = (ty.precision.unwrap_or(38), ty.scale.unwrap_or(10));
                if !(1..=38).contains(&precision) || scale > precision {
                    return Err(Error::unsupported(format!("an ORC decimal({precision}, {scale})")));
                }
                children == 0
            }
            _ => children == 0,
        };
        if !right {
            return Err(broken(format!("type {i} with {children} children, {} names", ty.field_names.len())));
        }
        for &child in &ty.subtypes {
            match depths.get_mut(child as usize) {
                Some(slot) if slot.is_none() && child as usize > i => *slot = Some(depth + 1),
                _ => return Err(broken(format!("type {child} as a child of {i}"))),
            }
        }
    }
    Ok(())
}

pub(super) fn kind(ty: &Type) -> Result<Kind> {
    let number = ty.kind.unwrap_or(-1);
    Kind::try_from(number).map_err(|_| Error::unsupported(format!("ORC type {number}")))
}

fn attribute<'a>(ty: &'a Type, key: &str) -> Option<&'a str> {
    ty.attributes.iter().find(|pair| pair.key() == key).map(|pair| pair.value())
}

/// The Arrow type in which a leaf is handed out.
fn leaf(ty: &Type) -> Result<DataType> {
    let unit = match attribute(ty, "iceberg.timestamp-unit") {
        Some(unit) if unit.eq_ignore_ascii_case("NANOS") => TimeUnit::Nanosecond,
        _ => TimeUnit::Microsecond,
    };
    Ok(match kind(ty)? {
        Kind::Boolean => DataType::Boolean,
        Kind::Byte | Kind::Short | Kind::Int => DataType::Int32,
        Kind::Long if attribute(ty, "iceberg.long-type") == Some("TIME") => DataType::Time64(TimeUnit::Microsecond),
        Kind::Long => DataType::Int64,
        Kind::Float => DataType::Float32,
        Kind::Double => DataType::Float64,
        Kind::String | Kind::Varchar | Kind::Char => DataType::Utf8,
        Kind::Binary => match attribute(ty, "iceberg.binary-type") {
            Some("UUID") => DataType::FixedSizeBinary(16),
            Some("FIXED") => {
                let length = attribute(ty, "iceberg.length").and_then(|n| n.parse().ok()).filter(|n| *n >= 0);
                DataType::FixedSizeBinary(length.ok_or_else(|| broken("a fixed without iceberg.length"))?)
            }
            _ => DataType::Binary,
        },
        Kind::Decimal => DataType::Decimal128(ty.precision.unwrap_or(38) as u8, ty.scale.unwrap_or(10) as i8),
        Kind::Date => DataType::Date32,
        Kind::Timestamp => DataType::Timestamp(unit, None),
        Kind::TimestampInstant => DataType::Timestamp(unit, Some("UTC".into())),
        // Refused when it is read.
        Kind::Union => DataType::Union(UnionFields::empty(), UnionMode::Sparse),
        Kind::Struct | Kind::List | Kind::Map => return Err(Error::internal("not a leaf")),
    })
}

/// The metadata key of fields whose ORC type is `char`: blanks at the end of their values are padding.
pub(super) const CHAR: &str = "ORC:char";

/// A type of the checked tree as a field.
fn field(types: &[Type], at: usize, name: &str, nullable: bool) -> Result<FieldRef> {
    let ty = &types[at];
    let child = |i: usize, name: &str, nullable| field(types, ty.subtypes[i] as usize, name, nullable);
    let data_type = match kind(ty)? {
        Kind::Struct => DataType::Struct(fields(types, at)?),
        Kind::List => DataType::List(child(0, "element", true)?),
        Kind::Map => {
            let entries = Fields::from(vec![child(0, "key", false)?, child(1, "value", true)?]);
            DataType::Map(Arc::new(Field::new("entries", DataType::Struct(entries), false)), false)
        }
        _ => leaf(ty)?,
    };
    let mut facts = HashMap::new();
    if let Some(id) = attribute(ty, "iceberg.id") {
        facts.insert("PARQUET:field_id".to_string(), id.to_string());
    }
    if kind(ty)? == Kind::Char {
        facts.insert(CHAR.to_string(), String::new());
    }
    Ok(Arc::new(Field::new(name, data_type, nullable).with_metadata(facts)))
}

/// The children of a struct of the checked tree. (`iceberg.required` is no promise of the file: all may be null.)
pub(super) fn fields(types: &[Type], at: usize) -> Result<Fields> {
    let ty = &types[at];
    ty.subtypes.iter().zip(&ty.field_names).map(|(&child, name)| field(types, child as usize, name, true)).collect()
}

/// The wanted types, renumbered, with the columns of the file that they stand for.
pub(super) struct Wanted {
    pub(super) types: Vec<Type>,
    pub(super) columns: Vec<usize>,
}

/// Whether a leaf can be handed out as asked: timestamps come in any unit.
fn fits(own: &DataType, asked: &DataType) -> bool {
    match (own, asked) {
        (DataType::Timestamp(_, own), DataType::Timestamp(_, asked)) => own == asked,
        (own, asked) => own == asked,
    }
}

impl Wanted {
    /// Whether there are instants at any depth.
    pub(super) fn has_instants(&self) -> bool {
        self.types.iter().any(|ty| ty.kind == Some(Kind::TimestampInstant as i32))
    }

    /// `fields` are fields of the file, structs pruned to the wanted children.
    pub(super) fn new(types: &[Type], fields: &Fields) -> Result<Self> {
        let mut wanted = Wanted { types: Vec::new(), columns: Vec::new() };
        wanted.add_struct(types, 0, fields)?;
        Ok(wanted)
    }

    fn push(&mut self, types: &[Type], at: usize) -> usize {
        self.types.push(Type { subtypes: Vec::new(), field_names: Vec::new(), ..types[at].clone() });
        self.columns.push(at);
        self.types.len() - 1
    }

    fn add_struct(&mut self, types: &[Type], at: usize, fields: &Fields) -> Result<usize> {
        let own = self.push(types, at);
        for field in fields {
            let names = &types[at].field_names;
            let Some(i) = names.iter().position(|name| name == field.name()) else {
                return Err(Error::internal(format!("field {:?} is not in the file", field.name())));
            };
            let child = self.add(types, types[at].subtypes[i] as usize, field)?;
            self.types[own].subtypes.push(child as u32);
            self.types[own].field_names.push(field.name().clone());
        }
        Ok(own)
    }

    fn add(&mut self, types: &[Type], at: usize, field: &FieldRef) -> Result<usize> {
        let misfit = || Error::internal(format!("field {:?} was asked for as {}", field.name(), field.data_type()));
        let child = |i: usize| types[at].subtypes[i] as usize;
        match (kind(&types[at])?, field.data_type()) {
            (Kind::Union, _) => Err(Error::unsupported("an ORC union").with("field", field.name())),
            (Kind::Struct, DataType::Struct(children)) => self.add_struct(types, at, children),
            (Kind::List, DataType::List(element)) => {
                let own = self.push(types, at);
                let element = self.add(types, child(0), element)?;
                self.types[own].subtypes.push(element as u32);
                Ok(own)
            }
            (Kind::Map, DataType::Map(entries, _)) => {
                let DataType::Struct(pair) = entries.data_type() else { return Err(misfit()) };
                let [key, value] = pair.as_ref() else { return Err(misfit()) };
                let own = self.push(types, at);
                let sides = [self.add(types, child(0), key)?, self.add(types, child(1), value)?];
                self.types[own].subtypes.extend(sides.map(|side| side as u32));
                Ok(own)
            }
            (Kind::Struct | Kind::List | Kind::Map, _) => Err(misfit()),
            _ if fits(&leaf(&types[at])?, field.data_type()) => Ok(self.push(types, at)),
            _ => Err(misfit()),
        }
    }
}
