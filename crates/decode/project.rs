use arrow_schema::{DataType, FieldRef, Fields, TimeUnit};
use lakefold_base::{Error, Result};
use lakefold_task::{Field, Literal, Type};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::casts;
use crate::literal::{fit, from_single_value};
use crate::tree::{FileKind, FileNode, FileTree, Matching, Note};
use crate::types::{MAX_DEPTH, arrow_field};

/// Where the values of one requested field come from.
#[derive(Debug)]
pub(crate) struct Node {
    /// The requested field.
    pub field: Field,
    /// Its Arrow form.
    pub arrow: FieldRef,
    /// Which child of the decoded parent it is; meaningless for constants.
    pub from: usize,
    /// How to make the values.
    pub source: Source,
}

impl Node {
    /// The leaf of a string that is returned as it is stored.
    pub(crate) fn text_leaf(&self) -> Option<usize> {
        match (&self.source, &self.field.field_type) {
            (
                Source::Leaf { column, note: Note::Utf8, declared: None },
                Type::String | Type::Char(_) | Type::Varchar(_),
            ) => Some(*column),
            _ => None,
        }
    }
}

/// How to make the values of a field.
#[derive(Debug)]
pub(crate) enum Source {
    /// The same in every row.
    Constant(Option<Literal>),
    /// A struct that is nowhere null, of constants: a missing struct whose default is `{}`.
    Defaults(Vec<Node>),
    /// A leaf of the file; values of another declared type are cast.
    Leaf { column: usize, note: Note, declared: Option<Type> },
    /// A struct of the file.
    Struct(Vec<Node>),
    /// A list of the file.
    List(Box<Node>),
    /// A map of the file.
    Map(Box<Node>, Box<Node>),
    /// A variant group of the file, shredded or not.
    Variant,
}

/// Values that the plan knows without the file: identity partition values and their types, by field id.
pub(crate) type Constants = HashMap<i32, (Type, Option<Literal>)>;

/// Requested fields, bound to what one file has for them.
#[derive(Debug)]
pub(crate) struct Projection {
    /// One for each requested field.
    pub nodes: Vec<Node>,
    /// The leaves of the file that must be decoded.
    pub leaves: BTreeSet<usize>,
}

struct Binder<'a> {
    tree: &'a FileTree,
    constants: &'a Constants,
    leaves: BTreeSet<usize>,
}

impl Projection {
    /// Binds fields to a file (Iceberg spec, "Column Projection"). A required field that is nowhere, or a stored
    /// type that can't be promoted to the wanted one, is an error that names the field.
    pub(crate) fn bind(fields: &[Field], tree: &FileTree, constants: &Constants) -> Result<Self> {
        let mut binder = Binder { tree, constants, leaves: BTreeSet::new() };
        let nodes = binder.siblings(fields, &tree.roots, true, 0)?.0;
        Ok(Self { nodes, leaves: binder.leaves })
    }

    /// Fails if the file lacks a requested leaf, whatever its default.
    pub(crate) fn require_present(&self) -> Result<()> {
        let mut stack: Vec<&Node> = self.nodes.iter().collect();
        while let Some(node) = stack.pop() {
            match &node.source {
                Source::Constant(_) | Source::Defaults(_) => {
                    return Err(Error::corrupt("the file lacks a field that it must have")
                        .with("field", &node.field.name)
                        .with("field-id", node.field.id));
                }
                Source::Struct(children) => stack.extend(children),
                Source::List(element) => stack.push(element),
                Source::Map(key, value) => stack.extend([key.as_ref(), value.as_ref()]),
                Source::Leaf { .. } | Source::Variant => {}
            }
        }
        Ok(())
    }
}

