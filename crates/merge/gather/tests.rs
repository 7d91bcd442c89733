use arrow_array::builder::StringViewBuilder;
use arrow_array::types::{Decimal128Type, Int32Type, TimestampMillisecondType};
use arrow_array::{BinaryArray, BooleanArray, Decimal128Array, Int32Array, StringArray, TimestampMillisecondArray};
use proptest::prelude::*;

use super::*;

/// Lengths on both sides of what a view holds, of a step and of what is short.
fn text() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        1 => Just(None),
        4 => "[a-zé]{0,20}".prop_map(Some),
        2 => "[a-zé]{10,18}".prop_map(Some),
        1 => "[a-z]{60,70}".prop_map(Some),
    ]
}

fn picks(lengths: &[usize], drawn: &[(prop::sample::Index, prop::sample::Index)]) -> Vec<At> {
    let full: Vec<usize> = (0..lengths.len()).filter(|source| lengths[*source] > 0).collect();
    if full.is_empty() {
        return Vec::new();
    }
    let pick = |(source, row): &(prop::sample::Index, prop::sample::Index)| {
        let source = full[source.index(full.len())];
        At { source: source as u32, row: row.index(lengths[source]) as u32 }
    };
    drawn.iter().map(pick).collect()
}

/// What arrow's own kernel makes of the same picks.
fn expected(sources: &[ArrayRef], rows: &[At]) -> ArrayRef {
    let sources: Vec<&dyn Array> = sources.iter().map(AsRef::as_ref).collect();
    let rows: Vec<(usize, usize)> = rows.iter().map(|at| (at.source as usize, at.row as usize)).collect();
    interleave(&sources, &rows).unwrap()
}

fn gathered(sources: &[ArrayRef], rows: &[At], wanted: &DataType) -> ArrayRef {
    let lengths = sources.iter().map(|source| source.len()).collect();
    let sources: Vec<&dyn Array> = sources.iter().map(AsRef::as_ref).collect();
    let array = Picks::new(rows, lengths).unwrap().gather(&sources, wanted).unwrap();
    array.to_data().validate_full().unwrap();
    array
}

/// As views of memory in blocks of a few values each.
fn as_views(values: &[Option<String>]) -> ArrayRef {
    let mut builder = StringViewBuilder::new().with_fixed_block_size(64);
    values.iter().for_each(|value| builder.append_option(value.as_deref()));
    Arc::new(builder.finish())
}

proptest! {
    #[test]
    fn picked_rows_are_those_of_arrow(
        texts in prop::collection::vec(prop::collection::vec(text(), 0..20), 1..5),
        drawn in prop::collection::vec(any::<(prop::sample::Index, prop::sample::Index)>(), 0..60),
        skip in 0..3_usize,
        as_view in prop::collection::vec(any::<bool>(), 5),
    ) {
        // Slices, so that nothing begins where its memory does.
        let cut = |array: ArrayRef| array.slice(skip.min(array.len()), array.len() - skip.min(array.len()));
        let make = |make: &dyn Fn(&[Option<String>]) -> ArrayRef| -> Vec<ArrayRef> {
            texts.iter().map(|values| cut(make(values))).collect()
        };
        let strings = make(&|values| Arc::new(StringArray::from_iter(values.iter())));
        let rows = picks(&strings.iter().map(|source| source.len()).collect::<Vec<_>>(), &drawn);
        let wanted = expected(&strings, &rows);
        prop_assert_eq!(&gathered(&strings, &rows, &DataType::Utf8), &wanted);
        let views = make(&|values| as_views(values));
        prop_assert_eq!(&gathered(&views, &rows, &DataType::Utf8), &wanted);
        let mixed: Vec<ArrayRef> = (0..views.len())
            .map(|source| Arc::clone(if as_view[source] { &views[source] } else { &strings[source] }))
            .collect();
        prop_assert_eq!(&gathered(&mixed, &rows, &DataType::Utf8), &wanted);

        let length = |value: &Option<String>| value.as_ref().map(String::len);
        for sources in [
            make(&|values| Arc::new(Int32Array::from_iter(values.iter().map(|v| length(v).map(|l| l as i32))))),
            make(&|values| {
                let wide = values.iter().map(|v| length(v).map(|l| l as i128));
                Arc::new(Decimal128Array::from_iter(wide).with_precision_and_scale(12, 2).unwrap())
            }),
            make(&|values| {
                let times = values.iter().map(|v| length(v).map(|l| l as i64));
                Arc::new(TimestampMillisecondArray::from_iter(times).with_timezone("UTC"))
            }),
            make(&|values| Arc::new(BooleanArray::from_iter(values.iter().map(|v| length(v).map(|l| l % 2 == 0))))),
            make(&|values| Arc::new(BinaryArray::from_iter(values.iter().map(|v| v.as_ref().map(String::as_bytes))))),
        ] {
            let data_type = sources[0].data_type().clone();
            prop_assert_eq!(&gathered(&sources, &rows, &data_type), &expected(&sources, &rows));
        }
    }
}

#[test]
fn what_is_not_there_is_not_picked() {
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
    for (source, row) in [(0, 2), (1, 0), (u32::MAX, 0), (0, u32::MAX)] {
        assert!(Picks::new(&[At { source, row }], vec![2]).is_err(), "{source} {row}");
    }
    let rows = [At { source: 0, row: 1 }];
    let picks = Picks::new(&rows, vec![2]).unwrap();
    assert_eq!(picks.gather(&[&numbers], &DataType::Int32).unwrap().as_primitive::<Int32Type>().value(0), 2);
    // Sources that are shorter than was said, too few, or of another type.
    assert!(picks.gather(&[&numbers.slice(0, 1)], &DataType::Int32).is_err());
    assert!(picks.gather(&[], &DataType::Int32).is_err());
    for wanted in [DataType::Int64, DataType::Utf8, DataType::Decimal128(12, 2)] {
        assert!(picks.gather(&[&numbers], &wanted).is_err(), "{wanted}");
    }
    let decimals: ArrayRef = Arc::new(Decimal128Array::from(vec![1, 2]).with_precision_and_scale(12, 2).unwrap());
    let one = picks.gather(&[&decimals], &DataType::Decimal128(12, 2)).unwrap();
    assert_eq!(one.as_primitive::<Decimal128Type>().value(0), 2);
    let times: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![1, 2]));
    let one = picks.gather(&[&times], times.data_type()).unwrap();
    assert_eq!(one.as_primitive::<TimestampMillisecondType>().value(0), 2);
}
