use crate::{
    Account, Claimed, Node, Slot, claim, claim_dictionary, discard, discard_all, put, settle_dictionaries, take_batch,
};
use arrow_array::builder::{Int32Builder, ListBuilder, MapBuilder, StringBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Decimal128Array, DictionaryArray, FixedSizeBinaryArray, Int64Array, NullArray,
    RecordBatch, StringArray, StructArray,
};
use arrow_schema::{DataType, Field, Schema};
use lakefold_base::Code;
use std::sync::Arc;

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true))).unwrap()
}

fn bytes_of(claimed: &Claimed, slot: usize) -> &[u8] {
    claimed.slots[slot].map_or(&[], |s| &claimed.buffers[s.buffer].buffer[s.offset..s.offset + s.length])
}

fn every_type(rows: usize) -> RecordBatch {
    let mut list = ListBuilder::new(Int32Builder::new());
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    for i in 0..rows {
        (0..i % 4).for_each(|v| list.values().append_value(v as i32));
        list.append(i % 5 != 0);
        map.keys().append_value(format!("k{i}"));
        map.values().append_option((i % 2 == 0).then_some(i as i32));
        map.append(i % 7 != 0).unwrap();
    }
    let text: ArrayRef =
        Arc::new((0..rows).map(|i| (i % 3 != 0).then(|| format!("text {i}"))).collect::<StringArray>());
    let flags: ArrayRef = Arc::new((0..rows).map(|i| (i % 6 != 0).then_some(i % 2 == 0)).collect::<BooleanArray>());
    let numbers: ArrayRef = Arc::new((0..rows as i64).map(|i| (i % 4 != 0).then_some(i << 40)).collect::<Int64Array>());
    let structs: ArrayRef = Arc::new(StructArray::from(vec![
        (Arc::new(Field::new("a", DataType::Utf8, true)), text.clone()),
        (Arc::new(Field::new("b", DataType::Boolean, true)), flags.clone()),
    ]));
    let dictionary: DictionaryArray<Int32Type> = (0..rows).map(|i| ["x", "y", "z"][i % 3]).collect();
    let fixed = (0..rows).map(|i| [i as u8, 1, 2]).collect::<Vec<_>>();
    batch(vec![
        ("numbers", numbers),
        ("text", text),
        ("flags", flags),
        ("structs", structs),
        ("list", Arc::new(list.finish())),
        ("map", Arc::new(map.finish())),
        ("nothing", Arc::new(NullArray::new(rows))),
        ("decimal", Arc::new(Decimal128Array::from_iter_values((0..rows as i128).map(|i| i - 5)))),
        ("fixed", Arc::new(FixedSizeBinaryArray::try_from_iter(fixed.into_iter()).unwrap())),
        ("dictionary", Arc::new(dictionary)),
    ])
}

#[test]
fn memory_is_handed_out_not_copied() {
    let account = Arc::new(Account::default());
    let column = Int64Array::from_iter_values(0..10_000);
    let address = column.values().as_ptr() as usize;
    let receipt = put(batch(vec![("a", Arc::new(column))]), &account).unwrap();
    let claimed = claim(receipt.ticket).unwrap();
    assert_eq!(claimed.buffers[0].buffer.as_ptr() as usize, address);
    assert_eq!(claimed.nodes, [Node { length: 10_000, null_count: 0 }]);
    assert_eq!(claimed.slots, [None, Some(Slot { buffer: 0, offset: 0, length: 80_000 })]);
}

#[test]
fn every_type_survives_whole_and_sliced_at_any_bit() {
    let whole = every_type(100);
    for (offset, length) in [(0, 100), (1, 99), (8, 20), (13, 50), (99, 1), (50, 0)] {
        let expected = whole.slice(offset, length);
        let receipt = put(whole.slice(offset, length), &Arc::new(Account::default())).unwrap();
        assert_eq!(take_batch(receipt.ticket).unwrap(), expected, "{offset}+{length}");
    }
}

