use crate::{Blob, DvSource, footer_range, read_dv, read_footer};
use lakefold_base::Code;
use proptest::prelude::*;
use std::io::Write;

fn file(payload: &[u8], flags: u8) -> Vec<u8> {
    let mut out = b"PFA1hello".to_vec();
    out.extend_from_slice(b"PFA1");
    out.extend_from_slice(payload);
    out.extend_from_slice(&(payload.len() as i32).to_le_bytes());
    out.extend_from_slice(&[flags, 0, 0, 0]);
    out.extend_from_slice(b"PFA1");
    out
}

fn parse(bytes: &[u8]) -> lakefold_base::Result<crate::Footer> {
    let tail = bytes.last_chunk::<12>().ok_or_else(|| lakefold_base::Error::corrupt("short; file: p"))?;
    let size = bytes.len() as u64;
    let range = footer_range("p", size, tail)?;
    read_footer("p", size, &bytes[range.start as usize..range.end as usize])
}

const JSON: &str = r#"{"blobs":[{"type":"deletion-vector-v1","fields":[],"snapshot-id":-1,"sequence-number":-1,
  "offset":4,"length":5,"properties":{"cardinality":"2","referenced-data-file":"a"}}],"properties":{"k":"v"}}"#;

fn lz4(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn plain_and_compressed_footers_read_the_same() {
    let plain = parse(&file(JSON.as_bytes(), 0)).unwrap();
    assert_eq!(plain, parse(&file(&lz4(JSON.as_bytes()), 1)).unwrap());
    assert_eq!((plain.blobs[0].offset, plain.blobs[0].length), (4, 5));
    assert_eq!(plain.properties["k"], "v");
}

#[test]
fn a_vector_has_to_be_the_one_of_the_manifest() {
    let blob = &parse(&file(JSON.as_bytes(), 0)).unwrap().blobs[0];
    blob.check_dv("p", "a", 2).unwrap();
    assert!(blob.check_dv("p", "b", 2).unwrap_err().to_string().contains("file: p"));
    assert!(blob.check_dv("p", "a", 3).unwrap_err().to_string().contains("cardinality \"2\""));
    let other = Blob { kind: "apache-datasketches-theta-v1".to_string(), ..blob.clone() };
    assert!(other.check_dv("p", "a", 2).is_err());
}

#[test]
fn blobs_are_decompressed_by_their_codec() {
    let footer = parse(&file(JSON.as_bytes(), 0)).unwrap();
    let text = b"to be or not to be, to be or not to be".to_vec();
    let mut blob = footer.blobs[0].clone();
    for (codec, stored) in
        [(None, text.clone()), (Some("lz4"), lz4(&text)), (Some("zstd"), zstd::bulk::compress(&text, 3).unwrap())]
    {
        blob.compression_codec = codec.map(str::to_string);
        blob.length = stored.len() as u64;
        assert_eq!(blob.decode("p", &stored, 1000).unwrap(), text);
        if codec.is_some() {
            assert_eq!(blob.decode("p", &stored, 10).unwrap_err().code(), Code::CorruptFile);
        }
        assert!(blob.decode("p", &stored[1..], 1000).is_err());
    }
    blob.compression_codec = Some("brotli".to_string());
    assert_eq!(blob.decode("p", &vec![0; blob.length as usize], 10).unwrap_err().code(), Code::Unsupported);
}

#[test]
fn blobs_lie_between_the_magic_and_the_footer() {
    for (from, to) in [
        ("\"offset\":4", "\"offset\":3"),
        ("\"length\":5", "\"length\":6"),
        ("\"offset\":4", "\"offset\":18446744073709551615"),
        ("\"length\":5", "\"length\":-1"),
    ] {
        let error = parse(&file(JSON.replace(from, to).as_bytes(), 0)).unwrap_err();
        assert_eq!(error.code(), Code::CorruptFile, "{to}");
        assert!(error.to_string().contains("file: p"));
    }
    assert!(parse(&file(JSON.as_bytes(), 2)).is_err());
}

/// Real files: every vector that a footer lists is read from its offset and has its cardinality.
#[test]
fn the_vectors_of_the_fixtures_have_their_cardinality() {
    let tables = concat!(env!("CARGO_MANIFEST_DIR"), "/../../__test__/fixtures/iceberg/tables");
    let (mut vectors, mut largest) = (0, 0);
    for table in ["dv_v3", "dv_v3_large", "upgraded_v2_v3", "incremental_dv", "row_lineage"] {
        let mut folders = vec![std::path::PathBuf::from(tables).join(table).join("data")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| e == "puffin") {
                    let bytes = std::fs::read(&path).unwrap();
                    for blob in parse(&bytes).unwrap().blobs {
                        let data_file = blob.properties["referenced-data-file"].clone();
                        let cardinality = blob.properties["cardinality"].parse().unwrap();
                        blob.check_dv("p", &data_file, cardinality).unwrap();
                        let stored = &bytes[blob.offset as usize..(blob.offset + blob.length) as usize];
                        let source = DvSource {
                            puffin: "p",
                            offset: blob.offset,
                            data_file: &data_file,
                            record_count: cardinality,
                        };
                        largest = largest.max(read_dv(stored, source).unwrap().len());
                        vectors += 1;
                    }
                }
            }
        }
    }
    assert!(vectors >= 20, "{vectors} vectors");
    assert!(largest >= 60_000, "{largest} positions");
}

proptest! {
    // A file of seeds in the source tree would look like a crate to the workspace.
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_footers_fail_or_stay_inside_the_file(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..5),
        cut in prop::option::of(any::<prop::sample::Index>()),
        compressed in any::<bool>(),
    ) {
        let mut bytes = if compressed { file(&lz4(JSON.as_bytes()), 1) } else { file(JSON.as_bytes(), 0) };
        let size = bytes.len();
        for (at, value) in flips {
            bytes[at.index(size)] ^= value;
        }
        if let Some(cut) = cut {
            bytes.drain(..cut.index(size));
        }
        if let Ok(footer) = parse(&bytes) {
            for blob in footer.blobs {
                prop_assert!(blob.offset + blob.length <= bytes.len() as u64);
            }
        }
    }
}
