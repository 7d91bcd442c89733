//! Tests. Files are put together by hand from the Avro spec; the fixtures are Iceberg Java's.

use super::AvroFile;
use crate::memory_file::{FIXTURES, memory, read_range, rows};
use lakefold_base::{Code, Result};
use proptest::prelude::*;
use std::io::Write;

const SYNC: [u8; 16] = *b"0123456789abcdef";

fn long(value: i64) -> Vec<u8> {
    let mut rest = ((value << 1) ^ (value >> 63)) as u64;
    let mut out = Vec::new();
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
    out
}

fn text(value: &[u8]) -> Vec<u8> {
    [long(value.len() as i64), value.to_vec()].concat()
}

/// A file of blocks with their row counts, data stored as it is.
fn file(schema: &str, codec: &str, blocks: &[(i64, Vec<u8>)]) -> Vec<u8> {
    let mut out = b"Obj\x01".to_vec();
    out.extend(long(2));
    for (key, value) in [("avro.schema", schema), ("avro.codec", codec)] {
        out.extend(text(key.as_bytes()));
        out.extend(text(value.as_bytes()));
    }
    out.extend(long(0));
    out.extend(SYNC);
    for (count, data) in blocks {
        out.extend(long(*count));
        out.extend(text(data));
        out.extend(SYNC);
    }
    out
}

fn all(bytes: Vec<u8>) -> Result<Vec<(u64, String)>> {
    let end = bytes.len() as u64;
    Ok(rows(&read_range(Box::new(AvroFile::open(memory(bytes))?), None, 0..end, 100)?))
}

fn cells(schema: &str, row: Vec<u8>) -> Result<String> {
    Ok(all(file(schema, "null", &[(1, row)]))?.remove(0).1)
}

