use crate::envelope::{caught, envelope, text};
use lakefold_base::{Error, Result};
use lakefold_manifest::{Program, Records, Source, decode};
use napi::bindgen_prelude::{AsyncTask, Buffer, Either, External, Object, Uint8Array, Uint32Array};
use napi::{Env, Task};
use napi_derive::napi;
use std::collections::HashMap;
use std::sync::Mutex;

/// An envelope that another thread has filled.
#[napi(object, object_from_js = false)]
pub struct ManifestEnvelope {
    /// Whether there is a value.
    pub ok: bool,
    /// The columns, or what a glance gives.
    pub value: Option<Either<Buffer, Glanced>>,
    /// The code of the error.
    pub code: Option<String>,
    /// The message of the error.
    pub message: Option<String>,
    /// The context of the error.
    pub context: Option<HashMap<String, String>>,
}

/// What a glance at records gives.
#[napi(object, object_from_js = false)]
pub struct Glanced {
    /// The columns.
    pub columns: Buffer,
    /// The records that the columns are of.
    pub records: External<Held>,
}

impl ManifestEnvelope {
    fn of(outcome: Result<Either<Buffer, Glanced>>) -> Self {
        match outcome {
            Ok(value) => ManifestEnvelope { ok: true, value: Some(value), code: None, message: None, context: None },
            Err(error) => ManifestEnvelope {
                ok: false,
                value: None,
                code: Some(error.code().as_str().to_string()),
                message: Some(text(&error)),
                context: Some(error.context().map(|(key, value)| (key.to_string(), value.to_string())).collect()),
            },
        }
    }

    fn of_columns(outcome: Result<Vec<u8>>) -> Self {
        Self::of(outcome.map(|columns| Either::A(columns.into())))
    }
}

/// Records that wait to be told which of them are wanted; nothing once they were.
pub struct Held(Mutex<Option<Records>>);

impl Held {
    fn take(&self) -> Result<Records> {
        let taken = self.0.lock().ok().and_then(|mut records| records.take());
        taken.ok_or_else(|| Error::internal("records of a manifest that were taken before"))
    }
}

/// Blocks of a manifest as JavaScript has them.
#[napi(object, object_to_js = false)]
pub struct ManifestBlocks {
    /// The blocks.
    pub bytes: Uint8Array,
    /// Where in the file they begin.
    pub offset: u32,
    /// The file, for errors.
    pub file: String,
    /// The codec that the header names.
    pub codec: String,
    /// The sync marker of the header.
    pub sync: Uint8Array,
    /// What to make of the records.
    pub program: String,
    /// Whether nobody changes the bytes any more.
    pub settled: bool,
}

/// Bytes that stay as they are while another thread reads them.
enum Bytes {
    /// JavaScript's own, which it leaves alone.
    Lent(Uint8Array),
    /// A copy, where JavaScript may change its own.
    Copied(Vec<u8>),
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        match self {
            Bytes::Lent(bytes) => bytes,
            Bytes::Copied(bytes) => bytes,
        }
    }
}

/// Blocks of a manifest.
struct Blocks {
    bytes: Bytes,
    offset: u32,
    file: String,
    codec: String,
    sync: Vec<u8>,
    program: String,
}

impl From<ManifestBlocks> for Blocks {
    fn from(ManifestBlocks { bytes, offset, file, codec, sync, program, settled }: ManifestBlocks) -> Self {
        let bytes = if settled { Bytes::Lent(bytes) } else { Bytes::Copied(bytes.to_vec()) };
        Blocks { bytes, offset, file, codec, sync: sync.to_vec(), program }
    }
}

impl Blocks {
    fn source(&self) -> Source<'_> {
        Source {
            blocks: self.bytes.as_ref(),
            offset: self.offset as usize,
            file: &self.file,
            codec: &self.codec,
            sync: &self.sync,
        }
    }

    fn decode(&self) -> Result<Vec<u8>> {
        decode(&self.source(), &Program::parse(&self.program)?)
    }
}

/// Blocks to decode.
pub struct Decode(Blocks);

impl Task for Decode {
    type Output = Result<Vec<u8>>;
    type JsValue = ManifestEnvelope;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        Ok(caught(|| self.0.decode()))
    }

    fn resolve(&mut self, _env: Env, output: Self::Output) -> napi::Result<Self::JsValue> {
        Ok(ManifestEnvelope::of_columns(output))
    }
}

/// Blocks to glance at.
pub struct Glance(Blocks);

impl Task for Glance {
    type Output = Result<(Records, Vec<u8>)>;
    type JsValue = ManifestEnvelope;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        Ok(caught(|| Records::glance(&self.0.source(), &Program::parse(&self.0.program)?)))
    }

    fn resolve(&mut self, _env: Env, output: Self::Output) -> napi::Result<Self::JsValue> {
        Ok(ManifestEnvelope::of(output.map(|(records, columns)| {
            let records = External::new(Held(Mutex::new(Some(records))));
            Either::B(Glanced { columns: columns.into(), records })
        })))
    }
}

/// Records of which some are decoded.
pub struct Select {
    records: Result<Records>,
    places: Vec<u32>,
    program: String,
}

impl Task for Select {
    type Output = Result<Vec<u8>>;
    type JsValue = ManifestEnvelope;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        // Taken, so that their memory goes here, not when JavaScript collects the task.
        let records = std::mem::replace(&mut self.records, Err(Error::internal("records that were decoded before")));
        Ok(caught(|| records?.select(&self.places, &Program::parse(&self.program)?)))
    }

    fn resolve(&mut self, _env: Env, output: Self::Output) -> napi::Result<Self::JsValue> {
        Ok(ManifestEnvelope::of_columns(output))
    }
}

/// Decodes blocks of records of an Avro manifest to columns, here and now; see `lakefold_manifest::decode`.
#[napi]
pub fn manifest_decode(env: &Env, blocks: ManifestBlocks) -> napi::Result<Object<'_>> {
    let blocks = Blocks::from(blocks);
    envelope(env, || blocks.decode().map(Buffer::from))
}

/// As `manifestDecode`, on a thread of Node's pool; a promise of the envelope.
#[napi]
pub fn manifest_decode_async(blocks: ManifestBlocks) -> AsyncTask<Decode> {
    AsyncTask::new(Decode(blocks.into()))
}

/// As `manifestDecodeAsync`, and holds the records until `manifestSelect` takes them or JavaScript collects them.
#[napi]
pub fn manifest_glance_async(blocks: ManifestBlocks) -> AsyncTask<Glance> {
    AsyncTask::new(Glance(blocks.into()))
}

/// Decodes the records at these places, here and now, and lets go of all.
#[napi]
pub fn manifest_select<'a>(
    env: &'a Env,
    records: &External<Held>,
    places: Uint32Array,
    program: String,
) -> napi::Result<Object<'a>> {
    envelope(env, || records.take()?.select(&places, &Program::parse(&program)?).map(Buffer::from))
}

/// As `manifestSelect`, on a thread of Node's pool; a promise of the envelope.
#[napi]
pub fn manifest_select_async(records: &External<Held>, places: Uint32Array, program: String) -> AsyncTask<Select> {
    AsyncTask::new(Select { records: records.take(), places: places.to_vec(), program })
}
