package lakefold.interop;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalMap;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.data.variant.Variant;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeChecks;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;

/** Values as the cases write them: the fixtures' README tells how. */
final class Encode {
  private Encode() {}

  static Map<String, Object> row(InternalRow row, RowType type) {
    Map<String, Object> out = new LinkedHashMap<>();
    List<DataField> fields = type.getFields();
    for (int i = 0; i < fields.size(); i++) {
      DataType fieldType = fields.get(i).type();
      out.put(fields.get(i).name(), value(InternalRow.createFieldGetter(fieldType, i).getFieldOrNull(row), fieldType));
    }
    return out;
  }

  static Object value(Object value, DataType type) {
    if (value == null) return null;
    return switch (type.getTypeRoot()) {
      case BOOLEAN, TINYINT, SMALLINT, INTEGER -> value;
      case BIGINT -> value.toString();
      case FLOAT -> Float.isFinite((Float) value) ? value : value.toString();
      case DOUBLE -> Double.isFinite((Double) value) ? value : value.toString();
      case DECIMAL -> ((Decimal) value).toBigDecimal().toPlainString();
      case CHAR, VARCHAR -> ((BinaryString) value).toString();
      case BINARY, VARBINARY, BLOB -> HexFormat.of().formatHex((byte[]) value);
      case DATE -> date((Integer) value);
      case TIME_WITHOUT_TIME_ZONE ->
          time(LocalTime.ofNanoOfDay((Integer) value * 1_000_000L), DataTypeChecks.getPrecision(type));
      case TIMESTAMP_WITHOUT_TIME_ZONE -> timestamp((Timestamp) value, DataTypeChecks.getPrecision(type));
      case TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
          timestamp((Timestamp) value, DataTypeChecks.getPrecision(type)) + "Z";
      case VARIANT -> variant((Variant) value);
      case ARRAY -> array((InternalArray) value, ((ArrayType) type).getElementType());
      case MULTISET -> map((InternalMap) value, ((MultisetType) type).getElementType(), DataTypes.INT());
      case MAP -> map((InternalMap) value, ((MapType) type).getKeyType(), ((MapType) type).getValueType());
      case ROW -> row((InternalRow) value, (RowType) type);
      default -> throw new IllegalArgumentException("no encoding of " + type);
    };
  }

  private static String date(int days) {
    return LocalDate.ofEpochDay(days).toString();
  }

  private static String time(LocalTime time, int precision) {
    String whole = String.format("%02d:%02d:%02d", time.getHour(), time.getMinute(), time.getSecond());
    String digits = String.format("%09d", time.getNano());
    String shown = digits.substring(0, precision) + digits.substring(precision).replaceAll("0+$", "");
    return shown.isEmpty() ? whole : whole + "." + shown;
  }

  private static String timestamp(Timestamp value, int precision) {
    LocalDateTime at = LocalDateTime.ofEpochSecond(
        Math.floorDiv(value.getMillisecond(), 1000L),
        (int) Math.floorMod(value.getMillisecond(), 1000L) * 1_000_000 + value.getNanoOfMillisecond(),
        ZoneOffset.UTC);
    return at.toLocalDate() + "T" + time(at.toLocalTime(), precision);
  }

  private static Map<String, Object> variant(Variant value) {
    HexFormat hex = HexFormat.of();
    return Map.of("value", hex.formatHex(value.value()), "metadata", hex.formatHex(value.metadata()), "json", value.toJson());
  }

  private static List<Object> array(InternalArray array, DataType element) {
    InternalArray.ElementGetter getter = InternalArray.createElementGetter(element);
    List<Object> out = new ArrayList<>();
    for (int i = 0; i < array.size(); i++) out.add(value(getter.getElementOrNull(array, i), element));
    return out;
  }

  private static List<List<Object>> map(InternalMap map, DataType key, DataType value) {
    List<Object> keys = array(map.keyArray(), key);
    List<Object> values = array(map.valueArray(), value);
    List<List<Object>> out = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      List<Object> entry = new ArrayList<>();
      entry.add(keys.get(i));
      entry.add(values.get(i));
      out.add(entry);
    }
    out.sort(Comparator.comparing(entry -> String.valueOf(entry.get(0))));
    return out;
  }
}
