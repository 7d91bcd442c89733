//! Equality deletes (Iceberg spec, "Equality Delete Files"): one index of key tuples for each set of key columns,
//! shared by all tasks of a scan; each key remembers the delete files that hold it.

use crate::keys::{Encoded, Encoder, Key, leaves};
use crate::row_hash::RowHasher;
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use arrow_schema::{ArrowError, DataType};
use arrow_select::filter::FilterBuilder;
use hashbrown::HashTable;
use lakefold_base::{Error, Result};
use lakefold_task::Field;
use std::mem::size_of;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// All keys of the delete files of a scan that share their key columns. Sequence numbers and partitions make
/// different files apply to different data files; so a key is stored once, with the ordinals of its files, and a
/// lookup costs one probe however many files there are.
pub struct EqualityIndex {
    fields: Vec<Field>,
    files: AtomicU32,
    state: RwLock<State>,
}

#[derive(Default)]
struct State {
    shape: Option<(Vec<DataType>, Encoder)>,
    hasher: RowHasher,
    /// Ordinals of entries, by key.
    table: HashTable<u32>,
    /// The hash of each entry: rows of a data file meet these before anything is encoded.
    hashes: Vec<u64>,
    keys: Keys,
    /// The newest file of each entry, with the rest of its list in `links`.
    owners: Vec<Owner>,
    links: Vec<Owner>,
}

/// The keys by entry.
#[derive(Default)]
struct Keys {
    null: Option<u32>,
    ints: Vec<i64>,
    ends: Vec<usize>,
    bytes: Vec<u8>,
}

#[derive(Clone, Copy)]
struct Owner {
    file: u32,
    next: u32,
}

const END: u32 = u32::MAX;

impl Keys {
    fn is(&self, entry: u32, key: Key<'_>) -> bool {
        let i = entry as usize;
        match key {
            Key::Null => self.null == Some(entry),
            Key::Int(v) => self.ints[i] == v && self.null != Some(entry),
            Key::Bytes(b) => self.value(i) == b && self.null != Some(entry),
        }
    }

    fn value(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.bytes[start..self.ends[i]]
    }

    fn push(&mut self, entry: u32, key: Key<'_>, ints: bool) {
        match key {
            Key::Null => self.null = Some(entry),
            Key::Int(_) => {}
            Key::Bytes(b) => self.bytes.extend_from_slice(b),
        }
        if ints {
            self.ints.push(if let Key::Int(v) = key { v } else { 0 });
        } else {
            self.ends.push(self.bytes.len());
        }
    }
}

impl State {
    fn encode(&self, columns: &[ArrayRef]) -> Result<Option<Encoded>> {
        let Some((types, encoder)) = &self.shape else { return Ok(None) };
        if !columns.iter().map(|c| c.data_type()).eq(types) {
            let found: Vec<_> = columns.iter().map(|c| c.data_type().to_string()).collect();
            return Err(Error::internal(format!("equality keys of types {found:?}, expected {types:?}")));
        }
        encoder.encode(columns).map(Some)
    }

    fn insert(&mut self, key: Key<'_>, hash: u64, file: u32, ints: bool) -> Result<()> {
        if let Some(&entry) = self.find(key, hash) {
            let head = &mut self.owners[entry as usize];
            if head.file != file {
                let next = ordinal(self.links.len())?;
                self.links.push(*head);
                *head = Owner { file, next };
            }
            return Ok(());
        }
        let entry = ordinal(self.owners.len())?;
        self.keys.push(entry, key, ints);
        self.owners.push(Owner { file, next: END });
        self.hashes.push(hash);
        let hashes = &self.hashes;
        self.table.insert_unique(hash, entry, |&entry| hashes[entry as usize]);
        Ok(())
    }

    fn find(&self, key: Key<'_>, hash: u64) -> Option<&u32> {
        self.table.find(hash, |e| self.hashes[*e as usize] == hash && self.keys.is(*e, key))
    }

    /// Whether some key has this hash.
    fn may(&self, hash: u64) -> bool {
        self.table.find(hash, |e| self.hashes[*e as usize] == hash).is_some()
    }

    fn hit(&self, key: Key<'_>, hash: u64, files: &[u64]) -> bool {
        let Some(&entry) = self.find(key, hash) else { return false };
        let mut owner = self.owners[entry as usize];
        loop {
            let i = owner.file as usize;
            if files.get(i / 64).is_some_and(|word| word >> (i % 64) & 1 == 1) {
                return true;
            }
            match self.links.get(owner.next as usize) {
                Some(next) => owner = *next,
                None => return false,
            }
        }
    }
}

