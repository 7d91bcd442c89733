use crate::envelope::{envelope, no_such};
use lakefold_base::{Code, Error, Result};
use lakefold_decode::{Context, Crew, DeleteCache, Options, TaskGroup};
use lakefold_ledger::Account;
use lakefold_store::LocalStore;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use serde::Deserialize;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard};

/// What the tasks of one read share, found by its handle from every thread.
pub(crate) struct Scan {
    pub context: Arc<Context>,
    pub account: Arc<Account>,
    /// The bytes of batches: those that its reader may hold, and one that each worker is at.
    batches: usize,
    /// A reader is taken out while a thread decodes with it, so that no two can.
    pub tasks: Mutex<HashMap<u32, Option<TaskGroup>>>,
}

/// Columns of fewer uncompressed bytes are not worth dividing between threads.
const PART_BYTES: u64 = 512 << 10;

/// Bytes of a scan.
#[napi(object)]
pub struct ScanMemory {
    /// Decoded and alive.
    pub live: f64,
    /// The most that were.
    pub peak: f64,
    /// Those of `live` that wait to be claimed.
    pub unclaimed: f64,
    /// What decoding holds beside them: read and not yet decoded, and pages being decoded.
    pub working: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ScanOptions {
    #[serde(default = "default_batch_size")]
    batch_size: usize,
    #[serde(default = "default_batch_bytes")]
    batch_bytes: usize,
    #[serde(default = "yes")]
    prune: bool,
    #[serde(default)]
    verify_crc: bool,
    #[serde(default)]
    dictionaries: BTreeSet<i32>,
    #[serde(default)]
    memory_limit: usize,
    #[serde(default)]
    workers: usize,
}

fn default_batch_size() -> usize {
    65_536
}

fn default_batch_bytes() -> usize {
    16 << 20
}

fn yes() -> bool {
    true
}

static SCANS: LazyLock<Mutex<HashMap<u32, Arc<Scan>>>> = LazyLock::new(Mutex::default);
static NEXT: AtomicU32 = AtomicU32::new(1);

pub(crate) fn next_handle() -> u32 {
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Poisoned only by a panic in code that leaves its map whole.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

pub(crate) fn find(handle: u32) -> Result<Arc<Scan>> {
    locked(&SCANS).get(&handle).cloned().ok_or_else(|| no_such("scan", handle))
}

/// Blocks that batches leave are kept for the next ones, within what the scans that are open need.
fn keep_blocks(scans: &HashMap<u32, Arc<Scan>>) {
    crate::blocks::keep(scans.values().map(|scan| scan.batches).fold(0, usize::saturating_add));
}

/// Opens a scan: `{batchSize, batchBytes, prune, verifyCrc, dictionaries, memoryLimit, workers}` as JSON; `memoryLimit` is
/// for what is decoded. Returns its handle.
#[napi]
pub fn scan_open(env: &Env, options_json: String) -> napi::Result<Object<'_>> {
    envelope(env, || {
        let options: ScanOptions = serde_json::from_str(&options_json)
            .map_err(|e| Error::new(Code::InvalidArgument, format!("not scan options: {e}")))?;
        if options.batch_size == 0 || options.batch_bytes == 0 {
            return Err(Error::new(Code::InvalidArgument, "batchSize must be at least 1").with("field", "batchSize"));
        }
        let workers = options.workers;
        let batches = options.memory_limit.saturating_add(workers.saturating_mul(options.batch_bytes));
        let dictionaries = Arc::new(options.dictionaries);
        let options = Options {
            batch_size: options.batch_size,
            batch_bytes: options.batch_bytes,
            prune: options.prune,
            verify_crc: options.verify_crc,
        };
        let context = Arc::new(Context {
            store: Arc::new(LocalStore),
            cancel: Arc::new(AtomicBool::new(false)),
            options,
            deletes: Arc::new(DeleteCache::new(lakefold_decode::project_file)),
            meter: Arc::default(),
            footers: Arc::default(),
            cuts: Arc::default(),
            dictionaries,
            crew: Arc::new(Crew::new(workers, PART_BYTES)),
        });
        let handle = next_handle();
        let scan = Scan { context, account: Arc::default(), batches, tasks: Mutex::default() };
        let mut scans = locked(&SCANS);
        scans.insert(handle, Arc::new(scan));
        keep_blocks(&scans);
        Ok(handle)
    })
}

/// Tells the scan's tasks, on all threads, to give up at the next page or block.
#[napi]
pub fn scan_cancel(env: &Env, scan: u32) -> napi::Result<Object<'_>> {
    envelope(env, || {
        find(scan)?.context.cancel.store(true, Ordering::SeqCst);
        Ok(())
    })
}

/// Cancels the scan and frees what it holds, except claimed batches. A closed scan stays closed.
#[napi]
pub fn scan_close(env: &Env, scan: u32) -> napi::Result<Object<'_>> {
    envelope(env, || {
        let scan = {
            let mut scans = locked(&SCANS);
            let scan = scans.remove(&scan);
            keep_blocks(&scans);
            scan
        };
        if let Some(scan) = scan {
            scan.context.cancel.store(true, Ordering::SeqCst);
            lakefold_ledger::discard_all(&scan.account);
            let readers: Vec<TaskGroup> = locked(&scan.tasks).drain().filter_map(|(_, reader)| reader).collect();
            drop(readers);
        }
        Ok(())
    })
}

/// The scan's bytes: `{live, peak, unclaimed}` decoded, and `working`, which decoding holds beside them.
#[napi]
pub fn scan_memory(env: &Env, scan: u32) -> napi::Result<Object<'_>> {
    envelope(env, || {
        let scan = find(scan)?;
        let decoded = scan.account.stats();
        Ok(ScanMemory {
            live: decoded.live as f64,
            peak: decoded.peak as f64,
            unclaimed: decoded.unclaimed as f64,
            working: scan.context.meter.bytes() as f64,
        })
    })
}
