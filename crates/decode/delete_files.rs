//! Delete files as they apply to tasks: each is read once a scan, whichever task asks first.

use crate::Context;
use crate::once_map::OnceMap;
use arrow_array::RecordBatch;
use lakefold_base::{Code, Error, Result};
use lakefold_deletes::{
    DvSource, EqualityGroup, EqualityIndex, PositionCollector, RoaringTreemap, read_dv, read_paimon_dv,
};
use lakefold_task::{DeleteContent, DeleteFile, Field, FileFormat, NameMapping, Rows, ScanTask, Type, reserved};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

type ByPath = HashMap<String, Arc<RoaringTreemap>>;

/// The batches of a delete file.
pub type DeleteRows = Box<dyn Iterator<Item = Result<RecordBatch>> + Send>;

/// Opens a Parquet, Avro or ORC file at a location and reads the given fields, projected by id onto their types
/// (by the names of the mapping in a file without ids). A leaf that the file lacks is `CorruptFile`, optional or not.
pub type OpenRows =
    fn(&Arc<Context>, location: &str, FileFormat, fields: &[Field], Option<&[NameMapping]>) -> Result<DeleteRows>;

/// The delete files of one scan, shared by its tasks. Held until the scan ends.
pub struct DeleteCache {
    open: OpenRows,
    /// By location, offset and length: one Puffin file holds many vectors.
    vectors: OnceMap<(String, u64, u64), Arc<RoaringTreemap>>,
    positions: OnceMap<String, Arc<ByPath>>,
    equality: OnceMap<(String, String), (Arc<EqualityIndex>, u32)>,
    /// By key columns.
    indexes: Mutex<HashMap<String, Arc<EqualityIndex>>>,
    set_bytes: AtomicUsize,
}

/// What hides rows of one task.
pub struct TaskDeletes {
    /// Rows to leave out.
    pub hide: Deletes,
    /// If set, only rows that these hide are returned.
    pub only: Option<Deletes>,
}

/// The union of some delete files, for one data file.
#[derive(Default)]
pub struct Deletes {
    /// Ordinals in the file, before any filter; may reach beyond its rows.
    pub positions: Option<Arc<RoaringTreemap>>,
    /// One group for each set of key columns; a row goes if any group holds its key.
    pub equality: Vec<Arc<EqualityGroup>>,
}

impl Deletes {
    /// Whether nothing is deleted.
    pub fn is_empty(&self) -> bool {
        self.positions.is_none() && self.equality.is_empty()
    }
}

impl DeleteCache {
    /// An empty cache that reads position and equality delete files by `open`.
    pub fn new(open: OpenRows) -> Self {
        DeleteCache {
            open,
            vectors: OnceMap::default(),
            positions: OnceMap::default(),
            equality: OnceMap::default(),
            indexes: Mutex::default(),
            set_bytes: AtomicUsize::new(0),
        }
    }

    /// Bytes held, about.
    pub fn bytes(&self) -> usize {
        let indexes = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        self.set_bytes.load(Ordering::Relaxed) + indexes.values().map(|index| index.bytes()).sum::<usize>()
    }

    fn index(&self, signature: &str, fields: Vec<Field>) -> Arc<EqualityIndex> {
        let mut indexes = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        indexes.entry(signature.to_string()).or_insert_with(|| Arc::new(EqualityIndex::new(fields))).clone()
    }
}

/// Reads what a task's delete files hold, or takes it from the cache. Any failure is an error: never fewer deletes.
pub fn load_deletes(task: &ScanTask, context: &Arc<Context>) -> Result<TaskDeletes> {
    Ok(TaskDeletes {
        hide: load(task, &task.delete_files, context)?,
        only: task.only_deleted_by.as_ref().map(|files| load(task, files, context)).transpose()?,
    })
}

/// The number of distinct deleted positions below the data file's record count, from delete files only.
/// Equality deletes or an unknown record count make this `InvalidArgument`: the rows have to be read.
pub fn count_deleted(task: &ScanTask, context: &Arc<Context>) -> Result<u64> {
    let needs_rows = |why: &str| {
        Err(Error::new(Code::InvalidArgument, format!("cannot count deletes without reading rows: {why}"))
            .in_file(&task.data_file.path))
    };
    if task.rows != Rows::Plain {
        return needs_rows("the task has files of its own");
    }
    if task.only_deleted_by.is_some() {
        return needs_rows("only deleted rows are asked for");
    }
    if task.row_ranges.is_some() {
        return needs_rows("only rows of some ranges are asked for");
    }
    if task.delete_files.iter().any(|file| file.content == DeleteContent::Equality) {
        return needs_rows("there are equality deletes");
    }
    let Ok(rows) = u64::try_from(task.data_file.record_count) else {
        return needs_rows("the record count is not known");
    };
    let deletes = load(task, &task.delete_files, context)?;
    Ok(deletes.positions.map_or(0, |positions| positions.range_cardinality(..rows)))
}

