//! Paimon tables as the reference wrote them, read by tasks made from the reference's plans, give the reference's rows.

pub(crate) mod render;
mod table;
pub(crate) mod types;

use serde_json::Value;
use std::collections::BTreeMap;
use table::Table;

fn cases(kind: &str) -> Vec<Value> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(table::root().join("cases")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "json") {
            let all: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
            found.extend(all.into_iter().filter(|c| c["kind"] == kind));
        }
    }
    found
}

/// Cases whose plan decides about the rows alone.
fn planned(case: &Value) -> bool {
    let plain = ["predicate", "limit", "rowRanges", "options", "branch"];
    case["plan"].is_object()
        && plain.iter().all(|key| case["scan"].get(key).is_none())
        && case.get("planCheck").is_none_or(|check| check != "rows-only")
}

fn normal(mut row: Value, unordered: &[String]) -> String {
    for name in unordered {
        if let Some(list) = row.get_mut(name).and_then(Value::as_array_mut) {
            list.sort_by_key(Value::to_string);
        }
    }
    // Keys in one order, and a variant by its bytes.
    fn sorted(value: &Value) -> Value {
        match value {
            Value::Object(map) => {
                let variant = map.contains_key("metadata") && map.contains_key("value");
                let kept = map.iter().filter(|(k, _)| !(variant && *k == "json"));
                let tree: BTreeMap<String, Value> = kept.map(|(k, v)| (k.clone(), sorted(v))).collect();
                serde_json::to_value(tree).unwrap()
            }
            Value::Array(list) => Value::Array(list.iter().map(sorted).collect()),
            // Numbers of one value in one form.
            Value::Number(n) => {
                n.as_i64().map_or_else(|| serde_json::json!(n.as_f64()), |i| serde_json::json!(i as f64))
            }
            other => other.clone(),
        }
    }
    sorted(&row).to_string()
}

/// Merges are read in so many parts, one after the other.
fn run(kind: &str, parts: usize, least: usize) {
    let (mut failures, mut passed) = (Vec::new(), 0);
    for case in cases(kind).iter().filter(|c| planned(c)) {
        let id = case["id"].as_str().unwrap();
        let unordered: Vec<String> = case
            .get("unorderedArrays")
            .and_then(Value::as_array)
            .map_or_else(Vec::new, |names| names.iter().map(|n| n.as_str().unwrap().to_string()).collect());
        let file = table::root().join("cases").join(case["rowsFile"].as_str().unwrap());
        let mut expected: Vec<String> = std::fs::read_to_string(file)
            .unwrap()
            .lines()
            .map(|line| normal(serde_json::from_str(line).unwrap(), &unordered))
            .collect();
        match Table::of(case).rows(case, parts) {
            Err(error) => failures.push(format!("{id}: {error}")),
            Ok(rows) => {
                let mut rows: Vec<String> = rows.into_iter().map(|r| normal(r, &unordered)).collect();
                rows.sort();
                expected.sort();
                if rows == expected {
                    passed += 1;
                } else {
                    let odd = |a: &[String], b: &[String]| a.iter().find(|r| !b.contains(r)).cloned();
                    failures.push(format!(
                        "{id}: {} rows, expected {}; ours {:?}, theirs {:?}",
                        rows.len(),
                        expected.len(),
                        odd(&rows, &expected),
                        odd(&expected, &rows)
                    ));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{passed} passed, {} failed:\n{}", failures.len(), failures.join("\n"));
    assert!(passed >= least, "only {passed} cases");
}

#[test]
fn scans_give_the_rows_of_the_reference() {
    run("scan", 1, 100);
}

#[test]
fn merges_in_parts_give_the_rows_of_the_reference() {
    for parts in [2, 9] {
        run("scan", parts, 100);
    }
}

#[test]
fn incremental_reads_give_the_rows_of_the_reference() {
    run("incremental", 1, 20);
}
