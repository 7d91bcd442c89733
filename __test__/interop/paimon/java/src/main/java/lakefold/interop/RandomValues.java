package lakefold.interop;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericArray;
import org.apache.paimon.data.GenericMap;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.data.variant.GenericVariant;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeChecks;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;

/** Random values of types, in Paimon's internal form: borders, and few enough different ones that keys meet again. */
final class RandomValues {
  private static final String[] TEXTS = {
    "", "a", "b", "ab", "abc", "Z", "z", "é", "ß", "z\u0301", "日本", "日本語", "\uFFFD", "\uD834\uDD1E", "~", "0", "10", "9",
    "-1", "true", " lead", "trail ", "a\u0000", "line\nbreak", "quote\"", "100%", "a_b", "c,d", "2024-02-29", "NULL",
    "__DEFAULT_PARTITION__x", "prefix-prefix-prefix-a", "prefix-prefix-prefix-b", "prefix-prefix-prefix-é",
    "prefix-prefix-prefix-", "a/b", "a=b", "😀😀😀",
  };
  private static final String[] VARIANTS = {
    "1", "\"text\"", "null", "true", "{}", "[]", "{\"a\":1,\"b\":[1,2,{\"c\":null}]}", "1.25", "{\"k\":\"é\"}",
  };

  final Dice dice;
  /** Whether -0.0 is among them: the reference's reader of ORC gives the first of a batch for all of it where they equal as numbers. */
  boolean negativeZero = true;
  /** Whether many of them differ. */
  boolean many;

  RandomValues(Dice dice) {
    this.dice = dice;
  }

  /** A value to order rows by: the reference takes NaN for equal to any number, so what it sorts with NaN is in no order. */
  Object ordered(DataType type) {
    for (;;) {
      Object value = value(type);
      if (!(value instanceof Double d && d.isNaN()) && !(value instanceof Float f && f.isNaN())) return value;
    }
  }

  /** A value of a key: the reference writes -0.0 before 0.0, and merges the two as one key where they meet. */
  Object key(DataType type) {
    Object value = ordered(type);
    return value instanceof Double d && d == 0 ? (Object) 0.0 : value instanceof Float f && f == 0 ? (Object) 0.0f : value;
  }

  /** A value, sometimes null where the type may be. */
  Object value(DataType type, double nulls) {
    return type.isNullable() && dice.chance(nulls) ? null : value(type);
  }

  Object value(DataType type) {
    return switch (type.getTypeRoot()) {
      case BOOLEAN -> dice.chance(0.5);
      case TINYINT -> (byte) integer(Byte.MIN_VALUE, Byte.MAX_VALUE);
      case SMALLINT -> (short) integer(Short.MIN_VALUE, Short.MAX_VALUE);
      case INTEGER -> (int) integer(Integer.MIN_VALUE, Integer.MAX_VALUE);
      case BIGINT -> integer(Long.MIN_VALUE, Long.MAX_VALUE);
      case FLOAT -> (float) real();
      case DOUBLE -> real();
      case DECIMAL -> decimal((DecimalType) type);
      case CHAR, VARCHAR -> text(DataTypeChecks.getLength(type));
      case BINARY, VARBINARY -> bytes(type);
      case DATE -> date();
      case TIME_WITHOUT_TIME_ZONE -> time(DataTypeChecks.getPrecision(type));
      case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
          timestamp(DataTypeChecks.getPrecision(type));
      case VARIANT -> GenericVariant.fromJson(dice.of(VARIANTS));
      case ARRAY -> array(((ArrayType) type).getElementType());
      case MULTISET -> multiset((MultisetType) type);
      case MAP -> map((MapType) type);
      case ROW -> row((RowType) type);
      default -> throw new IllegalArgumentException("no values of " + type);
    };
  }

  private long integer(long low, long high) {
    return switch (dice.below(12)) {
      case 0 -> low;
      case 1 -> high;
      case 2 -> dice.of(-1L, 0L, 1L);
      default -> many ? dice.between((int) Math.max(low, -4000), (int) Math.min(high, 4000)) : dice.between(-20, 20);
    };
  }

  private double real() {
    return switch (dice.below(14)) {
      case 0 -> Double.NaN;
      case 1 -> negativeZero ? -0.0 : 0.0;
      case 2 -> 0.0;
      case 3 -> Double.POSITIVE_INFINITY;
      case 4 -> Double.NEGATIVE_INFINITY;
      case 5 -> 1e-30;
      default -> (many ? dice.between(-4000, 4000) : dice.between(-40, 40)) / 4.0;
    };
  }

