package lakefold.interop;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.paimon.predicate.LeafPredicate;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.predicate.PredicateReplaceVisitor;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.RowType;

/** A predicate, as the reference's object and as a case writes it. */
record CasePredicate(Predicate predicate, Map<String, Object> json) {

  /** A test of one column; literals are the reference's values. */
  static CasePredicate leaf(RowType type, String op, String name, List<Object> literals) {
    int index = type.getFieldIndex(name);
    DataField field = type.getFields().get(index);
    PredicateBuilder builder = new PredicateBuilder(type);
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("op", op);
    json.put("field", name);
    List<Object> shown = literals.stream().map(value -> Encode.value(value, field.type())).toList();
    if (op.equals("in") || op.equals("notIn") || op.equals("between")) json.put("values", shown);
    else if (!shown.isEmpty()) json.put("value", shown.get(0));
    Object one = literals.isEmpty() ? null : literals.get(0);
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
    return new CasePredicate(predicate, json);
  }

  /** All or any of several. */
  static CasePredicate join(boolean and, List<CasePredicate> parts) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("op", and ? "and" : "or");
    List<Object> args = new ArrayList<>();
    List<Predicate> predicates = new ArrayList<>();
    for (CasePredicate part : parts) {
      args.add(part.json);
      predicates.add(part.predicate);
    }
    json.put("args", args);
    return new CasePredicate(and ? PredicateBuilder.and(predicates) : PredicateBuilder.or(predicates), json);
  }

  /** The same about rows of a wider type. */
  CasePredicate over(RowType type) {
    Predicate moved = predicate.visit(new PredicateReplaceVisitor() {
      @Override
      public Optional<Predicate> visit(LeafPredicate leaf) {
        String name = leaf.fieldName();
        return Optional.of(new LeafPredicate(leaf.function(), leaf.type(), type.getFieldIndex(name), name, leaf.literals()));
      }
    }).orElseThrow();
    return new CasePredicate(moved, json);
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
}
