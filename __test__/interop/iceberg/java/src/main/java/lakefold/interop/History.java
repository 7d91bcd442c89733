package lakefold.interop;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.OverwriteFiles;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.ReplacePartitions;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotUpdate;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.TableUtil;
import org.apache.iceberg.UpdatePartitionSpec;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.iceberg.util.SnapshotUtil;

/** What happens to one table: commits of every kind, changes of schema, partitions and version, branches and tags. */
final class History {
  private interface Step {
    void run() throws Exception;
  }

  private final Dice dice;
  private final RandomValues values;
  private final Table table;
  private final Writes writes;
  private final SchemaChanges changes;
  private final List<int[]> keySets = new ArrayList<>();
  private final boolean deletes;
  private long nextId;
  private int names;

  History(Dice dice, RandomValues values, Table table, boolean defaults, boolean modern) {
    this.dice = dice;
    this.values = values;
    this.table = table;
    this.writes = new Writes(dice, table, !modern);
    this.changes = new SchemaChanges(dice, values, table, defaults, modern);
    this.deletes = dice.chance(0.8);
  }

  /** What the reference refused, in its words. */
  List<String> run() {
    List<String> refused = new ArrayList<>();
    attempt(refused, "append", () -> append("main"));
    for (int i = dice.between(4, 14); i > 0; i--) {
      List<String> branches = table.refs().entrySet().stream().filter(ref -> ref.getValue().isBranch()).map(Map.Entry::getKey).sorted().toList();
      String branch = branches.isEmpty() || dice.chance(0.75) ? "main" : dice.of(branches);
      attempt(refused, "step", () -> step(branch));
    }
    return refused;
  }

  private void attempt(List<String> refused, String what, Step step) {
    try {
      step.run();
    } catch (ValidationException e) {
      // A filter that some rows of a file match, and the like.
      table.refresh();
    } catch (Exception | Error e) {
      refused.add(what + ": " + Main.cause(e));
    }
    table.refresh();
  }

  private int version() {
    return TableUtil.formatVersion(table);
  }

  private void step(String branch) throws Exception {
    int kind = dice.below(100);
    if (kind < 20) append(branch);
    else if (kind < 45 && deletes) delta(branch);
    else if (kind < 49) overwrite(branch);
    else if (kind < 53) deleteByFilter(branch);
    else if (kind < 57) rewrite(branch);
    else if (kind < 59) replacePartitions(branch);
    else if (kind < 61) deleteFile(branch);
    else if (kind < 75) changes.change();
    else if (kind < 81) evolveSpec();
    else if (kind < 87) refs();
    else if (kind < 89) pickOne();
    else if (kind < 91) table.rewriteManifests().clusterBy(file -> file.recordCount() % 2).commit();
    else if (kind < 93) move();
    else if (kind < 94) table.expireSnapshots().expireOlderThan(System.currentTimeMillis() + 1).retainLast(dice.between(1, 3)).commit();
    else if (kind < 97 && version() < 3) upgrade();
    else append(branch);
  }

  private void upgrade() {
    TableOperations ops = ((BaseTable) table).operations();
    TableMetadata now = ops.current();
    ops.commit(now, now.upgradeToFormatVersion(version() + 1));
  }

  private <T extends SnapshotUpdate<T>> T to(String branch, T update) {
    return branch.equals("main") ? update : update.toBranch(branch);
  }

