use lakefold_base::{Error, Result};
use roaring::RoaringBitmap;

/// `rbm32`: the union of 32-bit Roaring bitmaps in the portable format.
pub(super) fn union(a: &[u8], b: &[u8]) -> Result<Vec<u8>> {
    let read = |bytes: &[u8]| {
        RoaringBitmap::deserialize_from(bytes).map_err(|e| Error::corrupt("a broken bitmap in a row").caused_by(e))
    };
    let mut union = read(a)? | read(b)?;
    union.optimize();
    let mut bytes = Vec::with_capacity(union.serialized_size());
    union.serialize_into(&mut bytes).map_err(|e| Error::internal("a bitmap was not written").caused_by(e))?;
    Ok(bytes)
}