impl Binder<'_> {
    /// Binds the fields of one struct; also says which of the file's siblings are read for them.
    fn siblings(
        &mut self,
        fields: &[Field],
        siblings: &[FileNode],
        top_level: bool,
        depth: usize,
    ) -> Result<(Vec<Node>, BTreeSet<usize>)> {
        let mut read = BTreeSet::new();
        let mut nodes = Vec::with_capacity(fields.len());
        for field in fields {
            let named = |e: Error| e.with("field", &field.name).with("field-id", field.id);
            let (index, node) = self.field(field, siblings, top_level, depth).map_err(named)?;
            read.extend(index);
            nodes.push(node);
        }
        for node in &mut nodes {
            // The decoder returns only the siblings that are read, in the file's order.
            node.from = read.range(..node.from).count();
        }
        Ok((nodes, read))
    }

    fn field(
        &mut self,
        field: &Field,
        siblings: &[FileNode],
        top_level: bool,
        depth: usize,
    ) -> Result<(Option<usize>, Node)> {
        if depth > MAX_DEPTH {
            return Err(Error::unsupported(format!("types nested deeper than {MAX_DEPTH}")));
        }
        let arrow = arrow_field(field)?;
        let constant = |source| (None, Node { field: field.clone(), arrow: Arc::clone(&arrow), from: 0, source });
        if field.field_type == Type::Unknown {
            return Ok(constant(Source::Constant(None)));
        }
        let known = match self.constants.get(&field.id) {
            Some((_, None)) => Some(None),
            Some((from, Some(value))) => Some(Some(fit(value.clone(), from, &field.field_type)?)),
            None => None,
        };
        // A file without ids has no field with this id, so the constant comes before the mapping.
        if let (Some(value), Matching::Mapped | Matching::Declared) = (&known, self.tree.matching) {
            return Ok(constant(Source::Constant(value.clone())));
        }
        match self.tree.find(siblings, field.id, &field.name, top_level) {
            Some(index) => {
                let source = self.source(field, &siblings[index], depth)?;
                let read = !matches!(source, Source::Constant(_));
                Ok((read.then_some(index), Node { field: field.clone(), arrow, from: index, source }))
            }
            None => match known {
                Some(value) => Ok(constant(Source::Constant(value))),
                None => Ok(constant(missing(field, depth)?)),
            },
        }
    }

    fn source(&mut self, field: &Field, file: &FileNode, depth: usize) -> Result<Source> {
        let wrong_kind = |kind: &str| {
            Error::corrupt(format!("the file holds {kind} where the table has a {}", field.field_type))
                .with("column", &file.name)
        };
        Ok(match (&field.field_type, &file.kind) {
            (_, FileKind::Leaf { note: Note::Null, .. }) => Source::Constant(None),
            (Type::Variant, FileKind::Struct(children)) => {
                if !children.iter().any(|c| c.name == "metadata") {
                    return Err(wrong_kind("a struct without variant metadata"));
                }
                file.for_leaves(&mut |leaf| {
                    self.leaves.insert(leaf);
                });
                Source::Variant
            }
            (Type::Struct(fields), FileKind::Struct(children)) => {
                let (nodes, read) = self.siblings(fields, children, false, depth + 1)?;
                if read.is_empty() {
                    // Which structs are null shows only in a leaf below.
                    match cheapest_leaf(file) {
                        Some(leaf) => {
                            self.leaves.insert(leaf);
                        }
                        None => return Ok(Source::Constant(None)),
                    }
                }
                Source::Struct(nodes)
            }
            (Type::List(element), FileKind::List(child)) => {
                Source::List(Box::new(self.only(element, child, depth + 1)?))
            }
            (Type::Map(key, value), FileKind::Map(file_key, file_value)) => {
                let key = self.only(key, file_key, depth + 1)?;
                if matches!(key.source, Source::Constant(_)) {
                    return Err(wrong_kind("a map without keys"));
                }
                let value = match file_value {
                    Some(child) => {
                        let mut node = self.only(value, child, depth + 1)?;
                        node.from = 1;
                        node
                    }
                    None => Node {
                        field: (**value).clone(),
                        arrow: arrow_field(value)?,
                        from: 1,
                        source: missing(value, depth + 1)?,
                    },
                };
                Source::Map(Box::new(key), Box::new(value))
            }
            (Type::Map(key, value), FileKind::List(entry)) if entry.sides().is_some() => {
                let Some((file_key, file_value)) = entry.sides() else { return Err(wrong_kind("a list")) };
                let key = self.only(key, file_key, depth + 1)?;
                let mut value = self.only(value, file_value, depth + 1)?;
                value.from = 1;
                Source::Map(Box::new(key), Box::new(value))
            }
            (wanted, FileKind::Leaf { column, note }) if is_primitive(wanted) => {
                self.leaves.insert(*column);
                let declared = file.declared.clone().filter(|declared| declared != wanted);
                if let Some(declared) = &declared {
                    casts::check(declared, wanted)?;
                }
                Source::Leaf { column: *column, note: *note, declared }
            }
            (_, FileKind::Leaf { .. }) => return Err(wrong_kind("a primitive")),
            (_, FileKind::Struct(_)) => return Err(wrong_kind("a struct")),
            (_, FileKind::List(_)) => return Err(wrong_kind("a list")),
            (_, FileKind::Map(..)) => return Err(wrong_kind("a map")),
        })
    }

    /// List elements, map keys and values are found by where they are, not by id.
    fn only(&mut self, field: &Field, file: &FileNode, depth: usize) -> Result<Node> {
        if depth > MAX_DEPTH {
            return Err(Error::unsupported(format!("types nested deeper than {MAX_DEPTH}")));
        }
        let source = if field.field_type == Type::Unknown {
            Source::Constant(None)
        } else {
            self.source(field, file, depth).map_err(|e| e.with("field", &field.name).with("field-id", field.id))?
        };
        if matches!(source, Source::Constant(_)) {
            // Lengths of lists show only in a leaf below.
            if let Some(leaf) = cheapest_leaf(file) {
                self.leaves.insert(leaf);
            }
        }
        Ok(Node { field: field.clone(), arrow: arrow_field(field)?, from: 0, source })
    }
}