fn load(task: &ScanTask, files: &[DeleteFile], context: &Arc<Context>) -> Result<Deletes> {
    let path = task.data_file.path.as_str();
    let mut positions: Vec<Arc<RoaringTreemap>> = Vec::new();
    let mut equality: BTreeMap<String, (Arc<EqualityIndex>, Vec<u32>)> = BTreeMap::new();
    for file in files {
        context.check()?;
        match file.content {
            DeleteContent::PuffinDv => positions.push(vector(file, path, context)?),
            DeleteContent::Positions if may_name(file, path) => {
                positions.extend(in_position_file(file, path, context)?)
            }
            DeleteContent::Positions => {}
            DeleteContent::PaimonDv => positions.push(paimon_vector(file, path, context)?),
            DeleteContent::Equality => {
                let (fields, signature) = key_columns(file)?;
                let (index, ordinal) = equality_file(file, fields, &signature, context)?;
                equality.entry(signature).or_insert_with(|| (index, Vec::new())).1.push(ordinal);
            }
        }
    }
    let equality = equality.into_values().map(|(index, files)| Arc::new(EqualityGroup::new(index, files))).collect();
    Ok(Deletes { positions: union(positions), equality })
}

fn union(mut sets: Vec<Arc<RoaringTreemap>>) -> Option<Arc<RoaringTreemap>> {
    sets.retain(|set| !set.is_empty());
    match sets.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        [first, rest @ ..] => {
            let mut all = first.as_ref().clone();
            for set in rest {
                all |= set.as_ref();
            }
            Some(Arc::new(all))
        }
    }
}

/// Whether a position delete file can name the path, by the bounds in its manifest. Inverted bounds say nothing;
/// an upper bound may be cut, and then is a prefix of the path.
fn may_name(file: &DeleteFile, path: &str) -> bool {
    let (lower, upper) = (file.lower_path.as_deref(), file.upper_path.as_deref());
    if let (Some(lower), Some(upper)) = (lower, upper)
        && lower > upper
    {
        return true;
    }
    lower.is_none_or(|lower| lower <= path) && upper.is_none_or(|upper| path <= upper || path.starts_with(upper))
}

fn vector(file: &DeleteFile, data_file: &str, context: &Arc<Context>) -> Result<Arc<RoaringTreemap>> {
    let broken = |problem: String| Error::corrupt(problem).in_file(&file.path).with("data-file", data_file);
    let (Some(offset), Some(size)) = (file.content_offset, file.content_size_in_bytes) else {
        return Err(broken("a deletion vector without content offset or size".to_string()));
    };
    match file.referenced_data_file.as_deref() {
        Some(referenced) if referenced == data_file => {}
        other => return Err(broken(format!("a deletion vector for {other:?}")).with("offset", offset)),
    }
    let map = context.deletes.vectors.get_or_load((file.location.clone(), offset, size), || {
        let end =
            offset.checked_add(size).ok_or_else(|| broken(format!("content size {size}")).with("offset", offset))?;
        let read = || context.store.open(&file.location)?.read(offset..end);
        let blob = read().map_err(|e| e.in_file(&file.path).with("offset", offset).with("data-file", data_file))?;
        let source = DvSource { puffin: &file.path, offset, data_file, record_count: file.record_count };
        let map = Arc::new(read_dv(&blob, source)?);
        context.deletes.set_bytes.fetch_add(map.serialized_size(), Ordering::Relaxed);
        Ok(map)
    })?;
    // Another entry may have led to the same bytes.
    if i64::try_from(map.len()) != Ok(file.record_count) {
        return Err(broken(format!("cardinality {}, the manifest says {}", map.len(), file.record_count))
            .with("offset", offset));
    }
    Ok(map)
}

/// A block of a Paimon deletion vector index file (its offset and length as the index manifest has them).
fn paimon_vector(file: &DeleteFile, data_file: &str, context: &Arc<Context>) -> Result<Arc<RoaringTreemap>> {
    let broken = |problem: String| Error::corrupt(problem).in_file(&file.path).with("data-file", data_file);
    let (Some(offset), Some(size)) = (file.content_offset, file.content_size_in_bytes) else {
        return Err(broken("a deletion vector without content offset or size".to_string()));
    };
    match file.referenced_data_file.as_deref() {
        Some(referenced) if referenced == data_file => {}
        other => return Err(broken(format!("a deletion vector for {other:?}")).with("offset", offset)),
    }
    let cardinality = u64::try_from(file.record_count).ok();
    let map = context.deletes.vectors.get_or_load((file.location.clone(), offset, size), || {
        let named = |e: Error| e.in_file(&file.path).with("offset", offset).with("data-file", data_file);
        let source = context.store.open(&file.location).map_err(named)?;
        // The 32-bit form has a size word and a checksum beyond the length that the manifest gives.
        let end = offset.checked_add(size).and_then(|end| end.checked_add(8)).map(|end| end.min(source.len()));
        let end = end.filter(|end| *end > offset).ok_or_else(|| {
            broken(format!("a deletion vector of {size} bytes lies beyond the file's {}", source.len()))
                .with("offset", offset)
        })?;
        let bytes = source.read(offset..end).map_err(named)?;
        let map = Arc::new(read_paimon_dv(&bytes, size, cardinality).map_err(named)?);
        context.deletes.set_bytes.fetch_add(map.serialized_size(), Ordering::Relaxed);
        Ok(map)
    })?;
    if cardinality.is_some_and(|known| known != map.len()) {
        return Err(broken(format!("cardinality {}, the manifest says {}", map.len(), file.record_count))
            .with("offset", offset));
    }
    Ok(map)
}

