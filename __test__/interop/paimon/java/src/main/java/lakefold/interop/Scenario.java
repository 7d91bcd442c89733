package lakefold.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.globalindex.IndexedSplit;
import org.apache.paimon.io.CompactIncrement;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.io.DataIncrement;
import org.apache.paimon.manifest.ManifestCommittable;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.stats.SimpleStats;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.SpecialFields;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.table.sink.StreamTableWrite;
import org.apache.paimon.table.sink.TableCommitImpl;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.types.RowKind;
import org.apache.paimon.types.RowType;

/** One table of a known story, and its cases. */
final class Scenario {
  private final Catalog catalog;
  private final Identifier id;
  private final String tmp;
  private final CaseFile file;
  private long commit;

  Scenario(Catalog catalog, String name, Schema schema, Path out, String tmp) throws Exception {
    this.catalog = catalog;
    this.id = Identifier.create("fx", name);
    this.tmp = tmp;
    this.file = new CaseFile(name, out, List.of());
    catalog.createTable(id, schema, false);
  }

  static GenericRow row(Object... values) {
    Object[] inner = Arrays.stream(values).map(value -> value instanceof String text ? BinaryString.fromString(text) : value).toArray();
    return GenericRow.of(inner);
  }

  static GenericRow row(RowKind kind, Object... values) {
    GenericRow row = row(values);
    row.setRowKind(kind);
    return row;
  }

  FileStoreTable table() throws Exception {
    return (FileStoreTable) catalog.getTable(id);
  }

  RowType type() throws Exception {
    return table().rowType();
  }

  void alter(SchemaChange... changes) throws Exception {
    catalog.alterTable(id, List.of(changes), false);
  }

  /** A commit of rows with a watermark, or null for none. */
  void writeAt(Long watermark, GenericRow... rows) throws Exception {
    try (StreamTableWrite write = table().newWrite("user");
        TableCommitImpl committer = table().newCommit("user")) {
      write.withIOManager(IOManager.create(tmp));
      for (GenericRow row : rows) write.write(row);
      ManifestCommittable all = new ManifestCommittable(commit, watermark);
      write.prepareCommit(true, commit++).forEach(all::addFileCommittable);
      committer.commit(all);
    }
  }

  /** A commit of rows that stay in the level where they are written. */
  void write(GenericRow... rows) throws Exception {
    commit(false, rows);
  }

  /** A commit of rows with a full compaction of their buckets. */
  void compact(GenericRow... rows) throws Exception {
    commit(true, rows);
  }

  private void commit(boolean compact, GenericRow... rows) throws Exception {
    FileStoreTable table = table().copy(Map.of("write-only", String.valueOf(!compact)));
    try (StreamTableWrite write = table.newWrite("user");
        TableCommitImpl committer = table.newCommit("user")) {
      write.withIOManager(IOManager.create(tmp));
      for (GenericRow row : rows) write.write(row);
      if (compact) for (GenericRow row : rows) write.compact(write.getPartition(row).copy(), write.getBucket(row), true);
      committer.commit(commit, write.prepareCommit(true, commit));
      commit++;
    }
  }

  /** A commit that takes the place of all rows. */
  void overwrite(GenericRow... rows) throws Exception {
    BatchWriteBuilder builder = table().newBatchWriteBuilder().withOverwrite();
    try (BatchTableWrite write = builder.newWrite();
        BatchTableCommit committer = builder.newCommit()) {
      write.withIOManager(IOManager.create(tmp));
      for (GenericRow row : rows) write.write(row);
      committer.commit(write.prepareCommit());
    }
  }

  /** Commits the one file of another table as one of a partition, as if it had been written with this table's schema. */
  void adopt(Scenario other, String partition, List<String> columns) throws Exception {
    FileStoreTable table = table();
    BinaryRow place = BinaryRow.singleColumn(BinaryString.fromString(partition));
    DataFileMeta file = other.table().store().newScan().plan().files().get(0).file();
    Path from = Path.of(other.table().location().toUri()).resolve("bucket-0").resolve(file.fileName());
    Path to = Path.of(table.location().toUri()).resolve("p=" + partition).resolve("bucket-0").resolve(file.fileName());
    Files.createDirectories(to.getParent());
    Files.copy(from, to);
    DataFileMeta adopted = DataFileMeta.forAppend(
        file.fileName(), file.fileSize(), file.rowCount(), SimpleStats.EMPTY_STATS, file.minSequenceNumber(), file.maxSequenceNumber(),
        table.schema().id(), List.of(), null, null, List.of(), null, null, columns);
    try (TableCommitImpl committer = table.newCommit("user")) {
      committer.commit(commit++, List.of(new CommitMessageImpl(
          place, 0, -1, new DataIncrement(List.of(adopted), List.of(), List.of()), CompactIncrement.emptyIncrement())));
    }
  }

