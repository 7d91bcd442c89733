use crate::envelope::{envelope, no_such};
use crate::scan::{Scan, find, locked, next_handle};
use lakefold_base::{Error, Result};
use lakefold_decode::TaskGroup;
use lakefold_task::ScanTask;
use napi::Env;
use napi::bindgen_prelude::{BigInt, Object};
use napi_derive::napi;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A batch that waits in the ledger.
#[napi(object)]
pub struct Ticket {
    /// To claim it by.
    pub ticket: f64,
    /// Its rows.
    pub rows: f64,
    /// Its decoded bytes.
    pub bytes: f64,
}

/// What a step of a group of tasks gave.
#[napi(object)]
pub struct Step {
    /// The next batches, in order.
    pub batches: Vec<Ticket>,
    /// Whether that was all; the group is closed then.
    pub done: bool,
}

/// Opens a group of tasks (ScanTask documents), read in order, and returns its handle. Reads nothing yet.
#[napi]
pub fn task_open(env: &Env, scan: u32, task_jsons: Vec<String>) -> napi::Result<Object<'_>> {
    envelope(env, || {
        let scan = find(scan)?;
        scan.context.check()?;
        let handle = next_handle();
        locked(&scan.tasks).insert(handle, Some(TaskGroup::new(task_jsons, scan.context.clone())));
        Ok(handle)
    })
}

/// Decodes a group's next batches into the ledger until they hold `max_bytes`, at least one. Blocks: for worker threads.
#[napi]
pub fn task_next(env: &Env, scan: u32, task: u32, max_bytes: f64) -> napi::Result<Object<'_>> {
    envelope(env, || {
        let scan = find(scan)?;
        let reader = locked(&scan.tasks).get_mut(&task).and_then(Option::take);
        let mut reader = reader.ok_or_else(|| no_such("task", task))?;
        let mut step = Step { batches: Vec::new(), done: false };
        let outcome = fill(&scan, &mut reader, max_bytes, &mut step);
        if outcome.is_err() {
            // Nobody learns of these tickets.
            step.batches.iter().for_each(|b| lakefold_ledger::discard(b.ticket as u64));
        }
        let mut tasks = locked(&scan.tasks);
        if step.done || outcome.is_err() || scan.context.cancel.load(Ordering::SeqCst) {
            tasks.remove(&task);
        } else {
            tasks.insert(task, Some(reader));
        }
        outcome.map(|()| step)
    })
}

fn fill(scan: &Scan, reader: &mut TaskGroup, max_bytes: f64, step: &mut Step) -> Result<()> {
    let mut bytes = 0.0;
    while step.batches.is_empty() || bytes < max_bytes {
        scan.context.check()?;
        let batch = match reader.next() {
            Ok(Some(batch)) => batch,
            Ok(None) => {
                step.done = true;
                break;
            }
            // It comes after the rows before it, with the next step.
            Err(error) if !step.batches.is_empty() => {
                reader.postpone(error);
                break;
            }
            Err(error) => return Err(error),
        };
        if batch.num_rows() == 0 {
            continue;
        }
        let receipt = lakefold_ledger::put(batch, &scan.account)?;
        bytes += receipt.bytes as f64;
        // Tickets are counted up from one: exact in a double.
        step.batches.push(Ticket {
            ticket: receipt.ticket as f64,
            rows: receipt.rows as f64,
            bytes: receipt.bytes as f64,
        });
    }
    Ok(())
}

/// Gives a group of tasks up.
#[napi]
pub fn task_close(env: &Env, scan: u32, task: u32) -> napi::Result<Object<'_>> {
    envelope(env, || {
        let reader = find(scan).ok().and_then(|scan| locked(&scan.tasks).remove(&task));
        drop(reader);
        Ok(())
    })
}

/// The number of rows that a task gives. Blocks: for worker threads.
#[napi]
pub fn count_rows(env: &Env, scan: u32, task_json: String) -> napi::Result<Object<'_>> {
    count(env, scan, task_json, |task, scan| lakefold_decode::count_rows(task, scan.context.clone()))
}

/// The number of rows that a task's positional deletes hide. Blocks: for worker threads.
#[napi]
pub fn count_deleted_positions(env: &Env, scan: u32, task_json: String) -> napi::Result<Object<'_>> {
    count(env, scan, task_json, |task, scan| lakefold_decode::count_deleted(&task, &scan.context))
}

fn count(
    env: &Env,
    scan: u32,
    task_json: String,
    body: impl FnOnce(Arc<ScanTask>, &Scan) -> Result<u64>,
) -> napi::Result<Object<'_>> {
    envelope(env, || {
        let scan = find(scan)?;
        let task = ScanTask::from_json(&task_json)?;
        let path = task.data_file.path.clone();
        let count = body(Arc::new(task), &scan).map_err(|e: Error| e.in_file(path))?;
        Ok(BigInt::from(count))
    })
}
