use lakefold_base::Result;
use lakefold_task::{Field, NameMapping, Type, reserved};

/// Ids above this one belong to the format (Iceberg spec, "Reserved Field IDs").
const FIRST_RESERVED: i32 = i32::MAX - 201;

/// A field of a file, of whatever format, as far as projection needs to know it.
#[derive(Debug, Clone)]
pub(crate) struct FileNode {
    /// The Iceberg id: the file's own, or one that a name mapping or the position gave.
    pub id: Option<i32>,
    /// The file's name for it.
    pub name: String,
    /// What it is.
    pub kind: FileKind,
    /// The type that the file's own schema declares for it, where that schema is kept apart from the file.
    pub declared: Option<Type>,
}

/// The shape of a file's field. Leaves are numbered depth-first over the whole file.
#[derive(Debug, Clone)]
pub(crate) enum FileKind {
    /// A column with values.
    Leaf { column: usize, note: Note },
    /// A struct.
    Struct(Vec<FileNode>),
    /// A list and its element.
    List(Box<FileNode>),
    /// A map's key and value; old writers leave the value out.
    Map(Box<FileNode>, Option<Box<FileNode>>),
}

/// The unit of a stored time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Thousandths of a second.
    Millis,
    /// Millionths of a second.
    Micros,
    /// Billionths of a second.
    Nanos,
}

/// How a stored value is meant, beyond the type of the array that it comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Note {
    /// Just the physical value.
    Plain,
    /// The Arrow type of the array says it all (Avro, ORC, variants).
    Native,
    /// Always null.
    Null,
    /// Days since 1970.
    Date,
    /// Time of day.
    Time(Unit),
    /// Time since 1970.
    Timestamp(Unit),
    /// Nanoseconds of the day and a Julian day, 12 bytes.
    Int96,
    /// An unscaled number.
    Decimal { precision: u32, scale: i32 },
    /// An unsigned integer in a signed one's bits.
    Unsigned,
    /// UTF-8 text.
    Utf8,
    /// A half precision float in two bytes.
    Float16,
}

/// How fields of the file are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Matching {
    /// By the ids in the file.
    Ids,
    /// By ids that a name mapping gave.
    Mapped,
    /// Top level by position, below that by name: neither ids nor a mapping.
    Positions,
    /// By name: Avro and ORC without ids and mapping.
    Names,
    /// By ids that the file's own schema gave; what the task knows comes before what the file holds.
    Declared,
}

/// A file's fields and the way to find them.
#[derive(Debug, Clone)]
pub(crate) struct FileTree {
    /// The top-level fields in the file's order.
    pub roots: Vec<FileNode>,
    /// How to find them.
    pub matching: Matching,
}

impl FileNode {
    /// Calls `visit` with each leaf below, or itself.
    pub(crate) fn for_leaves(&self, visit: &mut dyn FnMut(usize)) {
        match &self.kind {
            FileKind::Leaf { column, .. } => visit(*column),
            FileKind::Struct(children) => children.iter().for_each(|c| c.for_leaves(visit)),
            FileKind::List(element) => element.for_leaves(visit),
            FileKind::Map(key, value) => {
                key.for_leaves(visit);
                if let Some(value) = value {
                    value.for_leaves(visit);
                }
            }
        }
    }

    /// The two fields of an entry, if this is one.
    pub(crate) fn sides(&self) -> Option<(&FileNode, &FileNode)> {
        match &self.kind {
            FileKind::Struct(children) if children.len() == 2 => Some((&children[0], &children[1])),
            _ => None,
        }
    }

    fn has_id(&self) -> bool {
        self.id.is_some()
            || match &self.kind {
                FileKind::Leaf { .. } => false,
                FileKind::Struct(children) => children.iter().any(FileNode::has_id),
                FileKind::List(element) => element.has_id(),
                FileKind::Map(key, value) => key.has_id() || value.as_ref().is_some_and(|v| v.has_id()),
            }
    }

