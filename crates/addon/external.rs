//! What V8 is told of memory that is not its own. By itself it starts a whole collection for every 64 MiB that it hears
//! of, many a second beside a fast reader; how much may wait for a collection is for the reader to say, which knows the
//! limit that was asked for. So while a reader runs, V8 does not count the bytes of its batches.

use crate::envelope::from_napi;
use lakefold_base::Result;
use napi::Env;
use std::cell::{Cell, OnceCell};

/// More than V8 tolerates at any heap size.
const PRESSURE: i64 = 32 << 30;

/// The first version whose V8 ends the process where its count would fall below nothing.
const CHECKS_COUNT: u32 = 23;

thread_local! {
    /// Whether V8 may be told of less than there is.
    static MAY_SINK: OnceCell<bool> = const { OnceCell::new() };
    /// Bytes that were taken out of the count of this thread's isolate.
    static UNCOUNTED: Cell<i64> = const { Cell::new(0) };
    /// Bytes in that count that there are not, so that as many can be taken out of it.
    static RESERVE: Cell<i64> = const { Cell::new(0) };
}

/// Takes bytes out of the count that V8 has just added, as far as that may be.
pub(crate) fn uncount(env: &Env, bytes: usize) -> Result<()> {
    if !may_sink(env) && UNCOUNTED.get().saturating_add(bytes as i64) > RESERVE.get() {
        return Ok(());
    }
    adjust(env, -(bytes as i64))?;
    UNCOUNTED.set(UNCOUNTED.get().saturating_add(bytes as i64));
    Ok(())
}

/// Puts bytes back that V8 is about to take out of its count. Else the count would sink with every batch, and making it
/// true at the end of a read would look to V8 like as much new memory.
pub(crate) fn count_again(env: &Env, bytes: usize) -> Result<()> {
    let back = UNCOUNTED.get().min(bytes as i64);
    adjust(env, back)?;
    UNCOUNTED.set(UNCOUNTED.get() - back);
    Ok(())
}

/// Makes the count true again, and returns it. V8 may find that it is time for a collection.
pub(crate) fn recount(env: &Env) -> Result<i64> {
    adjust(env, UNCOUNTED.take() - RESERVE.take())
}

/// Makes V8 collect garbage now, by the one legal way: claiming, for a moment, to hold much external memory. Where the
/// count must not sink, some of the claim stays, as each new one would lead to a collection: `reserve` bytes.
pub(crate) fn collect(env: &Env, reserve: usize) -> Result<()> {
    adjust(env, PRESSURE)?;
    let reserve = if may_sink(env) { 0 } else { PRESSURE.min(reserve as i64) };
    adjust(env, UNCOUNTED.take() + reserve - RESERVE.replace(reserve) - PRESSURE).map(drop)
}

fn may_sink(env: &Env) -> bool {
    MAY_SINK.with(|known| *known.get_or_init(|| env.get_node_version().is_ok_and(|node| node.major < CHECKS_COUNT)))
}

/// Returns what V8 counts then.
fn adjust(env: &Env, bytes: i64) -> Result<i64> {
    env.adjust_external_memory(bytes).map_err(from_napi)
}