#[test]
fn slices_are_zero_based() {
    let text = StringArray::from(vec!["aa", "bbb", "c", "dddd"]).slice(1, 2);
    let flags = BooleanArray::from(vec![false, true, false, false]).slice(1, 2);
    let receipt =
        put(batch(vec![("t", Arc::new(text)), ("f", Arc::new(flags))]), &Arc::new(Account::default())).unwrap();
    let claimed = claim(receipt.ticket).unwrap();
    assert_eq!(bytes_of(&claimed, 1), [0i32, 3, 4].map(i32::to_le_bytes).concat());
    assert_eq!(bytes_of(&claimed, 2), b"bbbc");
    assert_eq!(bytes_of(&claimed, 4)[0] & 0b11, 0b01);
}

#[test]
fn no_address_is_handed_out_twice() {
    let column: ArrayRef = Arc::new(Int64Array::from_iter_values(0..100));
    let receipt = put(batch(vec![("a", column.clone()), ("b", column)]), &Arc::new(Account::default())).unwrap();
    let claimed = claim(receipt.ticket).unwrap();
    let slot = Some(Slot { buffer: 0, offset: 0, length: 800 });
    assert_eq!(claimed.slots, [None, slot, None, slot]);
    assert_eq!(claimed.buffers.len(), 1);
}

#[test]
fn small_buffers_come_in_one_allocation_and_large_ones_alone() {
    let account = Arc::new(Account::default());
    let small = |n: i64| Arc::new(Int64Array::from_iter_values(n..n + 100)) as ArrayRef;
    let wide: ArrayRef = Arc::new(Decimal128Array::from_iter_values(0..100));
    let receipt = put(batch(vec![("a", small(0)), ("b", small(7)), ("c", wide)]), &account).unwrap();
    let claimed = claim(receipt.ticket).unwrap();
    assert_eq!(claimed.buffers.len(), 1);
    assert_eq!(bytes_of(&claimed, 3), (7i64..107).flat_map(i64::to_le_bytes).collect::<Vec<_>>());
    assert!(claimed.slots.iter().flatten().all(|slot| slot.offset.is_multiple_of(64)));
    assert_eq!(account.stats().live, receipt.bytes);

    let large = Arc::new(Int64Array::from_iter_values(0..5000)) as ArrayRef;
    let address = large.to_data().buffers()[0].as_ptr();
    let [one, other] =
        [0, 1].map(|n| Arc::new((0..5000).map(|i| Some(i % 2 == n)).collect::<BooleanArray>()) as ArrayRef);
    let receipt = put(batch(vec![("a", one), ("b", large), ("c", other)]), &account).unwrap();
    let claimed = claim(receipt.ticket).unwrap();
    assert_eq!(claimed.buffers.len(), 2);
    assert!(claimed.buffers.iter().any(|lease| lease.buffer.as_ptr() == address));
}

#[test]
fn memory_that_someone_still_holds_is_copied() {
    let kept: ArrayRef = Arc::new(Int64Array::from_iter_values(0..100));
    let receipt = put(batch(vec![("a", kept.clone())]), &Arc::new(Account::default())).unwrap();
    let claimed = claim(receipt.ticket).unwrap();
    assert_ne!(claimed.buffers[0].buffer.as_ptr(), kept.to_data().buffers()[0].as_ptr());
    assert_eq!(bytes_of(&claimed, 1), kept.to_data().buffers()[0].as_slice());
}

#[test]
fn a_small_slice_does_not_pin_its_parent() {
    let account = Arc::new(Account::default());
    let big = Int64Array::from_iter_values(0..1_000_000).slice(500, 1000);
    let receipt = put(batch(vec![("a", Arc::new(big))]), &account).unwrap();
    assert!(receipt.bytes < 10_000, "{}", receipt.bytes);
    assert_eq!(account.stats().live, receipt.bytes);
}

