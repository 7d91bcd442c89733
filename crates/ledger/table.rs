use crate::account::{Account, Charge};
use crate::dictionaries::Dictionaries;
use crate::flatten::{Flat, Node};
use crate::rebuild;
use arrow_array::{Array, RecordBatch};
use arrow_buffer::Buffer;
use arrow_schema::SchemaRef;
use lakefold_base::{Code, Error, Result};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard};

#[derive(Default)]
struct Table {
    batches: HashMap<u64, Entry>,
    dictionaries: Dictionaries,
}

struct Entry {
    schema: SchemaRef,
    rows: usize,
    bytes: u64,
    flat: Flat,
    charges: Vec<Arc<Charge>>,
    dictionaries: Vec<u64>,
    account: Arc<Account>,
}

static TABLE: LazyLock<Mutex<Table>> = LazyLock::new(Mutex::default);
static NEXT: AtomicU64 = AtomicU64::new(1);

/// No code panics while it holds the lock in a way that leaves the maps broken, so a poisoned lock is usable.
fn table() -> MutexGuard<'static, Table> {
    TABLE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// What a worker passes on for a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Receipt {
    /// The number to claim the batch by, once.
    pub ticket: u64,
    /// Its rows.
    pub rows: usize,
    /// Its decoded bytes, by allocation.
    pub bytes: u64,
}

/// Memory that now belongs to the claimer; dropping it frees the memory and its share of the budget.
#[derive(Debug)]
pub struct Lease {
    /// The bytes.
    pub buffer: Buffer,
    _charge: Arc<Charge>,
}

/// Where a buffer of an array lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// Index into [`Claimed::buffers`].
    pub buffer: usize,
    /// Its first byte there.
    pub offset: usize,
    /// Its bytes.
    pub length: usize,
}

/// A claimed batch, in depth-first field order.
#[derive(Debug)]
pub struct Claimed {
    /// Its rows.
    pub rows: usize,
    /// One for each array.
    pub nodes: Vec<Node>,
    /// One for each buffer of each array, or none where there are no bytes.
    pub slots: Vec<Option<Slot>>,
    /// The memory, no address twice.
    pub buffers: Vec<Lease>,
    /// For each dictionary array, the id of its values: the same id, the same values.
    pub dictionaries: Vec<u64>,
}

/// Leaves a batch in the table, on the account of its scan. A closed account takes nothing: `Cancelled`.
pub fn put(batch: RecordBatch, account: &Arc<Account>) -> Result<Receipt> {
    let (schema, rows) = (batch.schema(), batch.num_rows());
    let mut flat = Flat::of_batch(&batch)?;
    // The batch's own references would look like someone else's.
    drop(batch);
    let (of_buffer, sizes) = flat.isolate();
    let bytes = sizes.iter().sum();
    let charges = charges(of_buffer, sizes, account);
    let ticket = NEXT.fetch_add(1, Ordering::Relaxed);

    let mut table = table();
    if account.is_closed() {
        return Err(Error::cancelled());
    }
    let dictionaries = flat.dictionaries.iter().map(|values| table.dictionaries.used(values, account)).collect();
    account.wait(bytes);
    table.batches.insert(ticket, Entry { schema, rows, bytes, flat, charges, dictionaries, account: account.clone() });
    Ok(Receipt { ticket, rows, bytes })
}

/// The charge of each buffer: that of its allocation.
fn charges(of_buffer: Vec<usize>, sizes: Vec<u64>, account: &Arc<Account>) -> Vec<Arc<Charge>> {
    let allocations: Vec<_> = sizes.into_iter().map(|bytes| Charge::new(bytes, account)).collect();
    of_buffer.into_iter().filter_map(|index| allocations.get(index).cloned()).collect()
}

fn remove(ticket: u64) -> Result<Entry> {
    let entry = table().batches.remove(&ticket).ok_or_else(|| {
        Error::new(Code::InvalidArgument, "no such batch: it was claimed before, or its scan is closed")
            .with("ticket", ticket)
    })?;
    entry.account.settle(entry.bytes);
    Ok(entry)
}

