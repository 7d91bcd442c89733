use arrow_schema::ArrowError;
use lakefold_base::{Code, Error, Result};
use parquet::errors::ParquetError;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs code that decodes bytes of a file: a panic inside becomes `CorruptFile`, so that no file can
/// take the process down.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result,
        Err(payload) => {
            let text = payload
                .downcast_ref::<&str>()
                .map(|s| s.to_string())
                .or_else(|| payload.downcast_ref::<String>().cloned())
                .unwrap_or_else(|| "no message".to_string());
            Err(Error::corrupt(format!("the file cannot be decoded: {text}")))
        }
    }
}

/// A store's own error that travels through parquet's readers and comes out as it was.
#[derive(Debug)]
pub(crate) struct Carried(pub(crate) std::sync::Mutex<Option<Error>>);

impl std::fmt::Display for Carried {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("reading the file failed")
    }
}

impl std::error::Error for Carried {}

/// Packs an error of ours for parquet.
pub(crate) fn carry(error: Error) -> ParquetError {
    ParquetError::External(Box::new(Carried(std::sync::Mutex::new(Some(error)))))
}

fn carried(error: &(dyn std::error::Error + 'static)) -> Option<Error> {
    let mut current = Some(error);
    while let Some(e) = current {
        if let Some(ours) = e.downcast_ref::<Carried>() {
            return ours.0.lock().ok().and_then(|mut slot| slot.take());
        }
        current = e.source();
    }
    None
}

/// What parquet says, as one of our codes.
pub(crate) fn parquet_error(error: ParquetError) -> Error {
    match error {
        ParquetError::External(inner) => match carried(inner.as_ref()) {
            Some(ours) => ours,
            None => match inner.downcast_ref::<std::io::Error>().and_then(|e| e.get_ref()).and_then(|e| carried(e)) {
                Some(ours) => ours,
                None => Error::corrupt("the Parquet file cannot be decoded").caused_by(inner),
            },
        },
        ParquetError::NYI(text) => Error::unsupported(format!("this Parquet feature is not supported: {text}")),
        ParquetError::General(text) if text.contains("requires the") || text.contains("Disabled feature") => {
            Error::unsupported(text)
        }
        other => Error::corrupt(format!("the Parquet file cannot be decoded: {other}")),
    }
}

/// What arrow says while it decodes a file.
pub(crate) fn arrow_error(error: ArrowError) -> Error {
    match error {
        ArrowError::ExternalError(inner) => match inner.downcast::<ParquetError>() {
            Ok(parquet) => parquet_error(*parquet),
            Err(inner) => match carried(inner.as_ref()) {
                Some(ours) => ours,
                None => Error::corrupt("the file cannot be decoded").caused_by(inner),
            },
        },
        ArrowError::NotYetImplemented(text) => Error::unsupported(text),
        ArrowError::MemoryError(text) => Error::new(Code::LimitExceeded, text),
        other => Error::corrupt(format!("the file cannot be decoded: {other}")),
    }
}

/// What arrow says about arrays that this library itself put together.
pub(crate) fn own_arrow_error(error: ArrowError) -> Error {
    Error::internal(format!("a batch could not be built: {error}"))
}