  private Decimal decimal(DecimalType type) {
    int digits = dice.chance(0.1) ? type.getPrecision() : dice.between(1, Math.min(many ? 9 : 3, type.getPrecision()));
    BigInteger most = BigInteger.TEN.pow(digits).subtract(BigInteger.ONE);
    BigInteger unscaled = dice.chance(0.1) ? most : new BigInteger(most.bitLength() + 1, dice.random).mod(most.add(BigInteger.ONE));
    if (dice.chance(0.4)) unscaled = unscaled.negate();
    return Decimal.fromBigDecimal(new BigDecimal(unscaled, type.getScale()), type.getPrecision(), type.getScale());
  }

  private BinaryString text(int length) {
    String text = dice.of(TEXTS);
    if (dice.chance(many ? 0.8 : 0.2)) text = text + dice.below(many ? 3000 : 30);
    if (dice.chance(0.02)) text = text.repeat(40);
    int points = text.codePointCount(0, text.length());
    return BinaryString.fromString(points > length ? text.substring(0, text.offsetByCodePoints(0, length)) : text);
  }

  private byte[] bytes(DataType type) {
    int length = DataTypeChecks.getLength(type);
    boolean fixed = type.getTypeRoot() == org.apache.paimon.types.DataTypeRoot.BINARY;
    byte[] bytes = new byte[fixed ? length : dice.below(Math.min(length, 8) + 1)];
    for (int i = 0; i < bytes.length; i++) bytes[i] = dice.of((byte) 0, (byte) 1, (byte) 0x7F, (byte) 0x80, (byte) 0xFF);
    return bytes;
  }

  private int date() {
    return dice.chance(0.05)
        ? (int) LocalDate.of(dice.of(1, 1582, 1600, 9999), dice.between(1, 12), 28).toEpochDay()
        : dice.chance(0.1) ? dice.between(-1000, 0) : 19700 + dice.below(many ? 4000 : 40);
  }

  private int time(int precision) {
    int unit = precision == 0 ? 1000 : 1;
    return dice.of(0, 86_399_000, 45_296_000 + 1000 * dice.below(20), dice.below(86_400_000)) / unit * unit;
  }

  private Timestamp timestamp(int precision) {
    long millis = dice.chance(0.1) ? -dice.below(1_000_000_000) * 1000L : (19700 + dice.below(40)) * 86_400_000L;
    if (dice.chance(0.5)) millis += dice.below(86_400_000);
    int nanos = dice.chance(0.5) ? dice.below(1_000_000) : 0;
    long whole = Math.floorMod(millis, 1000L) * 1_000_000L + nanos;
    long unit = (long) Math.pow(10, 9 - precision);
    long fraction = whole / unit * unit;
    return Timestamp.fromEpochMillis(Math.floorDiv(millis, 1000L) * 1000L + fraction / 1_000_000L, (int) (fraction % 1_000_000L));
  }

  private GenericArray array(DataType element) {
    Object[] values = new Object[dice.below(5)];
    for (int i = 0; i < values.length; i++) values[i] = value(element, 0.2);
    return new GenericArray(values);
  }

  private GenericMap map(MapType type) {
    // Keys are told apart by their text: equal bytes are not equal objects.
    Map<String, Object> keys = new LinkedHashMap<>();
    for (int i = dice.below(5); i > 0; i--) {
      Object key = value(type.getKeyType());
      keys.put(String.valueOf(Encode.value(key, type.getKeyType())), key);
    }
    Map<Object, Object> map = new LinkedHashMap<>();
    for (Object key : keys.values()) map.put(key, value(type.getValueType(), 0.2));
    return new GenericMap(map);
  }

  private GenericMap multiset(MultisetType type) {
    Map<Object, Object> map = new LinkedHashMap<>();
    for (int i = dice.below(4); i > 0; i--) map.put(value(type.getElementType()), dice.between(1, 5));
    return new GenericMap(map);
  }

  GenericRow row(RowType type) {
    List<DataType> types = type.getFieldTypes();
    GenericRow row = new GenericRow(types.size());
    for (int i = 0; i < types.size(); i++) row.setField(i, value(types.get(i), 0.2));
    return row;
  }
}
