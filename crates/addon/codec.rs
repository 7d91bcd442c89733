use crate::envelope::envelope;
use lakefold_base::{Code, Error, Result};
use napi::Env;
use napi::bindgen_prelude::{Buffer, Object, Uint8Array};
use napi_derive::napi;
use std::io::Read;

fn too_long(max: u64) -> Error {
    Error::new(Code::LimitExceeded, format!("decompresses to more than {max} bytes")).with("maxLength", max)
}

/// Decompresses Zstandard frames to at most `max_length` bytes.
#[napi]
pub fn zstd_decompress(env: &Env, bytes: Uint8Array, max_length: f64) -> napi::Result<Object<'_>> {
    envelope(env, || zstd(&bytes, max_length as u64).map(Buffer::from))
}

/// Decompresses a raw Snappy block (no framing, no checksum) to at most `max_length` bytes.
#[napi]
pub fn snappy_decompress(env: &Env, bytes: Uint8Array, max_length: f64) -> napi::Result<Object<'_>> {
    envelope(env, || snappy(&bytes, max_length as u64).map(Buffer::from))
}

fn zstd(bytes: &[u8], max: u64) -> Result<Vec<u8>> {
    let broken = |e: std::io::Error| Error::corrupt("broken zstd data").caused_by(e);
    let mut out = Vec::new();
    // One byte more than allowed tells "exactly full" from "too long"; memory grows with what is really there.
    let decoder = zstd::stream::read::Decoder::new(bytes).map_err(broken)?;
    decoder.take(max.saturating_add(1)).read_to_end(&mut out).map_err(broken)?;
    if out.len() as u64 > max { Err(too_long(max)) } else { Ok(out) }
}

fn snappy(bytes: &[u8], max: u64) -> Result<Vec<u8>> {
    let broken = |e: snap::Error| Error::corrupt("broken snappy data").caused_by(e);
    let length = snap::raw::decompress_len(bytes).map_err(broken)? as u64;
    if length > max {
        return Err(too_long(max));
    }
    // A snappy byte yields at most 64/3 bytes (a copy of 64 takes 3), so a greater claim is a lie.
    if length > (bytes.len() as u64).saturating_mul(22) {
        return Err(Error::corrupt(format!("{} bytes of snappy data claim to hold {length}", bytes.len())));
    }
    snap::raw::Decoder::new().decompress_vec(bytes).map_err(broken)
}
