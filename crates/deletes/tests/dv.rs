use crate::{DvSource, RoaringTreemap, read_dv};
use lakefold_base::{Code, Result};
use proptest::prelude::*;
use roaring::RoaringBitmap;

/// A blob around the bytes of a vector, with right length, magic and checksum.
fn wrap(vector: &[u8]) -> Vec<u8> {
    let mut body = vec![0xd1, 0xd3, 0x39, 0x64];
    body.extend_from_slice(vector);
    let mut blob = (body.len() as i32).to_be_bytes().to_vec();
    blob.extend_from_slice(&body);
    blob.extend_from_slice(&crc32fast::hash(&body).to_be_bytes());
    blob
}

fn vector(parts: &[(i32, Vec<u8>)]) -> Vec<u8> {
    let mut out = (parts.len() as i64).to_le_bytes().to_vec();
    for (key, bitmap) in parts {
        out.extend_from_slice(&key.to_le_bytes());
        out.extend_from_slice(bitmap);
    }
    out
}

fn portable(bitmap: &RoaringBitmap) -> Vec<u8> {
    let mut out = Vec::new();
    bitmap.serialize_into(&mut out).unwrap();
    out
}

fn blob_of(map: &RoaringTreemap) -> Vec<u8> {
    wrap(&vector(&map.bitmaps().map(|(key, bitmap)| (key as i32, portable(bitmap))).collect::<Vec<_>>()))
}

fn source(record_count: i64) -> DvSource<'static> {
    DvSource { puffin: "s3://t/dv.puffin", offset: 4, data_file: "s3://t/a.parquet", record_count }
}

fn fails(result: Result<RoaringTreemap>, part: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.code(), Code::CorruptFile);
    let text = error.to_string();
    for piece in [part, "file: s3://t/dv.puffin", "offset: 4", "data-file: s3://t/a.parquet"] {
        assert!(text.contains(piece), "{text:?} lacks {piece:?}");
    }
}

/// 2 containers of runs that touch, as other writers may leave them; by hand from the Roaring format spec.
fn touching_runs() -> Vec<u8> {
    let mut out = Vec::new();
    out.extend_from_slice(&(12347u32 | 1 << 16).to_le_bytes());
    out.push(0b01);
    for n in [0u16, 5 - 1, 7, 2 - 1] {
        out.extend_from_slice(&n.to_le_bytes());
    }
    // Runs 10..=11 and 12..=14, then the array 3, 65535.
    for n in [2u16, 10, 1, 12, 2, 3, 65535] {
        out.extend_from_slice(&n.to_le_bytes());
    }
    out
}

#[test]
fn touching_runs_are_read() {
    let map = read_dv(&wrap(&vector(&[(1, touching_runs())])), source(7)).unwrap();
    let base = 1u64 << 32;
    let wanted: Vec<u64> = [10, 11, 12, 13, 14, 7 << 16 | 3, 7 << 16 | 65535].iter().map(|p| base + p).collect();
    assert_eq!(map.iter().collect::<Vec<_>>(), wanted);
}

#[test]
fn empty_vectors_and_empty_bitmaps_are_legal() {
    assert!(read_dv(&wrap(&vector(&[])), source(0)).unwrap().is_empty());
    let empty = portable(&RoaringBitmap::new());
    let map = read_dv(&wrap(&vector(&[(0, empty), (9, portable(&RoaringBitmap::from([1])))])), source(1)).unwrap();
    assert_eq!(map.iter().collect::<Vec<_>>(), [9 << 32 | 1]);
}

