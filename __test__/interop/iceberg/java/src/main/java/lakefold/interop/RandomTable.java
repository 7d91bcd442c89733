package lakefold.interop;

import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.UpdatePartitionSpec;
import org.apache.iceberg.hadoop.HadoopTables;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/** A random table without rows, and the history that it is to have. */
final class RandomTable {
  final Dice dice;
  final RandomValues values;
  final Table table;
  final History history;

  RandomTable(Dice dice, HadoopTables tables, String location) {
    this.dice = dice;
    this.values = new RandomValues(dice);
    int version = dice.of(1, 2, 2, 2, 3, 3, 3);
    boolean modern = version >= 3 && dice.chance(0.4);
    Schema schema = schema(version, modern);
    // It writes no variants and shapes to ORC.
    boolean defaults = version >= 2 && dice.chance(0.4);
    TableOptions options = new TableOptions(dice, version, schema, !modern);
    values.orc = !modern;
    table = tables.create(schema, PartitionSpec.unpartitioned(), SortOrder.unsorted(), options.all, location);
    if (dice.chance(0.65)) partition(dice.of(1, 1, 2, 3));
    if (dice.chance(0.25)) sort();
    history = new History(dice, values, table, defaults, modern);
  }

  private Schema schema(int version, boolean modern) {
    RandomTypes types = new RandomTypes(dice, version >= 3, modern);
    List<NestedField> fields = new ArrayList<>();
    fields.add(types.field("id", Types.LongType.get(), false));
    int count = dice.between(2, 8);
    for (int i = 0; i < count; i++) {
      String name = dice.of("c", "c", "Col", "a b", "x-y", "9", "é_") + i;
      fields.add(types.field(name, types.column(3), dice.chance(0.8)));
    }
    return new Schema(fields);
  }

  /** The first spec is one without partitions, so that there may be deletes over all of them. */
  private void partition(int count) {
    UpdatePartitionSpec update = table.updateSpec();
    for (int i = 0; i < count; i++) {
      RandomSpec.Source source = RandomSpec.source(dice, table.schema());
      if (source == null) continue;
      try {
        update.addField("part" + i, source.term());
        values.keepFew(source.field().fieldId());
      } catch (IllegalArgumentException e) {
        // Two fields of one column that say the same are refused.
      }
    }
    update.commit();
  }

  private void sort() {
    List<NestedField> able = table.schema().columns().stream().filter(field -> RandomTypes.isOrdered(field.type())).toList();
    table.replaceSortOrder().asc(dice.of(able).name()).commit();
  }
}