  List<Record> rows(int count) {
    List<NestedField> fields = table.schema().columns();
    Map<Integer, RandomValues.Mode> modes = new HashMap<>();
    for (NestedField field : fields) {
      modes.put(field.fieldId(), dice.chance(0.65) ? RandomValues.Mode.ANY : dice.of(RandomValues.Mode.values()));
    }
    List<Record> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      GenericRecord row = GenericRecord.create(table.schema());
      for (NestedField field : fields) {
        boolean id = field.name().equals("id") && field.type().typeId() == Type.TypeID.LONG;
        row.setField(field.name(), id ? (Object) nextId++ : values.of(field, modes.get(field.fieldId())));
      }
      rows.add(row);
    }
    return rows;
  }

  private PartitionSpec spec() {
    List<PartitionSpec> able = table.specs().values().stream()
        .filter(spec -> spec.fields().stream().allMatch(field -> table.schema().findField(field.sourceId()) != null || field.transform().isVoid()))
        .toList();
    return able.isEmpty() || dice.chance(0.85) ? table.spec() : dice.of(able);
  }

  private List<DataFile> files() throws Exception {
    List<DataFile> files = new ArrayList<>();
    for (int i = dice.of(1, 1, 1, 2, 3); i > 0; i--) {
      files.addAll(writes.data(spec(), table.schema(), rows(dice.of(1, 4, 12, 30, 60))));
    }
    return files;
  }

  private void append(String branch) throws Exception {
    AppendFiles append = to(branch, dice.chance(0.5) ? table.newFastAppend() : table.newAppend());
    if (!dice.chance(0.03)) files().forEach(append::appendFile);
    append.commit();
  }

  private TableScan scan(String branch) {
    Snapshot head = SnapshotUtil.latestSnapshot(table, branch);
    return head == null || branch.equals("main") ? table.newScan() : table.newScan().useRef(branch);
  }

  private List<FileScanTask> tasks(String branch) throws Exception {
    try (CloseableIterable<FileScanTask> tasks = scan(branch).includeColumnStats().planFiles()) {
      List<FileScanTask> all = new ArrayList<>();
      tasks.forEach(all::add);
      return all;
    }
  }

  private void delta(String branch) throws Exception {
    if (version() < 2) {
      append(branch);
      return;
    }
    List<FileScanTask> tasks = tasks(branch);
    RowDelta delta = to(branch, table.newRowDelta());
    Snapshot head = SnapshotUtil.latestSnapshot(table, branch);
    if (head != null) delta.validateFromSnapshot(head.snapshotId());
    boolean equality = dice.chance(0.5);
    if (equality) for (int i = dice.of(1, 1, 2); i > 0; i--) equality(tasks).forEach(delta::addDeletes);
    if (!tasks.isEmpty() && (!equality || dice.chance(0.3))) {
      List<FileScanTask> some = dice.some(tasks, dice.between(1, 4));
      if (version() >= 3) writes.vectors(some, delta);
      else writes.positions(some).forEach(delta::addDeletes);
    }
    if (dice.chance(0.4)) files().forEach(delta::addRows);
    delta.commit();
  }

  /** Deletes of keys that rows have, also of none. */
  private List<DeleteFile> equality(List<FileScanTask> tasks) throws Exception {
    Schema schema = table.schema();
    int[] ids = keys(schema);
    List<Record> all = new ArrayList<>(dice.chance(0.9) && !tasks.isEmpty() ? Oracle.read(table, tasks, schema) : rows(5));
    all.removeIf(row -> hasNullInStruct(schema, ids, row));
    List<Record> some = dice.some(all, dice.between(1, Math.max(1, all.size() / 4)));
    // Where the table has a spec without partitions, deletes of it are of all files.
    PartitionSpec spec = table.spec();
    for (PartitionSpec other : table.specs().values()) if (other.isUnpartitioned() && dice.chance(0.4)) spec = other;
    return writes.equality(spec, schema, TypeUtil.select(schema, new TreeSet<>(java.util.Arrays.stream(ids).boxed().toList())), ids, some);
  }

  /** Of two keys in structs that hash to the same, as null and 0 do, it takes the one that comes first for both. */
  private static boolean hasNullInStruct(Schema schema, int[] ids, Record row) {
    for (int id : ids) {
      if (schema.asStruct().field(id) == null && schema.accessorForField(id).get(row) == null) return true;
    }
    return false;
  }

  private int[] keys(Schema schema) {
    List<int[]> known = keySets.stream().filter(set -> java.util.Arrays.stream(set).allMatch(id -> schema.findField(id) != null)).toList();
    if (!known.isEmpty() && dice.chance(0.5)) return dice.of(known);
    List<Integer> able = new ArrayList<>();
    collect(schema.asStruct(), able);
    int[] ids = dice.some(able, dice.of(1, 1, 2, 3)).stream().mapToInt(id -> id).toArray();
    keySets.add(ids);
    return ids;
  }

  private void collect(Types.StructType struct, List<Integer> ids) {
    for (NestedField field : struct.fields()) {
      // Of keys of fixed values it keeps the last one alone; uuids it compares with bounds by another order than theirs.
      boolean lost = field.type().typeId() == Type.TypeID.FIXED || field.type().typeId() == Type.TypeID.UUID;
      if (RandomTypes.isOrdered(field.type()) && !lost) ids.add(field.fieldId());
      // A null struct is another key to it than a struct of nulls.
      else if (field.type().isStructType() && field.isRequired()) collect(field.type().asStructType(), ids);
    }
  }

  /** Some files are written anew, without some of their rows. */
  private void overwrite(String branch) throws Exception {
    List<FileScanTask> tasks = dice.some(tasks(branch), dice.of(0, 1, 2));
    OverwriteFiles overwrite = to(branch, table.newOverwrite());
    for (FileScanTask task : tasks) {
      overwrite.deleteFile(task.file());
      List<Record> rows = survivors(task);
      rewritten(task, rows.subList(0, rows.size() * 2 / 3)).forEach(overwrite::addFile);
    }
    files().forEach(overwrite::addFile);
    overwrite.commit();
  }

  /** Of v3 with their row ids, at times. */
  private List<Record> survivors(FileScanTask task) throws Exception {
    boolean lineage = version() >= 3 && dice.chance(0.7);
    return Oracle.read(table, List.of(task), lineage ? MetadataColumns.schemaWithRowLineage(table.schema()) : table.schema());
  }

  private List<DataFile> rewritten(FileScanTask task, List<Record> rows) throws Exception {
    if (rows.isEmpty()) return List.of();
    boolean lineage = rows.get(0).struct().field(MetadataColumns.ROW_ID.fieldId()) != null;
    Schema schema = lineage ? MetadataColumns.schemaWithRowLineage(table.schema()) : table.schema();
    List<Record> copies = rows.stream().map(row -> Writes.projected(row, schema.asStruct())).toList();
    return writes.data(table.spec(), schema, schema, copies, Integer.MAX_VALUE);
  }

  private void deleteByFilter(String branch) throws Exception {
    List<Record> rows = Oracle.read(table, tasks(branch), table.schema());
    RandomFilter filter = new RandomFilter(dice, values, table, table.schema(), rows);
    if (dice.chance(0.3)) {
      to(branch, table.newOverwrite()).overwriteByRowFilter(filter.filter(0)).commit();
    } else {
      to(branch, table.newDelete()).deleteFromRowFilter(filter.filter(1)).commit();
    }
  }

  private void deleteFile(String branch) throws Exception {
    List<FileScanTask> tasks = tasks(branch);
    if (tasks.size() > 1) to(branch, table.newDelete()).deleteFile(dice.of(tasks).file()).commit();
  }

  /** Compaction, with or without the sequence number that the rows had. */
  private void rewrite(String branch) throws Exception {
    List<FileScanTask> tasks = dice.some(tasks(branch), dice.between(1, 3));
    if (tasks.isEmpty()) return;
    Snapshot head = SnapshotUtil.latestSnapshot(table, branch);
    RewriteFiles rewrite = to(branch, table.newRewrite()).validateFromSnapshot(head.snapshotId());
    for (FileScanTask task : tasks) {
      rewrite.deleteFile(task.file());
      rewritten(task, survivors(task)).forEach(rewrite::addFile);
      for (DeleteFile file : task.deletes()) if (file.contentOffset() != null && dice.chance(0.8)) rewrite.deleteFile(file);
    }
    if (version() > 1 && dice.chance(0.5)) rewrite.dataSequenceNumber(head.sequenceNumber());
    rewrite.commit();
  }

  private void replacePartitions(String branch) throws Exception {
    ReplacePartitions replace = to(branch, table.newReplacePartitions());
    writes.data(table.spec(), table.schema(), rows(dice.of(1, 5))).forEach(replace::addFile);
    replace.commit();
  }

  private void evolveSpec() {
    UpdatePartitionSpec update = table.updateSpec();
    if (!table.spec().isUnpartitioned() && dice.chance(0.5)) {
      update.removeField(dice.of(table.spec().fields()).name());
    } else {
      RandomSpec.Source source = RandomSpec.source(dice, table.schema());
      if (source == null) return;
      update.addField("p" + names++, source.term());
      values.keepFew(source.field().fieldId());
    }
    if (dice.chance(0.2) && !table.spec().isUnpartitioned()) update.renameField(dice.of(table.spec().fields()).name(), "q" + names++);
    update.commit();
  }

  private void refs() {
    if (table.currentSnapshot() == null) return;
    List<Long> ids = new ArrayList<>();
    table.snapshots().forEach(snapshot -> ids.add(snapshot.snapshotId()));
    long id = dice.of(ids);
    List<String> branches = table.refs().keySet().stream().filter(name -> !name.equals("main") && table.refs().get(name).isBranch()).sorted().toList();
    switch (dice.below(5)) {
      case 0, 1 -> table.manageSnapshots().createTag("tag" + names++, id).commit();
      case 2, 3 -> table.manageSnapshots().createBranch("branch" + names++, id).commit();
      default -> {
        if (branches.isEmpty()) table.manageSnapshots().createBranch("branch" + names++).commit();
        else table.manageSnapshots().fastForwardBranch("main", dice.of(branches)).commit();
      }
    }
  }

  /** A commit that is staged, and picked later, or never. */
  private void pickOne() throws Exception {
    AppendFiles staged = table.newAppend().set("wap.id", "w" + names++);
    files().forEach(staged::appendFile);
    staged.stageOnly().commit();
    table.refresh();
    long id = 0;
    for (Snapshot snapshot : table.snapshots()) if (("w" + (names - 1)).equals(snapshot.summary().get("wap.id"))) id = snapshot.snapshotId();
    if (dice.chance(0.5)) append("main");
    if (dice.chance(0.7)) table.manageSnapshots().cherrypick(id).commit();
  }

  /** To an earlier state, or to any. */
  private void move() {
    if (table.currentSnapshot() == null) return;
    List<Long> earlier = new ArrayList<>();
    SnapshotUtil.ancestorsOf(table.currentSnapshot().snapshotId(), table::snapshot).forEach(snapshot -> earlier.add(snapshot.snapshotId()));
    List<Long> any = new ArrayList<>();
    table.snapshots().forEach(snapshot -> any.add(snapshot.snapshotId()));
    if (dice.chance(0.5)) table.manageSnapshots().rollbackTo(dice.of(earlier.subList(0, Math.min(3, earlier.size())))).commit();
    else table.manageSnapshots().setCurrentSnapshot(dice.of(any)).commit();
  }
}