  void drop() throws Exception {
    catalog.dropTable(id, true);
  }

  /** A full compaction of one bucket of a table without partitions. */
  void compactBucket(int bucket) throws Exception {
    FileStoreTable table = table();
    try (StreamTableWrite write = table.newWrite("user");
        TableCommitImpl committer = table.newCommit("user")) {
      write.withIOManager(IOManager.create(tmp));
      write.compact(BinaryRow.EMPTY_ROW, bucket, true);
      committer.commit(commit, write.prepareCommit(true, commit));
      commit++;
    }
  }

  /** The next commit's number, for commits that are made by hand. */
  long nextCommit() {
    return commit++;
  }

  static Map<String, Object> members(Object... members) {
    Map<String, Object> out = new LinkedHashMap<>();
    for (int i = 0; i < members.length; i += 2) out.put((String) members[i], members[i + 1]);
    return out;
  }

  /** All rows, with options. */
  Map<String, Object> all(String label, Map<String, String> options) throws Exception {
    FileStoreTable table = options.isEmpty() ? table() : table().copy(options);
    ReadBuilder builder = table.newReadBuilder();
    List<Split> splits = builder.newScan().plan().splits();
    Map<String, Object> scan = options.isEmpty() ? members() : members("options", options);
    Map<String, Object> one = put(label, scan, table.rowType(), CaseFile.read(builder.newRead(), splits, table.rowType(), tmp));
    long snapshot = splits.isEmpty() ? table.snapshotManager().latestSnapshotId() : ((DataSplit) splits.get(0)).snapshotId();
    one.put("plan", new PlanJson(table).plan(snapshot, splits));
    return one;
  }

  /** The rows of a full read that match, each tested by the reference, with any members of a scan beside. */
  Map<String, Object> where(String label, CasePredicate predicate, Object... more) throws Exception {
    FileStoreTable table = table();
    ReadBuilder builder = table.newReadBuilder();
    List<InternalRow> rows =
        CaseFile.read(builder.newRead(), builder.newScan().plan().splits(), table.rowType(), tmp).stream()
            .filter(predicate.predicate()::test)
            .toList();
    Map<String, Object> scan = members(more);
    scan.put("predicate", predicate.json());
    Map<String, Object> one = put(label, scan, table.rowType(), rows);
    if (scan.get("limit") instanceof Integer limit) one.put("count", Math.min(limit, rows.size()));
    return one;
  }

  /** The rows whose ids and columns match: a full read with ids, each row tested by the reference. */
  Map<String, Object> byRowId(String label, CasePredicate predicate, Object... more) throws Exception {
    RowType type = tracked();
    ReadBuilder builder = table().newReadBuilder().withReadType(type);
    List<InternalRow> rows = new ArrayList<>();
    int columns = type().getFieldCount();
    for (InternalRow row : CaseFile.read(builder.newRead(), builder.newScan().plan().splits(), type, tmp)) {
      if (predicate.predicate().test(row)) rows.add(row);
    }
    Map<String, Object> scan = members(more);
    scan.put("predicate", predicate.json());
    // The ids come last, and are not read.
    RowType read = new RowType(type.getFields().subList(0, columns));
    return put(label, scan, read, rows);
  }

  /** The columns with the id of the row and what changed it last. */
  RowType tracked() throws Exception {
    return SpecialFields.rowTypeWithRowTracking(type());
  }

  CasePredicate rowId(String op, Object... literals) throws Exception {
    return CasePredicate.leaf(tracked(), op, "_ROW_ID", List.of(literals));
  }

  /** A filter with what it plans. */
  void splits(String label, CasePredicate predicate) throws Exception {
    FileStoreTable table = table();
    List<Split> splits = table.newReadBuilder().withFilter(predicate.predicate()).newScan().plan().splits();
    where(label, predicate).put("plan", new PlanJson(table).plan(table.snapshotManager().latestSnapshotId(), splits));
  }

