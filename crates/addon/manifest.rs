use crate::envelope::{caught, envelope, text};
use lakefold_base::Result;
use lakefold_manifest::{Program, Source, decode};
use napi::bindgen_prelude::{AsyncTask, Buffer, Object, Uint8Array};
use napi::{Env, Task};
use napi_derive::napi;
use std::collections::HashMap;

/// An envelope that another thread has filled.
#[napi(object)]
pub struct ManifestEnvelope {
    /// Whether there is a value.
    pub ok: bool,
    /// The columns.
    pub value: Option<Buffer>,
    /// The code of the error.
    pub code: Option<String>,
    /// The message of the error.
    pub message: Option<String>,
    /// The context of the error.
    pub context: Option<HashMap<String, String>>,
}

/// A manifest to decode. The bytes are a copy: JavaScript may change its own while another thread reads.
pub struct Decode {
    bytes: Vec<u8>,
    file: String,
    codec: String,
    sync_at: u32,
    program: String,
}

impl Decode {
    fn run(&self) -> Result<Vec<u8>> {
        let source =
            Source { bytes: &self.bytes, file: &self.file, codec: &self.codec, sync_at: self.sync_at as usize };
        decode(&source, &Program::parse(&self.program)?)
    }
}

impl Task for Decode {
    type Output = Result<Vec<u8>>;
    type JsValue = ManifestEnvelope;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        Ok(caught(|| self.run()))
    }

    fn resolve(&mut self, _env: Env, output: Self::Output) -> napi::Result<Self::JsValue> {
        Ok(match output {
            Ok(columns) => {
                let value = Some(columns.into());
                ManifestEnvelope { ok: true, value, code: None, message: None, context: None }
            }
            Err(error) => ManifestEnvelope {
                ok: false,
                value: None,
                code: Some(error.code().as_str().to_string()),
                message: Some(text(&error)),
                context: Some(error.context().map(|(key, value)| (key.to_string(), value.to_string())).collect()),
            },
        })
    }
}

/// Decodes the records of an Avro manifest to columns, here and now; see `lakefold_manifest::decode`.
#[napi]
pub fn manifest_decode(
    env: &Env,
    bytes: Uint8Array,
    file: String,
    codec: String,
    sync_at: u32,
    program: String,
) -> napi::Result<Object<'_>> {
    envelope(env, || Decode { bytes: bytes.to_vec(), file, codec, sync_at, program }.run().map(Buffer::from))
}

/// As `manifestDecode`, on a thread of Node's pool; a promise of the envelope.
#[napi]
pub fn manifest_decode_async(
    bytes: Uint8Array,
    file: String,
    codec: String,
    sync_at: u32,
    program: String,
) -> AsyncTask<Decode> {
    AsyncTask::new(Decode { bytes: bytes.to_vec(), file, codec, sync_at, program })
}