#[test]
fn every_check_names_the_file() {
    let good = blob_of(&RoaringTreemap::from_iter([1, 5, 1 << 33]));
    assert_eq!(read_dv(&good, source(3)).unwrap().len(), 3);
    fails(read_dv(&good, source(2)), "cardinality 3");
    fails(read_dv(&good, source(-1)), "cardinality 3");
    fails(read_dv(&good[..10], source(3)), "too few");
    fails(read_dv(&good[..good.len() - 1], source(3)), "length field");
    let flip = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 0x40;
        bytes
    };
    fails(read_dv(&flip(0), source(3)), "length field");
    fails(read_dv(&flip(5), source(3)), "magic");
    fails(read_dv(&flip(good.len() - 2), source(3)), "CRC mismatch");
    fails(read_dv(&flip(20), source(3)), "CRC mismatch");
    let one = portable(&RoaringBitmap::from([1]));
    let two = |a: i32, b: i32| wrap(&vector(&[(a, one.clone()), (b, one.clone())]));
    fails(read_dv(&two(1, 1), source(2)), "bitmap key 1 after 1");
    fails(read_dv(&two(2, 1), source(2)), "bitmap key 1 after 2");
    fails(read_dv(&two(-1, 1), source(2)), "bitmap key -1");
    fails(read_dv(&two(1, i32::MAX), source(2)), "bitmap key 2147483647");
    let mut long = vector(&[(0, one.clone())]);
    long.push(0);
    fails(read_dv(&wrap(&long), source(1)), "1 bytes after");
    for count in [2i64, -1, 1 << 31, i64::MAX] {
        let mut wrong = vector(&[(0, one.clone())]);
        wrong[..8].copy_from_slice(&count.to_le_bytes());
        assert!(read_dv(&wrap(&wrong), source(1)).is_err());
    }
}

#[test]
fn broken_containers_are_refused() {
    let array = portable(&RoaringBitmap::from([3, 7]));
    let n = array.len();
    // Values out of order, repeated; a count that is wrong; an offset that is wrong; a container key that repeats.
    for (at, value) in [(n - 4, 9u8), (n - 4, 7), (10, 2), (12, 1)] {
        let mut bytes = array.clone();
        bytes[at] = value;
        assert!(read_dv(&wrap(&vector(&[(0, bytes)])), source(2)).is_err(), "byte {at} as {value}");
    }
    let mut full = portable(&(0..5000).map(|i| i * 2).collect());
    let end = full.len() - 1;
    full[end] ^= 1;
    fails(read_dv(&wrap(&vector(&[(0, full)])), source(5000)), "holds 5001 values, not 5000");
    let mut runs = touching_runs();
    // The first run becomes 10..=12, the second still begins at 12.
    runs[17] = 2;
    assert!(read_dv(&wrap(&vector(&[(0, runs)])), source(7)).is_err());
}

fn positions() -> impl Strategy<Value = RoaringTreemap> {
    let range = (0u64..1 << 34, 1u64..70_000).prop_map(|(from, n)| (from..from + n).collect::<Vec<_>>());
    let spread = prop::collection::vec(0u64..1 << 40, 0..50);
    let dense = (0u64..1 << 20, 4000usize..9000).prop_map(|(from, n)| (0..n as u64).map(|i| from + i * 3).collect());
    prop::collection::vec(prop_oneof![range, spread, dense], 0..4).prop_map(|parts| {
        let mut map: RoaringTreemap = parts.into_iter().flatten().collect();
        map.optimize();
        map
    })
}

proptest! {
    // A file of seeds in the source tree would look like a crate to the workspace.
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_roaring_writes_is_read(map in positions()) {
        let read = read_dv(&blob_of(&map), source(map.len() as i64)).unwrap();
        prop_assert!(read == map);
    }

    /// With the checksum made right again, so that the walk itself is what holds.
    #[test]
    fn damaged_vectors_fail_or_hold_what_they_declare(
        map in positions(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let blob = blob_of(&map);
        let mut vector = blob[8..blob.len() - 4].to_vec();
        for (at, value) in flips {
            // Mostly the headers: they decide about lengths.
            let at = at.index(vector.len().min(400));
            vector[at] ^= value;
        }
        if let Some(cut) = cut {
            vector.truncate(cut.index(vector.len()).max(8));
        }
        let wrapped = wrap(&vector);
        if let Ok(read) = read_dv(&wrapped, source(map.len() as i64)) {
            prop_assert_eq!(read.len(), map.len());
            prop_assert_eq!(read.iter().count() as u64, map.len());
            let positions: Vec<u64> = read.iter().collect();
            prop_assert!(positions.windows(2).all(|w| w[0] < w[1]));
        }
    }
}
