use lakefold_base::{Code, Error, Result};
use napi::bindgen_prelude::{JsObjectValue, Object, ToNapiValue};
use napi::{Env, Error as NapiError};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// Runs `body` and wraps what it gives, an error or a panic in an envelope.
pub(crate) fn envelope<T: ToNapiValue>(env: &Env, body: impl FnOnce() -> Result<T>) -> napi::Result<Object<'_>> {
    let outcome = caught(body);
    let mut object = Object::new(env)?;
    match outcome {
        Ok(value) => {
            object.set_named_property("ok", true)?;
            object.set_named_property("value", value)?;
        }
        Err(error) => {
            object.set_named_property("ok", false)?;
            object.set_named_property("code", error.code().as_str())?;
            object.set_named_property("message", text(&error))?;
            let mut context = Object::new(env)?;
            for (key, value) in error.context() {
                context.set_named_property(key, value)?;
            }
            object.set_named_property("context", context)?;
        }
    }
    Ok(object)
}

/// What `body` gives; a panic as an error.
pub(crate) fn caught<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    static QUIET: Once = Once::new();
    // Caught panics come back as errors; the default hook would print them beside that.
    QUIET.call_once(|| {
        if std::env::var_os("RUST_BACKTRACE").is_none() {
            std::panic::set_hook(Box::new(|_| {}));
        }
    });
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| Err(panicked(panic)))
}

/// The message with its chain of causes; the context goes apart.
pub(crate) fn text(error: &Error) -> String {
    let mut text = error.message().to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

fn panicked(panic: Box<dyn Any + Send>) -> Error {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    Error::internal(format!("a fault of lakefold, please report it: {text}"))
}

/// A refusal of napi as an error of ours.
pub(crate) fn from_napi(error: NapiError) -> Error {
    Error::internal(format!("napi refused: {}", error.reason))
}

/// An argument that should be a handle of ours but is not.
pub(crate) fn no_such(what: &'static str, handle: u32) -> Error {
    Error::new(Code::InvalidArgument, format!("no such {what}: it is closed")).with("handle", handle)
}
