use datasketches::error::{Error as SketchError, ErrorKind};
use datasketches::hll::{HllSketch, HllType, HllUnion};
use datasketches::theta::{CompactThetaSketch, ThetaUnionBuilder};
use lakefold_base::{Error, Result};

type Outcome<T> = std::result::Result<T, SketchError>;

/// `hll_sketch`: the union of HLL sketches in their compact form.
pub(super) fn hll(a: &[u8], b: &[u8]) -> Result<Vec<u8>> {
    hll_union(a, b).map_err(broken)
}

/// `theta_sketch`: the union of theta sketches in their compact form.
pub(super) fn theta(a: &[u8], b: &[u8]) -> Result<Vec<u8>> {
    theta_union(a, b).map_err(broken)
}

fn broken(error: SketchError) -> Error {
    Error::corrupt(format!("a broken sketch in a row: {}", error.message()))
}

/// The least register of a sketch of 4-bit registers is below what a hash of 64 bits can give; the library takes any.
fn hll_sketch(bytes: &[u8]) -> Outcome<HllSketch> {
    const ARRAY_OF_4_BITS: u8 = 2;
    match bytes {
        [_, _, _, _, _, _, least, mode, ..] if *least > 48 && mode & 15 == ARRAY_OF_4_BITS => {
            Err(SketchError::new(ErrorKind::InvalidData, "a least register above all hashes"))
        }
        _ => HllSketch::deserialize(bytes),
    }
}

/// As in Java the new sketch is the one that the other is added to: it tells how exact the union is.
fn hll_union(a: &[u8], b: &[u8]) -> Outcome<Vec<u8>> {
    let (a, b) = (hll_sketch(a)?, hll_sketch(b)?);
    let mut union = HllUnion::new(b.lg_config_k())?;
    union.update(&b);
    union.update(&a);
    Ok(union.to_sketch(HllType::Hll4).serialize())
}

fn theta_union(a: &[u8], b: &[u8]) -> Outcome<Vec<u8>> {
    let mut union = ThetaUnionBuilder::default().build()?;
    for sketch in [a, b] {
        union.update(&CompactThetaSketch::deserialize(sketch)?)?;
    }
    let mut bytes = union.to_sketch(true).serialize();
    // What Java writes beside, and nothing needs to read: that there is a single item, else the sampling probability.
    const EMPTY: u8 = 0x04;
    const SINGLE: u8 = 0x20;
    match &mut bytes[..] {
        [1, _, _, _, _, flags, ..] if *flags & EMPTY == 0 => *flags |= SINGLE,
        [longs, ..] if *longs > 1 => {
            if let Some(probability) = bytes.get_mut(12..16) {
                probability.copy_from_slice(&1_f32.to_le_bytes());
            }
        }
        _ => {}
    }
    Ok(bytes)
}
