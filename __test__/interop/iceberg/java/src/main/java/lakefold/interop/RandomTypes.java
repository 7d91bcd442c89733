package lakefold.interop;

import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.types.EdgeAlgorithm;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/** Random types of the columns of one table. */
final class RandomTypes {
  private final Dice dice;
  private final boolean v3;
  /** Variants and shapes too, which are not written to ORC. */
  private final boolean modern;
  private int nextId = 1;

  RandomTypes(Dice dice, boolean v3, boolean modern) {
    this.dice = dice;
    this.v3 = v3;
    this.modern = modern;
  }

  NestedField field(String name, Type type, boolean optional) {
    return NestedField.of(nextId++, optional || type.typeId() == Type.TypeID.UNKNOWN, name, type);
  }

  /** The type of a column. */
  Type column(int depth) {
    if (modern && dice.chance(0.15)) return Types.VariantType.get();
    return member(depth);
  }

  /** A type of a column or of a field in a struct. */
  private Type member(int depth) {
    if (v3 && dice.chance(0.06)) return Types.UnknownType.get();
    if (modern && dice.chance(0.15)) return dice.chance(0.5) ? Types.GeometryType.crs84() : Types.GeographyType.of("OGC:CRS84", EdgeAlgorithm.KARNEY);
    return any(depth);
  }

  /** Whether values of a type can be compared: filters, keys and orders are of these. */
  static boolean isOrdered(Type type) {
    return type.isPrimitiveType() && switch (type.typeId()) {
      case UNKNOWN, GEOMETRY, GEOGRAPHY -> false;
      default -> true;
    };
  }

  /** A type without parts. */
  Type.PrimitiveType primitive() {
    return switch (dice.below(v3 ? 19 : 16)) {
      case 0 -> Types.BooleanType.get();
      case 1, 2 -> Types.IntegerType.get();
      case 3 -> Types.LongType.get();
      case 4 -> Types.FloatType.get();
      case 5 -> Types.DoubleType.get();
      case 6, 7 -> decimal();
      case 8 -> Types.DateType.get();
      case 9 -> Types.TimeType.get();
      case 10 -> Types.TimestampType.withoutZone();
      case 11 -> Types.TimestampType.withZone();
      case 12, 13 -> Types.StringType.get();
      case 14 -> dice.chance(0.5) ? Types.UUIDType.get() : Types.FixedType.ofLength(dice.of(1, 4, 17));
      case 15 -> Types.BinaryType.get();
      case 16 -> Types.TimestampNanoType.withoutZone();
      case 17 -> Types.TimestampNanoType.withZone();
      default -> Types.LongType.get();
    };
  }

  private Type.PrimitiveType decimal() {
    int precision = dice.of(dice.between(1, 9), dice.between(10, 18), dice.between(19, 38));
    return Types.DecimalType.of(precision, dice.between(0, Math.min(precision, 12)));
  }

  /** Any type, nested at most `depth` times. */
  Type any(int depth) {
    if (depth == 0 || dice.chance(0.72)) return primitive();
    switch (dice.below(4)) {
      case 0 -> {
        int id = nextId++;
        Type element = any(depth - 1);
        return dice.chance(0.7) ? Types.ListType.ofOptional(id, element) : Types.ListType.ofRequired(id, element);
      }
      case 1 -> {
        int key = nextId++;
        int value = nextId++;
        Type keys = dice.of(Types.StringType.get(), Types.IntegerType.get(), Types.LongType.get(), primitiveKey());
        Type values = any(depth - 1);
        return dice.chance(0.7)
            ? Types.MapType.ofOptional(key, value, keys, values)
            : Types.MapType.ofRequired(key, value, keys, values);
      }
      default -> {
        List<NestedField> fields = new ArrayList<>();
        int count = dice.between(1, 3);
        for (int i = 0; i < count; i++) {
          int id = nextId++;
          Type type = member(depth - 1);
          fields.add(NestedField.of(id, type.typeId() == Type.TypeID.UNKNOWN || dice.chance(0.8), dice.of("a", "B", "leaf") + i, type));
        }
        return Types.StructType.of(fields);
      }
    }
  }

  /** Keys that are no floats: the reference gives them back in a hash table. */
  private Type primitiveKey() {
    Type type = primitive();
    return switch (type.typeId()) {
      case FLOAT, DOUBLE, FIXED, BINARY, BOOLEAN -> Types.StringType.get();
      default -> type;
    };
  }
}
