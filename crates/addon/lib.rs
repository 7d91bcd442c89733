//! All that JavaScript can call. This is the one crate that knows napi.
//!
//! Every function answers with an envelope, `{ok: true, value}` or `{ok: false, code, message, context}`:
//! errors thrown in a worker would lose their code on the way. No panic leaves a function.
//!
//! - `scanOpen`, `scanCancel`, `scanClose`, `scanMemory`: what the tasks of one read share.
//! - `taskOpen`, `taskNext`, `taskClose`, `countRows`, `countDeletedPositions`: decode; on worker threads.
//! - `claim`, `claimDictionary`, `copyOut`, `discard`, `detach`: batches out of the ledger.
//! - `arrowSchema`: the schema that a projection's batches have.
//! - `parquetOpen`, `parquetWrite`, `parquetFinish`, `parquetAbort`: batches into a file.
//! - `zstdDecompress`, `snappyDecompress`: bounded decompression for Avro blocks.
//! - `manifestDecode`, `manifestDecodeAsync`: blocks of an Avro manifest to columns.
//! - `manifestGlanceAsync`, `manifestSelect`, `manifestSelectAsync`: a few columns first, then those of the records that are wanted.
//! - `importIpc`: a batch from JavaScript into the ledger.
//! - `counters`, `memory`, `relieve`, `recount`, `externalBuffers`, `version`: the state of the process.

mod blocks;
mod claim;
mod codec;
mod envelope;
mod external;
mod ingest;
mod manifest;
mod metrics;
mod scan;
mod schema;
mod task;
mod write;
