package lakefold.interop;

import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.Schema;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.NamedReference;
import org.apache.iceberg.expressions.Term;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/** Terms that partitions may be made of. */
final class RandomSpec {
  record Source(String name, NestedField field, Term term) {}

  private RandomSpec() {}

  /** A term over some column, or null if the one that was chosen has none. */
  static Source source(Dice dice, Schema schema) {
    List<String> names = new ArrayList<>();
    collect("", schema.asStruct(), names);
    if (names.isEmpty()) return null;
    String name = dice.of(names);
    NestedField field = schema.findField(name);
    Term term = term(dice, name, field.type());
    // Of an identity field it makes the struct around it, which may have been null.
    boolean nested = schema.asStruct().field(field.fieldId()) == null;
    return term == null || nested && term instanceof NamedReference ? null : new Source(name, field, term);
  }

  private static void collect(String prefix, Types.StructType struct, List<String> names) {
    for (NestedField field : struct.fields()) {
      if (field.type().isPrimitiveType()) names.add(prefix + field.name());
      else if (field.type().isStructType()) collect(prefix + field.name() + ".", field.type().asStructType(), names);
    }
  }

  /** No identity of fixed values: the reference writes them so that they are no Avro (apache/iceberg#17501). */
  private static Term term(Dice dice, String name, Type type) {
    int width = dice.of(1, 2, 3, 10);
    return switch (type.typeId()) {
      case BOOLEAN, FLOAT, DOUBLE -> Expressions.ref(name);
      case INTEGER, LONG, STRING, DECIMAL, BINARY -> dice.of(
          (Term) Expressions.ref(name), Expressions.bucket(name, dice.between(1, 5)), Expressions.truncate(name, width));
      case TIME, UUID -> dice.of((Term) Expressions.ref(name), Expressions.bucket(name, dice.between(2, 5)));
      case FIXED -> Expressions.bucket(name, 3);
      case DATE -> dice.of(
          (Term) Expressions.ref(name), Expressions.year(name), Expressions.month(name), Expressions.day(name), Expressions.bucket(name, 4));
      case TIMESTAMP -> dice.of(
          (Term) Expressions.ref(name), Expressions.year(name), Expressions.month(name), Expressions.day(name), Expressions.hour(name), Expressions.bucket(name, 4));
      // It gives a number for an identity field of these.
      case TIMESTAMP_NANO -> dice.of(
          (Term) Expressions.year(name), Expressions.month(name), Expressions.day(name), Expressions.hour(name), Expressions.bucket(name, 4));
      default -> null;
    };
  }
}
