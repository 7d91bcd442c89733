//! iceberg-rust behind the line protocol of the bench: a JSON request a line in, a JSON answer a line out.

use futures::TryStreamExt;
use iceberg::expr::{Predicate, Reference};
use iceberg::io::FileIO;
use iceberg::spec::Datum;
use iceberg::table::StaticTable;
use iceberg::{Result, TableIdent};
use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::time::Instant;

#[global_allocator]
static ALLOC: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn predicate(node: &Value) -> Predicate {
    let text = |key: &str| node[key].as_str().unwrap_or_default().to_string();
    if node["type"] == "and" {
        return predicate(&node["left"]).and(predicate(&node["right"]));
    }
    let term = Reference::new(text("term"));
    let datum = match &node["value"] {
        Value::Number(n) => Datum::long(n.as_i64().unwrap_or_default()),
        Value::String(s) if s.len() == 10 && s.as_bytes()[4] == b'-' => Datum::date_from_str(s).expect("a date"),
        other => Datum::string(other.as_str().unwrap_or_default()),
    };
    match node["type"].as_str() {
        Some("eq") => term.equal_to(datum),
        Some("gt-eq") => term.greater_than_or_equal_to(datum),
        Some("lt") => term.less_than(datum),
        other => panic!("unknown operator {other:?}"),
    }
}

async fn run(request: &Value) -> Result<u64> {
    let metadata = request["metadata"].as_str().unwrap_or_default();
    let table = StaticTable::from_metadata_file(metadata, TableIdent::from_strs(["bench", "t"])?, FileIO::new_with_fs()).await?;
    let threads = request["threads"].as_u64().unwrap_or(2) as usize;
    let mut scan = table.scan().with_row_selection_enabled(true).with_concurrency_limit(threads);
    if let Some(columns) = request["select"].as_array() {
        scan = scan.select(columns.iter().filter_map(Value::as_str));
    }
    if request["filter"].is_object() {
        scan = scan.with_filter(predicate(&request["filter"]));
    }
    let scan = scan.build()?;
    let mut rows = 0;
    if request["work"] == "plan" {
        let mut tasks = scan.plan_files().await?;
        while tasks.try_next().await?.is_some() {
            rows += 1;
        }
    } else {
        let mut batches = scan.to_arrow().await?;
        while let Some(batch) = batches.try_next().await? {
            rows += batch.num_rows() as u64;
        }
    }
    Ok(rows)
}

/// High-water mark of resident memory, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|k| k.parse::<u64>().ok()).unwrap_or(0) * 1024
}

fn main() {
    let threads = std::env::var("BENCH_THREADS").ok().and_then(|t| t.parse().ok()).unwrap_or(2);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build().expect("a runtime");
    for line in std::io::stdin().lock().lines().map_while(std::result::Result::ok) {
        let request: Value = serde_json::from_str(&line).expect("a JSON request");
        let start = Instant::now();
        let answer = match runtime.block_on(async { run(&request).await }) {
            Ok(check) => json!({"ms": start.elapsed().as_secs_f64() * 1e3, "check": check, "peak": peak()}),
            Err(error) => json!({"error": error.to_string()}),
        };
        println!("{answer}");
        let _ = std::io::stdout().flush();
    }
}
