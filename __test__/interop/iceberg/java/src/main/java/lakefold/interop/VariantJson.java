package lakefold.interop;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.variants.VariantArray;
import org.apache.iceberg.variants.VariantObject;
import org.apache.iceberg.variants.VariantValue;

/** Variants as the cases spell them: as to_json of Spark does. */
final class VariantJson {
  private VariantJson() {}

  private static final DateTimeFormatter STAMP = new DateTimeFormatterBuilder()
      .appendPattern("yyyy-MM-dd HH:mm:ss")
      .appendFraction(ChronoField.NANO_OF_SECOND, 0, 6, true)
      .toFormatter();

  static Object of(VariantValue value) {
    switch (value.type()) {
      case OBJECT: {
        VariantObject object = value.asObject();
        Map<String, Object> out = new LinkedHashMap<>();
        for (String name : object.fieldNames()) out.put(name, of(object.get(name)));
        return out;
      }
      case ARRAY: {
        VariantArray array = value.asArray();
        List<Object> out = new ArrayList<>();
        for (int i = 0; i < array.numElements(); i++) out.add(of(array.get(i)));
        return out;
      }
      default:
        return leaf(value);
    }
  }

  private static Object leaf(VariantValue value) {
    Object plain = value.asPrimitive().get();
    return switch (value.type()) {
      case NULL -> null;
      case FLOAT -> ((Float) plain).doubleValue();
      case DECIMAL4, DECIMAL8, DECIMAL16 -> (BigDecimal) plain;
      case DATE -> LocalDate.ofEpochDay((Integer) plain).toString();
      case TIMESTAMPTZ -> stamp((Long) plain) + "+00:00";
      case TIMESTAMPNTZ -> stamp((Long) plain);
      case BINARY -> base64((ByteBuffer) plain);
      default -> plain;
    };
  }

  private static String stamp(long micros) {
    return STAMP.format(LocalDateTime.ofEpochSecond(Math.floorDiv(micros, 1_000_000L), (int) Math.floorMod(micros, 1_000_000L) * 1000, ZoneOffset.UTC));
  }

  private static String base64(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.duplicate().get(copy);
    return Base64.getEncoder().encodeToString(copy);
  }
}
