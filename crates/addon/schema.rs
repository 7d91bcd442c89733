use crate::envelope::envelope;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::SchemaRef;
use lakefold_base::{Code, Error, Result};
use lakefold_task::Field;
use napi::Env;
use napi::bindgen_prelude::{Buffer, Object};
use napi_derive::napi;

/// The Arrow schema of a projection: fields as in a ScanTask, a JSON array.
pub(crate) fn of_projection(projection_json: &str, dictionaries: &[i32]) -> Result<SchemaRef> {
    let fields: Vec<Field> = serde_json::from_str(projection_json)
        .map_err(|e| Error::new(Code::InvalidArgument, format!("not a projection: {e}")))?;
    lakefold_decode::output_schema(&fields, &dictionaries.iter().copied().collect())
}

/// The Arrow schema of a projection's batches, as an IPC stream without batches. Columns of strings with
/// these ids are dictionaries.
#[napi]
pub fn arrow_schema(env: &Env, projection_json: String, dictionaries: Vec<i32>) -> napi::Result<Object<'_>> {
    envelope(env, || {
        let schema = of_projection(&projection_json, &dictionaries)?;
        let broken = |e| Error::internal("cannot write the Arrow schema").caused_by(e);
        let mut bytes = Vec::new();
        StreamWriter::try_new(&mut bytes, &schema).and_then(|mut w| w.finish()).map_err(broken)?;
        Ok(Buffer::from(bytes))
    })
}
