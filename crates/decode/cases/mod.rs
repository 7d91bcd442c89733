//! Data files that the reference implementation wrote, read by tasks made from the plans in its cases, against the
//! rows that the cases record.

mod cuts;
mod groups;
mod hostile;
mod layouts;
mod properties;
mod prunes;
mod render;
mod table;
mod views;

use crate::{Context, DeleteCache, Options, delete_rows, open};
use arrow_array::RecordBatch;
use lakefold_store::LocalStore;
use lakefold_task::ScanTask;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../__test__/fixtures/iceberg")
}

pub(crate) fn context(options: Options) -> Arc<Context> {
    Arc::new(Context {
        store: Arc::new(LocalStore),
        cancel: Arc::new(AtomicBool::new(false)),
        options,
        deletes: Arc::new(DeleteCache::new(delete_rows)),
        meter: Arc::default(),
        footers: Arc::default(),
        cuts: Arc::default(),
        dictionaries: Arc::default(),
        crew: Arc::new(crate::Crew::new(3, 1)),
    })
}

/// A Parquet file of one batch, gone when it is dropped.
fn written(batch: &RecordBatch, properties: WriterProperties) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut writer = ArrowWriter::try_new(file.reopen().unwrap(), batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    file
}

pub(crate) const PLAIN: Options =
    Options { batch_size: 1 << 20, batch_bytes: 32 << 20, prune: true, verify_crc: false };

/// All rows of some tasks, rendered as the fixtures render them, sorted.
pub(crate) fn rows(tasks: &[ScanTask], options: Options) -> lakefold_base::Result<Vec<String>> {
    let context = context(options);
    let mut lines = Vec::new();
    for task in tasks {
        let mut reader = open(Arc::new(task.clone()), Arc::clone(&context))?;
        while let Some(batch) = reader.next()? {
            assert!(batch.num_rows() > 0 && batch.num_rows() <= options.batch_size);
            render::rows(&task.projection, &batch, &mut lines);
        }
    }
    lines.sort();
    Ok(lines)
}

/// Lines of a case's rows, with their keys in one order.
fn expected(case: &Value) -> Vec<String> {
    let text = std::fs::read_to_string(root().join("cases").join(case["rowsFile"].as_str().unwrap())).unwrap();
    let mut lines: Vec<String> = text.lines().map(|l| serde_json::from_str::<Value>(l).unwrap().to_string()).collect();
    lines.sort();
    lines
}

/// The ORC writer of that table was handed hash maps: the order of entries means nothing there.
fn in_key_order(id: &str, mut lines: Vec<String>) -> Vec<String> {
    fn sort(value: &mut Value) {
        match value {
            Value::Object(members) => members.iter_mut().for_each(|(_, v)| sort(v)),
            Value::Array(items) => {
                items.iter_mut().for_each(sort);
                if items.iter().all(|i| i.as_array().is_some_and(|pair| pair.len() == 2)) {
                    items.sort_by_key(|i| i.to_string());
                }
            }
            _ => {}
        }
    }
    if id.starts_with("orc_data") {
        for line in &mut lines {
            let mut value: Value = serde_json::from_str(line).unwrap();
            sort(&mut value);
            *line = value.to_string();
        }
        lines.sort();
    }
    lines
}

fn plain_cases(skip: impl Fn(&Value) -> bool) -> Vec<Value> {
    let mut cases = Vec::new();
    let mut files: Vec<_> = std::fs::read_dir(root().join("cases")).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    for path in files.into_iter().filter(|p| p.extension().is_some_and(|e| e == "json")) {
        let list: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        cases.extend(list.into_iter().filter(|c| {
            c["rowsFile"].is_string()
                && c["error"].is_null()
                && c["plan"].is_array()
                && c["scan"]["incremental"].is_null()
                && c["check"].is_null()
                && c["planInexact"].is_null()
                && !skip(c)
        }));
    }
    cases
}

fn compare(options: Options, cases: &[Value]) {
    let only = std::env::var("CASE").ok();
    let mut failures = Vec::new();
    let mut compared = 0;
    for case in cases {
        let id = case["id"].as_str().unwrap();
        if only.as_ref().is_some_and(|only| !id.contains(only)) {
            continue;
        }
        compared += 1;
        let Some(tasks) = table::tasks(case) else { continue };
        match rows(&tasks, options) {
            Err(error) => failures.push(format!("{id}: {error}")),
            Ok(found) => {
                let wanted = expected(case);
                let found = in_key_order(id, found);
                let wanted = in_key_order(id, wanted);
                if found != wanted {
                    let first = found.iter().zip(&wanted).find(|(a, b)| a != b);
                    failures.push(format!(
                        "{id}: {} rows, expected {}; first difference {first:?}",
                        found.len(),
                        wanted.len()
                    ));
                }
            }
        }
    }
    let shown = failures.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{} of {compared} cases differ:\n{shown}", failures.len());
    assert!(only.is_some() || compared > 50, "only {compared} cases");
}

/// The unfiltered cases of a table.
pub(crate) fn scans_of(table: &str) -> Vec<Value> {
    plain_cases(|c| c["table"] != table || !c["scan"].as_object().unwrap().is_empty())
}

/// The tasks of a case.
pub(crate) fn tasks_of(case: &Value) -> Vec<ScanTask> {
    table::tasks(case).unwrap()
}

#[test]
fn plans_read_to_the_rows_of_the_reference() {
    compare(PLAIN, &plain_cases(|_| false));
}

#[test]
fn one_row_at_a_time_and_without_pruning_the_rows_are_the_same() {
    let cases: Vec<Value> = plain_cases(|_| false).into_iter().step_by(5).collect();
    compare(Options { batch_size: 1, batch_bytes: 1, prune: false, ..PLAIN }, &cases);
}
