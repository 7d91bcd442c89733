package lakefold.interop;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.iceberg.AddedRowsScanTask;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.ChangelogScanTask;
import org.apache.iceberg.CombinedScanTask;
import org.apache.iceberg.ContentScanTask;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.IncrementalAppendScan;
import org.apache.iceberg.IncrementalChangelogScan;
import org.apache.iceberg.IncrementalScan;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.TableUtil;
import org.apache.iceberg.data.InternalRecordWrapper;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.metrics.InMemoryMetricsReporter;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.iceberg.util.SnapshotUtil;
import org.apache.iceberg.util.TableScanUtil;

/** What the reference plans and reads of one table, as cases of the conformance runner. */
final class Cases {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Something that the reference may refuse. */
  private interface Attempt {
    void run() throws Exception;
  }

  /** What there is to be read without a filter. */
  private record Whole(Schema schema, List<FileScanTask> tasks, List<Record> rows, Map<Record, String> homes) {}

  private final String name;
  private final Table table;
  private final Dice dice;
  private final RandomValues values;
  private final Path out;
  private final String metadata;
  private final List<Map<String, Object>> cases = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();

  Cases(String name, RandomTable made, Path out) {
    this.name = name;
    this.table = made.table;
    this.dice = made.dice;
    this.values = made.values;
    this.out = out;
    String location = ((BaseTable) table).operations().current().metadataFileLocation();
    this.metadata = "tables/" + name + "/metadata/" + new File(location).getName();
  }

  /** What the reference could not do, in its words. */
  List<String> write() throws Exception {
    attempt("current", () -> scans("now", Map.of(), scan -> scan, 14));
    List<Snapshot> snapshots = new ArrayList<>();
    table.snapshots().forEach(snapshots::add);
    for (Snapshot snapshot : dice.some(snapshots, 3)) {
      long id = snapshot.snapshotId();
      attempt("snapshot", () -> scans("id" + id, Map.of("snapshotId", String.valueOf(id)), scan -> scan.useSnapshot(id), 4));
    }
    for (Map.Entry<String, SnapshotRef> ref : table.refs().entrySet()) {
      if (ref.getKey().equals("main")) continue;
      attempt("ref", () -> scans(ref.getKey(), Map.of("ref", ref.getKey()), scan -> scan.useRef(ref.getKey()), 3));
    }
    if (!table.history().isEmpty()) {
      long at = dice.of(table.history()).timestampMillis() + dice.of(0, 0, 1);
      attempt("time", () -> scans("time", Map.of("asOfTimestampMs", at), scan -> scan.asOfTime(at), 2));
    }
    for (int i = 0; i < 3; i++) attempt("split", this::split);
    if (snapshots.size() > 1) {
      for (int i = 0; i < 4; i++) attempt("append scan", () -> appends(snapshots));
      for (int i = 0; i < 3; i++) attempt("changelog", () -> changes(snapshots));
    }
    List<String> lines = new ArrayList<>();
    for (Map<String, Object> one : cases) lines.add(JSON.writeValueAsString(one));
    Files.writeString(out.resolve("cases").resolve(name + ".json"), "[\n" + String.join(",\n", lines) + "\n]\n");
    return failures;
  }

  private void attempt(String what, Attempt attempt) {
    try {
      attempt.run();
    } catch (Exception | Error e) {
      failures.add(what + ": " + Main.cause(e));
    }
  }

  private static List<FileScanTask> planned(TableScan scan) throws Exception {
    List<FileScanTask> tasks = new ArrayList<>();
    try (CloseableIterable<FileScanTask> planned = scan.planFiles()) {
      planned.forEach(tasks::add);
    }
    return tasks;
  }

