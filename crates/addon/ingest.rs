use crate::envelope::envelope;
use crate::scan::find;
use crate::task::Ticket;
use arrow_ipc::reader::StreamReader;
use lakefold_base::{Code, Error};
use napi::Env;
use napi::bindgen_prelude::{Object, Uint8Array};
use napi_derive::napi;

/// Leaves the batches of an Arrow IPC stream in the ledger, sliced to `offset` and `length` rows, and returns
/// their tickets. It lets tests hold the way out of the ledger against batches that JavaScript made.
#[napi]
pub fn import_ipc(env: &Env, scan: u32, bytes: Uint8Array, offset: u32, length: u32) -> napi::Result<Object<'_>> {
    envelope(env, || {
        let scan = find(scan)?;
        let broken = |e| Error::new(Code::InvalidArgument, "not an Arrow IPC stream").caused_by(e);
        let mut tickets = Vec::new();
        for batch in StreamReader::try_new(bytes.as_ref(), None).map_err(broken)? {
            let batch = batch.map_err(broken)?;
            let offset = (offset as usize).min(batch.num_rows());
            let sliced = batch.slice(offset, (length as usize).min(batch.num_rows() - offset));
            drop(batch);
            let receipt = lakefold_ledger::put(sliced, &scan.account)?;
            tickets.push(Ticket {
                ticket: receipt.ticket as f64,
                rows: receipt.rows as f64,
                bytes: receipt.bytes as f64,
            });
        }
        Ok(tickets)
    })
}