fn record(fields: &str) -> String {
    format!(r#"{{"type":"record","name":"t","fields":[{fields}]}}"#)
}

fn one(ty: &str) -> String {
    record(&format!(r#"{{"name":"a","type":{ty},"field-id":1}}"#))
}

#[test]
fn every_type_of_iceberg() {
    let fixed = |n: usize, rest: &str| format!(r#"{{"type":"fixed","name":"f","size":{n}{rest}}}"#);
    for (ty, bytes, wanted) in [
        (r#""boolean""#.to_string(), vec![1], "true"),
        (r#""int""#.to_string(), long(-3), "-3"),
        (r#""long""#.to_string(), long(i64::MIN), "-9223372036854775808"),
        (r#""float""#.to_string(), 1.5f32.to_le_bytes().to_vec(), "1.5"),
        (r#""double""#.to_string(), (-0.0f64).to_le_bytes().to_vec(), "-0.0"),
        (r#""string""#.to_string(), text("é".as_bytes()), "é"),
        (r#""bytes""#.to_string(), text(&[1, 255]), "01ff"),
        (r#"{"type":"int","logicalType":"date"}"#.to_string(), long(-1), "1969-12-31"),
        (r#"{"type":"long","logicalType":"time-micros"}"#.to_string(), long(1), "00:00:00.000001"),
        (r#"{"type":"int","logicalType":"time-millis"}"#.to_string(), long(1), "00:00:00.001"),
        (
            r#"{"type":"long","logicalType":"timestamp-micros","adjust-to-utc":true}"#.to_string(),
            long(-1),
            "1969-12-31T23:59:59.999999Z",
        ),
        (
            r#"{"type":"long","logicalType":"timestamp-micros","adjust-to-utc":false}"#.to_string(),
            long(-1),
            "1969-12-31T23:59:59.999999",
        ),
        (r#"{"type":"long","logicalType":"timestamp-nanos"}"#.to_string(), long(1), "1970-01-01T00:00:00.000000001"),
        (r#"{"type":"long","logicalType":"timestamp-millis"}"#.to_string(), long(1), "1970-01-01T00:00:00.001"),
        (r#"{"type":"long","logicalType":"local-timestamp-micros"}"#.to_string(), long(0), "1970-01-01T00:00:00"),
        (fixed(2, ""), vec![0xab, 0xcd], "abcd"),
        (fixed(2, r#","logicalType":"decimal","precision":4,"scale":2"#), vec![0xff, 0x38], "-2.00"),
        (
            fixed(20, r#","logicalType":"decimal","precision":38,"scale":0"#),
            [vec![0xff; 19], vec![0xfe]].concat(),
            "-2",
        ),
        (
            r#"{"type":"bytes","logicalType":"decimal","precision":9,"scale":1}"#.to_string(),
            text(&[0x00, 0x80]),
            "12.8",
        ),
        (r#"["null","int"]"#.to_string(), long(0), "null"),
        (r#"["null","int"]"#.to_string(), [long(1), long(7)].concat(), "7"),
        (r#"["string","null"]"#.to_string(), long(1), "null"),
        (r#"["string","null"]"#.to_string(), [long(0), text(b"x")].concat(), "x"),
        (r#"{"type":"enum","name":"e","symbols":["A","B"]}"#.to_string(), long(1), "B"),
        (
            r#"{"type":"array","items":["null","int"],"element-id":2}"#.to_string(),
            // Two blocks, the second with its size.
            [long(2), long(1), long(5), long(0), long(-1), long(2), long(1), long(6), long(0)].concat(),
            "[5, null, 6]",
        ),
        (
            r#"{"type":"map","values":"long","key-id":2,"value-id":3}"#.to_string(),
            [long(1), text(b"k"), long(9), long(0)].concat(),
            "{k: 9}",
        ),
        (
            r#"{"type":"array","logicalType":"map","items":{"type":"record","name":"kv","fields":[
               {"name":"key","type":"int","field-id":2},{"name":"value","type":["null","string"],"field-id":3}]}}"#
                .to_string(),
            [long(1), long(4), long(1), text(b"v"), long(0)].concat(),
            "{4: v}",
        ),
    ] {
        assert_eq!(cells(&one(&ty), bytes).unwrap(), wanted, "{ty}");
    }
}

#[test]
fn ids_stand_on_fields_elements_keys_and_values() {
    let schema = record(
        r#"{"name":"l","type":{"type":"array","items":"int","element-id":11},"field-id":1},
           {"name":"m","type":{"type":"map","values":"int","key-id":12,"value-id":13},"field-id":2},
           {"name":"p","type":{"type":"array","logicalType":"map","items":{"type":"record","name":"kv","fields":[
             {"name":"key","type":"int","field-id":14},{"name":"value","type":"int","field-id":15}]}},"field-id":3},
           {"name":"s","type":{"type":"record","name":"r","fields":[{"name":"x","type":"int","field-id":16}]},"field-id":4}"#,
    );
    let reader = AvroFile::open(memory(file(&schema, "null", &[]))).unwrap();
    let text = format!("{:?}", crate::DataFileReader::schema(&reader));
    for id in [1, 2, 3, 4, 11, 12, 13, 14, 15, 16] {
        assert!(text.contains(&format!(r#"{{"PARQUET:field_id": "{id}"}}"#)), "{id} in {text}");
    }
}

#[test]
fn unwanted_fields_are_passed_over() {
    let schema = record(
        r#"{"name":"u","type":["null","int","string"]},
           {"name":"s","type":["null",{"type":"record","name":"r","fields":[
              {"name":"x","type":{"type":"array","items":"string"}},{"name":"y","type":"int"}]}]},
           {"name":"m","type":{"type":"map","values":"double"}},{"name":"z","type":"r"}"#,
    );
    let array = [long(-1), long(2), text(b"q"), long(0)].concat();
    let row = [
        [long(2), text(b"no")].concat(),
        [long(1), array.clone(), long(5)].concat(),
        [long(1), text(b"k"), 1f64.to_le_bytes().to_vec(), long(0)].concat(),
        [array, long(6)].concat(),
    ]
    .concat();
    let bytes = file(&schema, "null", &[(1, row)]);
    let reader = AvroFile::open(memory(bytes.clone())).unwrap();
    let schema = crate::DataFileReader::schema(&reader);
    let pruned = |i: usize| {
        let field = schema.field(i);
        let arrow_schema::DataType::Struct(children) = field.data_type() else { panic!("not a struct") };
        let data_type = arrow_schema::DataType::Struct(children.iter().skip(1).cloned().collect());
        std::sync::Arc::new(field.clone().with_data_type(data_type))
    };
    let read = |fields| read_range(Box::new(AvroFile::open(memory(bytes.clone())).unwrap()), Some(fields), 0..9999, 10);
    // In another order than the file's.
    assert_eq!(rows(&read(vec![pruned(3), pruned(1)]).unwrap()), [(0, "{y: 6}|{y: 5}".to_string())]);
    assert_eq!(read(vec![]).unwrap()[0].batch.num_rows(), 1);
    let error = read(vec![schema.fields()[0].clone()]).err().unwrap();
    assert_eq!(error.code(), Code::Unsupported);
}

fn numbers(blocks: &[i64]) -> Vec<u8> {
    let mut next = 0;
    let blocks: Vec<_> = blocks
        .iter()
        .map(|&count| {
            let data = (next..next + count).flat_map(|v| long(v * 1000)).collect();
            next += count;
            (count, data)
        })
        .collect();
    file(&one(r#""long""#), "null", &blocks)
}

#[test]
fn any_cut_covers_each_row_once_with_its_ordinal() {
    let bytes = numbers(&[3, 1, 0, 250, 7, 40]);
    let end = bytes.len() as u64;
    let wanted: Vec<_> = (0..301u64).map(|i| (i, (i * 1000).to_string())).collect();
    assert_eq!(all(bytes.clone()).unwrap(), wanted);
    let source = memory(bytes);
    let part = |range| rows(&read_range(Box::new(AvroFile::open(source.clone()).unwrap()), None, range, 64).unwrap());
    for cut in 0..=end {
        assert_eq!([part(0..cut), part(cut..end)].concat(), wanted, "cut at {cut}");
    }
}

#[test]
fn broken_files_are_named() {
    let good = numbers(&[3, 5]);
    let header = good.len() - 2 * 16 - numbers_tail(&[3, 5]);
    for (what, bytes) in [
        ("magic", [b"Obk", &good[3..]].concat()),
        ("cut in a block", good[..good.len() - 20].to_vec()),
        ("cut in a marker", good[..good.len() - 1].to_vec()),
        ("cut in the header", good[..40].to_vec()),
        ("empty", Vec::new()),
    ] {
        let error = all(bytes).unwrap_err();
        assert_eq!(error.code(), Code::CorruptFile, "{what}: {error}");
        assert!(error.to_string().contains("file: memory:file"), "{what}: {error}");
    }
    let mut flipped = good.clone();
    let end = flipped.len() - 1;
    flipped[end] ^= 1;
    assert!(all(flipped).unwrap_err().to_string().contains("sync marker"));
    assert!(header > 0);
    let schema = one(r#""long""#);
    for (count, data) in
        [(2, long(1)), (1, [long(1), long(2)].concat()), (-1, long(1)), (i64::MAX, long(1)), (0, long(1))]
    {
        assert!(all(file(&schema, "null", &[(count, data)])).is_err(), "{count}");
    }
    assert!(cells(&one(r#""string""#), text(&[0xff])).is_err());
    assert!(cells(&one(r#""boolean""#), vec![2]).is_err());
    assert!(cells(&one(r#""int""#), long(1 << 40)).is_err());
    assert!(cells(&one(r#"["null","int"]"#), long(2)).is_err());
    assert!(cells(&one(r#""long""#), vec![0xff; 10]).is_err());
    assert!(cells(&one(r#"{"type":"array","items":"int"}"#), long(i64::MAX)).is_err());
    assert!(cells(&one(r#"{"type":"array","items":"int"}"#), long(i64::MIN)).is_err());
}

fn numbers_tail(blocks: &[i64]) -> usize {
    blocks.iter().map(|count| *count as usize).sum()
}

#[test]
fn what_costs_no_bytes_is_bounded() {
    let nulls = record(r#"{"name":"a","type":"null"}"#);
    assert_eq!(all(file(&nulls, "null", &[(3, vec![])])).unwrap().len(), 3);
    let started = std::time::Instant::now();
    let error = all(file(&nulls, "null", &[(i64::MAX, vec![])])).unwrap_err();
    assert_eq!(error.code(), Code::LimitExceeded);
    let list = one(r#"{"type":"array","items":"null"}"#);
    assert_eq!(cells(&list, [long(1 << 40), long(0)].concat()).unwrap_err().code(), Code::LimitExceeded);
    // Types that double at every level, and one that contains itself.
    let mut fields = r#"{"name":"f0","type":{"type":"record","name":"r0","fields":[]}}"#.to_string();
    for i in 1..40 {
        let (a, b) = (i - 1, i - 1);
        fields += &format!(
            r#",{{"name":"f{i}","type":{{"type":"record","name":"r{i}","fields":[
               {{"name":"a","type":"r{a}"}},{{"name":"b","type":"r{b}"}}]}}}}"#
        );
    }
    assert_eq!(all(file(&record(&fields), "null", &[])).unwrap_err().code(), Code::Unsupported);
    let own = r#"{"type":"record","name":"t","fields":[{"name":"next","type":["null","t"]}]}"#;
    assert_eq!(all(file(own, "null", &[])).unwrap_err().code(), Code::Unsupported);
    let deep = format!("{}\"int\"{}", r#"{"type":"array","items":"#.repeat(100), "}".repeat(100));
    assert!(all(file(&one(&deep), "null", &[])).is_err());
    assert!(started.elapsed().as_secs() < 5);
}

#[test]
fn codecs_decompress_and_others_are_named() {
    let plain: Vec<u8> = (0..50).flat_map(|v: i64| long(v * 1000)).collect();
    let mut deflate = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    deflate.write_all(&plain).unwrap();
    let mut snappy = snap::raw::Encoder::new().compress_vec(&plain).unwrap();
    snappy.extend(crc32fast::hash(&plain).to_be_bytes());
    let wanted = all(file(&one(r#""long""#), "null", &[(50, plain.clone())])).unwrap();
    for (codec, data) in [
        ("deflate", deflate.finish().unwrap()),
        ("snappy", snappy.clone()),
        ("zstandard", zstd::bulk::compress(&plain, 3).unwrap()),
    ] {
        assert_eq!(all(file(&one(r#""long""#), codec, &[(50, data.clone())])).unwrap(), wanted, "{codec}");
        assert!(all(file(&one(r#""long""#), codec, &[(50, data[..data.len() - 5].to_vec())])).is_err(), "{codec}");
    }
    let end = snappy.len() - 1;
    snappy[end] ^= 1;
    assert!(all(file(&one(r#""long""#), "snappy", &[(50, snappy)])).unwrap_err().to_string().contains("checksum"));
    for codec in ["lzma", "xz"] {
        let error = all(file(&one(r#""long""#), codec, &[])).unwrap_err();
        assert_eq!(error.code(), Code::Unsupported);
        assert!(error.to_string().contains(codec));
    }
}

fn fixture_files(table: &str, extension: &str) -> Vec<Vec<u8>> {
    let folder = format!("{FIXTURES}/tables/{table}/data");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == extension));
    paths.sort();
    paths.into_iter().map(|path| std::fs::read(path).unwrap()).collect()
}

#[test]
fn the_fixtures_read_alike_in_any_cut() {
    let files = [fixture_files("avro_data", "avro"), fixture_files("codecs", "avro")].concat();
    assert!(files.len() >= 8);
    for bytes in files {
        let whole = all(bytes.clone()).unwrap();
        assert!(!whole.is_empty());
        assert!(whole.iter().enumerate().all(|(i, row)| row.0 == i as u64));
        let end = bytes.len() as u64;
        let source = memory(bytes);
        for cut in (0..end).step_by(97) {
            let part =
                |range| rows(&read_range(Box::new(AvroFile::open(source.clone()).unwrap()), None, range, 100).unwrap());
            assert_eq!([part(0..cut), part(cut..end)].concat(), whole);
        }
    }
}

#[test]
fn the_damaged_fixture_fails_at_its_marker() {
    let path = "damaged/avro_block_flipped/avro_data/data/00137-0-41345ace-5e0d-42fa-bc39-a025e2c94228-00001.avro";
    let error = all(std::fs::read(format!("{FIXTURES}/{path}")).unwrap()).unwrap_err();
    assert_eq!(error.code(), Code::CorruptFile);
    assert!(error.to_string().contains("sync marker") && error.to_string().contains("file: memory:file"));
}

proptest! {
    // A file of seeds in the source tree would look like a crate to the workspace.
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Flips, cuts and hostile lengths: an error, or rows; never a panic, never long.
    #[test]
    fn damaged_files_fail_or_read(
        which in any::<prop::sample::Index>(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut files = fixture_files("codecs", "avro");
        files.extend(fixture_files("avro_data", "avro"));
        files.push(numbers(&[3, 200, 5]));
        let index = which.index(files.len());
        let mut bytes = files.swap_remove(index);
        let size = bytes.len();
        for (at, value) in flips {
            bytes[at.index(size)] ^= value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(size));
        }
        let started = std::time::Instant::now();
        if let Err(error) = all(bytes) {
            prop_assert_ne!(error.code(), Code::Internal);
            prop_assert!(error.to_string().contains("file: memory:file"));
        }
        prop_assert!(started.elapsed().as_secs() < 10);
    }
}
