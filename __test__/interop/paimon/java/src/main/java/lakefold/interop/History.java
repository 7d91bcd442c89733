package lakefold.interop;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.StreamTableWrite;
import org.apache.paimon.table.sink.TableCommitImpl;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.RowKind;
import org.apache.paimon.types.RowType;

/** Random commits to a random table. */
final class History {
  private final Catalog catalog;
  private final Identifier id;
  private final RandomTable made;
  private final Dice dice;
  private final RandomValues values;
  private final Sketches sketches;
  private final String tmp;
  /** Values that key, bucket and partition columns take, so that rows meet again. */
  private final Map<String, List<Object>> pools = new HashMap<>();
  final List<String> tags = new ArrayList<>();
  final List<String> branches = new ArrayList<>();
  final List<String> notes = new ArrayList<>();
  private long commit;

  History(Catalog catalog, Identifier id, RandomTable made, String tmp) {
    this.catalog = catalog;
    this.id = id;
    this.made = made;
    this.dice = made.dice;
    this.values = new RandomValues(dice);
    this.sketches = new Sketches(dice);
    this.tmp = tmp;
  }

  FileStoreTable table() throws Exception {
    return (FileStoreTable) catalog.getTable(id);
  }

  void run() throws Exception {
    int commits = dice.between(1, 7);
    Evolution evolution = new Evolution(dice, made);
    for (int i = 0; i < commits; i++) {
      write(table());
      if (dice.chance(0.15)) {
        String tag = "t" + i;
        table().createTag(tag);
        tags.add(tag);
        if (dice.chance(0.3)) {
          table().createBranch("b" + i, tag);
          branches.add("b" + i);
        }
      }
      if (dice.chance(0.25)) notes.addAll(evolution.change(catalog, id, table().rowType()));
    }
  }

  private void write(FileStoreTable table) throws Exception {
    Map<String, String> options = new HashMap<>();
    boolean writeOnly = dice.chance(0.6);
    options.put("write-only", String.valueOf(writeOnly));
    FileStoreTable target = table.copy(options);
    RowType type = table.rowType();
    int rows = dice.chance(0.1) ? dice.between(500, 3000) : dice.between(1, 60);
    try (StreamTableWrite write = target.newWrite("user");
        TableCommitImpl committer = target.newCommit("user")) {
      write.withIOManager(IOManager.create(tmp));
      Map<String, BinaryRow> partitions = new HashMap<>();
      Map<String, Integer> buckets = new HashMap<>();
      for (int i = 0; i < rows; i++) {
        GenericRow row = row(type);
        if (made.dynamicBucket) {
          int bucket = Math.floorMod(keyText(row, type).hashCode(), 3);
          write.write(row, bucket);
          note(write, row, bucket, partitions, buckets);
        } else {
          write.write(row);
          note(write, row, write.getBucket(row), partitions, buckets);
        }
      }
      if (!writeOnly && dice.chance(0.5)) {
        boolean full = dice.chance(0.6);
        for (String key : partitions.keySet()) {
          if (dice.chance(0.7)) write.compact(partitions.get(key), buckets.get(key), full);
        }
      }
      committer.commit(commit, write.prepareCommit(true, commit));
      commit++;
    }
  }

  private static void note(
      StreamTableWrite write, GenericRow row, int bucket, Map<String, BinaryRow> partitions, Map<String, Integer> buckets) {
    BinaryRow partition = write.getPartition(row).copy();
    String key = partition.hashCode() + "/" + bucket;
    partitions.put(key, partition);
    buckets.put(key, bucket);
  }

  private String keyText(GenericRow row, RowType type) {
    StringBuilder text = new StringBuilder();
    for (String key : made.keys) {
      if (made.partitions.contains(key)) continue;
      int index = type.getFieldIndex(key);
      text.append(Encode.value(row.getField(index), type.getTypeAt(index))).append('|');
    }
    return text.toString();
  }

  private GenericRow row(RowType type) {
    List<DataField> fields = type.getFields();
    GenericRow row = new GenericRow(fields.size());
    double nulls = dice.of(0.0, 0.2, 0.2, 0.6);
    for (int i = 0; i < fields.size(); i++) {
      row.setField(i, value(fields.get(i), nulls));
    }
    if (made.retracts && dice.chance(0.25)) {
      row.setRowKind(made.onlyDeletes ? RowKind.DELETE : dice.of(RowKind.DELETE, RowKind.DELETE, RowKind.UPDATE_BEFORE, RowKind.UPDATE_AFTER));
    }
    return row;
  }

  private Object value(DataField field, double nulls) {
    String name = field.name();
    DataType type = field.type();
    boolean pooled = made.keys.contains(name) || made.partitions.contains(name);
    if (pooled) {
      List<Object> pool = pools.computeIfAbsent(name, any -> {
        List<Object> made = new ArrayList<>();
        int size = this.made.partitions.contains(name) ? 3 : dice.of(1, 3, 8, 20, 60);
        for (int i = 0; i < size; i++) made.add(values.ordered(type));
        return made;
      });
      if (type.isNullable() && dice.chance(0.1)) return null;
      return dice.of(pool);
    }
    String function = made.functions.get(name);
    if (type.isNullable() && dice.chance(nulls)) return null;
    Object sketch = function == null ? null : sketches.of(function);
    if (sketch != null) return sketch;
    return made.isSequence(name) ? values.ordered(type) : values.value(type);
  }
}
