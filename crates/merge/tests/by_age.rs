//! Runs whose order tells the age of their rows: without sequence numbers, and without kinds where all rows add.

use super::*;

/// Rows without numbers, and without kinds if not `kinds`, of which all but those are shown; so many rows to a batch.
fn by_age(
    engine: &Engine,
    keep_deletes: bool,
    kinds: bool,
    batch_rows: usize,
    runs: &[Vec<Row>],
    size: usize,
) -> Result<Vec<Values>> {
    let read: Vec<usize> = if kinds { vec![0, 1, 2, 3, 5] } else { vec![0, 1, 2, 3] };
    let fields: Vec<Field> = read.iter().map(|column| fields()[*column].clone()).collect();
    let merge = Merge {
        keys: vec![1],
        sequence: Vec::new(),
        engine: engine.clone(),
        keep_deletes,
        retract: false,
        sections: Vec::new(),
        part: None,
    };
    let schema = Arc::new(schema().project(&read).unwrap());
    let spec = Arc::new(Spec::new(&merge, &fields, 4, schema, (batch_rows, 1 << 20)).unwrap());
    let run = |rows: &Vec<Row>| {
        let batches: Vec<_> = rows.chunks(size).map(|rows| batch(rows).project(&read).unwrap()).collect();
        Box::new(Memory(batches.into_iter())) as Box<dyn RunSource>
    };
    let mut stream = MergeStream::new(spec, runs.iter().map(run).collect(), &KeyRange::default())?;
    let mut all = Vec::new();
    while let Some(batch) = stream.next()? {
        assert!(batch.num_columns() == 4 && batch.num_rows() <= batch_rows.max(size));
        let ints = |c: usize| batch.column(c).as_primitive::<Int32Type>();
        let value = |c: usize, i: usize| ints(c).is_valid(i).then(|| ints(c).value(i));
        all.extend((0..batch.num_rows()).map(|i| (ints(0).value(i), value(1, i), value(2, i), value(3, i))));
    }
    Ok(all)
}

fn values(rows: impl IntoIterator<Item = Row>) -> Vec<Values> {
    rows.into_iter().map(|row| (row.0, row.1, row.2, row.3)).collect()
}

/// What becomes of the rows of a key.
fn survivor(rows: &[Row], ignore: bool, keep: bool) -> Option<Row> {
    let last = match rows {
        [only] => Some(only),
        _ => rows.iter().rev().find(|row| !(ignore && kind::retracts(row.5))),
    };
    last.copied().filter(|row| keep || !kind::retracts(row.5))
}

/// Runs in which some keys come twice, one after the other.
fn repeating() -> impl Strategy<Value = Vec<Vec<Row>>> {
    let one = proptest::collection::vec((0..20, proptest::sample::select(ALL)), 0..12);
    proptest::collection::vec(one, 2..6).prop_map(|runs| {
        let mut number = 0;
        let mut row = |(k, kind): (i32, i8)| {
            number += 1;
            (k, Some(number as i32), None, None, number, kind)
        };
        let sorted = |mut run: Vec<(i32, i8)>| {
            run.sort_by_key(|row| row.0);
            run
        };
        runs.into_iter().map(|run| sorted(run).into_iter().map(&mut row).collect()).collect()
    })
}

proptest! {
    #[test]
    fn the_newest_row_of_a_key_is_that_of_the_last_run(
        runs in runs(ALL), size in 1..5_usize, most in 1..9_usize, ignore: bool, keep: bool,
    ) {
        let engine = Engine::Deduplicate { ignore_delete: ignore };
        let expected = by_key(&runs, None).into_values().filter_map(|rows| survivor(&rows, ignore, keep));
        prop_assert_eq!(by_age(&engine, keep, true, most, &runs, size).unwrap(), values(expected));
    }

    #[test]
    fn where_all_rows_add_kinds_are_not_missed(runs in runs(ADDS), size in 1..5_usize, most in 1..9_usize) {
        let newest = by_key(&runs, None).into_values().map(|rows| rows[rows.len() - 1]);
        let engine = Engine::Deduplicate { ignore_delete: false };
        prop_assert_eq!(by_age(&engine, false, false, most, &runs, size).unwrap(), values(newest));
        let oldest = by_key(&runs, None).into_values().map(|rows| rows[0]);
        let engine = Engine::FirstRow { ignore_delete: false };
        prop_assert_eq!(by_age(&engine, false, false, most, &runs, size).unwrap(), values(oldest));
    }

    #[test]
    fn a_key_twice_in_a_run_is_merged_in_the_order_of_its_rows(
        runs in repeating(), size in 1..5_usize, most in 1..9_usize, ignore: bool, keep: bool,
    ) {
        let engine = Engine::Deduplicate { ignore_delete: ignore };
        let expected = by_key(&runs, None).into_values().filter_map(|rows| survivor(&rows, ignore, keep));
        prop_assert_eq!(by_age(&engine, keep, true, most, &runs, size).unwrap(), values(expected));
    }

    #[test]
    fn engines_that_look_at_all_rows_see_them_by_age(runs in runs(ADDS), size in 1..5_usize) {
        let engine = partial_update(false, Vec::new(), Vec::new());
        let last = |rows: &[Row], value: fn(&Row) -> Option<i32>| rows.iter().rev().find_map(value);
        let expected: Vec<Values> = by_key(&runs, None)
            .into_values()
            .map(|rows| (rows[0].0, last(&rows, |r| r.1), last(&rows, |r| r.2), last(&rows, |r| r.3)))
            .collect();
        prop_assert_eq!(by_age(&engine, false, false, 3, &runs, size).unwrap(), expected);
    }
}

#[test]
fn runs_longer_than_a_window_are_merged_whole() {
    // Steps that share few multiples; the first run is the densest.
    let runs: Vec<Vec<Row>> = [(1, 70_000), (3, 20_000), (7, 9_000), (11, 1)]
        .iter()
        .zip(1..)
        .map(|((step, count), number)| (0..*count).map(|i| (i * step, Some(number), None, None, 0, 0)).collect())
        .collect();
    let mut expected = BTreeMap::new();
    for row in runs.iter().flatten() {
        expected.insert(row.0, *row);
    }
    let engine = Engine::Deduplicate { ignore_delete: false };
    for (size, most) in [(4_000, 65_536), (100_000, 1_000)] {
        let rows = by_age(&engine, false, false, most, &runs, size).unwrap();
        assert_eq!(rows, values(expected.values().copied()));
    }
}
