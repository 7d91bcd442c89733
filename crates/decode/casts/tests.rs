use super::*;

fn casts(cell: Cell, from: Type, to: Type) -> Option<Cell> {
    let array = build(vec![Some(cell)], &from).unwrap();
    let array = cast(&array, &from, &to).unwrap();
    assert_eq!(array.data_type(), &arrow_type(&to).unwrap());
    array.is_valid(0).then(|| super::cell(&array, 0, &to).unwrap())
}

fn text(value: &str) -> Cell {
    Cell::Text(value.to_string())
}

#[test]
fn integers_wrap_and_floats_saturate() {
    assert_eq!(casts(Cell::Int(383), Type::Int, Type::TinyInt), Some(Cell::Int(127)));
    assert_eq!(casts(Cell::Int(1 << 40), Type::Long, Type::Int), Some(Cell::Int(0)));
    assert_eq!(casts(Cell::Double(1e30), Type::Double, Type::Int), Some(Cell::Int(i32::MAX.into())));
    assert_eq!(casts(Cell::Double(1e30), Type::Double, Type::TinyInt), Some(Cell::Int(-1)));
    assert_eq!(casts(Cell::Double(f64::NAN), Type::Double, Type::Long), Some(Cell::Int(0)));
    assert_eq!(casts(Cell::Double(-1.9), Type::Double, Type::Int), Some(Cell::Int(-1)));
}

#[test]
fn decimals_round_half_up_and_overflow_to_null() {
    let decimal = |v, s| Cell::Decimal(v, s);
    assert_eq!(casts(decimal(125, 2), Type::Decimal(6, 2), Type::Decimal(6, 1)), Some(decimal(13, 1)));
    assert_eq!(casts(decimal(-125, 2), Type::Decimal(6, 2), Type::Decimal(6, 1)), Some(decimal(-13, 1)));
    assert_eq!(casts(decimal(124, 2), Type::Decimal(6, 2), Type::Decimal(6, 1)), Some(decimal(12, 1)));
    assert_eq!(casts(decimal(99_999, 2), Type::Decimal(6, 2), Type::Decimal(3, 1)), None);
    assert_eq!(casts(Cell::Double(1.05), Type::Double, Type::Decimal(8, 1)), Some(decimal(11, 1)));
    assert_eq!(casts(Cell::Int(1234), Type::Int, Type::Decimal(5, 2)), None);
    assert_eq!(casts(decimal(-199, 2), Type::Decimal(6, 2), Type::Int), Some(Cell::Int(-1)));
    assert_eq!(casts(text("1.5e2"), Type::String, Type::Decimal(5, 1)), Some(decimal(1500, 1)));
    let nines = "9".repeat(60);
    assert_eq!(casts(text(&nines), Type::String, Type::Decimal(38, 0)), None);
    assert_eq!(casts(text(&format!("0.{nines}")), Type::String, Type::Decimal(38, 2)), Some(decimal(100, 2)));
}

#[test]
fn floats_print_as_java_prints_them() {
    for (value, printed) in [
        (1.0, "1.0"),
        (0.1, "0.1"),
        (1e7, "1.0E7"),
        (9_999_999.0, "9999999.0"),
        (0.001, "0.001"),
        (0.000_12, "1.2E-4"),
        (123.456, "123.456"),
        (-0.0, "-0.0"),
        (f64::INFINITY, "Infinity"),
    ] {
        assert_eq!(casts(Cell::Double(value), Type::Double, Type::String), Some(text(printed)));
    }
    assert_eq!(casts(Cell::Float(0.1), Type::Float, Type::String), Some(text("0.1")));
}

#[test]
fn text_keeps_to_the_length_of_its_type() {
    assert_eq!(casts(text("héllo"), Type::String, Type::Varchar(2)), Some(text("hé")));
    assert_eq!(casts(text("a"), Type::String, Type::Char(3)), Some(text("a  ")));
    assert_eq!(casts(Cell::Int(12345), Type::Int, Type::Varchar(3)), Some(text("123")));
    assert_eq!(casts(Cell::Bytes(vec![1]), Type::Binary, Type::BinaryOf(3)), Some(Cell::Bytes(vec![1, 0, 0])));
}

#[test]
fn times_go_to_text_and_back() {
    let stamp = |text: &str| Cell::Timestamp(moment::timestamp(text).unwrap());
    let value = stamp("2024-02-29 01:02:03.1239");
    assert_eq!(casts(value.clone(), Type::TimestampOf(6), Type::String), Some(text("2024-02-29 01:02:03.123900")));
    assert_eq!(
        casts(value.clone(), Type::TimestampOf(6), Type::TimestampOf(3)),
        Some(stamp("2024-02-29 01:02:03.123"))
    );
    assert_eq!(casts(value, Type::TimestampOf(6), Type::TimestampOf(0)), Some(stamp("2024-02-29 01:02:03")));
    assert_eq!(casts(stamp("1969-12-31 23:59:59"), Type::TimestampOf(0), Type::Date), Some(Cell::Date(-1)));
    let early = stamp("1969-12-31 23:59:58.457");
    assert_eq!(casts(early.clone(), Type::TimestampOf(3), Type::TimestampOf(1)), Some(stamp("1969-12-31 23:59:58.5")));
    assert_eq!(casts(early, Type::TimestampOf(3), Type::TimestamptzOf(0)), Some(stamp("1969-12-31 23:59:59")));
    assert_eq!(casts(Cell::Date(19_723), Type::Date, Type::String), Some(text("2024-01-01")));
    assert_eq!(casts(text("2024-1-2"), Type::String, Type::Date), Some(Cell::Date(19_724)));
    assert_eq!(casts(Cell::Date(1), Type::Date, Type::TimestampOf(9)), Some(Cell::Timestamp(86_400_000_000_000)));
    assert_eq!(casts(Cell::Time(3_723_120), Type::TimeOf(3), Type::String), Some(text("01:02:03.12")));
}

#[test]
fn text_that_is_no_value_is_an_error() {
    for (value, to) in [
        ("x", Type::Int),
        ("", Type::Long),
        ("-", Type::Int),
        ("300", Type::TinyInt),
        ("maybe", Type::Boolean),
        ("2024-02-30", Type::Date),
        ("inf", Type::Double),
        ("1.2.3", Type::Decimal(5, 2)),
    ] {
        let array = build(vec![Some(text(value))], &Type::String).unwrap();
        assert!(cast(&array, &Type::String, &to).is_err(), "{value:?} as {to}");
    }
    assert_eq!(casts(text("12.9"), Type::String, Type::Int), Some(Cell::Int(12)));
}

#[test]
fn casts_that_do_not_exist_are_refused_by_name() {
    let error = check(&Type::Date, &Type::Int).unwrap_err();
    assert!(error.message().contains("date") && error.message().contains("int"), "{error}");
}
