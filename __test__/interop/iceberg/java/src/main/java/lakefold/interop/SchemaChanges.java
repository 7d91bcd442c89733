package lakefold.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableUtil;
import org.apache.iceberg.UpdateSchema;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/** Random changes of a table's schema: at top and inside structs, lists and maps. */
final class SchemaChanges {
  private record Place(String parent, Types.StructType struct) {}

  private final Dice dice;
  private final RandomValues values;
  private final Table table;
  private final List<String> dropped = new ArrayList<>();
  private final boolean defaults;
  private final boolean modern;
  private int added;

  SchemaChanges(Dice dice, RandomValues values, Table table, boolean defaults, boolean modern) {
    this.defaults = defaults;
    this.modern = modern;
    this.dice = dice;
    this.values = values;
    this.table = table;
  }

  void change() {
    UpdateSchema update = table.updateSchema();
    for (int i = dice.of(1, 1, 2); i > 0; i--) change(update);
    update.commit();
  }

  private void change(UpdateSchema update) {
    List<Place> places = new ArrayList<>();
    collect(null, table.schema().asStruct(), places);
    Place place = dice.chance(0.6) ? places.get(0) : dice.of(places);
    NestedField field = dice.of(place.struct().fields());
    String path = place.parent() == null ? field.name() : place.parent() + "." + field.name();
    switch (dice.below(8)) {
      case 0, 1 -> add(update, place.parent(), dice.of("n", "Late", "x y", "9th") + added++);
      case 2 -> {
        // A spec may name no column that is gone.
        if (place.struct().fields().size() < 2 || kept().contains(field.fieldId()) || field.name().equals("id")) return;
        update.deleteColumn(path);
        if (place.parent() == null) dropped.add(field.name());
      }
      case 3 -> update.renameColumn(path, dice.of("r", "R", "re-named") + added++);
      case 4 -> move(update, place, path);
      case 5 -> {
        // Also what a list or map holds.
        String at = path;
        Type type = field.type();
        while (type.isListType() || type.isMapType()) {
          at += type.isListType() ? ".element" : ".value";
          type = type.isListType() ? type.asListType().elementType() : type.asMapType().valueType();
        }
        promote(update, at, type);
      }
      case 6 -> {
        if (field.isRequired()) update.makeColumnOptional(path);
        // What is written where a column is left out changes nothing that is read.
        else if (defaults && TableUtil.formatVersion(table) >= 3 && RandomTypes.isOrdered(field.type()) && field.type().typeId() != Type.TypeID.TIMESTAMP_NANO)
          update.updateColumnDefault(path, Expressions.lit(RandomFilter.literal(values.fresh(field.type()))));
      }
      default -> {
        // The name of a column that was dropped.
        if (dropped.isEmpty()) return;
        String name = dice.of(dropped);
        if (table.schema().findField(name) == null) add(update, null, name);
      }
    }
  }

  /** Columns that a partition field is made of, and what they lie in. */
  private Set<Integer> kept() {
    Set<Integer> sources = table.spec().fields().stream().map(PartitionField::sourceId).collect(Collectors.toSet());
    if (dice.chance(0.5)) for (PartitionSpec spec : table.specs().values()) spec.fields().forEach(field -> sources.add(field.sourceId()));
    SortOrder order = table.sortOrder();
    order.fields().forEach(field -> sources.add(field.sourceId()));
    for (NestedField top : table.schema().columns()) {
      if (org.apache.iceberg.types.TypeUtil.getProjectedIds(top.type()).stream().anyMatch(sources::contains)) sources.add(top.fieldId());
    }
    return sources;
  }

  private void add(UpdateSchema update, String parent, String name) {
    boolean v3 = TableUtil.formatVersion(table) >= 3;
    RandomTypes types = new RandomTypes(dice, v3, modern);
    Type type = parent == null ? types.column(1) : types.any(1);
    // It reads a default of nanoseconds as a number.
    boolean able = RandomTypes.isOrdered(type) && type.typeId() != Type.TypeID.TIMESTAMP_NANO;
    Object value = v3 && defaults && able && dice.chance(0.6) ? values.fresh(type) : null;
    if (value == null) {
      update.addColumn(parent, name, type);
      return;
    }
    Literal<?> initial = Expressions.lit(RandomFilter.literal(value));
    if (dice.chance(0.3)) update.addRequiredColumn(parent, name, type, initial);
    else update.addColumn(parent, name, type, initial);
  }

  private void move(UpdateSchema update, Place place, String path) {
    NestedField other = dice.of(place.struct().fields());
    String reference = place.parent() == null ? other.name() : place.parent() + "." + other.name();
    if (reference.equals(path) || dice.chance(0.3)) update.moveFirst(path);
    else if (dice.chance(0.5)) update.moveBefore(path, reference);
    else update.moveAfter(path, reference);
  }

  private void promote(UpdateSchema update, String path, Type type) {
    switch (type.typeId()) {
      case INTEGER -> update.updateColumn(path, Types.LongType.get());
      case FLOAT -> update.updateColumn(path, Types.DoubleType.get());
      case UNKNOWN -> update.updateColumn(path, new RandomTypes(dice, true, false).primitive());
      case DECIMAL -> {
        Types.DecimalType decimal = (Types.DecimalType) type;
        update.updateColumn(path, Types.DecimalType.of(dice.between(decimal.precision(), 38), decimal.scale()));
      }
      default -> {}
    }
  }

  private static void collect(String path, Types.StructType struct, List<Place> places) {
    places.add(new Place(path, struct));
    for (NestedField field : struct.fields()) within(path == null ? field.name() : path + "." + field.name(), field.type(), places);
  }

  private static void within(String path, Type type, List<Place> places) {
    if (type.isStructType()) collect(path, type.asStructType(), places);
    if (type.isListType()) within(path + ".element", type.asListType().elementType(), places);
    if (type.isMapType()) within(path + ".value", type.asMapType().valueType(), places);
  }
}