  /** A full read, one with the places of rows, filters and selections. */
  private void scans(String label, Map<String, Object> scan, UnaryOperator<TableScan> at, int filters) throws Exception {
    TableScan plain = at.apply(table.newScan());
    Schema schema = plain.schema();
    List<FileScanTask> all = planned(plain);
    Map<Record, String> homes = new IdentityHashMap<>();
    List<Record> rows = Oracle.read(table, all, schema, homes);
    Map<String, Object> whole = put(label, scan);
    whole.put("plan", PlanJson.files(all));
    rows(whole, rows, schema.asStruct());
    attempt("places", () -> {
      Schema places = Oracle.withPlace(schema, TableUtil.formatVersion(table) >= 3);
      List<String> names = new ArrayList<>(List.of("id"));
      for (NestedField field : places.columns()) if (schema.findField(field.fieldId()) == null) names.add(field.name());
      if (schema.findField("id") == null) names.remove(0);
      Map<String, Object> one = put(label + "_places", with(scan, "select", names));
      List<Record> placed = Oracle.read(table, all, places);
      // Of files from before there were row ids it gives a sequence number only where they are Avro.
      for (Record row : placed) if (names.contains("_row_id") && row.getField("_row_id") == null) row.setField("_last_updated_sequence_number", null);
      rows(one, placed, places.select(names).asStruct());
    });
    for (int i = 0; i < filters; i++) {
      String filtered = label + "_where" + i;
      attempt("filter", () -> filter(filtered, scan, at, new Whole(schema, all, rows, homes)));
    }
  }

  private void filter(String label, Map<String, Object> asked, UnaryOperator<TableScan> at, Whole whole) throws Exception {
    Schema schema = whole.schema();
    List<Record> rows = whole.rows();
    RandomFilter random = new RandomFilter(dice, values, table, schema, rows);
    boolean sensitive = !dice.chance(0.12);
    random.foldCase = !sensitive;
    Expression filter = random.filter(dice.of(0, 0, 1, 1, 2));
    Map<String, Object> scan = with(asked, "filter", PlanJson.expression(filter));
    if (!sensitive) scan.put("caseSensitive", false);
    Schema shown = schema;
    if (dice.chance(0.25)) {
      List<String> names = select(schema);
      scan.put("select", names);
      shown = schema.select(names);
    }
    InMemoryMetricsReporter reporter = new InMemoryMetricsReporter();
    TableScan filtered = at.apply(table.newScan().metricsReporter(reporter)).caseSensitive(sensitive).filter(filter);
    Map<String, Object> one = new LinkedHashMap<>();
    List<FileScanTask> tasks;
    try {
      tasks = planned(filtered);
    } catch (ValidationException e) {
      if (binds(schema, filter, sensitive)) throw e;
      put(label, scan).put("error", Map.of("class", e.getClass().getName(), "message", e.getMessage()));
      return;
    }
    one.put("plan", PlanJson.files(tasks));
    if (reporter.scanReport() != null) one.put("metrics", PlanJson.metrics(reporter.scanReport()));
    List<Record> matching = matching(rows, schema, filter, sensitive);
    String inexact = random.hasUuid ? "the reference orders uuids as signed numbers when it prunes" : inexact(whole, filter, sensitive, tasks, matching);
    if (inexact != null) one.put("planInexact", inexact);
    put(label, scan).putAll(one);
    rows(cases.get(cases.size() - 1), matching, shown.asStruct());
  }

  /** What it refuses later is its own affair. */
  private static boolean binds(Schema schema, Expression filter, boolean sensitive) {
    try {
      new RowRule(schema.asStruct(), filter, sensitive);
      return true;
    } catch (ValidationException e) {
      return false;
    }
  }

  /** Why a right plan may be another than that of the reference, or null. */
  private String inexact(Whole whole, Expression filter, boolean sensitive, List<FileScanTask> tasks, List<Record> matching) {
    Set<String> planned = new HashSet<>();
    tasks.forEach(task -> planned.add(task.file().location()));
    if (matching.stream().anyMatch(row -> !planned.contains(whole.homes().get(row)))) return "the reference drops a file with rows that match";
    boolean orc = whole.tasks().stream().anyMatch(task -> task.file().format() == FileFormat.ORC && !planned.contains(task.file().location()));
    if (orc && RowRule.asksForHiddenNulls(whole.schema().asStruct(), filter, sensitive)) return "the reference drops ORC files by null counts that leave out null structs";
    String edge = RowRule.edge(whole.schema().asStruct(), filter, sensitive, table.specs().values());
    if (edge != null) return edge;
    Set<Integer> ranges = RowRule.compared(whole.schema().asStruct(), filter, sensitive);
    for (FileScanTask task : whole.tasks()) {
      List<PartitionField> fields = task.spec().fields();
      for (int i = 0; i < fields.size(); i++) {
        Object value = task.file().partition().get(i, Object.class);
        boolean special = value == null || value.equals(Float.NaN) || value.equals(Double.NaN);
        boolean wrapped = fields.get(i).transform().toString().startsWith("truncate") && isLargest(value);
        if (wrapped && ranges.contains(fields.get(i).sourceId())) return "the reference truncates the smallest numbers to the largest";
        if (special && ranges.contains(fields.get(i).sourceId())) return "the reference takes a null partition for the smallest and NaN for the largest";
      }
    }
    return null;
  }

