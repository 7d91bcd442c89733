package lakefold.interop;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.temporal.TemporalAccessor;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.variants.Variant;

/** Rows as the cases spell them. */
final class Encode {
  private Encode() {}

  private static final DateTimeFormatter TIME = clock(6);
  private static final DateTimeFormatter NANOS = clock(9);

  private static DateTimeFormatter clock(int digits) {
    return new DateTimeFormatterBuilder()
        .appendPattern("HH:mm:ss")
        .appendFraction(ChronoField.NANO_OF_SECOND, digits, digits, true)
        .toFormatter();
  }

  /** The fields of `type`, by name: the record may have more. */
  static Map<String, Object> row(Record record, Types.StructType type) {
    Map<String, Object> out = new LinkedHashMap<>();
    for (Types.NestedField field : type.fields()) out.put(field.name(), value(record.getField(field.name()), field.type()));
    return out;
  }

  static Object value(Object value, Type type) {
    if (value == null) return null;
    switch (type.typeId()) {
      case STRUCT:
        return row((Record) value, type.asStructType());
      case LIST: {
        List<Object> out = new ArrayList<>();
        for (Object element : (List<?>) value) out.add(value(element, type.asListType().elementType()));
        return out;
      }
      case MAP: {
        List<Object> out = new ArrayList<>();
        Types.MapType map = type.asMapType();
        ((Map<?, ?>) value).forEach((k, v) -> {
          List<Object> pair = new ArrayList<>();
          pair.add(value(k, map.keyType()));
          pair.add(value(v, map.valueType()));
          out.add(pair);
        });
        return out;
      }
      case LONG:
        return value.toString();
      case FLOAT:
        return real(((Float) value).doubleValue());
      case DOUBLE:
        return real((Double) value);
      case DECIMAL:
        return ((BigDecimal) value).toPlainString();
      case DATE:
        return value.toString();
      case TIME:
        return TIME.format((LocalTime) value);
      case TIMESTAMP:
        return timestamp(value, TIME);
      case TIMESTAMP_NANO:
        return timestamp(value, NANOS);
      case UUID:
      case STRING:
        return value.toString();
      case FIXED:
        return HexFormat.of().formatHex((byte[]) value);
      case BINARY, GEOMETRY, GEOGRAPHY:
        return hex((ByteBuffer) value);
      case VARIANT:
        return VariantJson.of(((Variant) value).value());
      default:
        return value;
    }
  }

  static String hex(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  private static Object real(double value) {
    if (Double.isNaN(value)) return "NaN";
    if (Double.isInfinite(value)) return value > 0 ? "Infinity" : "-Infinity";
    return value == 0 && 1 / value < 0 ? "-0" : (Object) value;
  }

  private static String timestamp(Object value, DateTimeFormatter clock) {
    if (value instanceof OffsetDateTime zoned) return timestamp(zoned.toLocalDateTime(), clock) + "Z";
    LocalDateTime local = (LocalDateTime) value;
    return local.toLocalDate() + "T" + clock.format((TemporalAccessor) local);
  }
}