#[test]
fn bytes_are_counted_until_the_last_buffer_is_gone() {
    let account = Arc::new(Account::default());
    let receipt = put(every_type(10_000), &account).unwrap();
    assert_eq!((account.stats().live, account.stats().unclaimed), (receipt.bytes, receipt.bytes));
    let mut claimed = claim(receipt.ticket).unwrap();
    assert_eq!((account.stats().live, account.stats().unclaimed), (receipt.bytes, 0));
    let last = claimed.buffers.pop();
    drop(claimed);
    assert!(account.stats().live > 0 && account.stats().live < receipt.bytes);
    drop(last);
    assert_eq!(account.stats().live, 0);
    assert_eq!(account.stats().peak, receipt.bytes);
}

#[test]
fn a_ticket_is_good_once() {
    let account = Arc::new(Account::default());
    let receipt = put(every_type(3), &account).unwrap();
    claim(receipt.ticket).unwrap();
    assert_eq!(claim(receipt.ticket).unwrap_err().code(), Code::InvalidArgument);
    discard(receipt.ticket);
}

#[test]
fn closing_an_account_frees_its_batches_only_and_refuses_more() {
    let (closed, open) = (Arc::new(Account::default()), Arc::new(Account::default()));
    let gone = put(every_type(10), &closed).unwrap();
    let kept = put(every_type(10), &open).unwrap();
    discard_all(&closed);
    assert_eq!((closed.stats().live, closed.stats().unclaimed), (0, 0));
    assert!(claim(gone.ticket).is_err());
    assert_eq!(put(every_type(10), &closed).unwrap_err().code(), Code::Cancelled);
    assert_eq!(closed.stats().live, 0);
    assert!(claim(kept.ticket).is_ok());
}

#[test]
fn batches_that_share_a_dictionary_say_so() {
    let account = Arc::new(Account::default());
    let column: DictionaryArray<Int32Type> = (0..100).map(|i| ["x", "y", "z"][i % 3]).collect();
    let (a, b) = (column.slice(0, 50), column.slice(50, 50));
    drop(column);
    let a = put(batch(vec![("d", Arc::new(a))]), &account).unwrap();
    let b = put(batch(vec![("d", Arc::new(b))]), &account).unwrap();
    let (a, b) = (claim(a.ticket).unwrap(), claim(b.ticket).unwrap());
    assert_eq!(a.dictionaries, b.dictionaries);
    let values = claim_dictionary(a.dictionaries[0]).unwrap();
    assert_eq!(bytes_of(&values, 2), b"xyz");
    discard_all(&account);
    assert!(claim_dictionary(a.dictionaries[0]).is_err());
}

#[test]
fn a_dictionary_goes_with_its_last_batch() {
    let account = Arc::new(Account::default());
    let column: DictionaryArray<Int32Type> = (0..100).map(|i| ["x", "y", "z"][i % 3]).collect();
    let leave = |from| put(batch(vec![("d", Arc::new(column.slice(from, 50)))]), &account).unwrap().ticket;
    let (a, b, c) = (leave(0), leave(50), leave(25));
    let ids = claim(a).unwrap().dictionaries;
    // Named by two more, and by the decoder.
    assert_eq!(settle_dictionaries(&ids), Vec::<u64>::new());
    assert_eq!(claim(b).unwrap().dictionaries, ids);
    discard(c);
    assert_eq!(settle_dictionaries(&ids), Vec::<u64>::new());
    assert!(claim_dictionary(ids[0]).is_ok());
    let d = leave(10);
    drop(column);
    assert_eq!(claim(d).unwrap().dictionaries, ids);
    assert!(claim_dictionary(ids[0]).is_ok());
    assert_eq!(settle_dictionaries(&ids), ids);
    assert!(claim_dictionary(ids[0]).is_err());
}

#[test]
fn a_batch_without_columns_keeps_its_rows() {
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(7));
    let batch = RecordBatch::try_new_with_options(Arc::new(Schema::empty()), vec![], &options).unwrap();
    let receipt = put(batch, &Arc::new(Account::default())).unwrap();
    assert_eq!(claim(receipt.ticket).unwrap().rows, 7);
}
