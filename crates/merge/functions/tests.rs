//! Unions of bitmaps and sketches as paimon-java 1.4.2 makes them: two values and their union a line, in hex.

use super::union::Union;
use super::{Function, bitmap32, bitmap64, sketch};
use crate::value::Value;
use proptest::prelude::*;

const BITMAPS: &str = include_str!("unions_rbm64.txt");
const BITMAPS_OF_32_BITS: &str = include_str!("unions_rbm32.txt");
const SKETCHES: &str = include_str!("unions_sketch.txt");

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect()
}

fn union(function: &mut dyn Function, a: &[u8], b: &[u8]) -> lakefold_base::Result<Vec<u8>> {
    match function.add(Some(Value::Bytes(a.to_vec())), Some(Value::Bytes(b.to_vec())))? {
        Some(Value::Bytes(bytes)) => Ok(bytes),
        other => panic!("{other:?}"),
    }
}

fn function_of(name: &str) -> Box<dyn Function> {
    match name {
        "hll" => Box::new(Union(sketch::hll)),
        "theta" => Box::new(Union(sketch::theta)),
        "rbm32" => Box::new(Union(bitmap32::union)),
        _ => Box::new(Union(bitmap64::union)),
    }
}

/// Function, two values, their union.
fn unions() -> Vec<(&'static str, [Vec<u8>; 3])> {
    let narrow = BITMAPS_OF_32_BITS.lines().map(|line| ("rbm32", line));
    let bitmaps = BITMAPS.lines().map(|line| ("rbm64", line)).chain(narrow);
    let sketches = SKETCHES.lines().map(|line| line.split_once(' ').unwrap());
    let parsed = |(name, line): (&'static str, &str)| {
        let parts: Vec<Vec<u8>> = line.split(' ').map(bytes).collect();
        (name, parts.try_into().unwrap())
    };
    bitmaps.chain(sketches).map(parsed).collect()
}

/// What of an HLL sketch does not depend on the order in which a hash table gives its coupons: not their own order, nor
/// the fraction of the estimate that is kept with an array of registers.
fn stable(name: &str, mut bytes: Vec<u8>) -> Vec<u8> {
    const SET: u8 = 1;
    const ARRAY: u8 = 2;
    match (name, bytes[7] & 3) {
        ("hll", SET) => {
            let mut coupons: Vec<[u8; 4]> = bytes.split_off(12).chunks(4).map(|c| c.try_into().unwrap()).collect();
            coupons.sort_unstable();
            bytes.extend(coupons.concat());
        }
        ("hll", ARRAY) => {
            let estimate = f64::from_le_bytes(bytes[8..16].try_into().unwrap());
            bytes.splice(8..16, format!("{estimate:.1}").into_bytes());
        }
        _ => {}
    }
    bytes
}

#[test]
fn unions_are_the_bytes_that_java_writes() {
    for (line, (name, [a, b, expected])) in unions().into_iter().enumerate() {
        let found = union(function_of(name).as_mut(), &a, &b).unwrap();
        let (found, expected) = (stable(name, found), stable(name, expected));
        assert!(found == expected, "{name}, union {line}: {found:?}, not {expected:?}");
    }
}

proptest! {
    /// Whatever is made of the bytes, they are read or refused.
    #[test]
    fn broken_values_are_errors(which: prop::sample::Index, flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4), cut: prop::sample::Index) {
        let all = unions();
        let (name, [a, b, _]) = &all[which.index(all.len())];
        let mut broken = b.clone();
        if !broken.is_empty() {
            for (place, byte) in &flips {
                let place = place.index(broken.len());
                broken[place] ^= *byte;
            }
        }
        let _ = union(function_of(name).as_mut(), a, &broken);
        let _ = union(function_of(name).as_mut(), &broken[..cut.index(broken.len() + 1)], a);
    }
}
