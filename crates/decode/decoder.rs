use arrow_schema::{DataType, FieldRef, Fields};
use lakefold_base::Result;
use parquet::arrow::{FieldLevels, ProjectionMask, parquet_to_arrow_field_levels, parquet_to_arrow_schema};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::crew::Crew;
use crate::guard::parquet_error;
use crate::layout::Layout;
use crate::tree::{FileKind, FileNode, Note};

/// How the leaves of a projection are decoded, the same for all row groups of a file.
#[derive(Clone)]
pub(crate) struct Decoder {
    /// Some of the top-level fields each, for threads of their own.
    pub parts: Vec<FieldLevels>,
    /// The part of each field, in the file's order.
    pub places: Vec<usize>,
}

impl Decoder {
    /// Those of the leaves that are in `forms`, columns of strings, come as these types. `bytes` are those of each leaf,
    /// by which the work is divided between a crew.
    pub(crate) fn new(
        layout: &Layout,
        leaves: &BTreeSet<usize>,
        forms: &BTreeMap<usize, DataType>,
        bytes: impl Fn(usize) -> u64,
        crew: Option<&Crew>,
    ) -> Result<Self> {
        let roots: Vec<BTreeSet<usize>> =
            layout.roots.iter().map(|root| wanted(root, leaves)).filter(|wanted| !wanted.is_empty()).collect();
        let sizes: Vec<u64> = roots.iter().map(|leaves| leaves.iter().map(|leaf| bytes(*leaf)).sum()).collect();
        let count = crew.map_or(1, |crew| crew.parts(sizes.iter().sum())).min(sizes.len());
        let places = divide(&sizes, count);
        let hint = if forms.is_empty() { None } else { Some(in_forms(layout, forms)?) };
        let part = |part: usize| {
            let mine = roots.iter().zip(&places).filter(|(_, place)| **place == part).flat_map(|(leaves, _)| leaves);
            let mask = ProjectionMask::leaves(&layout.canonical, mine.copied());
            parquet_to_arrow_field_levels(&layout.canonical, mask, hint.as_ref()).map_err(parquet_error)
        };
        let parts = (0..count).map(part).collect::<Result<Vec<_>>>()?;
        Ok(Self { parts, places })
    }
}

/// Those of the leaves that lie below a field.
fn wanted(root: &FileNode, leaves: &BTreeSet<usize>) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    root.for_leaves(&mut |leaf| {
        if leaves.contains(&leaf) {
            found.insert(leaf);
        }
    });
    found
}

/// The part of each field: the largest first, each to the part that has least.
fn divide(sizes: &[u64], parts: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|field| std::cmp::Reverse(sizes[*field]));
    let mut loads = vec![(0_u64, 0_usize); parts];
    let mut places = vec![0; sizes.len()];
    for field in order {
        let least = (0..parts).min_by_key(|part| loads[*part]).unwrap_or(0);
        places[field] = least;
        loads[least] = (loads[least].0 + sizes[field], loads[least].1 + 1);
    }
    places
}

/// The file's fields as they are decoded, some columns of strings as dictionaries or views.
fn in_forms(layout: &Layout, forms: &BTreeMap<usize, DataType>) -> Result<Fields> {
    let schema = parquet_to_arrow_schema(&layout.canonical, None).map_err(parquet_error)?;
    let field = |(field, node): (&FieldRef, &FileNode)| match &node.kind {
        FileKind::Leaf { column, note: Note::Utf8 } => match forms.get(column) {
            Some(form) => Arc::new(field.as_ref().clone().with_data_type(form.clone())),
            None => Arc::clone(field),
        },
        _ => Arc::clone(field),
    };
    Ok(schema.fields().iter().zip(&layout.roots).map(field).collect())
}
