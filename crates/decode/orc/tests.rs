//! Tests. The fixtures are Iceberg Java's and Spark's files; other files come from orc-rust's writer.

use super::OrcFile;
use super::lengths::total;
use crate::DataFileReader;
use crate::memory_file::{FIXTURES, memory, read_range, rows};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::DataType;
use lakefold_base::{Code, Result};
use orc_rust::arrow_writer::ArrowWriterBuilder;
use proptest::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

fn fixtures(table: &str) -> Vec<Vec<u8>> {
    let mut folders = vec![PathBuf::from(format!("{FIXTURES}/tables/{table}/data"))];
    let mut paths = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "orc") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    paths.into_iter().map(|path| std::fs::read(path).unwrap()).collect()
}

fn all(bytes: Vec<u8>) -> Result<Vec<(u64, String)>> {
    let end = bytes.len() as u64;
    Ok(rows(&read_range(Box::new(OrcFile::open(memory(bytes))?), None, 0..end, 100)?))
}

/// Each row a number and a text that is sometimes null; several stripes. (The writer knows no nested types.)
fn written(rows_per_stripe: &[i64]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut next = 0;
    let batch = |from: i64, to: i64| {
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(from..to));
        let texts: ArrayRef =
            Arc::new((from..to).map(|i| (i % 3 > 0).then(|| format!("t{i}"))).collect::<StringArray>());
        RecordBatch::try_from_iter_with_nullable([("n", numbers, true), ("t", texts, true)]).unwrap()
    };
    let mut writer = ArrowWriterBuilder::new(&mut out, batch(0, 1).schema()).try_build().unwrap();
    for count in rows_per_stripe {
        writer.write(&batch(next, next + count)).unwrap();
        writer.flush_stripe().unwrap();
        next += count;
    }
    writer.close().unwrap();
    out
}

#[test]
fn all_codecs_of_the_fixtures_read() {
    let files = fixtures("codecs");
    assert_eq!(files.len(), 5);
    for bytes in files {
        let rows = all(bytes).unwrap();
        assert!(!rows.is_empty());
        assert!(rows.iter().enumerate().all(|(i, row)| row.0 == i as u64));
    }
}

#[test]
fn iceberg_attributes_decide_about_ids_and_types() {
    let reader = OrcFile::open(memory(fixtures("orc_data").remove(0))).unwrap();
    let schema = reader.schema();
    let field = |name: &str| schema.field_with_name(name).unwrap();
    assert_eq!(field("id").metadata()["PARQUET:field_id"], "1");
    assert_eq!(field("tm").data_type(), &DataType::Time64(arrow_schema::TimeUnit::Microsecond));
    assert_eq!(field("u").data_type(), &DataType::FixedSizeBinary(16));
    assert_eq!(field("fx").data_type(), &DataType::FixedSizeBinary(5));
    assert_eq!(field("ts").data_type(), &DataType::Timestamp(arrow_schema::TimeUnit::Microsecond, None));
    assert!(matches!(field("tz").data_type(), DataType::Timestamp(_, Some(zone)) if zone.as_ref() == "UTC"));
}

#[test]
fn stripes_belong_to_the_range_of_their_offset() {
    let bytes = written(&[3, 1, 250, 40]);
    let end = bytes.len() as u64;
    let whole = all(bytes.clone()).unwrap();
    assert_eq!(whole.len(), 294);
    assert_eq!(whole[7], (7, "7|t7".to_string()));
    let source = memory(bytes);
    let part = |range| rows(&read_range(Box::new(OrcFile::open(source.clone()).unwrap()), None, range, 64).unwrap());
    for cut in (0..=end).step_by(7) {
        assert_eq!([part(0..cut), part(cut..end)].concat(), whole, "cut at {cut}");
    }
}

#[test]
fn only_wanted_columns_are_read() {
    let bytes = written(&[5, 5]);
    let schema = OrcFile::open(memory(bytes.clone())).unwrap().schema();
    let read = |fields| read_range(Box::new(OrcFile::open(memory(bytes.clone())).unwrap()), Some(fields), 0..9999, 4);
    let swapped = vec![schema.fields()[1].clone(), schema.fields()[0].clone()];
    assert_eq!(rows(&read(swapped).unwrap())[8], (8, "t8|8".to_string()));
    let bare = read(vec![]).unwrap();
    let shape: Vec<_> = bare.iter().map(|b| (b.first_row, b.batch.num_rows())).collect();
    assert_eq!(shape, [(0, 4), (4, 1), (5, 4), (9, 1)]);
}

