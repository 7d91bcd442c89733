use crate::{Blob, MAX_BLOCK_BYTES, Op, Pairs, Program, Records, Skip, Source, decode};
use lakefold_base::{Code, Error};
use std::io::Write;

const SYNC: [u8; 16] = *b"0123456789abcdef";

fn long(value: i64) -> Vec<u8> {
    let mut raw = ((value << 1) ^ (value >> 63)) as u64;
    let mut out = Vec::new();
    while raw > 0x7f {
        out.push(raw as u8 | 0x80);
        raw >>= 7;
    }
    out.push(raw as u8);
    out
}

fn text(value: &[u8]) -> Vec<u8> {
    [long(value.len() as i64), value.to_vec()].concat()
}

/// A block of a file.
fn file(count: i64, packed: &[u8]) -> Vec<u8> {
    [long(count).as_slice(), &text(packed), &SYNC].concat()
}

fn source<'a>(blocks: &'a [u8], codec: &'a str) -> Source<'a> {
    Source { blocks, offset: 100, file: "m.avro", codec, sync: &SYNC }
}

fn program(ops: Vec<Op>) -> Program {
    Program { min_bytes: 1, ops }
}

fn read(bytes: &[u8], codec: &str, ops: Vec<Op>) -> Result<Vec<Vec<u8>>, Error> {
    decode(&source(bytes, codec), &program(ops)).map(|out| segments(&out))
}

fn segments(out: &[u8]) -> Vec<Vec<u8>> {
    let word = |at: usize| u32::from_le_bytes(out[at..at + 4].try_into().unwrap()) as usize;
    (0..word(4))
        .map(|i| {
            let at = word(8 + 8 * i);
            assert_eq!(at % 8, 0);
            out[at..at + word(12 + 8 * i)].to_vec()
        })
        .collect()
}

fn i32s(bytes: &[u8]) -> Vec<i32> {
    bytes.chunks_exact(4).map(|b| i32::from_le_bytes(b.try_into().unwrap())).collect()
}

fn i64s(bytes: &[u8]) -> Vec<i64> {
    bytes.chunks_exact(8).map(|b| i64::from_le_bytes(b.try_into().unwrap())).collect()
}

fn failure(bytes: &[u8], codec: &str, ops: Vec<Op>) -> (Code, String) {
    let error = read(bytes, codec, ops).unwrap_err();
    assert!(error.message().contains("m.avro"), "{error}");
    (error.code(), error.message().to_string())
}

#[test]
fn scalars_and_their_nulls_become_columns() {
    let nullable = vec![true, false];
    let ops = vec![
        Op::Int { nulls: vec![] },
        Op::Long { nulls: nullable.clone(), narrow: false },
        Op::Blob { nulls: nullable, value: Blob::Text },
    ];
    // Union branches: 0 is null.
    let records = [long(7), long(1), long(i64::MIN), long(1), text(b"ab"), long(-1), long(0), long(0)].concat();
    let out = read(&file(2, &records), "null", ops).unwrap();
    assert_eq!(i32s(&out[0]), [7, -1]);
    assert!(out[1].is_empty());
    assert_eq!(i64s(&out[2]), [i64::MIN, 0]);
    assert_eq!(out[3], [0, 1]);
    assert_eq!(i32s(&out[4]), [0, 2, 2]);
    assert_eq!(out[5], b"ab");
    assert_eq!(out[6], [0, 1]);
}

#[test]
fn maps_keep_the_wanted_keys_and_lists_all() {
    let pairs = |keys: Option<Vec<i32>>, skip| Pairs { keys, nulls: vec![], skip };
    let ops = vec![
        Op::LongMap { nulls: vec![], narrow: false, pairs: pairs(Some(vec![2]), Skip::Varint) },
        Op::BlobMap { nulls: vec![], value: Blob::Bytes, pairs: pairs(None, Skip::Blob) },
        Op::List { nulls: vec![], narrow: false },
    ];
    let record = [
        // Two blocks, the second with its size in bytes.
        [long(2), long(1), long(10), long(2), long(20), long(-1), long(2), long(3), long(30), long(0)].concat(),
        [long(2), long(5), text(b"x"), long(6), text(b"yz"), long(0)].concat(),
        [long(2), long(4), long(1 << 40), long(0)].concat(),
    ]
    .concat();
    let out = read(&file(1, &record), "null", ops).unwrap();
    assert_eq!((i32s(&out[0]), i32s(&out[1]), i64s(&out[2])), (vec![0, 1], vec![2], vec![20]));
    assert_eq!((i32s(&out[4]), i32s(&out[5]), i32s(&out[6])), (vec![0, 2], vec![5, 6], vec![0, 1, 3]));
    assert_eq!(out[7], b"xyz");
    assert_eq!((i32s(&out[9]), i64s(&out[10])), (vec![0, 2], vec![4, 1 << 40]));
}