  /** Adds the reference's plan by a filter of row ids. */
  void planned(Map<String, Object> one, CasePredicate predicate) throws Exception {
    FileStoreTable table = table();
    List<Split> splits = new ArrayList<>();
    for (Split split : table.newReadBuilder().withReadType(tracked()).withFilter(predicate.predicate()).newScan().plan().splits()) {
      splits.add(split instanceof IndexedSplit indexed ? indexed.dataSplit() : split);
    }
    one.put("plan", new PlanJson(table).plan(table.snapshotManager().latestSnapshotId(), splits));
  }

  /** Any so many of all rows. */
  void limit(String label, int limit, Map<String, String> options) throws Exception {
    Map<String, Object> one = all(label, options);
    one.remove("plan");
    Map<String, Object> scan = options.isEmpty() ? members() : members("options", options);
    scan.put("limit", limit);
    one.put("scan", scan);
    one.put("count", Math.min(limit, (Integer) one.get("count")));
  }

  /** All rows with options, or the reference's error where it gives none. */
  void allOrError(String label, Map<String, String> options) throws Exception {
    try {
      all(label, options);
    } catch (IOException | RuntimeException e) {
      file.error(label, options.isEmpty() ? members() : members("options", options), type(), e);
    }
  }

  /** The live data files, the oldest first. */
  List<Path> files() throws Exception {
    List<ManifestEntry> entries = new ArrayList<>(table().store().newScan().plan().files());
    entries.sort(Comparator.comparing(entry -> entry.file().maxSequenceNumber()));
    Path root = Path.of(table().location().toUri());
    return entries.stream().map(entry -> root.resolve("bucket-" + entry.bucket()).resolve(entry.file().fileName())).toList();
  }

  /** What changed in a range of snapshots, with kinds. */
  void changes(String label, long from, long to, String mode) throws Exception {
    FileStoreTable table =
        table().copy(Map.of("incremental-between", from + "," + to, "incremental-between-scan-mode", mode));
    ReadBuilder builder = table.newReadBuilder();
    List<InternalRow> rows = CaseFile.read(builder.newRead(), builder.newScan().plan().splits(), table.rowType(), tmp);
    changed(label, from, to, mode, rows);
  }

  /** A range whose changes the reference refuses to tell. */
  void refusedChanges(String label, long from, long to, String mode) throws Exception {
    try {
      changes(label, from, to, mode);
    } catch (Exception e) {
      file.error(label, members("incremental", members("from", from, "to", to, "mode", mode)), type(), e);
      return;
    }
    throw new IllegalStateException(label + " is not refused");
  }

  /** The same where the reference is known to be wrong: with the rows that were written. */
  void changed(String label, long from, long to, String mode, List<? extends InternalRow> rows) throws Exception {
    Map<String, Object> range = members("from", from, "to", to, "mode", mode);
    file.put(label, "incremental", members("incremental", range), type(), CaseFile.encoded(List.copyOf(rows), type(), true))
        .put("rowKinds", true);
  }

  /** A system table with options. */
  void system(String label, String name, Map<String, String> options) throws Exception {
    Table table = catalog.getTable(new Identifier(id.getDatabaseName(), id.getTableName() + "$" + name));
    if (!options.isEmpty()) table = table.copy(options);
    ReadBuilder builder = table.newReadBuilder();
    List<InternalRow> rows = CaseFile.read(builder.newRead(), builder.newScan().plan().splits(), table.rowType(), tmp);
    Map<String, Object> scan = members("systemTable", name);
    if (!options.isEmpty()) scan.put("options", options);
    file.put(label, "system", scan, table.rowType(), CaseFile.encoded(rows, table.rowType(), false));
  }

  /** Some columns, by the names that the reference gives them, of its reads of a plan. */
  Map<String, Object> put(String label, Map<String, Object> scan, RowType type, List<InternalRow> rows) throws Exception {
    return file.put(label, "scan", scan, type, CaseFile.encoded(rows, type, false));
  }

  CaseFile file() {
    return file;
  }

  String tmp() {
    return tmp;
  }

  CasePredicate leaf(String op, String field, Object... literals) throws Exception {
    List<Object> values = new ArrayList<>();
    for (Object literal : literals) values.add(literal instanceof String text ? BinaryString.fromString(text) : literal);
    return CasePredicate.leaf(type(), op, field, values);
  }

  static CasePredicate and(CasePredicate... parts) {
    return CasePredicate.join(true, List.of(parts));
  }

  static CasePredicate or(CasePredicate... parts) {
    return CasePredicate.join(false, List.of(parts));
  }
}