  /** Whether a truncated number may be one of the smallest, which wrapped around. */
  private static boolean isLargest(Object value) {
    return value instanceof Integer i && i > Integer.MAX_VALUE - 100 || value instanceof Long l && l > Long.MAX_VALUE - 100;
  }

  private static List<Record> matching(List<Record> rows, Schema schema, Expression filter, boolean sensitive) {
    RowRule rule = new RowRule(schema.asStruct(), filter, sensitive);
    InternalRecordWrapper wrapper = new InternalRecordWrapper(schema.asStruct());
    return rows.stream().filter(row -> rule.matches(wrapper.wrap(row))).toList();
  }

  /** Some columns, some of them by a part. */
  private List<String> select(Schema schema) {
    Set<String> names = new LinkedHashSet<>();
    for (NestedField field : dice.some(schema.columns(), dice.between(1, schema.columns().size()))) {
      String path = field.name();
      // Of a map its values: keys alone are the whole of it.
      while (field.type().isNestedType() && dice.chance(0.6)) {
        List<NestedField> inner = field.type().asNestedType().fields();
        field = field.type().isMapType() ? inner.get(1) : dice.of(inner);
        path += "." + field.name();
      }
      names.add(path);
    }
    return new ArrayList<>(names);
  }

  private void split() throws Exception {
    Schema schema = table.schema();
    List<FileScanTask> all = planned(table.newScan());
    Map<Record, String> homes = new IdentityHashMap<>();
    List<Record> rows = Oracle.read(table, all, schema, homes);
    RandomFilter random = new RandomFilter(dice, values, table, schema, rows);
    Expression filter = random.filter(1);
    long size = dice.of(500, 1000, 5000, 100_000);
    int lookback = dice.of(1, 2, 10);
    long cost = dice.of(1, 100, 3000);
    Map<String, Object> scan = with(Map.of(), "splitSize", size);
    scan.put("splitLookback", lookback);
    scan.put("splitOpenFileCost", cost);
    scan.put("filter", PlanJson.expression(filter));
    TableScan split = table.newScan().filter(filter)
        .option("read.split.target-size", String.valueOf(size))
        .option("read.split.planning-lookback", String.valueOf(lookback))
        .option("read.split.open-file-cost", String.valueOf(cost));
    List<FileScanTask> tasks = planned(split);
    List<Object> splits = new ArrayList<>();
    for (FileScanTask task : TableScanUtil.splitFiles(CloseableIterable.withNoopClose(tasks), size)) splits.add(PlanJson.range(task));
    List<Object> groups = new ArrayList<>();
    try (CloseableIterable<CombinedScanTask> combined = split.planTasks()) {
      for (CombinedScanTask group : combined) groups.add(group.files().stream().map(PlanJson::range).toList());
    }
    Map<String, Object> one = put("split", scan);
    List<Record> matching = matching(rows, schema, filter, true);
    if (!random.hasUuid && inexact(new Whole(schema, all, rows, homes), filter, true, tasks, matching) == null) {
      one.put("plan", PlanJson.files(tasks));
      one.put("splits", splits);
      one.put("tasks", groups);
    }
    rows(one, matching, schema.asStruct());
  }

  /** Where an incremental scan begins and ends: ids, names of tags, and a branch. */
  private record Ends(String exclusive, String inclusive, String to, String branch) {
    Map<String, Object> json() {
      Map<String, Object> out = new LinkedHashMap<>();
      if (exclusive != null) out.put("fromSnapshotIdExclusive", exclusive);
      if (inclusive != null) out.put("fromSnapshotIdInclusive", inclusive);
      if (to != null) out.put("toSnapshotId", to);
      if (branch != null) out.put("branch", branch);
      return out;
    }

    private static boolean isId(String end) {
      return end.matches("\\d+");
    }

    /** The scan from one to the other. */
    <S extends IncrementalScan<S, ?, ?>> S of(S scan) {
      S bounded = branch == null ? scan : scan.useBranch(branch);
      if (to != null) bounded = isId(to) ? bounded.toSnapshot(Long.parseLong(to)) : bounded.toSnapshot(to);
      if (exclusive != null) bounded = isId(exclusive) ? bounded.fromSnapshotExclusive(Long.parseLong(exclusive)) : bounded.fromSnapshotExclusive(exclusive);
      if (inclusive != null) bounded = isId(inclusive) ? bounded.fromSnapshotInclusive(Long.parseLong(inclusive)) : bounded.fromSnapshotInclusive(inclusive);
      return bounded;
    }