#[test]
fn distinct_values_are_kept_once_in_their_encoding() {
    let records = [text(b"a"), text(b"b"), text(b"a"), text(b"a"), text(b"")].concat();
    let out = read(&file(5, &records), "null", vec![Op::Distinct(Skip::Blob)]).unwrap();
    assert_eq!(i32s(&out[0]), [0, 1, 0, 0, 2]);
    assert_eq!(i32s(&out[1]), [0, 2, 4, 5]);
    assert_eq!(out[2], [text(b"a"), text(b"b"), text(b"")].concat());
}

#[test]
fn every_type_can_be_passed_over() {
    let skip = Skip::Record(vec![
        Skip::Union(vec![Skip::Fixed(0), Skip::Map(Box::new(Skip::Array(Box::new(Skip::Fixed(8)))))]),
        Skip::Varints(2),
        Skip::Prefixed(2),
    ]);
    let value = [
        [long(1), long(1), text(b"k"), long(1), vec![0; 8], long(0), long(0)].concat(),
        [long(1), long(1), long(i64::MAX), long(0)].concat(),
        text(b"fx"),
    ]
    .concat();
    let records = [value, long(9)].concat();
    let out = read(&file(1, &records), "null", vec![Op::Skip(skip), Op::Int { nulls: vec![] }]).unwrap();
    assert_eq!(i32s(&out[0]), [9]);
}

#[test]
fn a_record_that_must_be_there_is_named_where_it_is_null() {
    let ops = || {
        let nulls = vec![true, false];
        vec![Op::Present { nulls, field: "_FILE".to_string() }, Op::Int { nulls: vec![] }]
    };
    let out = read(&file(1, &[long(1), long(7)].concat()), "null", ops()).unwrap();
    assert_eq!((out.len(), i32s(&out[0])), (2, vec![7]));
    let error = read(&file(1, &long(0)), "null", ops()).unwrap_err();
    assert_eq!((error.code(), error.message()), (Code::CorruptFile, "m.avro: _FILE is null"));
}

#[test]
fn records_are_passed_over_once_and_decoded_where_they_are_wanted() {
    let record = |id: i64, name: &[u8]| [long(id), text(name)].concat();
    let blocks = [
        file(2, &[record(1, b"a"), record(2, b"bb")].concat()),
        file(1, &record(3, b"c")),
        file(2, &[record(4, b"dd"), record(5, b"e")].concat()),
    ]
    .concat();
    let ids = || Op::Int { nulls: vec![] };
    let glance = program(vec![ids(), Op::Skip(Skip::Blob)]);
    let whole = program(vec![ids(), Op::Blob { nulls: vec![], value: Blob::Text }]);
    let (records, head) = Records::glance(&source(&blocks, "null"), &glance).unwrap();
    assert_eq!(i32s(&segments(&head)[0]), [1, 2, 3, 4, 5]);
    let out = segments(&records.select(&[1, 2, 4], &whole).unwrap());
    assert_eq!((i32s(&out[0]), out[3].as_slice()), (vec![2, 3, 5], b"bbce".as_slice()));
    assert!(segments(&records.select(&[], &whole).unwrap())[0].is_empty());
    for places in [&[5][..], &[2, 1]] {
        assert_eq!(records.select(places, &whole).unwrap_err().code(), Code::Internal);
    }
}

#[test]
fn a_fault_in_a_later_part_of_a_file_is_told_by_its_place() {
    let whole = [file(1, &long(1)), file(1, &long(2))].concat();
    let mut part = whole[whole.len() / 2..].to_vec();
    *part.last_mut().unwrap() ^= 1;
    let (_, message) = failure(&part, "null", vec![Op::Int { nulls: vec![] }]);
    assert!(message.contains("after the block at byte 100 is not"), "{message}");
}

