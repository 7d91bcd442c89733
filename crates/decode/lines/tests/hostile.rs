use super::{Ask, field};
use lakefold_base::Code;
use lakefold_task::FileFormat;
use serde_json::json;

/// Short text that stands for rows of great width is stopped, not built.
#[test]
fn text_that_grows_without_end_is_refused() {
    let columns: Vec<_> =
        (0..200).map(|i| json!({"id": i, "name": format!("c{i}"), "type": "DECIMAL(38, 0)"})).collect();
    let kind = json!({"type": "ARRAY", "element": {"type": "ROW", "fields": columns}});
    let mut ask = Ask::new(FileFormat::Json, &[], b"");
    ask.fields = vec![field(0, "a", &kind)];
    ask.bytes = format!("{{\"a\":[{}{{}}]}}\n", "{},".repeat(300_000)).into_bytes();
    assert_eq!(ask.rows().unwrap_err().code(), Code::LimitExceeded);
}

/// Bytes changed at random give rows or an error.
#[test]
fn changed_bytes_never_panic() {
    let mut seed = 7_u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % below
    };
    let columns = [("s", "STRING"), ("n", "INT"), ("t", "TIMESTAMP(3)"), ("z", "TIME(3)"), ("d", "DECIMAL(8, 2)")];
    let csv = b"\"a\"\"b\",12,2024-02-29 01:02:03.5,10:11:12.5+01:00,1.25e1\n\\N,,,,\n";
    let json = br#"{"s":"\u00e9\ud834\udd1e","n":1.5e3,"t":"2024-01-01","z":"1:2","d":-0.50,"x":[{"y":null}]}"#;
    for (format, text) in [(FileFormat::Csv, &csv[..]), (FileFormat::Json, &json[..])] {
        for _ in 0..3000 {
            let mut bytes = text.to_vec();
            for _ in 0..=random(4) {
                let at = random(bytes.len());
                match random(3) {
                    0 => bytes[at] = random(256) as u8,
                    1 => drop(bytes.remove(at)),
                    _ => bytes.insert(at, b"\"\\,:-+. {}[]e0\n\r\xff"[random(17)]),
                }
            }
            let mut ask = Ask::new(format, &columns, &bytes);
            ask.options.json.ignore_parse_errors = random(2) == 0;
            let _ = ask.rows();
        }
    }
}

#[test]
fn json_too_deep_for_the_stack_is_refused_and_never_passed_over() {
    for depth in [1000, 1_000_000] {
        let text = format!("{{\"a\":{}1{}}}\n", "[".repeat(depth), "]".repeat(depth));
        for ignore in [false, true] {
            let mut ask = Ask::new(FileFormat::Json, &[("a", "STRING")], text.as_bytes());
            ask.options.json.ignore_parse_errors = ignore;
            assert_eq!(ask.rows().unwrap_err().code(), Code::LimitExceeded);
        }
    }
}
