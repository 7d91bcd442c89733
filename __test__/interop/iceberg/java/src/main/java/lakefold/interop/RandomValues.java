package lakefold.interop;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/** Values as the generic writers take them. Each field has some of its own, so that rows, filters and deletes meet. */
final class RandomValues {
  private static final long DAY = 86_400_000_000L;
  private static final long EARLIEST = -719_162L;
  private static final long LATEST = 2_932_896L;

  /** What the values of a column are in one file. */
  enum Mode { ANY, NULL, ONE, NO_NULL, NAN }

  final Dice dice;
  private final Map<Integer, List<Object>> pools = new HashMap<>();
  private final Set<Integer> few = new HashSet<>();
  /** Whether files may be ORC, which lets readers tell neither -0.0 from 0.0, nor the second before 1970 from the one after. */
  boolean orc;

  RandomValues(Dice dice) {
    this.dice = dice;
  }

  /** From now on the field has the values of its pool alone, and these are few. */
  void keepFew(int fieldId) {
    few.add(fieldId);
    List<Object> pool = pools.get(fieldId);
    if (pool != null && pool.size() > 4) pools.put(fieldId, new ArrayList<>(pool.subList(0, 3)));
  }

  /** One of the field's values, or null. */
  Object of(NestedField field, Mode mode) {
    if (field.isOptional() && (mode == Mode.NULL || (mode == Mode.ANY && dice.chance(0.15)))) return null;
    if (field.type().isNestedType()) return nested(field.type());
    List<Object> pool = pools.computeIfAbsent(field.fieldId(), id -> fill(field.type(), few.contains(id) ? dice.between(2, 4) : dice.of(2, 3, 6, 12)));
    if (mode == Mode.NAN && field.type().typeId() == Type.TypeID.DOUBLE) return Double.NaN;
    if (mode == Mode.NAN && field.type().typeId() == Type.TypeID.FLOAT) return Float.NaN;
    if (mode == Mode.ONE) return promoted(pool.get(0), field.type());
    if (few.contains(field.fieldId()) || dice.chance(0.7)) return promoted(dice.of(pool), field.type());
    return fresh(field.type());
  }

  private List<Object> fill(Type type, int size) {
    List<Object> pool = new ArrayList<>();
    for (int i = 0; i < size; i++) pool.add(fresh(type));
    return pool;
  }

  /** A value of the field's earlier type. */
  private static Object promoted(Object value, Type type) {
    if (value instanceof Integer whole && type.typeId() == Type.TypeID.LONG) return whole.longValue();
    if (value instanceof Float real && type.typeId() == Type.TypeID.DOUBLE) return real.doubleValue();
    return value;
  }

  private Object nested(Type type) {
    if (type.isStructType()) return record(type.asStructType());
    int size = dice.of(0, 1, 1, 2, 3);
    if (type.isListType()) {
      List<Object> list = new ArrayList<>();
      for (int i = 0; i < size; i++) list.add(of(type.asListType().fields().get(0), Mode.ANY));
      return list;
    }
    Types.MapType map = type.asMapType();
    Map<Object, Object> out = new LinkedHashMap<>();
    for (int i = 0; i < size; i++) out.put(of(map.fields().get(0), Mode.ANY), of(map.fields().get(1), Mode.ANY));
    return out;
  }

  Record record(Types.StructType type) {
    GenericRecord record = GenericRecord.create(type);
    for (int i = 0; i < type.fields().size(); i++) record.set(i, of(type.fields().get(i), Mode.ANY));
    return record;
  }

  /** Any value of a type without parts, often one at a limit. */
  Object fresh(Type type) {
    return switch (type.typeId()) {
      case BOOLEAN -> dice.chance(0.5);
      case INTEGER -> dice.of(dice.between(-20, 20), dice.random.nextInt(), dice.of(Integer.MIN_VALUE, Integer.MAX_VALUE, -1, 0, Integer.MIN_VALUE + 1));
      case LONG -> dice.of((long) dice.between(-20, 20), dice.random.nextLong(), dice.of(Long.MIN_VALUE, Long.MAX_VALUE, -1L, 0L, 1L << 53, Integer.MAX_VALUE + 1L));
      case FLOAT -> dice.of(dice.between(-8, 8) / 4f, dice.random.nextFloat() * 1e6f, dice.of(0.0f, orc ? 0.0f : -0.0f, Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.MIN_VALUE, -Float.MAX_VALUE));
      case DOUBLE -> dice.of(dice.between(-8, 8) / 4d, dice.random.nextGaussian() * 1e9, dice.of(0.0, orc ? 0.0 : -0.0, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.MIN_VALUE, Double.MAX_VALUE));
      case DECIMAL -> decimal((Types.DecimalType) type);
      case DATE -> LocalDate.ofEpochDay(day());
      case TIME -> LocalTime.ofNanoOfDay(dice.of(0L, DAY - 1, dice.below(24) * 3_600_000_000L, (long) (dice.random.nextDouble() * DAY)) * 1000);
      case TIMESTAMP -> zoned(micros(), 1_000, ((Types.TimestampType) type).shouldAdjustToUTC());
      case TIMESTAMP_NANO -> zoned(nanos(), 1, ((Types.TimestampNanoType) type).shouldAdjustToUTC());
      case STRING -> text();
      case UUID -> uuid();
      case FIXED -> bytes(((Types.FixedType) type).length());
      case BINARY -> ByteBuffer.wrap(bytes(dice.of(0, 1, 2, 5, 16, 17, 40)));
      case GEOMETRY, GEOGRAPHY -> point();
      case VARIANT -> RandomVariant.of(dice);
      default -> null;
    };
  }