    /// Gives fields the ids and types that the file's own schema has for them; what it does not name has no id.
    fn declare(&mut self, id: Option<i32>, field_type: Option<&Type>) {
        self.id = id;
        self.declared = field_type.cloned();
        match &mut self.kind {
            FileKind::Leaf { .. } => {}
            FileKind::Struct(children) => {
                let fields = if let Some(Type::Struct(fields)) = field_type { fields.as_slice() } else { &[] };
                for child in children {
                    let field = fields.iter().find(|f| f.name == child.name);
                    child.declare(field.map(|f| f.id), field.map(|f| &f.field_type));
                }
            }
            FileKind::List(element) => match field_type {
                Some(Type::List(field)) => element.declare(Some(field.id), Some(&field.field_type)),
                // Maps whose keys are no strings are lists of entries in Avro.
                Some(Type::Map(key, value)) => {
                    element.declare(None, None);
                    if let FileKind::Struct(sides) = &mut element.kind {
                        for (side, field) in sides.iter_mut().zip([key, value]) {
                            side.declare(Some(field.id), Some(&field.field_type));
                        }
                    }
                }
                _ => element.declare(None, None),
            },
            FileKind::Map(file_key, file_value) => {
                let sides = if let Some(Type::Map(key, value)) = field_type { Some((key, value)) } else { None };
                file_key.declare(sides.map(|s| s.0.id), sides.map(|s| &s.0.field_type));
                if let Some(file_value) = file_value {
                    file_value.declare(sides.map(|s| s.1.id), sides.map(|s| &s.1.field_type));
                }
            }
        }
    }

    fn map_children(&mut self, mapping: &[NameMapping]) {
        let assign = |node: &mut FileNode, name: &str| {
            let entry = mapping.iter().find(|m| m.names.iter().any(|n| n == name));
            node.id = entry.and_then(|m| m.field_id);
            node.map_children(entry.map_or(&[], |m| &m.fields));
        };
        match &mut self.kind {
            FileKind::Leaf { .. } => {}
            FileKind::Struct(children) => {
                for child in children {
                    let name = child.name.clone();
                    assign(child, &name);
                }
            }
            FileKind::List(element) => assign(element, "element"),
            FileKind::Map(key, value) => {
                assign(key, "key");
                if let Some(value) = value {
                    assign(value, "value");
                }
            }
        }
    }
}

impl FileTree {
    /// Settles how fields are found (section "Column Projection" of the Iceberg spec): if any field of the file has
    /// an id, by ids only; else by the name mapping; else by `fallback`.
    pub(crate) fn new(roots: Vec<FileNode>, mapping: Option<&[NameMapping]>, fallback: Matching) -> Result<Self> {
        let mut root = FileNode { id: None, name: String::new(), kind: FileKind::Struct(roots), declared: None };
        let matching = if root.has_id() {
            Matching::Ids
        } else if let Some(mapping) = mapping {
            root.map_children(mapping);
            Matching::Mapped
        } else {
            fallback
        };
        let FileKind::Struct(mut roots) = root.kind else { return Ok(Self { roots: Vec::new(), matching }) };
        if matching == Matching::Positions {
            for (index, node) in roots.iter_mut().enumerate() {
                node.id = i32::try_from(index + 1).ok();
            }
        }
        Ok(Self { roots, matching })
    }

    /// The fields of a file whose schema is kept apart from it: by the names of that schema, then by its ids.
    /// `wanted` tells the two meanings of `_SEQUENCE_NUMBER` apart.
    pub(crate) fn declared(mut roots: Vec<FileNode>, schema: &[Field], wanted: &[Field]) -> Self {
        let keyed = wanted.iter().any(|f| f.id == reserved::SEQUENCE_NUMBER);
        for node in &mut roots {
            let system = match node.name.as_str() {
                "_VALUE_KIND" => Some((reserved::VALUE_KIND, Type::TinyInt)),
                "_SEQUENCE_NUMBER" if keyed => Some((reserved::SEQUENCE_NUMBER, Type::Long)),
                "_SEQUENCE_NUMBER" => Some((reserved::LAST_UPDATED_SEQUENCE_NUMBER, Type::Long)),
                "_ROW_ID" => Some((reserved::ROW_ID, Type::Long)),
                _ => None,
            };
            match (schema.iter().find(|f| f.name == node.name), system) {
                (Some(field), _) => node.declare(Some(field.id), Some(&field.field_type)),
                (None, Some((id, field_type))) => node.declare(Some(id), Some(&field_type)),
                (None, None) => node.declare(None, None),
            }
        }
        Self { roots, matching: Matching::Declared }
    }

    /// The child that holds a field, as its index.
    pub(crate) fn find(&self, siblings: &[FileNode], id: i32, name: &str, top_level: bool) -> Option<usize> {
        if id > FIRST_RESERVED && !matches!(self.matching, Matching::Ids | Matching::Declared) {
            // Metadata columns go by id; only position delete files may have theirs by name.
            let by_name = matches!(id, reserved::DELETE_FILE_PATH | reserved::DELETE_POS);
            return siblings.iter().position(|n| by_name && n.name == name);
        }
        match self.matching {
            Matching::Ids | Matching::Mapped | Matching::Declared => siblings.iter().position(|n| n.id == Some(id)),
            Matching::Positions if top_level => siblings.iter().position(|n| n.id == Some(id)),
            Matching::Positions | Matching::Names => siblings.iter().position(|n| n.name == name),
        }
    }
}
