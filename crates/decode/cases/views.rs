//! Texts as views hold no more memory than the rows at hand need, and fail where plain ones do.

use super::{context, written};
use crate::Options;
use crate::reader::{TaskReader, open_as};
use crate::work::Form;
use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_buffer::OffsetBuffer;
use lakefold_base::{Code, Error};
use lakefold_task::ScanTask;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use serde_json::{Value, json};
use std::sync::Arc;

const PAGE_ROWS: usize = 100;

fn write(texts: StringArray, dictionary: bool) -> tempfile::NamedTempFile {
    let batch = RecordBatch::try_from_iter([("s", Arc::new(texts) as ArrayRef)]).unwrap();
    let properties = WriterProperties::builder()
        .set_data_page_row_count_limit(PAGE_ROWS)
        .set_write_batch_size(1)
        .set_dictionary_enabled(dictionary)
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    written(&batch, properties)
}

fn reader(file: &tempfile::NamedTempFile, ranges: Value, views: bool) -> TaskReader {
    let path = file.path().to_str().unwrap();
    let fields = json!([{"id": 1, "name": "s", "required": false, "type": "string"}]);
    let task: ScanTask = serde_json::from_value(json!({
        "version": 1, "start": 0, "length": u64::MAX, "spec-id": 0, "data-sequence-number": 1,
        "data-file": {"path": path, "location": path, "format": "parquet", "file-size-in-bytes": 0, "record-count": 0},
        "schema": fields, "projection": fields, "residual": true, "row-ranges": ranges,
    }))
    .unwrap();
    let options = Options { batch_size: 1000, batch_bytes: 16 << 20, prune: true, verify_crc: false };
    let form = Form { views: Arc::new(if views { [1].into() } else { [].into() }), ..Form::default() };
    open_as(Arc::new(task), context(options), form).unwrap()
}

/// Rows that are read, by where they are, with the bytes that each batch holds.
fn read(file: &tempfile::NamedTempFile, ranges: Value) -> (Vec<String>, Vec<usize>) {
    let (mut texts, mut held) = (Vec::new(), Vec::new());
    for batch in reader(file, ranges, true) {
        let batch = batch.unwrap();
        held.push(batch.get_array_memory_size());
        texts.extend(batch.column(0).as_string_view().iter().map(|text| text.unwrap().to_string()));
    }
    (texts, held)
}

#[test]
fn rows_that_are_far_from_each_other_hold_no_pages() {
    let text = |row: usize| format!("{row:01000}");
    let file = write(StringArray::from_iter_values((0..4000).map(text)), false);
    let rows: Vec<usize> = (0..40).map(|page| page * PAGE_ROWS + 50).collect();
    let (texts, held) = read(&file, rows.iter().map(|row| json!([row, row])).collect());
    assert_eq!(texts, rows.iter().map(|row| text(*row)).collect::<Vec<_>>());
    // Less than two pages; forty would be held else.
    assert!(held.iter().sum::<usize>() < 200_000, "{held:?}");

    let (texts, held) = read(&file, json!([[150, 249]]));
    assert_eq!(texts, (150..250).map(text).collect::<Vec<_>>());
    assert!((200_000..250_000).contains(&held.iter().sum::<usize>()), "{held:?}");
}

#[test]
fn texts_that_are_not_utf_8_fail_as_plain_ones() {
    // Long ones, one that is cut within a character by the start of the next, and one behind a sound page.
    for (at, wrong) in [(0, b"\xff".to_vec()), (3, "é".as_bytes()[..1].to_vec()), (250, vec![0xe2; 300])] {
        let mut lengths = vec![5; 300];
        lengths[at] = wrong.len();
        let texts: Vec<u8> =
            (0..300).flat_map(|row| if row == at { wrong.clone() } else { b"sound".to_vec() }).collect();
        // SAFETY: only written, as bytes.
        let texts = unsafe { StringArray::new_unchecked(OffsetBuffer::from_lengths(lengths), texts.into(), None) };
        for dictionary in [false, true] {
            let file = write(texts.clone(), dictionary);
            let error = |views: bool| -> Error {
                reader(&file, json!([[0, 299]]), views).collect::<Result<Vec<_>, _>>().unwrap_err()
            };
            let (plain, viewed) = (error(false), error(true));
            assert_eq!((plain.code(), viewed.code()), (Code::CorruptFile, Code::CorruptFile), "{plain:?} {viewed:?}");
        }
    }
}
