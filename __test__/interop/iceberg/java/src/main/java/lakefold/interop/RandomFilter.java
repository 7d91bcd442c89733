package lakefold.interop;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.UnboundTerm;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/** Random filters over a schema, with literals that its rows have or nearly have. */
final class RandomFilter {
  private record Path(String name, NestedField field, List<Integer> steps) {}

  private final Dice dice;
  private final RandomValues values;
  private final List<Record> rows;
  private final List<Path> paths = new ArrayList<>();
  private final Table table;
  private final Schema schema;
  /** Names in another letter case. */
  boolean foldCase;
  /** A filter made since this was reset compares uuids. */
  boolean hasUuid;

  RandomFilter(Dice dice, RandomValues values, Table table, Schema schema, List<Record> rows) {
    this.dice = dice;
    this.values = values;
    this.rows = rows;
    this.table = table;
    this.schema = schema;
    collect("", schema.asStruct(), List.of());
  }

  private void collect(String prefix, Types.StructType struct, List<Integer> steps) {
    for (int i = 0; i < struct.fields().size(); i++) {
      NestedField field = struct.fields().get(i);
      List<Integer> at = new ArrayList<>(steps);
      at.add(i);
      paths.add(new Path(prefix + field.name(), field, at));
      if (field.type().isStructType()) collect(prefix + field.name() + ".", field.type().asStructType(), at);
    }
  }

  Expression filter(int depth) {
    if (depth == 0 || dice.chance(0.35)) return leaf();
    return switch (dice.below(5)) {
      case 0 -> Expressions.not(filter(depth - 1));
      case 1, 2 -> Expressions.or(filter(depth - 1), filter(depth - 1));
      default -> Expressions.and(filter(depth - 1), filter(depth - 1));
    };
  }

  private Expression leaf() {
    List<PartitionField> sources = table.spec().fields().stream().filter(f -> schema.findField(f.sourceId()) != null).toList();
    Path path = dice.of(paths);
    // The columns that partitions are made of are asked for more often.
    if (!sources.isEmpty() && dice.chance(0.3)) {
      String name = schema.findColumnName(dice.of(sources).sourceId());
      path = paths.stream().filter(p -> p.name().equals(name)).findFirst().orElse(path);
    }
    String name = foldCase ? folded(path.name()) : path.name();
    Type type = path.field().type();
    if (!RandomTypes.isOrdered(type) || dice.chance(0.12)) return dice.chance(0.5) ? Expressions.isNull(name) : Expressions.notNull(name);
    if ((type.typeId() == Type.TypeID.FLOAT || type.typeId() == Type.TypeID.DOUBLE) && dice.chance(0.2)) {
      return dice.chance(0.5) ? Expressions.isNaN(name) : Expressions.notNaN(name);
    }
    if (type.typeId() == Type.TypeID.UUID) hasUuid = true;
    if (dice.chance(0.1)) {
      Expression transformed = transformed(name, path);
      if (transformed != null) return transformed;
    }
    if (type.typeId() == Type.TypeID.STRING && dice.chance(0.3)) {
      String prefix = prefix((String) near(path));
      return dice.chance(0.6) ? Expressions.startsWith(name, prefix) : Expressions.notStartsWith(name, prefix);
    }
    if (dice.chance(0.25)) {
      List<Object> literals = new ArrayList<>();
      for (int i = dice.chance(0.03) ? 230 : dice.between(1, 5); i > 0; i--) literals.add(literal(near(path)));
      return dice.chance(0.6) ? Expressions.in(name, literals.toArray()) : Expressions.notIn(name, literals.toArray());
    }
    Object literal = literal(near(path));
    return switch (dice.below(6)) {
      case 0 -> Expressions.lessThan(name, literal);
      case 1 -> Expressions.lessThanOrEqual(name, literal);
      case 2 -> Expressions.greaterThan(name, literal);
      case 3 -> Expressions.greaterThanOrEqual(name, literal);
      case 4 -> Expressions.notEqual(name, literal);
      default -> Expressions.equal(name, literal);
    };
  }

