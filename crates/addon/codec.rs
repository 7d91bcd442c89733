use crate::envelope::envelope;
use lakefold_codec as codec;
use napi::Env;
use napi::bindgen_prelude::{Buffer, Object, Uint8Array};
use napi_derive::napi;

/// Decompresses Zstandard frames to at most `max_length` bytes.
#[napi]
pub fn zstd_decompress(env: &Env, bytes: Uint8Array, max_length: f64) -> napi::Result<Object<'_>> {
    envelope(env, || codec::zstd(&bytes, max_length as usize).map(Buffer::from))
}

/// Decompresses a raw Snappy block (no framing, no checksum) to at most `max_length` bytes.
#[napi]
pub fn snappy_decompress(env: &Env, bytes: Uint8Array, max_length: f64) -> napi::Result<Object<'_>> {
    envelope(env, || codec::snappy(&bytes, max_length as usize).map(Buffer::from))
}