    boolean ofIds() {
      return exclusive != null && inclusive == null && to != null && branch == null && isId(exclusive) && isId(to);
    }
  }

  /** Mostly two snapshots of which one descends from the other. */
  private Ends ends(List<Snapshot> snapshots) {
    long to = dice.of(snapshots).snapshotId();
    List<String> branches = table.refs().entrySet().stream().filter(ref -> ref.getValue().isBranch()).map(Map.Entry::getKey).sorted().toList();
    String branch = !branches.isEmpty() && dice.chance(0.2) ? dice.of(branches) : null;
    if (branch != null) to = table.refs().get(branch).snapshotId();
    List<Long> line = new ArrayList<>();
    SnapshotUtil.ancestorsOf(to, table::snapshot).forEach(snapshot -> line.add(snapshot.snapshotId()));
    long from = dice.chance(0.9) ? dice.of(line) : dice.of(snapshots).snapshotId();
    String end = branch != null && dice.chance(0.6) ? null : named(branch == null ? to : dice.of(line));
    return switch (dice.below(5)) {
      case 0 -> new Ends(null, named(from), end, branch);
      case 1 -> new Ends(null, null, end, branch);
      default -> new Ends(named(from), null, end, branch);
    };
  }

  /** A snapshot by its id, or at times by its tag. */
  private String named(long id) {
    List<String> tags = table.refs().entrySet().stream()
        .filter(ref -> ref.getValue().isTag() && ref.getValue().snapshotId() == id).map(Map.Entry::getKey).sorted().toList();
    return tags.isEmpty() || dice.chance(0.4) ? String.valueOf(id) : dice.of(tags);
  }

  private void appends(List<Snapshot> snapshots) throws Exception {
    Ends ends = ends(snapshots);
    IncrementalAppendScan scan = ends.of(table.newIncrementalAppendScan());
    Map<String, Object> asked = with(Map.of(), "incremental", ends.json());
    List<FileScanTask> tasks = new ArrayList<>();
    Expression filter = null;
    Schema schema = table.schema();
    try (CloseableIterable<FileScanTask> planned = scan.planFiles()) {
      planned.forEach(tasks::add);
    } catch (IllegalArgumentException | ValidationException e) {
      put("appends", asked).put("error", Map.of("class", e.getClass().getName(), "message", e.getMessage()));
      return;
    }
    Map<Record, String> homes = new IdentityHashMap<>();
    List<Record> rows = Oracle.read(table, tasks, schema, homes);
    boolean exact = true;
    if (dice.chance(0.5)) {
      RandomFilter random = new RandomFilter(dice, values, table, schema, rows);
      filter = random.filter(1);
      List<FileScanTask> all = new ArrayList<>(tasks);
      asked.put("filter", PlanJson.expression(filter));
      tasks.clear();
      try (CloseableIterable<FileScanTask> planned = scan.filter(filter).planFiles()) {
        planned.forEach(tasks::add);
      }
      rows = matching(rows, schema, filter, true);
      exact = !random.hasUuid && inexact(new Whole(schema, all, rows, homes), filter, true, tasks, rows) == null;
    }
    Map<String, Object> one = put("appends", asked);
    if (exact) one.put("plan", PlanJson.files(tasks));
    rows(one, rows, schema.asStruct());
  }

