//! Layouts that no fixture has, written column by column.

use super::{PLAIN, context};
use crate::project_file;
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type, TimestampMicrosecondType};
use lakefold_base::{Code, Result};
use lakefold_task::{Field, FileFormat, NameMapping};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::{ByteArray, Int96};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::json;
use std::sync::Arc;

type Write<'a> = &'a mut dyn FnMut(usize, &mut ColumnWriter<'_>);

fn write(schema: &str, write: Write<'_>) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(file.reopen().unwrap(), schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut index = 0;
    while let Some(mut column) = group.next_column().unwrap() {
        write(index, column.untyped());
        index += 1;
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
    file
}

fn field(id: i32, name: &str, field_type: serde_json::Value) -> Field {
    serde_json::from_value(json!({"id": id, "name": name, "required": false, "type": field_type})).unwrap()
}

fn read(file: &tempfile::NamedTempFile, fields: &[Field], mapping: Option<&[NameMapping]>) -> Result<RecordBatch> {
    let path = file.path().to_str().unwrap();
    let mut batches = project_file(&context(PLAIN), path, FileFormat::Parquet, fields, mapping)?;
    let batch = batches.next().unwrap()?;
    assert!(batches.next().is_none());
    Ok(batch)
}

fn ints(column: &mut ColumnWriter<'_>, values: &[i32], def: &[i16], rep: &[i16]) {
    let ColumnWriter::Int32ColumnWriter(writer) = column else { panic!() };
    writer.write_batch(values, Some(def), Some(rep)).unwrap();
}

#[test]
fn lists_of_two_levels_and_bare_repeated_fields() {
    let schema = "message m {
        optional group a (LIST) { repeated int32 array; }
        repeated int32 b;
        optional group c (LIST) { repeated group c_tuple { required int32 x; } }
    }";
    // Rows: [1, 2], [], [3]; in a, the second row is null.
    let file = write(schema, &mut |index, column| match index {
        0 => ints(column, &[1, 2, 3], &[2, 2, 0, 2], &[0, 1, 0, 0]),
        1 => ints(column, &[1, 2, 3], &[1, 1, 0, 1], &[0, 1, 0, 0]),
        _ => ints(column, &[1, 2, 3], &[2, 2, 1, 2], &[0, 1, 0, 0]),
    });
    let list = |id, name, element| {
        field(id, name, json!({"type": "list", "element-id": id + 10, "element-required": false, "element": element}))
    };
    let point = json!({"type": "struct", "fields": [{"id": 20, "name": "x", "required": false, "type": "long"}]});
    let fields = [list(1, "a", json!("long")), list(2, "b", json!("int")), list(3, "c", point)];
    let batch = read(&file, &fields, None).unwrap();
    let lengths = |column: usize| batch.column(column).as_list::<i32>().offsets().lengths().collect::<Vec<_>>();
    assert_eq!((lengths(0), lengths(1), lengths(2)), (vec![2, 0, 1], vec![2, 0, 1], vec![2, 0, 1]));
    let nulls = |column: usize| (0..3).map(|row| batch.column(column).is_null(row)).collect::<Vec<_>>();
    assert_eq!((nulls(0), nulls(1), nulls(2)), (vec![false, true, false], vec![false; 3], vec![false; 3]));
    assert_eq!(batch.column(0).as_list::<i32>().values().as_primitive::<Int64Type>().values(), &[1, 2, 3]);
    assert_eq!(batch.column(1).as_list::<i32>().values().as_primitive::<Int32Type>().values(), &[1, 2, 3]);
    let points = batch.column(2).as_list::<i32>().values();
    assert_eq!(points.as_struct().column(0).as_primitive::<Int64Type>().values(), &[1, 2, 3]);
}

fn int96(days: i64, nanos: u64) -> Int96 {
    let mut value = Int96::new();
    value.set_data(nanos as u32, (nanos >> 32) as u32, (days + 2_440_588) as u32);
    value
}

#[test]
fn int96_of_all_dates_in_micros_and_out_of_range_nanos_named() {
    // 0001-01-01, the last microsecond of 1969, 9999-12-31T23:59:59.999999999.
    let last = 86_400_000_000_000 - 1;
    let values = [int96(-719_162, 0), int96(-1, last), int96(2_932_896, last)];
    let file = write("message m { required int96 t; }", &mut |_, column| {
        let ColumnWriter::Int96ColumnWriter(writer) = column else { panic!() };
        writer.write_batch(&values, None, None).unwrap();
    });
    let batch = read(&file, &[field(1, "t", json!("timestamp"))], None).unwrap();
    let micros = batch.column(0).as_primitive::<TimestampMicrosecondType>().values();
    assert_eq!(&micros[..], &[-62_135_596_800_000_000, -1, 253_402_300_799_999_999]);
    let error = read(&file, &[field(1, "t", json!("timestamp_ns"))], None).unwrap_err();
    assert_eq!(error.code(), Code::CorruptFile);
    assert!(error.context().any(|(key, value)| key == "field" && value == "t"), "{error}");
}

#[test]
fn binary_without_annotation_is_a_string_if_it_is_utf8() {
    let bytes = |values: Vec<&'static [u8]>| {
        write("message m { required binary s; }", &mut |_, column| {
            let ColumnWriter::ByteArrayColumnWriter(writer) = column else { panic!() };
            let values: Vec<ByteArray> = values.iter().map(|v| ByteArray::from(v.to_vec())).collect();
            writer.write_batch(&values, None, None).unwrap();
        })
    };
    let fields = [field(1, "s", json!("string"))];
    let batch = read(&bytes(vec![b"a", "é".as_bytes()]), &fields, None).unwrap();
    assert_eq!(batch.column(0).as_string::<i32>().value(1), "é");
    let error = read(&bytes(vec![b"a", b"\xff"]), &fields, None).unwrap_err();
    assert_eq!(error.code(), Code::CorruptFile);
}

#[test]
fn columns_go_by_position_without_ids_and_by_mapping_where_there_is_one() {
    let file = write("message m { required int32 first; required int32 second; }", &mut |index, column| {
        let ColumnWriter::Int32ColumnWriter(writer) = column else { panic!() };
        writer.write_batch(&[index as i32 + 1], None, None).unwrap();
    });
    let fields = [field(2, "renamed", json!("long")), field(7, "added", json!("int"))];
    let value = |batch: &RecordBatch| batch.column(0).as_primitive::<Int64Type>().value(0);
    let batch = read(&file, &fields, None).unwrap();
    assert_eq!((value(&batch), batch.column(1).null_count()), (2, 1));
    let mapping: Vec<NameMapping> = serde_json::from_value(json!([{"field-id": 2, "names": ["x", "first"]}])).unwrap();
    assert_eq!(value(&read(&file, &fields, Some(&mapping)).unwrap()), 1);
}

#[test]
fn wrong_kinds_and_missing_required_fields_are_errors_that_name_the_field() {
    let file = write("message m { required int64 n = 1; }", &mut |_, column| {
        let ColumnWriter::Int64ColumnWriter(writer) = column else { panic!() };
        writer.write_batch(&[5], None, None).unwrap();
    });
    let required = Field { required: true, ..field(2, "must", json!("int")) };
    for (wanted, name) in
        [(field(1, "n", json!("int")), "n"), (field(1, "n", json!("string")), "n"), (required, "must")]
    {
        let error = read(&file, std::slice::from_ref(&wanted), None).unwrap_err();
        assert!(error.context().any(|(key, value)| key == "field" && value == name), "{error}");
        assert!(error.context().any(|(key, _)| key == "file"), "{error}");
    }
}
