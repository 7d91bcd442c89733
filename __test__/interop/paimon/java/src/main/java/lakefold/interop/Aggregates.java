package lakefold.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeFamily;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;

/** Aggregate functions with types and options that they take. */
final class Aggregates {
  static final List<String> ALL = List.of(
      "sum", "product", "max", "min", "last_value", "last_non_null_value", "first_value", "first_non_null_value",
      "listagg", "bool_and", "bool_or", "collect", "merge_map", "merge_map_with_keytime", "nested_update",
      "nested_partial_update", "rbm32", "rbm64", "hll_sketch", "theta_sketch");

  /** Those that take a row back without `ignore-retract`. */
  static final Set<String> RETRACTS =
      Set.of("sum", "product", "last_value", "last_non_null_value", "collect", "merge_map", "nested_update");

  private final Dice dice;
  private final RandomTypes types;

  Aggregates(Dice dice, RandomTypes types) {
    this.dice = dice;
    this.types = types;
  }

  DataType type(String function) {
    return switch (function) {
      case "sum", "product" -> types.numeric();
      case "max", "min" -> types.ordered();
      case "listagg" -> DataTypes.STRING();
      case "bool_and", "bool_or" -> DataTypes.BOOLEAN();
      case "collect" -> collected();
      case "merge_map" -> types.map(1);
      case "merge_map_with_keytime" -> 
          DataTypes.MAP(types.mapKey(), row(List.of("v", "time"), List.of(types.atomic(), DataTypes.STRING())));
      case "nested_update", "nested_partial_update" -> DataTypes.ARRAY(row(
          List.of("k0", "k1", "v0", "v1"),
          List.of(types.ordered(), DataTypes.INT(), types.any(1), DataTypes.STRING())));
      case "rbm32", "rbm64", "hll_sketch", "theta_sketch" -> DataTypes.VARBINARY(100_000);
      default -> types.any(2);
    };
  }

  /** Equal bytes are not equal for its `collect`: what it takes away or has already got goes by identity. */
  private DataType collected() {
    for (;;) {
      ArrayType type = (ArrayType) types.array(1);
      if (!type.getElementType().is(DataTypeFamily.BINARY_STRING)) return type;
    }
  }

  private RowType row(List<String> names, List<DataType> rowTypes) {
    List<DataField> fields = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) fields.add(types.field(names.get(i), rowTypes.get(i)));
    return new RowType(fields);
  }

  /** Options of a field that has `function`. */
  void options(String field, String function, boolean ignoreRetract, Map<String, String> options) {
    String prefix = "fields." + field + ".";
    options.put(prefix + "aggregate-function", function);
    if (ignoreRetract) options.put(prefix + "ignore-retract", "true");
    switch (function) {
      case "listagg" -> {
        if (dice.chance(0.5)) options.put(prefix + "list-agg-delimiter", dice.of(";", "", "--", "é"));
        if (dice.chance(0.3)) options.put(prefix + "distinct", "true");
      }
      case "collect" -> {
        if (dice.chance(0.5)) options.put(prefix + "distinct", "true");
      }
      case "nested_update" -> {
        if (dice.chance(0.7)) options.put(prefix + "nested-key", dice.of("k0", "k1", "k0,k1"));
        if (dice.chance(0.3)) options.put(prefix + "count-limit", dice.of("1", "3", "5"));
      }
      case "nested_partial_update" -> options.put(prefix + "nested-key", dice.of("k0", "k1", "k0,k1"));
      case "merge_map_with_keytime" -> {
        if (dice.chance(0.3)) options.put(prefix + "ts-field", "time");
      }
      default -> {}
    }
  }
}
