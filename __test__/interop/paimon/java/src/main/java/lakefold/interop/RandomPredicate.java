package lakefold.interop;

import java.util.ArrayList;
import java.util.List;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.RowType;

/** Random predicates, with literals that rows have. */
final class RandomPredicate {
  private RandomPredicate() {}

  static CasePredicate of(Dice dice, RandomValues values, RowType type, List<InternalRow> rows, int depth) {
    if (depth == 0 || dice.chance(0.5)) return leaf(dice, values, type, rows);
    List<CasePredicate> parts = new ArrayList<>();
    for (int i = dice.between(2, 3); i > 0; i--) parts.add(of(dice, values, type, rows, depth - 1));
    return CasePredicate.join(dice.chance(0.5), parts);
  }

  private static CasePredicate leaf(Dice dice, RandomValues values, RowType type, List<InternalRow> rows) {
    int index = dice.below(type.getFieldCount());
    DataField field = type.getFields().get(index);
    String op = op(dice, field.type());
    List<Object> literals = new ArrayList<>();
    int count = switch (op) {
      case "isNull", "isNotNull" -> 0;
      case "in", "notIn" -> dice.of(1, 2, 3, 25);
      case "between" -> 2;
      default -> 1;
    };
    for (int i = 0; i < count; i++) literals.add(literal(dice, values, field.type(), index, rows, op));
    return CasePredicate.leaf(type, op, field.name(), literals);
  }

  private static String op(Dice dice, DataType type) {
    return switch (type.getTypeRoot()) {
      case ARRAY, MAP, MULTISET, ROW, VARIANT -> dice.of("isNull", "isNotNull");
      // Its predicate orders bytes as signed ones, its Parquet filter as unsigned: no ranges.
      case BINARY, VARBINARY -> dice.of("isNull", "isNotNull", "eq", "ne");
      case CHAR, VARCHAR -> dice.of(
          "isNull", "isNotNull", "eq", "ne", "lt", "le", "gt", "ge", "in", "notIn", "between", "startsWith", "endsWith", "contains");
      default -> dice.of("isNull", "isNotNull", "eq", "ne", "lt", "le", "gt", "ge", "in", "notIn", "between");
    };
  }

  private static Object literal(
      Dice dice, RandomValues values, DataType type, int index, List<InternalRow> rows, String op) {
    Object value = null;
    if (!rows.isEmpty() && dice.chance(0.7)) {
      value = InternalRow.createFieldGetter(type, index).getFieldOrNull(dice.of(rows));
    }
    if (value == null) value = values.value(type);
    if ((op.equals("startsWith") || op.equals("endsWith") || op.equals("contains"))) {
      String text = value.toString();
      int points = text.codePointCount(0, text.length());
      int cut = text.offsetByCodePoints(0, dice.between(0, points));
      return BinaryString.fromString(op.equals("startsWith") ? text.substring(0, cut) : text.substring(cut));
    }
    return value;
  }
}