#[test]
fn structs_are_read_in_parts() {
    for bytes in fixtures("orc_data") {
        let schema = OrcFile::open(memory(bytes.clone())).unwrap().schema();
        let Some(field) = schema.fields().iter().find(|f| f.name() == "st") else { continue };
        let DataType::Struct(children) = field.data_type() else { panic!("not a struct") };
        let read = |keep: &[usize]| {
            let kept = keep.iter().map(|&i| children[i].clone()).collect();
            let pruned = Arc::new(field.as_ref().clone().with_data_type(DataType::Struct(kept)));
            let file = Box::new(OrcFile::open(memory(bytes.clone())).unwrap());
            let batches = read_range(file, Some(vec![pruned]), 0..1 << 40, 1000).unwrap();
            batches.iter().map(|b| b.batch.column(0).as_struct().clone()).collect::<Vec<_>>()
        };
        let whole = read(&[0, 1]);
        assert!(whole.iter().any(|array| array.null_count() > 0 && array.null_count() < array.len()));
        for (keep, parts) in [(vec![], read(&[])), (vec![1], read(&[1])), (vec![1, 0], read(&[1, 0]))] {
            for (whole, part) in whole.iter().zip(parts) {
                assert_eq!(part.nulls(), whole.nulls());
                assert_eq!(part.num_columns(), keep.len());
                for (at, child) in keep.iter().enumerate() {
                    assert_eq!(part.column(at), whole.column(*child));
                }
            }
        }
    }
}

#[test]
fn batches_keep_to_rows_and_bytes() {
    let bytes = written(&[100_000]);
    let file = Box::new(OrcFile::open(memory(bytes)).unwrap());
    let batches = read_range(file, None, 0..1 << 40, 1 << 20).unwrap();
    // The tests' context wants a MiB a batch.
    assert!(batches.len() > 1);
    assert!(batches.iter().all(|b| b.batch.get_array_memory_size() < 4 << 20));
    assert_eq!(batches.iter().map(|b| b.batch.num_rows()).sum::<usize>(), 100_000);
}

#[test]
fn cut_files_are_named() {
    let bytes = fixtures("orc_data").remove(0);
    for size in [0, 1, 3, bytes.len() / 2, bytes.len() - 1] {
        let error = all(bytes[..size].to_vec()).unwrap_err();
        assert!(matches!(error.code(), Code::CorruptFile | Code::Unsupported), "{error}");
        assert!(error.to_string().contains("file: memory:file"), "{error}");
    }
}

#[test]
fn the_damaged_fixture_fails() {
    let path = "damaged/orc_truncated/orc_data/data/00140-0-2dc79b05-dacf-4b2e-8175-e939b4deda46-00001.orc";
    let error = all(std::fs::read(format!("{FIXTURES}/{path}")).unwrap()).unwrap_err();
    assert!(error.to_string().contains("file: memory:file"));
}

/// The examples of the ORC spec, "Run Length Encoding version 1" and "version 2".
#[test]
fn lengths_follow_the_examples_of_the_spec() {
    assert_eq!(total(&[0x61, 0x00, 0x07], false).unwrap(), 700);
    assert_eq!(total(&[0x61, 0xff, 0x64], false).unwrap(), (1..=100).sum::<u64>());
    assert_eq!(total(&[0xfb, 0x02, 0x03, 0x04, 0x07, 0x0b], false).unwrap(), 27);
    assert_eq!(total(&[0x0a, 0x27, 0x10], true).unwrap(), 50_000);
    let direct = [0x5e, 0x03, 0x5c, 0xa1, 0xab, 0x1e, 0xde, 0xad, 0xbe, 0xef];
    assert_eq!(total(&direct, true).unwrap(), 23713 + 43806 + 57005 + 48879);
    let delta = [0xc6, 0x09, 0x02, 0x02, 0x22, 0x42, 0x42, 0x46];
    assert_eq!(total(&delta, true).unwrap(), 2 + 3 + 5 + 7 + 11 + 13 + 17 + 19 + 23 + 29);
    let patched = [
        0x8e, 0x13, 0x2b, 0x21, 0x07, 0xd0, 0x1e, 0x00, 0x14, 0x70, 0x28, 0x32, 0x3c, 0x46, 0x50, 0x5a, 0x64, 0x6e,
        0x78, 0x82, 0x8c, 0x96, 0xa0, 0xaa, 0xb4, 0xbe, 0xfc, 0xe8,
    ];
    let values = [2030, 2000, 2020, 1_000_000].into_iter().chain((0..16).map(|i| 2040 + 10 * i));
    assert_eq!(total(&patched, true).unwrap(), values.sum::<u64>());
    assert!(total(&[0x0a, 0x27], true).is_err());
    assert!(total(&[0x3c, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], true).is_err());
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
        // orc-rust's panics are caught; they need not be printed.
        std::panic::set_hook(Box::new(|info| {
            if !info.location().is_some_and(|l| l.file().contains("orc-rust") || l.file().contains("arrow-")) {
                eprintln!("{info}");
            }
        }));
        let mut files = fixtures("codecs");
        files.extend(fixtures("orc_data"));
        files.push(written(&[3, 200, 5]));
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
