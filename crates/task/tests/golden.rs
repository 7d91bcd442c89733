//! The golden task documents, which the TypeScript side reads and writes too.
#![allow(clippy::unwrap_used)]

use lakefold_task::{DeleteContent, ScanTask};
use serde_json::Value;
use std::path::Path;

fn golden(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../__test__/fixtures/tasks");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn documents_come_back_whole() {
    for name in ["plain.json", "deletes.json", "changelog.json"] {
        let text = golden(name);
        let task = ScanTask::from_json(&text).unwrap();
        let written: Value = serde_json::to_value(&task).unwrap();
        assert_eq!(written, serde_json::from_str::<Value>(&text).unwrap(), "{name}");
    }
}

#[test]
fn integers_are_exact_and_descriptors_are_understood() {
    let task = ScanTask::from_json(&golden("deletes.json")).unwrap();
    assert_eq!(task.data_sequence_number, i64::MAX);
    assert_eq!(task.first_row_id, Some(i64::MAX - 1));
    assert_eq!(task.data_file.record_count, -1);
    let contents: Vec<_> = task.delete_files.iter().map(|file| file.content).collect();
    assert_eq!(contents, [DeleteContent::Equality, DeleteContent::PuffinDv]);
    assert_eq!(task.delete_files[1].content_offset, Some(4));
    assert_eq!(task.partition[1].value, Value::from("2024-01-31"));
}