/// Takes a batch's memory out of the table. A ticket is good once.
pub fn claim(ticket: u64) -> Result<Claimed> {
    let entry = remove(ticket)?;
    Ok(lease(entry.flat, entry.charges, entry.rows, entry.dictionaries))
}

/// Hands out the memory of a batch: that of small buffers once, and each other buffer.
fn lease(flat: Flat, charges: Vec<Arc<Charge>>, rows: usize, dictionaries: Vec<u64>) -> Claimed {
    let mut leases = Vec::new();
    let mut places = Vec::with_capacity(flat.buffers.len());
    let mut packed = None;
    for (buffer, charge) in flat.buffers.iter().zip(charges) {
        let length = buffer.len();
        let (memory, offset, index) = match (&flat.packed, flat.place_in_packed(buffer)) {
            (Some(memory), Some(offset)) => (memory, offset, *packed.get_or_insert(leases.len())),
            _ => (buffer, 0, leases.len()),
        };
        if index == leases.len() {
            leases.push(Lease { buffer: memory.clone(), _charge: charge });
        }
        places.push(Slot { buffer: index, offset, length });
    }
    let slots = flat.slots.iter().map(|slot| slot.and_then(|index| places.get(index).copied())).collect();
    Claimed { rows, nodes: flat.nodes, slots, buffers: leases, dictionaries }
}

/// A copy of a dictionary's values, as a batch of one column: the decoder may still read the original. To be had until
/// each batch that names it is settled.
pub fn claim_dictionary(id: u64) -> Result<Claimed> {
    let Some((values, account)) = table().dictionaries.get(id) else {
        let gone = "no such dictionary: its batches are settled, or its scan is closed";
        return Err(Error::new(Code::InvalidArgument, gone).with("id", id));
    };
    let mut flat = Flat::of_array(&values)?;
    if !flat.dictionaries.is_empty() {
        return Err(Error::unsupported("dictionaries inside dictionaries"));
    }
    // `values` is still held here and in the table, so all of it is copied.
    let (of_buffer, sizes) = flat.isolate();
    let charges = charges(of_buffer, sizes, &account);
    Ok(lease(flat, charges, values.len(), Vec::new()))
}

/// Tells that the claimer of a batch has what it wants of the dictionaries that it names. Returns the ids of the same
/// scan that no batch will name again.
pub fn settle_dictionaries(ids: &[u64]) -> Vec<u64> {
    let mut table = table();
    let Some(account) = ids.iter().find_map(|id| table.dictionaries.get(*id)).map(|(_, account)| account) else {
        return Vec::new();
    };
    table.dictionaries.settle(ids);
    table.dictionaries.take_retired(&account)
}

/// Takes a batch out as a batch, for consumers in Rust.
pub fn take_batch(ticket: u64) -> Result<RecordBatch> {
    let entry = remove(ticket)?;
    let batch = rebuild::batch(&entry.flat, &entry.schema, entry.rows);
    table().dictionaries.settle(&entry.dictionaries);
    batch
}

/// Frees an unclaimed batch. Unknown tickets are none of its business.
pub fn discard(ticket: u64) {
    if let Ok(entry) = remove(ticket) {
        // Its own hold on the values would look like someone else's.
        let ids = entry.dictionaries.clone();
        drop(entry);
        table().dictionaries.settle(&ids);
    }
}

/// Frees all unclaimed batches and dictionaries of a scan and refuses those that are still being decoded.
pub fn discard_all(account: &Arc<Account>) {
    account.close();
    let mut gone = Vec::new();
    let mut table = table();
    let tickets: Vec<u64> =
        table.batches.iter().filter(|(_, e)| Arc::ptr_eq(&e.account, account)).map(|(t, _)| *t).collect();
    for ticket in tickets {
        if let Some(entry) = table.batches.remove(&ticket) {
            account.settle(entry.bytes);
            gone.push(entry);
        }
    }
    table.dictionaries.close(account);
    // The memory itself is freed when the lock is open again.
    drop(table);
}