fn ordinal(n: usize) -> Result<u32> {
    match u32::try_from(n) {
        Ok(n) if n != END => Ok(n),
        _ => Err(Error::new(lakefold_base::Code::LimitExceeded, "more than 4294967294 equality delete keys")),
    }
}

impl EqualityIndex {
    /// An empty index over the key columns `fields`: fields of the table, pruned to the key's leaves.
    pub fn new(fields: Vec<Field>) -> Self {
        EqualityIndex { fields, files: AtomicU32::new(0), state: RwLock::default() }
    }

    /// The key columns, in the order that batches have to have.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// A new ordinal for a delete file.
    pub fn new_file(&self) -> u32 {
        self.files.fetch_add(1, Ordering::Relaxed)
    }

    /// Adds the rows of a delete file; the columns are those of [`Self::fields`].
    pub fn add(&self, file: u32, keys: &RecordBatch) -> Result<()> {
        let columns = leaves(keys)?;
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if state.shape.is_none() {
            let types: Vec<_> = columns.iter().map(|c| c.data_type().clone()).collect();
            let encoder = Encoder::new(&types)?;
            state.shape = Some((types, encoder));
        }
        let Some(encoded) = state.encode(&columns)? else { return Ok(()) };
        let ints = matches!(encoded, Encoded::Int(_));
        for (row, hash) in state.hasher.rows(&columns, keys.num_rows()).into_iter().enumerate() {
            state.insert(encoded.key(row), hash, file, ints)?;
        }
        Ok(())
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        state.table.allocation_size()
            + state.hashes.capacity() * size_of::<u64>()
            + state.keys.bytes.capacity()
            + state.keys.ints.capacity() * size_of::<i64>()
            + state.keys.ends.capacity() * size_of::<usize>()
            + (state.owners.capacity() + state.links.capacity()) * size_of::<Owner>()
    }
}

/// The delete files of one index that apply to one task.
pub struct EqualityGroup {
    index: Arc<EqualityIndex>,
    files: Vec<u64>,
}

impl EqualityGroup {
    /// The group of the given file ordinals, see [`EqualityIndex::new_file`].
    pub fn new(index: Arc<EqualityIndex>, ordinals: impl IntoIterator<Item = u32>) -> Self {
        let mut files = Vec::new();
        for ordinal in ordinals {
            let word = ordinal as usize / 64;
            if files.len() <= word {
                files.resize(word + 1, 0);
            }
            files[word] |= 1 << (ordinal % 64);
        }
        EqualityGroup { index, files }
    }

    /// The key columns that a batch for [`Self::contains`] has to have, in this order, as fields of the table.
    pub fn fields(&self) -> &[Field] {
        self.index.fields()
    }

    /// Whether each row's key equals a delete row's: null = null, NaN = NaN, -0.0 and 0.0 differ. Never null.
    /// The columns are those of [`Self::fields`], in the table's types.
    pub fn contains(&self, keys: &RecordBatch) -> Result<BooleanArray> {
        let columns = leaves(keys)?;
        let state = self.index.state.read().unwrap_or_else(PoisonError::into_inner);
        let rows = keys.num_rows();
        let none = || Ok(BooleanArray::new(BooleanBuffer::new_unset(rows), None));
        if state.shape.is_none() {
            return none();
        }
        let hashes = state.hasher.rows(&columns, rows);
        let may = BooleanArray::new(BooleanBuffer::collect_bool(rows, |row| state.may(hashes[row])), None);
        if may.true_count() == 0 {
            return none();
        }
        let broken = |e: ArrowError| Error::internal("cannot pick equality keys").caused_by(e);
        let predicate = FilterBuilder::new(&may).build();
        let picked = columns.iter().map(|c| predicate.filter(c).map_err(broken)).collect::<Result<Vec<_>>>()?;
        let Some(encoded) = state.encode(&picked)? else { return none() };
        let mut hits = BooleanBufferBuilder::new(rows);
        hits.append_n(rows, false);
        for (at, row) in may.values().set_indices().enumerate() {
            if state.hit(encoded.key(at), hashes[row], &self.files) {
                hits.set_bit(row, true);
            }
        }
        Ok(BooleanArray::new(hits.finish(), None))
    }
}
