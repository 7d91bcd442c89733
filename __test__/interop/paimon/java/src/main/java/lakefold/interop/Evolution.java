package lakefold.interop;

import java.util.ArrayList;
import java.util.List;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;

/** Random schema changes. Those that the reference refuses are not made. */
final class Evolution {
  private final Dice dice;
  private final RandomTable made;
  private int added;
  /** Names that columns had, which others may get. */
  private final List<String> free = new ArrayList<>();

  Evolution(Dice dice, RandomTable made) {
    this.dice = dice;
    this.made = made;
  }

  /** What was changed. */
  List<String> change(Catalog catalog, Identifier id, RowType type) {
    List<String> done = new ArrayList<>();
    for (int i = dice.between(1, 3); i > 0; i--) {
      SchemaChange change = one(type);
      if (change == null) continue;
      try {
        catalog.alterTable(id, List.of(change), false);
        org.apache.paimon.table.FileStoreTable changed = (org.apache.paimon.table.FileStoreTable) catalog.getTable(id);
        type = changed.rowType();
        // Its fields may have been renamed.
        made.options.computeIfPresent("sequence.field", (key, old) -> changed.options().get(key));
        done.add(change.getClass().getSimpleName());
      } catch (Exception refused) {
        // The reference does not take it; the table stays as it was.
      }
    }
    return done;
  }

  private SchemaChange one(RowType type) {
    DataField field = dice.of(type.getFields());
    String name = field.name();
    boolean fixed = made.keys.contains(name) || made.partitions.contains(name) || made.functions.containsKey(name);
    switch (dice.below(7)) {
      case 0, 1 -> {
        String added = name();
        SchemaChange.Move move = dice.chance(0.5) ? null : dice.chance(0.5) ? SchemaChange.Move.first(added) : SchemaChange.Move.after(added, name);
        return SchemaChange.addColumn(added, made.types.any(2), null, move);
      }
      case 2 -> {
        if (fixed) return null;
        free.add(name);
        return SchemaChange.dropColumn(name);
      }
      case 3 -> {
        if (fixed) return null;
        String renamed = name();
        free.add(name);
        return SchemaChange.renameColumn(name, renamed);
      }
      case 4 -> {
        return SchemaChange.updateColumnPosition(SchemaChange.Move.first(name));
      }
      case 5 -> {
        // It merges by reference, and what it casts in a row, list or map is one object for all rows of a file.
        boolean shared = made.engine.equals("partial-update") || made.engine.equals("aggregation");
        return shared ? null : nested(field);
      }
      default -> {
        // Sketches that are cut short are none.
        boolean sketch = made.functions.containsKey(name) && made.columns.get(name).equals(DataTypes.VARBINARY(100_000));
        return sketch || (fixed && dice.chance(0.7)) ? null : SchemaChange.updateColumnType(name, retyped(field.type()));
      }
    }
  }

  /** A new name, or one that another column had. */
  private String name() {
    return !free.isEmpty() && dice.chance(0.4) ? free.remove(dice.below(free.size())) : "e" + added++;
  }

  private DataType retyped(DataType type) {
    DataType next = switch (type.getTypeRoot()) {
      case TINYINT -> dice.of(DataTypes.SMALLINT(), DataTypes.INT(), DataTypes.STRING(), DataTypes.DECIMAL(5, 1));
      case SMALLINT -> dice.of(DataTypes.INT(), DataTypes.BIGINT(), DataTypes.TINYINT(), DataTypes.DOUBLE());
      case INTEGER -> dice.of(DataTypes.BIGINT(), DataTypes.DOUBLE(), DataTypes.STRING(), DataTypes.DECIMAL(12, 2), DataTypes.SMALLINT(), DataTypes.BOOLEAN());
      case BIGINT -> dice.of(DataTypes.STRING(), DataTypes.INT(), DataTypes.DECIMAL(20, 0), DataTypes.FLOAT());
      case FLOAT -> dice.of(DataTypes.DOUBLE(), DataTypes.INT(), DataTypes.STRING(), DataTypes.DECIMAL(10, 3));
      case DOUBLE -> dice.of(DataTypes.FLOAT(), DataTypes.BIGINT(), DataTypes.STRING(), DataTypes.DECIMAL(10, 3));
      case DECIMAL -> dice.of(made.types.decimal(), DataTypes.STRING(), DataTypes.BIGINT(), DataTypes.DOUBLE());
      case CHAR, VARCHAR -> dice.of(DataTypes.STRING(), DataTypes.VARCHAR(3), DataTypes.CHAR(4), DataTypes.INT(), DataTypes.DATE(), DataTypes.BYTES(), DataTypes.BOOLEAN(), DataTypes.DOUBLE());
      // A STRING of them may be no UTF-8, which compaction writes as it is.
      case BINARY, VARBINARY -> dice.of(DataTypes.BYTES(), DataTypes.BINARY(3), DataTypes.VARBINARY(2));
      // Its cast of a TIMESTAMP from before 1970 to a day or time of day cuts toward 1970, or gives no time at all.
      case DATE -> dice.of(DataTypes.STRING(), DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3));
      case TIMESTAMP_WITHOUT_TIME_ZONE ->
          dice.of(DataTypes.TIMESTAMP(6), DataTypes.TIMESTAMP(3), DataTypes.TIMESTAMP(0), DataTypes.STRING(), DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3));
      case TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
          dice.of(DataTypes.TIMESTAMP(6), DataTypes.TIMESTAMP(3), DataTypes.TIMESTAMP(0), DataTypes.STRING(), DataTypes.DATE(), DataTypes.TIME(3), DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3));
      case TIME_WITHOUT_TIME_ZONE -> dice.of(DataTypes.STRING(), DataTypes.TIME(0), DataTypes.TIME(3));
      case BOOLEAN -> dice.of(DataTypes.INT(), DataTypes.STRING(), DataTypes.DECIMAL(3, 1));
      default -> type;
    };
    return type.isNullable() ? next : next.notNull();
  }

  /** A change inside a struct, also one in a list or map. */
  private SchemaChange nested(DataField field) {
    List<String> path = new ArrayList<>(List.of(field.name()));
    DataType type = field.type();
    for (;;) {
      switch (type.getTypeRoot()) {
        case ARRAY -> {
          path.add("element");
          type = ((org.apache.paimon.types.ArrayType) type).getElementType();
        }
        case MAP -> {
          path.add("value");
          type = ((org.apache.paimon.types.MapType) type).getValueType();
        }
        case ROW -> {
          DataField inner = dice.of(((RowType) type).getFields());
          if (dice.chance(0.3)) {
            path.add("x" + added++);
            return SchemaChange.addColumn(path.toArray(String[]::new), made.types.any(0).nullable(), null, null);
          }
          path.add(inner.name());
          if (dice.chance(0.3)) return SchemaChange.dropColumn(path.toArray(String[]::new));
          if (dice.chance(0.3)) return SchemaChange.renameColumn(path.toArray(String[]::new), "x" + added++);
          type = inner.type();
        }
        default -> {
          if (path.size() == 1) return null;
          return SchemaChange.updateColumnType(path.toArray(String[]::new), retyped(type), false);
        }
      }
    }
  }
}