  private void changes(List<Snapshot> snapshots) throws Exception {
    Ends ends = ends(snapshots);
    IncrementalChangelogScan scan = ends.of(table.newIncrementalChangelogScan());
    Map<String, Object> asked = with(Map.of(), "incremental", ends.json());
    asked.put("changelog", true);
    List<ChangelogScanTask> tasks;
    try {
      tasks = changes(scan);
    } catch (UnsupportedOperationException e) {
      replay(ends, asked, e);
      return;
    } catch (IllegalArgumentException | ValidationException e) {
      put("changes", asked).put("error", Map.of("class", e.getClass().getName(), "message", e.getMessage()));
      return;
    }
    Schema schema = table.schema();
    List<FileScanTask> files = new ArrayList<>();
    List<Record> all = new ArrayList<>();
    Map<Record, String> homes = new IdentityHashMap<>();
    Map<Record, ChangelogScanTask> changes = new IdentityHashMap<>();
    for (ChangelogScanTask task : tasks) {
      @SuppressWarnings("unchecked")
      ContentScanTask<DataFile> file = (ContentScanTask<DataFile>) task;
      files.add(new Oracle.Whole(file.file(), file.spec(), deletes(task)));
      for (Record record : Oracle.read(table, files.subList(files.size() - 1, files.size()), schema, homes)) {
        all.add(record);
        changes.put(record, task);
      }
    }
    List<Record> matching = all;
    boolean exact = true;
    if (dice.chance(0.4)) {
      RandomFilter random = new RandomFilter(dice, values, table, schema, all);
      Expression filter = random.filter(1);
      asked.put("filter", PlanJson.expression(filter));
      tasks = changes(scan.filter(filter));
      matching = matching(all, schema, filter, true);
      List<FileScanTask> left = new ArrayList<>();
      for (ChangelogScanTask task : tasks) {
        @SuppressWarnings("unchecked")
        ContentScanTask<DataFile> file = (ContentScanTask<DataFile>) task;
        left.add(new Oracle.Whole(file.file(), file.spec(), List.of()));
      }
      exact = !random.hasUuid && inexact(new Whole(schema, files, all, homes), filter, true, left, matching) == null;
    }
    List<Object> plan = new ArrayList<>();
    for (ChangelogScanTask task : tasks) plan.add(PlanJson.change(task, deletes(task)));
    List<Map<String, Object>> rows = new ArrayList<>();
    for (Record record : matching) {
      ChangelogScanTask task = changes.get(record);
      Map<String, Object> row = Encode.row(record, schema.asStruct());
      row.put("_change_type", task.operation().name());
      row.put("_change_ordinal", task.changeOrdinal());
      row.put("_commit_snapshot_id", String.valueOf(task.commitSnapshotId()));
      rows.add(row);
    }
    Map<String, Object> one = put("changes", asked);
    if (exact) one.put("plan", plan);
    encoded(one, rows);
  }

  private static List<ChangelogScanTask> changes(IncrementalChangelogScan scan) throws Exception {
    List<ChangelogScanTask> tasks = new ArrayList<>();
    try (CloseableIterable<ChangelogScanTask> planned = scan.planFiles()) {
      planned.forEach(tasks::add);
    }
    return tasks;
  }

  private static List<DeleteFile> deletes(ChangelogScanTask task) {
    return task instanceof AddedRowsScanTask added ? added.deletes() : List.of();
  }

  /** The reference refuses delete files here: the changes must lead from the one state to the other. */
  private void replay(Ends ends, Map<String, Object> asked, Exception refused) {
    if (!ends.ofIds()) return;
    // Both states are to have the schema of the changes.
    for (String id : List.of(ends.exclusive(), ends.to())) {
      Integer schemaId = table.snapshot(Long.parseLong(id)).schemaId();
      if (schemaId == null || !table.schemas().get(schemaId).sameSchema(table.schema())) return;
    }
    Map<String, Object> one = put("changes", asked);
    one.put("check", "changelog-replay");
    one.put("referenceError", refused.getMessage());
  }

  private static Map<String, Object> with(Map<String, Object> scan, String key, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(scan);
    more.put(key, value);
    return more;
  }

  private Map<String, Object> put(String label, Map<String, Object> scan) {
    Map<String, Object> one = new LinkedHashMap<>();
    one.put("id", String.format("%s__%03d_%s", name, cases.size(), label));
    one.put("table", name);
    one.put("metadata", metadata);
    one.put("scan", scan);
    cases.add(one);
    return one;
  }

  private void rows(Map<String, Object> one, List<Record> rows, Types.StructType type) throws Exception {
    encoded(one, rows.stream().map(row -> Encode.row(row, type)).toList());
  }

  private void encoded(Map<String, Object> one, List<Map<String, Object>> rows) throws Exception {
    List<String> lines = new ArrayList<>();
    for (Map<String, Object> row : rows) lines.add(JSON.writeValueAsString(row) + "\n");
    String file = "rows/" + one.get("id") + ".ndjson";
    Files.write(out.resolve("cases").resolve(file), String.join("", lines).getBytes(StandardCharsets.UTF_8));
    one.put("rowsFile", file);
    one.put("count", lines.size());
  }
}
