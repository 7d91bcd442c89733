use crate::envelope::{envelope, from_napi};
use crate::external;
use lakefold_base::Result;
use lakefold_ledger::{Claimed, Lease, Slot};
use napi::bindgen_prelude::{ArrayBuffer, JsObjectValue, Object};
use napi::{Env, sys};
use napi_derive::napi;
use std::ffi::c_void;

/// Takes a batch out of the ledger without copying it:
/// `{rows, nodes, slots, buffers, dictionaries}`. `nodes` holds length and null count of each array,
/// `slots` source, offset and length of each buffer (source -1: no bytes), both flat, in depth-first order.
#[napi]
pub fn claim(env: &Env, ticket: f64) -> napi::Result<Object<'_>> {
    envelope(env, || shared(env, lakefold_ledger::claim(ticket as u64)?))
}

/// A dictionary's values as [`claim`] has it, one column; with `copy` as [`copy_out`] has it.
#[napi]
pub fn claim_dictionary(env: &Env, id: f64, copy: bool) -> napi::Result<Object<'_>> {
    envelope(env, || {
        let claimed = lakefold_ledger::claim_dictionary(id as u64)?;
        if copy { copied(env, claimed) } else { shared(env, claimed) }
    })
}

/// Tells that a batch's dictionaries have been claimed as far as they were wanted. Returns the ids that no batch of the
/// scan will name again.
#[napi]
pub fn settle_dictionaries(env: &Env, ids: Vec<f64>) -> napi::Result<Object<'_>> {
    envelope(env, || {
        let ids: Vec<u64> = ids.into_iter().map(|id| id as u64).collect();
        Ok(lakefold_ledger::settle_dictionaries(&ids).into_iter().map(|id| id as f64).collect::<Vec<_>>())
    })
}

/// A batch as [`claim`] has it, but copied into one ArrayBuffer of V8's own, which can be transferred.
#[napi]
pub fn copy_out(env: &Env, ticket: f64) -> napi::Result<Object<'_>> {
    envelope(env, || copied(env, lakefold_ledger::claim(ticket as u64)?))
}

/// Frees a batch that nobody wants any more.
#[napi]
pub fn discard(env: &Env, ticket: f64) -> napi::Result<Object<'_>> {
    envelope(env, || {
        lakefold_ledger::discard(ticket as u64);
        Ok(())
    })
}

/// Detaches ArrayBuffers, so that their memory is free after the next turn of the event loop, used or not.
#[napi]
pub fn detach<'e>(env: &'e Env, buffers: Vec<ArrayBuffer<'e>>) -> napi::Result<Object<'e>> {
    envelope(env, || {
        external::count_again(env, buffers.iter().map(|buffer| buffer.len()).sum())?;
        buffers.into_iter().try_for_each(|buffer| buffer.detach().map_err(from_napi))
    })
}

/// Whether this runtime takes memory that is not its own (Electron does not).
#[napi]
pub fn external_buffers(env: &Env) -> napi::Result<Object<'_>> {
    envelope(env, || {
        let mut probe = vec![0u8; 64].into_boxed_slice();
        let mut value = std::ptr::null_mut();
        let data = probe.as_mut_ptr();
        let hint = Box::into_raw(Box::new(probe));
        // SAFETY: the memory lives in the hint until V8 frees the buffer.
        let status = unsafe {
            sys::napi_create_external_arraybuffer(env.raw(), data.cast(), 64, Some(free_probe), hint.cast(), &mut value)
        };
        if status != sys::Status::napi_ok {
            // SAFETY: refused, so no finalizer will run.
            drop(unsafe { Box::from_raw(hint) });
        }
        Ok(status == sys::Status::napi_ok)
    })
}

unsafe extern "C" fn free_probe(_env: sys::napi_env, _data: *mut c_void, hint: *mut c_void) {
    // SAFETY: the hint is the box that `external_buffers` leaked.
    drop(unsafe { Box::from_raw(hint.cast::<Box<[u8]>>()) });
}

fn shared<'e>(env: &'e Env, claimed: Claimed) -> Result<Object<'e>> {
    let mut object = describe(env, &claimed, |slot| (slot.buffer as f64, slot.offset))?;
    let bytes = claimed.buffers.iter().map(|lease| lease.buffer.len()).sum();
    let mut buffers = env.create_array(claimed.buffers.len() as u32).map_err(from_napi)?;
    for (index, lease) in claimed.buffers.into_iter().enumerate() {
        buffers.set(index as u32, array_buffer(env, lease)?).map_err(from_napi)?;
    }
    external::uncount(env, bytes)?;
    object.set_named_property("buffers", buffers).map_err(from_napi)?;
    Ok(object)
}