  private Expression transformed(String name, Path path) {
    UnboundTerm<Integer> term = switch (path.field().type().typeId()) {
      case DATE -> dice.of(Expressions.<Integer>year(name), Expressions.<Integer>month(name), Expressions.<Integer>day(name));
      case TIMESTAMP, TIMESTAMP_NANO -> dice.of(Expressions.<Integer>year(name), Expressions.<Integer>month(name), Expressions.<Integer>day(name), Expressions.<Integer>hour(name));
      case INTEGER, LONG, STRING, DECIMAL, UUID, FIXED, BINARY, TIME -> Expressions.<Integer>bucket(name, dice.of(2, 4, 5));
      default -> null;
    };
    if (term == null) return null;
    // It would compare the literal with an identity partition of the column.
    for (PartitionSpec spec : table.specs().values()) {
      for (PartitionField field : spec.fields()) if (field.transform().isIdentity() && field.sourceId() == path.field().fieldId()) return null;
    }
    int literal = dice.of(dice.between(0, 4), dice.between(-3, 60), dice.between(19_000, 19_060));
    return switch (dice.below(4)) {
      case 0 -> Expressions.lessThanOrEqual(term, literal);
      case 1 -> Expressions.greaterThan(term, literal);
      case 2 -> Expressions.notEqual(term, literal);
      default -> Expressions.equal(term, literal);
    };
  }

  private static String folded(String name) {
    return name.chars().anyMatch(Character::isUpperCase) ? name.toLowerCase() : name.toUpperCase();
  }

  /** A value that some row has in the column, or one beside it. */
  private Object near(Path path) {
    Object value = null;
    for (int i = 0; i < 5 && !rows.isEmpty() && value == null && !dice.chance(0.1); i++) {
      Object at = dice.of(rows);
      for (int step : path.steps()) at = at == null ? null : ((Record) at).get(step);
      value = at;
    }
    while (value == null || unusual(value)) value = values.fresh(path.field().type());
    return dice.chance(0.3) ? beside(value) : value;
  }

  /** There are no such literals. */
  private static boolean unusual(Object value) {
    return value instanceof Float f && !Float.isFinite(f) || value instanceof Double d && !Double.isFinite(d);
  }

  private Object beside(Object value) {
    int step = dice.chance(0.5) ? 1 : -1;
    if (value instanceof Integer whole) return whole == Integer.MAX_VALUE || whole == Integer.MIN_VALUE ? whole : (Object) (whole + step);
    if (value instanceof Long whole) return whole == Long.MAX_VALUE || whole == Long.MIN_VALUE ? whole : (Object) (whole + step);
    if (value instanceof Float real) return step > 0 ? Math.nextUp(real) : Math.nextDown(real);
    if (value instanceof Double real) return finite(step > 0 ? Math.nextUp(real) : Math.nextDown(real), real);
    if (value instanceof BigDecimal decimal) return new BigDecimal(decimal.unscaledValue().add(BigInteger.valueOf(step)), decimal.scale());
    if (value instanceof LocalDate date) return dice.chance(0.3) ? date.withDayOfMonth(1) : date.getYear() < 2 || date.getYear() > 9998 ? date : date.plusDays(step);
    if (value instanceof LocalDateTime at) return moved(at, step);
    if (value instanceof OffsetDateTime at) return moved(at.toLocalDateTime(), step).atOffset(at.getOffset());
    if (value instanceof String text) return step > 0 ? text + dice.of("", "a", "\uFFFF") : prefix(text);
    if (value instanceof ByteBuffer bytes) {
      ByteBuffer cut = bytes.duplicate();
      cut.limit(cut.position() + dice.between(0, cut.remaining()));
      return cut.slice();
    }
    return value;
  }

  private static double finite(double next, double real) {
    return Double.isFinite(next) ? next : real;
  }

  private LocalDateTime moved(LocalDateTime at, int step) {
    if (at.getYear() < 2 || at.getYear() > 9998) return at;
    LocalDateTime floor = at.truncatedTo(dice.of(ChronoUnit.HOURS, ChronoUnit.DAYS));
    return dice.of(floor, floor.withDayOfMonth(1), floor.minus(1, ChronoUnit.MICROS), at.plus(step, ChronoUnit.MICROS));
  }

  /** Cut between characters. */
  private String prefix(String text) {
    int[] points = text.codePoints().toArray();
    return new String(points, 0, dice.between(0, points.length));
  }

  /** As the builder of expressions takes it. */
  static Object literal(Object value) {
    if (value instanceof Float real && !Float.isFinite(real)) return 0f;
    if (value instanceof LocalDate || value instanceof LocalTime) return value.toString();
    if (value instanceof LocalDateTime at) return DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(at);
    if (value instanceof OffsetDateTime at) return DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(at) + "+00:00";
    if (value instanceof byte[] bytes) return ByteBuffer.wrap(bytes);
    return value;
  }
}
