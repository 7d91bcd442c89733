use crate::envelope::envelope;
use crate::external;
use lakefold_base::COUNTERS;
use lakefold_ledger::Stats;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

/// Decoded bytes: alive, the most that were, those not yet claimed; and blocks that wait for more.
#[napi(object)]
pub struct Memory {
    /// See [`Stats::live`].
    pub live: f64,
    /// See [`Stats::peak`].
    pub peak: f64,
    /// See [`Stats::unclaimed`].
    pub unclaimed: f64,
    /// Bytes of blocks that were freed and are kept for the next batches.
    pub kept: f64,
}

/// Counts of what this process opened, read and skipped.
#[napi(object)]
pub struct CounterValues {
    /// Files opened.
    pub files_opened: f64,
    /// Bytes asked of the store.
    pub bytes_read: f64,
    /// Ranged reads.
    pub reads: f64,
    /// Row groups, stripes or blocks decoded.
    pub groups_read: f64,
    /// Row groups, stripes or blocks pruned.
    pub groups_skipped: f64,
    /// Rows pruned inside groups.
    pub rows_skipped: f64,
}

/// The process-wide counters.
#[napi]
pub fn counters(env: &Env) -> napi::Result<Object<'_>> {
    envelope(env, || {
        let now = COUNTERS.snapshot();
        Ok(CounterValues {
            files_opened: now.files_opened as f64,
            bytes_read: now.bytes_read as f64,
            reads: now.reads as f64,
            groups_read: now.groups_read as f64,
            groups_skipped: now.groups_skipped as f64,
            rows_skipped: now.rows_skipped as f64,
        })
    })
}

/// Decoded bytes of this process.
#[napi]
pub fn memory(env: &Env) -> napi::Result<Object<'_>> {
    envelope(env, || {
        let Stats { live, peak, unclaimed } = lakefold_ledger::stats();
        let kept = crate::blocks::kept() as f64;
        Ok(Memory { live: live as f64, peak: peak as f64, unclaimed: unclaimed as f64, kept })
    })
}

/// Makes V8 collect garbage now: for readers that are at their limit while dropped batches wait for a collection that V8
/// sees no need for. `limit` is how many bytes they may hold.
#[napi]
pub fn relieve(env: &Env, limit: f64) -> napi::Result<Object<'_>> {
    envelope(env, || external::collect(env, limit as usize))
}

/// Lets V8 count the bytes of all batches again: for a reader that ends, whose batches are the consumer's affair.
#[napi]
pub fn recount(env: &Env) -> napi::Result<Object<'_>> {
    envelope(env, || external::recount(env).map(|bytes| bytes as f64))
}

/// The version of the addon; the package refuses another one than its own.
#[napi]
pub fn version(env: &Env) -> napi::Result<Object<'_>> {
    envelope(env, || Ok(env!("CARGO_PKG_VERSION")))
}
