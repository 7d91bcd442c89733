package lakefold.interop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.io.CompactIncrement;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.io.DataIncrement;
import org.apache.paimon.manifest.ManifestCommittable;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.options.ExpireConfig;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;
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
  private long watermark = 1000;

  History(Catalog catalog, Identifier id, RandomTable made, String tmp) {
    this.catalog = catalog;
    this.id = id;
    this.made = made;
    this.dice = made.dice;
    this.values = new RandomValues(dice);
    this.values.negativeZero = !made.mayBeOrc();
    this.values.many = made.merges;
    this.sketches = new Sketches(dice);
    this.tmp = tmp;
  }

  FileStoreTable table() throws Exception {
    return (FileStoreTable) catalog.getTable(id);
  }

  void run() throws Exception {
    int commits = dice.between(made.merges ? 3 : 1, 7);
    Evolution evolution = new Evolution(dice, made);
    for (int i = 0; i < commits; i++) {
      if (made.postponed > 0) postpone(table());
      else if (i > 0 && dice.chance(0.12)) overwrite(table());
      else write(table());
      if (made.deletesRows() && dice.chance(0.6)) commit = new Deletes(dice, table()).some(commit);
      if (made.dataEvolution() && dice.chance(0.6)) commit = new LateColumns(dice, values, table(), tmp).some(commit);
      if (dice.chance(0.15)) {
        String tag = "t" + i;
        table().createTag(tag);
        tags.add(tag);
        if (dice.chance(0.3)) {
          table().createBranch("b" + i, tag);
          branches.add("b" + i);
        }
      }
      if (i > 1 && dice.chance(0.06)) rollback(table());
      if (i > 1 && dice.chance(0.06)) expire(table());
      if (dice.chance(0.25)) notes.addAll(evolution.change(catalog, id, table().rowType()));
    }
  }

  private void write(FileStoreTable table) throws Exception {
    Map<String, String> options = new HashMap<>();
    boolean writeOnly = dice.chance(made.merges ? 0.8 : 0.6);
    options.put("write-only", String.valueOf(writeOnly));
    FileStoreTable target = table.copy(options);
    RowType type = table.rowType();
    int rows = dice.chance(made.merges ? 0.3 : 0.1) ? dice.between(500, 3000) : dice.between(1, made.merges ? 300 : 60);
    try (StreamTableWrite write = target.newWrite("user");
        TableCommitImpl committer = target.newCommit("user")) {
      write.withIOManager(IOManager.create(tmp));
      Map<String, BinaryRow> partitions = new HashMap<>();
      Map<String, Integer> buckets = new HashMap<>();
      for (int i = 0; i < rows; i++) {
        GenericRow row = row(type);
        if (made.dynamicBucket) {
          int bucket = bucketOf(row, type);
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
      commit(committer, write.prepareCommit(true, commit));
    }
  }

  /** New rows in place of all, or of those in their partitions. */
  private void overwrite(FileStoreTable table) throws Exception {
    RowType type = table.rowType();
    boolean whole = dice.chance(0.4);
    Map<String, String> options = Map.of("write-only", "true", "dynamic-partition-overwrite", String.valueOf(!whole));
    BatchWriteBuilder builder = table.copy(options).newBatchWriteBuilder().withOverwrite();
    try (BatchTableWrite write = builder.newWrite();
        BatchTableCommit committer = builder.newCommit()) {
      write.withIOManager(IOManager.create(tmp));
      for (int i = dice.between(1, 60); i > 0; i--) {
        GenericRow row = row(type);
        if (made.dynamicBucket) write.write(row, bucketOf(row, type));
        else write.write(row);
      }
      committer.commit(write.prepareCommit());
    }
  }

  private int bucketOf(GenericRow row, RowType type) {
    return Math.floorMod(keyText(row, type).hashCode(), 3);
  }

  /** To an earlier snapshot: those after it are gone, and their tags. */
  private void rollback(FileStoreTable table) {
    long latest = table.snapshotManager().latestSnapshotId();
    long earliest = table.snapshotManager().earliestSnapshotId();
    table.rollbackTo(Math.max(earliest, latest - dice.between(1, 2)));
    tags.removeIf(tag -> !table.tagManager().tagExists(tag));
    waiting.clear();
  }

  private void expire(FileStoreTable table) {
    int kept = dice.between(1, 3);
    table.newExpireSnapshots().config(ExpireConfig.builder().snapshotRetainMin(kept).snapshotRetainMax(kept).snapshotTimeRetain(Duration.ZERO).build()).expire();
  }

  /** Commits, at times with a watermark, which grows. */
  private void commit(TableCommitImpl committer, List<CommitMessage> messages) {
    ManifestCommittable all = new ManifestCommittable(commit++, dice.chance(0.6) ? watermark += dice.below(40) : null);
    messages.forEach(all::addFileCommittable);
    committer.commit(all);
  }

  /** Rows that wait in `bucket-postpone`, by partition as its bytes. */
  private final List<GenericRow> waiting = new ArrayList<>();

  /** Writes to `bucket-postpone`, and at times moves all that waits there to real buckets, as the reference's engines do. */
  private void postpone(FileStoreTable table) throws Exception {
    RowType type = table.rowType();
    // Rows of another schema are not moved any more.
    if (!waiting.isEmpty() && waiting.get(0).getFieldCount() != type.getFieldCount()) waiting.clear();
    List<GenericRow> rows = new ArrayList<>();
    for (int i = dice.between(1, 60); i > 0; i--) rows.add(row(type));
    try (StreamTableWrite write = table.newWrite("user");
        TableCommitImpl committer = table.newCommit("user")) {
      write.withIOManager(IOManager.create(tmp));
      for (GenericRow row : rows) write.write(row);
      committer.commit(commit, write.prepareCommit(true, commit));
      commit++;
    }
    waiting.addAll(rows);
    if (dice.chance(0.6)) move(table);
  }

  private void move(FileStoreTable table) throws Exception {
    Map<String, String> options = Map.of("bucket", String.valueOf(made.postponed), "write-only", "true");
    FileStoreTable target = table.copy(options);
    List<CommitMessage> messages = new ArrayList<>();
    try (StreamTableWrite write = target.newWrite("user");
        TableCommitImpl committer = table.newCommit("user")) {
      write.withIOManager(IOManager.create(tmp));
      for (GenericRow row : waiting) write.write(row);
      for (CommitMessage message : write.prepareCommit(true, commit)) {
        CommitMessageImpl one = (CommitMessageImpl) message;
        List<DataFileMeta> files = one.newFilesIncrement().newFiles();
        messages.add(new CommitMessageImpl(
            one.partition(), one.bucket(), made.postponed, DataIncrement.emptyIncrement(), new CompactIncrement(List.of(), files, List.of())));
      }
      Map<BinaryRow, List<DataFileMeta>> moved = new HashMap<>();
      for (ManifestEntry entry : table.store().newScan().plan().files()) {
        if (entry.bucket() == -2) moved.computeIfAbsent(entry.partition(), any -> new ArrayList<>()).add(entry.file());
      }
      moved.forEach((partition, files) -> messages.add(new CommitMessageImpl(
          partition, -2, -2, DataIncrement.emptyIncrement(), new CompactIncrement(files, List.of(), List.of()))));
      committer.commit(commit, messages);
      commit++;
    }
    waiting.clear();
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
        int size = this.made.partitions.contains(name) ? 3 : this.made.merges ? dice.of(8, 60, 300, 3000) : dice.of(1, 3, 8, 20, 60);
        for (int i = 0; i < size; i++) made.add(values.key(type));
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