fn is_primitive(field_type: &Type) -> bool {
    !matches!(field_type, Type::Struct(_) | Type::List(_) | Type::Map(..) | Type::Variant | Type::Unknown)
}

/// A leaf below that is in no list if possible.
fn cheapest_leaf(file: &FileNode) -> Option<usize> {
    fn flat(node: &FileNode) -> Option<usize> {
        match &node.kind {
            FileKind::Leaf { column, .. } => Some(*column),
            FileKind::Struct(children) => children.iter().find_map(flat),
            _ => None,
        }
    }
    flat(file).or_else(|| {
        let mut first = None;
        file.for_leaves(&mut |leaf| {
            first.get_or_insert(leaf);
        });
        first
    })
}

/// What rows of a file without the field hold.
fn missing(field: &Field, depth: usize) -> Result<Source> {
    if depth > MAX_DEPTH {
        return Err(Error::unsupported(format!("types nested deeper than {MAX_DEPTH}")));
    }
    match (&field.field_type, &field.initial_default) {
        (Type::Struct(fields), Some(Value::Object(_))) => {
            let child = |f: &Field| {
                let source = missing(f, depth + 1).map_err(|e| e.with("field", &f.name).with("field-id", f.id))?;
                Ok(Node { field: f.clone(), arrow: arrow_field(f)?, from: 0, source })
            };
            Ok(Source::Defaults(fields.iter().map(child).collect::<Result<_>>()?))
        }
        (field_type, Some(value)) if !value.is_null() => Ok(Source::Constant(from_single_value(field_type, value)?)),
        _ if field.required && field.field_type != Type::Unknown => {
            Err(Error::corrupt("the file lacks a required field, which has no default"))
        }
        _ => Ok(Source::Constant(None)),
    }
}

/// The Arrow fields of a file pruned to some leaves, counted depth-first; maps keep their keys whole, and their values if no leaf of them is wanted.
pub(crate) fn prune_arrow(fields: &Fields, roots: &[FileNode], leaves: &BTreeSet<usize>) -> Vec<FieldRef> {
    fields.iter().zip(roots).filter_map(|(field, node)| prune_field(field, node, leaves)).collect()
}

fn prune_field(field: &FieldRef, node: &FileNode, leaves: &BTreeSet<usize>) -> Option<FieldRef> {
    let mut wanted = false;
    node.for_leaves(&mut |leaf| wanted |= leaves.contains(&leaf));
    if !wanted {
        return None;
    }
    let with = |data_type| Some(Arc::new(field.as_ref().clone().with_data_type(data_type)));
    match (field.data_type(), &node.kind) {
        (DataType::Struct(children), FileKind::Struct(nodes)) => {
            with(DataType::Struct(prune_arrow(children, nodes, leaves).into()))
        }
        (DataType::List(child), FileKind::List(element)) => with(DataType::List(prune_field(child, element, leaves)?)),
        (DataType::Map(entries, sorted), FileKind::Map(key, Some(value))) => match entries.data_type() {
            DataType::Struct(sides) if sides.len() == 2 => {
                let kept = prune_field(&sides[1], value, leaves).unwrap_or_else(|| finer(&sides[1], value));
                let sides = Fields::from(vec![finer(&sides[0], key), kept]);
                let entries = entries.as_ref().clone().with_data_type(DataType::Struct(sides));
                with(DataType::Map(Arc::new(entries), *sorted))
            }
            _ => Some(finer(field, node)),
        },
        _ => Some(finer(field, node)),
    }
}

/// ORC stores nanoseconds and hands out the unit that is asked for: micros reach further, nanos lose nothing.
fn finer(field: &FieldRef, node: &FileNode) -> FieldRef {
    let with = |data_type| Arc::new(field.as_ref().clone().with_data_type(data_type));
    let nanos = matches!(node.declared, Some(Type::TimestampOf(7..) | Type::TimestamptzOf(7..)));
    match (field.data_type(), &node.kind) {
        (DataType::Timestamp(TimeUnit::Microsecond, zone), FileKind::Leaf { .. }) if nanos => {
            with(DataType::Timestamp(TimeUnit::Nanosecond, zone.clone()))
        }
        (DataType::Map(entries, sorted), FileKind::Map(key, Some(value))) => match entries.data_type() {
            DataType::Struct(sides) if sides.len() == 2 => {
                let sides = Fields::from(vec![finer(&sides[0], key), finer(&sides[1], value)]);
                let entries = entries.as_ref().clone().with_data_type(DataType::Struct(sides));
                with(DataType::Map(Arc::new(entries), *sorted))
            }
            _ => Arc::clone(field),
        },
        (DataType::Struct(children), FileKind::Struct(nodes)) => {
            with(DataType::Struct(children.iter().zip(nodes).map(|(f, n)| finer(f, n)).collect()))
        }
        (DataType::List(element), FileKind::List(inner)) => with(DataType::List(finer(element, inner))),
        _ => Arc::clone(field),
    }
}
