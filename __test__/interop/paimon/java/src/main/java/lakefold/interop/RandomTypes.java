package lakefold.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;

/** Random types, of those that every file format of a table can hold. */
final class RandomTypes {
  private final Dice dice;
  private final int finest;
  private final boolean variant;
  /** The reference's Avro has no multisets. */
  private final boolean avro;
  /** Nested fields need ids of their own before a schema has given them any. */
  private final AtomicInteger ids = new AtomicInteger(1000);

  RandomTypes(Dice dice, List<String> formats) {
    this.dice = dice;
    this.avro = formats.contains("avro");
    this.finest = avro ? 6 : 9;
    this.variant = formats.stream().allMatch("parquet"::equals);
  }

  DataType any(int depth) {
    if (depth <= 0 || dice.chance(0.7)) return variant && dice.chance(0.03) ? DataTypes.VARIANT() : atomic();
    return switch (dice.below(avro ? 3 : 4)) {
      case 0 -> array(depth);
      case 1 -> map(depth);
      case 3 -> DataTypes.MULTISET(dice.of(DataTypes.STRING(), DataTypes.INT(), DataTypes.BIGINT()).notNull());
      default -> row(depth);
    };
  }

  DataType array(int depth) {
    return DataTypes.ARRAY(nullable(any(depth - 1)));
  }

  DataType map(int depth) {
    return DataTypes.MAP(mapKey(), nullable(any(depth - 1)));
  }

  /** Map keys; Avro writes those that are no texts as arrays of records. */
  DataType mapKey() {
    return dice.of(
            DataTypes.STRING(), DataTypes.INT(), DataTypes.BIGINT(), DataTypes.DATE(), DataTypes.SMALLINT(), decimal())
        .notNull();
  }

  RowType row(int depth) {
    int width = dice.between(1, 4);
    List<DataField> fields = new ArrayList<>();
    for (int i = 0; i < width; i++) fields.add(field("n" + i, nullable(any(depth - 1))));
    return new RowType(fields);
  }

  DataField field(String name, DataType type) {
    return new DataField(ids.incrementAndGet(), name, type);
  }

  private DataType nullable(DataType type) {
    return dice.chance(0.1) ? type.notNull() : type;
  }

  DataType atomic() {
    return dice.chance(0.7) ? ordered() : dice.of(DataTypes.BYTES(), DataTypes.BINARY(4), DataTypes.VARBINARY(9));
  }

  DataType decimal() {
    int precision = dice.of(1, 5, 9, 10, 18, 19, 30, 38);
    return DataTypes.DECIMAL(precision, dice.between(0, precision));
  }

  DataType numeric() {
    return switch (dice.below(7)) {
      case 0 -> DataTypes.TINYINT();
      case 1 -> DataTypes.SMALLINT();
      case 2 -> DataTypes.INT();
      case 3 -> DataTypes.BIGINT();
      case 4 -> DataTypes.FLOAT();
      case 5 -> DataTypes.DOUBLE();
      default -> decimal();
    };
  }

  /** Types whose values have an order. */
  DataType ordered() {
    return switch (dice.below(10)) {
      case 0, 1, 2 -> numeric();
      case 3 -> DataTypes.BOOLEAN();
      case 4, 5 -> DataTypes.STRING();
      case 6 -> dice.of(DataTypes.CHAR(5), DataTypes.VARCHAR(12));
      case 7 -> DataTypes.DATE();
      case 8 -> dice.chance(0.3) ? DataTypes.TIME(dice.of(0, 3)) : timestamp();
      default -> timestamp();
    };
  }

  private DataType timestamp() {
    int precision = Math.min(finest, dice.of(0, 1, 3, 5, 6, 9));
    return dice.chance(0.5) ? DataTypes.TIMESTAMP(precision) : DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(precision);
  }

  /** Types that a primary key may have. */
  DataType key() {
    return dice.chance(0.1) ? dice.of(DataTypes.BYTES(), DataTypes.BINARY(4)) : ordered();
  }

  /** Types of partitions, of which directories are named. */
  DataType partition() {
    return dice.of(
        DataTypes.STRING(), DataTypes.INT(), DataTypes.DATE(), DataTypes.BIGINT(), DataTypes.BOOLEAN(),
        DataTypes.SMALLINT(), DataTypes.TINYINT(), DataTypes.VARCHAR(12));
  }
}