  private long day() {
    return dice.of((long) dice.between(-3, 3), (long) dice.between(19_000, 19_060), (long) dice.between(-30_000, 50_000), dice.of(EARLIEST, LATEST, -365L, 365L, -1L));
  }

  private long micros() {
    long edge = dice.of(-1L, 0L, 0L, 1L);
    return dice.of(
        edge,
        dice.between(-3, 3) * DAY + edge,
        (19_000L + dice.below(40)) * DAY + dice.below(48) * 1_800_000_000L + edge,
        (long) (dice.random.nextDouble() * 5e15) - 2_000_000_000_000_000L,
        dice.of(EARLIEST * DAY, LATEST * DAY + DAY - 1));
  }

  private long nanos() {
    return dice.of(micros() % 2_000_000_000_000_000L * 1000 + dice.of(0, 1, 999, -1), dice.random.nextLong() / 2);
  }

  private Object zoned(long ticks, int nanosEach, boolean zone) {
    long perSecond = 1_000_000_000L / nanosEach;
    if (orc && ticks < 0 && ticks > -perSecond) ticks = 0;
    LocalDateTime at = LocalDateTime.ofEpochSecond(Math.floorDiv(ticks, perSecond), (int) Math.floorMod(ticks, perSecond) * nanosEach, ZoneOffset.UTC);
    return zone ? at.atOffset(ZoneOffset.UTC) : at;
  }

  private BigDecimal decimal(Types.DecimalType type) {
    BigInteger most = BigInteger.TEN.pow(type.precision()).subtract(BigInteger.ONE);
    BigInteger unscaled = dice.of(
        BigInteger.valueOf(dice.between(-9, 9)),
        new BigInteger(most.bitLength(), dice.random).mod(most),
        new BigInteger(most.bitLength(), dice.random).mod(most).negate(),
        dice.of(most, most.negate(), BigInteger.valueOf(-128), BigInteger.valueOf(255)).max(most.negate()).min(most));
    return new BigDecimal(unscaled, type.scale());
  }

  private static final List<String> PIECES = List.of("a", "b", "zz", "é", "\uFFFF", "\uD7FF", "\uE000", "😀", "\uDBFF\uDFFF", " ", "0", "A", "ab%/", "\u007F");

  /** Texts share beginnings, also ones longer than the bounds that are kept of them. */
  private String text() {
    StringBuilder text = new StringBuilder(dice.of("", "", "a", "prefix-of-some-length", "0123456789abcde", "\uDBFF\uDFFF".repeat(dice.between(1, 17))));
    for (int i = dice.of(0, 1, 1, 2, 20); i > 0; i--) text.append(dice.of(PIECES));
    return text.toString();
  }

  private UUID uuid() {
    long high = dice.of(0L, -1L, dice.random.nextLong(), Long.MIN_VALUE);
    return new UUID(high, dice.of(dice.random.nextLong(), -1L, 7L));
  }

  /** A point as WKB. */
  private ByteBuffer point() {
    ByteBuffer point = ByteBuffer.allocate(21).order(ByteOrder.LITTLE_ENDIAN).put((byte) 1).putInt(1);
    return point.putDouble(dice.between(-180, 180)).putDouble(dice.between(-90, 90)).flip();
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    int kind = dice.below(3);
    if (kind == 0) dice.random.nextBytes(bytes);
    else for (int i = 0; i < length; i++) bytes[i] = kind == 1 ? (byte) 0xff : (byte) (i % 3);
    if (kind == 1 && length > 0) bytes[length - 1] = (byte) dice.below(256);
    return bytes;
  }
}
