package lakefold.interop;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.predicate.LeafPredicate;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.predicate.PredicateReplaceVisitor;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.RowType;

/** A random predicate, as the reference's object and as a case writes it. */
record RandomPredicate(Predicate predicate, Map<String, Object> json) {

  /** The same about rows of a wider type. */
  RandomPredicate over(RowType type) {
    Predicate moved = predicate.visit(new PredicateReplaceVisitor() {
      @Override
      public Optional<Predicate> visit(LeafPredicate leaf) {
        String name = leaf.fieldName();
        return Optional.of(new LeafPredicate(leaf.function(), leaf.type(), type.getFieldIndex(name), name, leaf.literals()));
      }
    }).orElseThrow();
    return new RandomPredicate(moved, json);
  }

  /** Whether it looks at these fields only. */
  boolean within(Set<String> fields) {
    return within(json, fields);
  }

  private static boolean within(Map<String, Object> json, Set<String> fields) {
    if (!json.containsKey("args")) return fields.contains(json.get("field"));
    for (Object part : (List<?>) json.get("args")) {
      @SuppressWarnings("unchecked")
      Map<String, Object> one = (Map<String, Object>) part;
      if (!within(one, fields)) return false;
    }
    return true;
  }

  static RandomPredicate of(Dice dice, RandomValues values, RowType type, List<InternalRow> rows, int depth) {
    if (depth == 0 || dice.chance(0.5)) return leaf(dice, values, type, rows);
    List<Predicate> parts = new ArrayList<>();
    List<Object> args = new ArrayList<>();
    for (int i = dice.between(2, 3); i > 0; i--) {
      RandomPredicate part = of(dice, values, type, rows, depth - 1);
      parts.add(part.predicate);
      args.add(part.json);
    }
    boolean and = dice.chance(0.5);
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("op", and ? "and" : "or");
    json.put("args", args);
    return new RandomPredicate(and ? PredicateBuilder.and(parts) : PredicateBuilder.or(parts), json);
  }

  private static RandomPredicate leaf(Dice dice, RandomValues values, RowType type, List<InternalRow> rows) {
    int index = dice.below(type.getFieldCount());
    DataField field = type.getFields().get(index);
    PredicateBuilder builder = new PredicateBuilder(type);
    Map<String, Object> json = new LinkedHashMap<>();
    String op = op(dice, field.type());
    json.put("op", op);
    json.put("field", field.name());
    List<Object> literals = new ArrayList<>();
    int count = switch (op) {
      case "isNull", "isNotNull" -> 0;
      case "in", "notIn" -> dice.of(1, 2, 3, 25);
      case "between" -> 2;
      default -> 1;
    };
    for (int i = 0; i < count; i++) literals.add(literal(dice, values, field.type(), index, rows, op));
    List<Object> shown = literals.stream().map(value -> Encode.value(value, field.type())).toList();
    if (op.equals("in") || op.equals("notIn") || op.equals("between")) json.put("values", shown);
    else if (count == 1) json.put("value", shown.get(0));
    Object one = count > 0 ? literals.get(0) : null;
    Predicate predicate = switch (op) {
      case "isNull" -> builder.isNull(index);
      case "isNotNull" -> builder.isNotNull(index);
      case "eq" -> builder.equal(index, one);
      case "ne" -> builder.notEqual(index, one);
      case "lt" -> builder.lessThan(index, one);
      case "le" -> builder.lessOrEqual(index, one);
      case "gt" -> builder.greaterThan(index, one);
      case "ge" -> builder.greaterOrEqual(index, one);
      case "in" -> builder.in(index, literals);
      case "notIn" -> builder.notIn(index, literals);
      case "between" -> builder.between(index, one, literals.get(1));
      case "startsWith" -> builder.startsWith(index, one);
      case "endsWith" -> builder.endsWith(index, one);
      case "contains" -> builder.contains(index, one);
      default -> throw new IllegalStateException(op);
    };
    return new RandomPredicate(predicate, json);
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
