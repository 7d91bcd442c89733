use crate::envelope::{envelope, no_such};
use crate::scan::{locked, next_handle};
use crate::schema::of_projection;
use lakefold_base::{Code, Error, Result};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use std::collections::HashMap;
use std::fs::{File, rename};
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex};

/// A Parquet file in the making, under another name until it is whole.
struct Writer {
    writer: ArrowWriter<File>,
    partial: PathBuf,
    path: PathBuf,
}

static WRITERS: LazyLock<Mutex<HashMap<u32, Writer>>> = LazyLock::new(Mutex::default);

/// A row group is written out once it is this large, so that the writer's memory is bounded too.
const ROW_GROUP_BYTES: usize = 64 << 20;

fn failed(path: &std::path::Path) -> impl Fn(Box<dyn std::error::Error + Send + Sync>) -> Error + use<> {
    let path = path.display().to_string();
    move |cause| Error::new(Code::IoError, "cannot write the Parquet file").in_file(&path).caused_by(cause)
}

/// Begins a Parquet file with the columns of a projection; `dictionaries` as [`arrow_schema`](crate::schema::arrow_schema)
/// has it. Returns its handle.
#[napi]
pub fn parquet_open(
    env: &Env,
    path: String,
    projection_json: String,
    dictionaries: Vec<i32>,
) -> napi::Result<Object<'_>> {
    envelope(env, || {
        let schema = of_projection(&projection_json, &dictionaries)?;
        let path = PathBuf::from(path);
        let failed = failed(&path);
        let handle = next_handle();
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".{}-{handle}.partial", std::process::id()));
        let partial = path.with_file_name(name);
        let properties = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build();
        let file = File::create(&partial).map_err(|e| failed(e.into()))?;
        let writer = ArrowWriter::try_new(file, schema, Some(properties)).map_err(|e| failed(e.into()))?;
        locked(&WRITERS).insert(handle, Writer { writer, partial, path });
        Ok(handle)
    })
}

fn take(handle: u32) -> Result<Writer> {
    locked(&WRITERS).remove(&handle).ok_or_else(|| no_such("writer", handle))
}

/// Writes the first `rows` rows of a batch that waits in the ledger. Blocks: for worker threads.
#[napi]
pub fn parquet_write(env: &Env, handle: u32, ticket: f64, rows: f64) -> napi::Result<Object<'_>> {
    envelope(env, || {
        let mut writer = take(handle)?;
        let outcome = append(&mut writer, ticket, rows as usize);
        // A failed writer goes back too: the caller aborts it, which removes the file.
        locked(&WRITERS).insert(handle, writer);
        outcome
    })
}

fn append(writer: &mut Writer, ticket: f64, rows: usize) -> Result<()> {
    let batch = lakefold_ledger::take_batch(ticket as u64)?;
    let batch = if rows < batch.num_rows() { batch.slice(0, rows) } else { batch };
    let failed = failed(&writer.path);
    writer.writer.write(&batch).map_err(|e| failed(e.into()))?;
    if writer.writer.in_progress_size() > ROW_GROUP_BYTES {
        writer.writer.flush().map_err(|e| failed(e.into()))?;
    }
    Ok(())
}

/// Ends the file and gives it its name. Blocks: for worker threads.
#[napi]
pub fn parquet_finish(env: &Env, handle: u32) -> napi::Result<Object<'_>> {
    envelope(env, || {
        let Writer { writer, partial, path } = take(handle)?;
        let failed = failed(&path);
        let outcome = writer
            .close()
            .map_err(|e| failed(e.into()))
            .and_then(|_| rename(&partial, &path).map_err(|e| failed(e.into())));
        if outcome.is_err() {
            let _ = std::fs::remove_file(&partial);
        }
        outcome
    })
}

/// Gives the file up and removes what was written of it.
#[napi]
pub fn parquet_abort(env: &Env, handle: u32) -> napi::Result<Object<'_>> {
    envelope(env, || {
        if let Ok(Writer { writer, partial, .. }) = take(handle) {
            drop(writer);
            let _ = std::fs::remove_file(partial);
        }
        Ok(())
    })
}