fn rows(
    file: &DeleteFile,
    fields: &[Field],
    names: Option<&[NameMapping]>,
    context: &Arc<Context>,
) -> Result<DeleteRows> {
    (context.deletes.open)(context, &file.location, file.format, fields, names).map_err(|e| e.in_file(&file.path))
}

fn position_columns() -> ([Field; 2], [NameMapping; 2]) {
    let columns = [(reserved::DELETE_FILE_PATH, "file_path", Type::String), (reserved::DELETE_POS, "pos", Type::Long)];
    let names = columns.each_ref().map(|(id, name, _)| NameMapping {
        field_id: Some(*id),
        names: vec![name.to_string()],
        fields: Vec::new(),
    });
    let fields = columns.map(|(id, name, field_type)| Field {
        id,
        name: name.to_string(),
        required: true,
        field_type,
        initial_default: None,
    });
    (fields, names)
}

fn in_position_file(file: &DeleteFile, path: &str, context: &Arc<Context>) -> Result<Option<Arc<RoaringTreemap>>> {
    let by_path = context.deletes.positions.get_or_load(file.location.clone(), || {
        let (fields, names) = position_columns();
        let mut collector = PositionCollector::new(&file.path);
        for batch in rows(file, &fields, Some(&names), context)? {
            collector.add(&batch.map_err(|e| e.in_file(&file.path))?)?;
        }
        let by_path = collector.finish();
        let bytes = by_path.iter().map(|(path, map)| path.len() + map.serialized_size()).sum();
        context.deletes.set_bytes.fetch_add(bytes, Ordering::Relaxed);
        Ok(Arc::new(by_path))
    })?;
    Ok(by_path.get(path).cloned())
}

fn leaf_ids(fields: &[Field], out: &mut Vec<i32>) {
    for field in fields {
        match &field.field_type {
            Type::Struct(children) => leaf_ids(children, out),
            _ => out.push(field.id),
        }
    }
}

fn sorted(mut fields: Vec<Field>) -> Vec<Field> {
    fields.sort_by_key(|field| field.id);
    for field in &mut fields {
        if let Type::Struct(children) = &mut field.field_type {
            *children = sorted(std::mem::take(children));
        }
    }
    fields
}

/// The key's columns in one order for every file with the same set of ids, and a text that tells sets apart.
fn key_columns(file: &DeleteFile) -> Result<(Vec<Field>, String)> {
    let broken = |problem: String| Error::corrupt(problem).in_file(&file.path).with("field", "equality-ids");
    let mut ids = file.equality_ids.clone().unwrap_or_default();
    if ids.is_empty() {
        return Err(broken("an equality delete file without equality ids".to_string()));
    }
    let fields = sorted(file.equality_fields.clone().unwrap_or_default());
    let mut leaves = Vec::new();
    leaf_ids(&fields, &mut leaves);
    leaves.sort_unstable();
    ids.sort_unstable();
    ids.dedup();
    if ids != leaves {
        return Err(broken(format!("equality ids {ids:?}, but the key's columns are {leaves:?}")));
    }
    let signature = serde_json::to_string(&fields).map_err(|e| Error::internal("key columns").caused_by(e))?;
    Ok((fields, signature))
}

fn equality_file(
    file: &DeleteFile,
    fields: Vec<Field>,
    signature: &str,
    context: &Arc<Context>,
) -> Result<(Arc<EqualityIndex>, u32)> {
    context.deletes.equality.get_or_load((file.location.clone(), signature.to_string()), || {
        let index = context.deletes.index(signature, fields);
        let ordinal = index.new_file();
        for batch in rows(file, index.fields(), None, context)? {
            let batch = batch.map_err(|e| e.in_file(&file.path))?;
            index.add(ordinal, &batch).map_err(|e| e.in_file(&file.path))?;
        }
        Ok((index, ordinal))
    })
}

#[cfg(test)]
mod tests;
