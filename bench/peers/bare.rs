//! The limit: a bare arrow-rs decode loop over data files, behind the line protocol of the bench.
//! Request: {"files": [path..], "threads": n}. No table format, no filter, no deletes.
#![allow(clippy::expect_used)]

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, Write};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

fn read(files: &[String], threads: usize) -> u64 {
    let (next, rows) = (AtomicUsize::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let file = File::open(path).expect("a data file");
                    let builder = ParquetRecordBatchReaderBuilder::try_new(file).expect("a Parquet file");
                    for batch in builder.with_batch_size(65536).build().expect("a reader") {
                        rows.fetch_add(batch.expect("a batch").num_rows() as u64, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    rows.into_inner()
}

/// High-water mark of resident memory, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|k| k.parse::<u64>().ok()).unwrap_or(0) * 1024
}

fn main() {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let request: Value = serde_json::from_str(&line).expect("a JSON request");
        let files: Vec<String> = serde_json::from_value(request["files"].clone()).expect("a list of files");
        let start = Instant::now();
        let check = read(&files, request["threads"].as_u64().unwrap_or(1) as usize);
        let answer = json!({"ms": start.elapsed().as_secs_f64() * 1e3, "check": check, "peak": peak()});
        let mut out = std::io::stdout();
        let _ = writeln!(out, "{answer}").and_then(|()| out.flush());
    }
}
