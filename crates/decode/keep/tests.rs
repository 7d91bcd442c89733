use super::*;
use arrow_array::types::{Int32Type, TimestampMicrosecondType};
use arrow_array::{BinaryArray, Int64Array, ListArray, NullArray, RecordBatch, StringArray, TimestampMicrosecondArray};
use arrow_select::filter::filter;
use proptest::prelude::*;

fn columns(rows: usize) -> Vec<ArrayRef> {
    let some = |i: usize| !i.is_multiple_of(3);
    let text = |i: usize| some(i).then(|| "ä".repeat(i % 7));
    let list = (0..rows).map(|i| some(i).then(|| (0..i as i32 % 4).map(Some)));
    let structs = RecordBatch::try_from_iter_with_nullable([
        ("n", Arc::new(Int64Array::from_iter_values(0..rows as i64)) as ArrayRef, true),
        ("s", Arc::new((0..rows).map(text).collect::<StringArray>()), true),
    ])
    .unwrap();
    vec![
        Arc::new((0..rows).map(|i| some(i).then_some(i as i64)).collect::<Int64Array>()),
        Arc::new(TimestampMicrosecondArray::from_iter_values(0..rows as i64).with_timezone("UTC")),
        Arc::new((0..rows).map(|i| some(i).then_some(i % 2 == 0)).collect::<BooleanArray>()),
        Arc::new((0..rows).map(text).collect::<StringArray>()),
        Arc::new((0..rows).map(|i| text(i).map(String::into_bytes)).collect::<BinaryArray>()),
        Arc::new(
            FixedSizeBinaryArray::try_from_sparse_iter_with_size((0..rows).map(|i| some(i).then_some([i as u8; 3])), 3)
                .unwrap(),
        ),
        Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(list)),
        Arc::new(StructArray::from(structs)),
        Arc::new(NullArray::new(rows)),
    ]
}

proptest! {
    #[test]
    fn what_stays_is_what_a_filter_of_arrow_leaves(
        mask in proptest::collection::vec(prop::bool::weighted(0.7), 1..200),
        start in 0_usize..3,
        shared in any::<bool>(),
    ) {
        let rows = mask.len();
        let bits = BooleanArray::from(mask);
        let keep = Keep::new(bits.values());
        let slice = || columns(rows + start).into_iter().map(|c| c.slice(start, rows)).collect::<Vec<_>>();
        let wanted: Vec<ArrayRef> = slice().iter().map(|c| filter(c, &bits).unwrap()).collect();
        let given = slice();
        let held = shared.then(|| given.clone());
        let kept = keep.columns(given).unwrap();
        prop_assert_eq!(kept.len(), wanted.len());
        for (kept, wanted) in kept.iter().zip(&wanted) {
            kept.to_data().validate_full().unwrap();
            prop_assert_eq!(kept, wanted);
            prop_assert_eq!(kept.data_type(), wanted.data_type());
        }
        // Nobody's memory changed under them.
        if let Some(held) = held {
            for (held, fresh) in held.iter().zip(&slice()) {
                prop_assert_eq!(held, fresh);
            }
        }
    }
}

#[test]
fn a_column_that_nobody_else_holds_keeps_its_place_in_memory() {
    let column: ArrayRef = Arc::new(TimestampMicrosecondArray::from_iter_values(0..1000));
    let place = |array: &ArrayRef| array.as_primitive::<TimestampMicrosecondType>().values().as_ptr();
    let before = place(&column);
    let keep = Keep::new(&BooleanBuffer::collect_bool(1000, |i| i % 100 != 37));
    let kept = keep.columns(vec![column]).unwrap();
    assert_eq!((kept[0].len(), place(&kept[0])), (990, before));
}