#[test]
fn every_codec_gives_the_same() {
    let plain = [long(3), long(4)].concat();
    let mut deflate = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    deflate.write_all(&plain).unwrap();
    let mut snappy = snap::raw::Encoder::new().compress_vec(&plain).unwrap();
    snappy.extend(crc32fast::hash(&plain).to_be_bytes());
    let packed = [
        ("null", plain.clone()),
        ("deflate", deflate.finish().unwrap()),
        ("snappy", snappy.clone()),
        ("zstandard", zstd::stream::encode_all(plain.as_slice(), 1).unwrap()),
    ];
    for (codec, bytes) in packed {
        let out = read(&file(2, &bytes), codec, vec![Op::Int { nulls: vec![] }]).unwrap();
        assert_eq!(i32s(&out[0]), [3, 4], "{codec}");
    }
    *snappy.last_mut().unwrap() ^= 1;
    let (code, _) = failure(&file(2, &snappy), "snappy", vec![Op::Int { nulls: vec![] }]);
    assert_eq!(code, Code::CorruptFile);
    assert_eq!(failure(&file(2, &plain), "lzo", vec![Op::Int { nulls: vec![] }]).0, Code::Unsupported);
}

#[test]
fn a_bomb_is_stopped_at_the_limit() {
    let mut deflate = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    let zeros = vec![0; 1 << 20];
    for _ in 0..=(MAX_BLOCK_BYTES >> 20) {
        deflate.write_all(&zeros).unwrap();
    }
    let bytes = file(1, &deflate.finish().unwrap());
    assert_eq!(failure(&bytes, "deflate", vec![Op::Skip(Skip::Varint)]).0, Code::LimitExceeded);
}

#[test]
fn counts_and_lengths_that_the_bytes_do_not_bear_out_are_corrupt() {
    let int = || vec![Op::Int { nulls: vec![] }];
    let cases: Vec<(Vec<u8>, Vec<Op>, &str)> = vec![
        (file(i64::MAX, &long(1)), int(), "too few"),
        (file(-1, &long(1)), int(), "too few"),
        (file(1, &[long(1), long(2)].concat()), int(), "are left after"),
        (file(1, &long(1 << 31)), int(), "more than 32 bits"),
        (file(1, &[0xff; 9]), int(), "too many bytes"),
        (file(1, &[0xff; 11]), vec![Op::Long { nulls: vec![], narrow: false }], "more than 64 bits"),
        (file(1, &[0xff; 11]), vec![Op::Skip(Skip::Varint)], "more than 64 bits"),
        (file(1, &[0x80]), int(), "inside an integer"),
        (file(1, &long(1 << 40)), vec![Op::Skip(Skip::Blob)], "a length of"),
        (file(1, &long(-3)), vec![Op::Skip(Skip::Blob)], "a length of -3"),
        (file(1, &[1]), vec![Op::Skip(Skip::Fixed(2))], "2 more bytes"),
        (file(1, &long(1 << 40)), vec![Op::List { nulls: vec![], narrow: false }], "a block of"),
        (file(1, &long(5)), vec![Op::Int { nulls: vec![true, false] }], "a union has 2 types"),
        (file(1, &text(&[0xff])), vec![Op::Blob { nulls: vec![], value: Blob::Text }], "not UTF-8"),
        (file(1, &text(&[0xff])), vec![Op::Distinct(Skip::Text)], "not UTF-8"),
        (file(1, &text(b"abc")), vec![Op::Skip(Skip::Prefixed(2))], "not 2"),
    ];
    for (bytes, ops, part) in cases {
        let (code, message) = failure(&bytes, "null", ops);
        assert_eq!(code, Code::CorruptFile, "{message}");
        assert!(message.contains(part), "{message} does not say {part}");
    }
}

#[test]
fn a_file_cut_or_changed_anywhere_is_an_error_or_other_values_but_no_panic() {
    let record = [long(1), text(b"path"), long(2), long(1), text(b"x"), long(2), text(b"y"), long(0)].concat();
    let bytes = file(3, &record.repeat(3));
    let ops = || {
        let pairs = Pairs { keys: None, nulls: vec![], skip: Skip::Blob };
        vec![
            Op::Int { nulls: vec![] },
            Op::Blob { nulls: vec![], value: Blob::Text },
            Op::BlobMap { nulls: vec![], value: Blob::Bytes, pairs },
        ]
    };
    assert_eq!(i32s(&read(&bytes, "null", ops()).unwrap()[0]), [1, 1, 1]);
    for end in 1..bytes.len() {
        assert_eq!(failure(&bytes[..end], "null", ops()).0, Code::CorruptFile, "cut at {end}");
    }
    for bit in 0..bytes.len() * 8 {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        if let Err(error) = read(&changed, "null", ops()) {
            assert!(error.message().contains("m.avro"));
        }
    }
}
