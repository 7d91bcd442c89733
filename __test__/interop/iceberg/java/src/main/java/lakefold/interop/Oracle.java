package lakefold.interop;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.types.Types.NestedField;

/** Reads files as the reference's generic reader does: whole, less what is deleted, unfiltered. */
final class Oracle {
  private Oracle() {}

  /** A whole file with its deletes. */
  record Whole(DataFile file, PartitionSpec spec, List<DeleteFile> deletes) implements FileScanTask {
    @Override public long start() { return 0; }
    @Override public long length() { return file.fileSizeInBytes(); }
    @Override public Expression residual() { return Expressions.alwaysTrue(); }
    @Override public Iterable<FileScanTask> split(long size) { return List.of(this); }
  }

  static List<Record> read(Table table, Iterable<? extends FileScanTask> tasks, Schema projection) throws Exception {
    return read(table, tasks, projection, new IdentityHashMap<>());
  }

  /** The rows, and the file that each is from. */
  static List<Record> read(Table table, Iterable<? extends FileScanTask> tasks, Schema projection, Map<Record, String> homes) throws Exception {
    Twins twins = Twins.areNeeded(table) ? new Twins(table) : null;
    // The reader looks the keys of equality deletes up in the table's schema: one that was dropped still counts.
    Table all = new BaseTable(((BaseTable) table).operations(), table.name()) {
      @Override
      public Schema schema() {
        return everyColumn(table);
      }

      @Override
      public FileIO io() {
        return twins == null ? super.io() : twins;
      }
    };
    TableScan scan = all.newScan().project(projection);
    Constructor<?> constructor = Class.forName("org.apache.iceberg.data.GenericReader").getDeclaredConstructor(TableScan.class, boolean.class);
    constructor.setAccessible(true);
    Object reader = constructor.newInstance(scan, false);
    Method open = reader.getClass().getMethod("open", FileScanTask.class);
    open.setAccessible(true);
    List<Record> rows = new ArrayList<>();
    for (FileScanTask task : tasks) {
      DataFile file = twins == null ? task.file() : twins.of(task.file());
      try (CloseableIterable<?> records = (CloseableIterable<?>) open.invoke(reader, new Whole(file, task.spec(), task.deletes()))) {
        for (Object record : records) {
          rows.add((Record) record);
          homes.put((Record) record, task.file().location());
        }
      }
    }
    return rows;
  }

  /** The table's columns and those it had before, these under names that no column has. */
  private static Schema everyColumn(Table table) {
    List<NestedField> fields = new ArrayList<>(table.schema().columns());
    Set<Integer> ids = new HashSet<>();
    fields.forEach(field -> ids.add(field.fieldId()));
    for (Schema schema : table.schemas().values()) {
      for (NestedField field : schema.columns()) {
        if (ids.add(field.fieldId())) fields.add(NestedField.from(field).withName("dropped " + field.fieldId()).build());
      }
    }
    return new Schema(fields);
  }

  /** With the columns that tell where a row is, and of v3 which row it is. */
  static Schema withPlace(Schema schema, boolean lineage) {
    List<NestedField> fields = new ArrayList<>(schema.columns());
    fields.add(MetadataColumns.FILE_PATH);
    fields.add(MetadataColumns.ROW_POSITION);
    fields.add(MetadataColumns.SPEC_ID);
    if (lineage) fields.addAll(List.of(MetadataColumns.ROW_ID, MetadataColumns.LAST_UPDATED_SEQUENCE_NUMBER));
    return new Schema(fields);
  }
}
