package lakefold.interop;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.expressions.And;
import org.apache.iceberg.expressions.Binder;
import org.apache.iceberg.expressions.BoundLiteralPredicate;
import org.apache.iceberg.expressions.BoundPredicate;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.Or;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.UUIDUtil;

/**
 * Which rows satisfy a filter by the rule that the planner prunes by: null and NaN satisfy no comparison but the negative ones.
 * The reference's own row evaluator sorts null first and NaN last, and is asked only about other values.
 */
final class RowRule {
  private final Expression bound;

  RowRule(Types.StructType struct, Expression filter, boolean caseSensitive) {
    bound = Binder.bind(struct, Expressions.rewriteNot(filter), caseSensitive);
  }

  boolean matches(StructLike row) {
    return test(bound, row);
  }

  /** The columns whose values are compared by order. */
  static Set<Integer> compared(Types.StructType struct, Expression filter, boolean caseSensitive) {
    List<BoundPredicate<?>> leaves = new ArrayList<>();
    leaves(new RowRule(struct, filter, caseSensitive).bound, leaves);
    Set<Integer> ids = new HashSet<>();
    for (BoundPredicate<?> leaf : leaves) {
      switch (leaf.op()) {
        case LT, LT_EQ, GT, GT_EQ -> ids.add(leaf.ref().fieldId());
        default -> {}
      }
    }
    return ids;
  }

  /** What the reference makes of a predicate and a partition field on its column that is not to be matched, or null. */
  static String edge(Types.StructType struct, Expression filter, boolean caseSensitive, Iterable<PartitionSpec> specs) {
    List<BoundPredicate<?>> leaves = new ArrayList<>();
    leaves(new RowRule(struct, filter, caseSensitive).bound, leaves);
    for (PartitionSpec spec : specs) {
      for (PartitionField field : spec.fields()) {
        for (BoundPredicate<?> leaf : leaves) {
          if (leaf.ref().fieldId() != field.sourceId()) continue;
          if (field.transform().toString().startsWith("truncate") && smallest(leaf)) return "the reference truncates the smallest numbers to the largest";
        }
      }
    }
    return null;
  }

  /** Whether null satisfies a predicate on a column in a struct. */
  static boolean asksForHiddenNulls(Types.StructType struct, Expression filter, boolean caseSensitive) {
    List<BoundPredicate<?>> leaves = new ArrayList<>();
    leaves(new RowRule(struct, filter, caseSensitive).bound, leaves);
    return leaves.stream().anyMatch(leaf -> struct.field(leaf.ref().fieldId()) == null && switch (leaf.op()) {
      case IS_NULL, NOT_NAN, NOT_EQ, NOT_IN, NOT_STARTS_WITH -> true;
      default -> false;
    });
  }

  private static void leaves(Expression filter, List<BoundPredicate<?>> leaves) {
    if (filter instanceof And and) {
      leaves(and.left(), leaves);
      leaves(and.right(), leaves);
    } else if (filter instanceof Or or) {
      leaves(or.left(), leaves);
      leaves(or.right(), leaves);
    } else if (filter instanceof BoundPredicate<?> leaf) {
      leaves.add(leaf);
    }
  }

  private static boolean smallest(BoundPredicate<?> leaf) {
    Set<?> literals = leaf.isSetPredicate() ? leaf.asSetPredicate().literalSet() : leaf.isLiteralPredicate() ? Set.of(leaf.asLiteralPredicate().literal().value()) : Set.of();
    return literals.stream().anyMatch(one -> one instanceof Integer i && i < Integer.MIN_VALUE + 20 || one instanceof Long l && l < Long.MIN_VALUE + 20);
  }

  private static boolean test(Expression filter, StructLike row) {
    return switch (filter.op()) {
      case TRUE -> true;
      case FALSE -> false;
      case AND -> test(((And) filter).left(), row) && test(((And) filter).right(), row);
      case OR -> test(((Or) filter).left(), row) || test(((Or) filter).right(), row);
      default -> leaf((BoundPredicate<?>) filter, row);
    };
  }

  @SuppressWarnings("unchecked")
  private static <T> boolean leaf(BoundPredicate<T> leaf, StructLike row) {
    T value = leaf.term().eval(row);
    boolean nan = value instanceof Double d && d.isNaN() || value instanceof Float f && f.isNaN();
    switch (leaf.op()) {
      case IS_NULL:
        return value == null;
      case NOT_NULL:
        return value != null;
      case IS_NAN:
        return nan;
      case NOT_NAN:
        return !nan;
      case NOT_EQ, NOT_IN, NOT_STARTS_WITH:
        if (value == null || nan) return true;
        break;
      default:
        if (value == null || nan) return false;
    }
    if (value instanceof UUID && leaf instanceof BoundLiteralPredicate<T> one) return uuid((UUID) value, (UUID) one.literal().value(), leaf.op());
    return leaf.test(value);
  }

  /** By 16 unsigned bytes: the reference compares two signed longs. */
  private static boolean uuid(UUID value, UUID literal, Expression.Operation op) {
    int order = BYTES.compare(UUIDUtil.convertToByteBuffer(value), UUIDUtil.convertToByteBuffer(literal));
    return switch (op) {
      case LT -> order < 0;
      case LT_EQ -> order <= 0;
      case GT -> order > 0;
      case GT_EQ -> order >= 0;
      case EQ -> order == 0;
      default -> order != 0;
    };
  }

  private static final Comparator<ByteBuffer> BYTES = org.apache.iceberg.types.Comparators.unsignedBytes();
}