fn array_buffer(env: &Env, lease: Lease) -> Result<ArrayBuffer<'_>> {
    let (data, length) = (lease.buffer.as_ptr().cast_mut(), lease.buffer.len());
    // SAFETY: the lease keeps the memory alive until the finalizer drops it; the ledger gives out no address twice,
    // no empty buffers, and no memory that Rust still reads.
    unsafe { ArrayBuffer::from_external(env, data, length, lease, |_, lease| drop(lease)) }.map_err(from_napi)
}

fn copied<'e>(env: &'e Env, claimed: Claimed) -> Result<Object<'e>> {
    let mut starts = Vec::with_capacity(claimed.buffers.len());
    let mut total = 0usize;
    for lease in &claimed.buffers {
        starts.push(total);
        // As Arrow's own messages: every typed array finds its alignment.
        total += lease.buffer.len().next_multiple_of(64);
    }
    let (mut data, mut value) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: the out-pointers are valid; V8 gives `total` bytes of its own.
    let status = unsafe { sys::napi_create_arraybuffer(env.raw(), total, &mut data, &mut value) };
    if status != sys::Status::napi_ok {
        return Err(lakefold_base::Error::internal(format!("no ArrayBuffer of {total} bytes (status {status})")));
    }
    for (lease, start) in claimed.buffers.iter().zip(&starts) {
        // SAFETY: start + len <= total by construction, and the two do not overlap.
        unsafe {
            std::ptr::copy_nonoverlapping(lease.buffer.as_ptr(), data.cast::<u8>().add(*start), lease.buffer.len());
        }
    }
    let start = |slot: &Slot| starts.get(slot.buffer).map_or(0, |start| start + slot.offset);
    let mut object = describe(env, &claimed, |slot| (0.0, start(slot)))?;
    let mut buffers = env.create_array(1).map_err(from_napi)?;
    buffers.set(0, Object::from_raw(env.raw(), value)).map_err(from_napi)?;
    object.set_named_property("buffers", buffers).map_err(from_napi)?;
    Ok(object)
}

/// All but the buffers; `place` tells the index and the offset that a slot has there.
fn describe<'e>(env: &'e Env, claimed: &Claimed, place: impl Fn(&Slot) -> (f64, usize)) -> Result<Object<'e>> {
    let nodes: Vec<f64> = claimed.nodes.iter().flat_map(|n| [n.length as f64, n.null_count as f64]).collect();
    let mut slots = Vec::with_capacity(claimed.slots.len() * 3);
    for slot in &claimed.slots {
        slots.extend(match slot {
            Some(slot) => {
                let (index, offset) = place(slot);
                [index, offset as f64, slot.length as f64]
            }
            None => [-1.0, 0.0, 0.0],
        });
    }
    let ids: Vec<f64> = claimed.dictionaries.iter().map(|id| *id as f64).collect();
    let mut object = Object::new(env).map_err(from_napi)?;
    object.set_named_property("rows", claimed.rows as f64).map_err(from_napi)?;
    object.set_named_property("nodes", numbers(env, &nodes)?).map_err(from_napi)?;
    object.set_named_property("slots", numbers(env, &slots)?).map_err(from_napi)?;
    object.set_named_property("dictionaries", ids).map_err(from_napi)?;
    Ok(object)
}

/// A Float64Array in memory of V8's own: an array made element by element costs a call each.
fn numbers<'e>(env: &'e Env, values: &[f64]) -> Result<Object<'e>> {
    let (mut data, mut memory, mut array) = (std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut());
    let bytes = size_of_val(values);
    // SAFETY: the out-pointers are valid; V8 gives `bytes` bytes, aligned for any number, which are copied over.
    let status = unsafe {
        let status = sys::napi_create_arraybuffer(env.raw(), bytes, &mut data, &mut memory);
        if status == sys::Status::napi_ok {
            if !values.is_empty() {
                std::ptr::copy_nonoverlapping(values.as_ptr(), data.cast::<f64>(), values.len());
            }
            let kind = sys::TypedarrayType::float64_array;
            sys::napi_create_typedarray(env.raw(), kind, values.len(), memory, 0, &mut array)
        } else {
            status
        }
    };
    if status != sys::Status::napi_ok {
        return Err(lakefold_base::Error::internal(format!("no Float64Array of {bytes} bytes (status {status})")));
    }
    Ok(Object::from_raw(env.raw(), array))
}
