package lakefold.interop;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.apache.paimon.Snapshot;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.SpecialFields;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.source.EndOfScanException;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.table.source.SnapshotNotExistPlan;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.table.source.StreamTableScan;
import org.apache.paimon.table.source.TableRead;
import org.apache.paimon.table.source.TableScan;
import org.apache.paimon.table.source.snapshot.SnapshotReader;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeFamily;
import org.apache.paimon.types.RowType;
import org.apache.paimon.utils.ProjectedRow;
import org.apache.paimon.utils.Range;

/** What the reference reads of one table, as cases of the conformance runner. */
final class Cases {
  private final Catalog catalog;
  private final String name;
  private final RandomTable made;
  private final History history;
  private final Dice dice;
  private final RandomValues values;
  private final String tmp;
  private final CaseFile file;
  private final List<String> failures = new ArrayList<>();

  Cases(Catalog catalog, String name, RandomTable made, History history, Path out, String tmp) {
    this.catalog = catalog;
    this.name = name;
    this.made = made;
    this.history = history;
    this.dice = made.dice;
    this.values = new RandomValues(dice);
    this.values.negativeZero = !made.mayBeOrc();
    this.values.many = made.merges;
    this.file = new CaseFile(name, out, made.unordered);
    this.tmp = tmp;
  }

  private static final List<String> SYSTEM = List.of(
      "audit_log", "binlog", "ro", "files", "buckets", "partitions", "row_tracking", "snapshots", "schemas", "options", "manifests",
      "file_key_ranges", "table_indexes", "aggregation_fields", "tags", "branches", "statistics");

  private static boolean isBinary(DataField field) {
    return field.type().is(DataTypeFamily.BINARY_STRING);
  }

  private static boolean isNested(DataType type) {
    return type.is(DataTypeFamily.CONSTRUCTED);
  }

  /** Something that the reference may refuse. */
  private interface Attempt {
    void run() throws Exception;
  }

  /** What the reference could not do, in its words. */
  List<String> write() throws Exception {
    FileStoreTable table = history.table();
    attempt("all", () -> scans(table, "all", scan()));
    long latest = table.snapshotManager().latestSnapshotId() == null ? 0 : table.snapshotManager().latestSnapshotId();
    int first = latest == 0 ? 1 : table.snapshotManager().earliestSnapshotId().intValue();
    if (latest > first) {
      for (long id : dice.some(LongStream.rangeClosed(first, latest).boxed().toList(), 2)) {
        attempt("snapshot " + id, () -> scans(table, "snapshot" + id, scan("snapshotId", id)));
      }
      // Of a table that hides level 0 the reference loses changes: apache/paimon#8712.
      List<String> modes = made.skipsLevel0() ? List.of("changelog", "diff") : List.of("delta", "changelog", "diff", "auto");
      for (String mode : modes) {
        // A list in the order of a hash table makes a row another than it was.
        if (mode.equals("diff") && (!made.unordered.isEmpty() || made.losesDifferences())) continue;
        // There is no snapshot before the first to take the difference to.
        int from = dice.between(mode.equals("diff") ? first : first - 1, (int) latest - 1);
        int to = dice.between(from + 1, (int) latest);
        if (mode.equals("diff") && startsOver(table, from, to)) continue;
        attempt("incremental " + mode, () -> incremental(table, from, to, mode));
      }
    }
    if (latest > 0) attempt("time", () -> asOf(table, dice.between(first, (int) latest)));
    Long mark = latest == 0 ? null : table.snapshotManager().snapshot(dice.between(first, (int) latest)).watermark();
    if (mark != null) {
      long at = mark + dice.of(-1, 0, 1);
      attempt("watermark", () -> scans(table, "watermark", scan("watermark", at)));
      Map<String, String> until = Map.of("scan.snapshot-id", String.valueOf(first), "scan.bounded.watermark", String.valueOf(at));
      attempt("stream_bounded", () -> stream(table, "stream_bounded", until));
    }
    if (latest > first) attempt("times", () -> between(table, dice.between(first, (int) latest), dice.between(first, (int) latest)));
    if (history.tags.size() > 1) attempt("tags", () -> tags(table, history.tags.get(0), history.tags.get(history.tags.size() - 1)));
    attempt("places", () -> places(table));
    if (table.coreOptions().rowTrackingEnabled()) for (int i = 0; i < 2; i++) ranges(table, i);
    if (table.coreOptions().rowTrackingEnabled()) for (int i = 0; i < 3; i++) rowIds(table, i);
    for (String tag : history.tags) attempt("tag", () -> scans(table, "tag_" + tag, scan("tag", tag)));
    for (String branch : history.branches) attempt("branch", () -> branch(branch));
    attempt("stream", () -> stream(table, "stream", Map.of()));
    if (latest > 0) attempt("stream", () -> stream(table, "stream_from", Map.of("scan.snapshot-id", String.valueOf(dice.between(first, (int) latest)))));
    streams(table, first, latest);
    for (String system : SYSTEM) {
      // Lists in lists are compared in order, and binary keys are shown by their address.
      if (system.equals("row_tracking") && !table.coreOptions().rowTrackingEnabled()) continue;
      if (system.equals("binlog") && !made.unordered.isEmpty()) continue;
      if ((system.equals("files") || system.equals("file_key_ranges")) && table.schema().trimmedPrimaryKeysFields().stream().anyMatch(Cases::isBinary)) continue;
      if (system.equals("files") && made.dataEvolution() && table.rowType().getFieldTypes().stream().anyMatch(Cases::isNested)) continue;
      attempt(system, () -> system(system));
    }
    file.write();
    return failures;
  }

  private void attempt(String what, Attempt attempt) throws InterruptedException {
    try {
      attempt.run();
    } catch (Exception | Error e) {
      Throwable cause = e;
      while (cause.getCause() != null && cause.getCause() != cause) cause = cause.getCause();
      failures.add(what + ": " + cause + " at " + (cause.getStackTrace().length > 0 ? cause.getStackTrace()[0] : ""));
    }
  }

  private static Map<String, Object> scan(Object... members) {
    Map<String, Object> scan = new LinkedHashMap<>();
    for (int i = 0; i < members.length; i += 2) scan.put((String) members[i], members[i + 1]);
    return scan;
  }

  private static Map<String, Object> with(Map<String, Object> scan, String key, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(scan);
    more.put(key, value);
    return more;
  }

  /**
   * A copy with options, perhaps of an earlier schema. Its options are those of today, which name columns as they are called today: where another column
   * had that name, it was merged as that one should be.
   */
  private static FileStoreTable copied(FileStoreTable table, Map<String, String> options) {
    FileStoreTable copied = table.copy(options);
    if (copied.schema().id() == table.schema().id()) return copied;
    Map<String, String> then = columnOptions(table.schemaManager().schema(copied.schema().id()).options());
    if (then.equals(columnOptions(copied.schema().options()))) return copied;
    throw new IllegalStateException("its columns had other names then");
  }

  private static Map<String, String> columnOptions(Map<String, String> options) {
    Map<String, String> found = new HashMap<>(options);
    found.keySet().removeIf(key -> !key.startsWith("fields.") && !key.equals("sequence.field") && !key.equals("bucket-key"));
    return found;
  }

  private FileStoreTable at(FileStoreTable table, Map<String, Object> scan) {
    Map<String, String> options = new LinkedHashMap<>();
    if (scan.get("snapshotId") != null) options.put("scan.snapshot-id", scan.get("snapshotId").toString());
    if (scan.get("tag") != null) options.put("scan.tag-name", scan.get("tag").toString());
    if (scan.get("watermark") != null) options.put("scan.watermark", scan.get("watermark").toString());
    if (scan.get("timestampMs") != null) options.put("scan.timestamp-millis", scan.get("timestampMs").toString());
    return options.isEmpty() ? table : copied(table, options);
  }

  /** A full read, reads with predicates and selections, and one with a limit. */
  private void scans(FileStoreTable whole, String label, Map<String, Object> scan) throws Exception {
    FileStoreTable table = at(whole, scan);
    RowType type = table.rowType();
    ReadBuilder builder = table.newReadBuilder();
    List<Split> splits = builder.newScan().plan().splits();
    Long snapshot = snapshotOf(table, scan);
    List<InternalRow> rows = new ArrayList<>();
    read(builder.newRead(), splits, type, rows);
    Map<String, Object> one = put(label, "scan", scan, type, CaseFile.encoded(rows, type, false));
    one.put("plan", new PlanJson(table).plan(snapshot, splits));
    for (int i = 0; i < 5; i++) {
      CasePredicate random = RandomPredicate.of(dice, values, type, rows, 2);
      List<InternalRow> matching = rows.stream().filter(random.predicate()::test).toList();
      Map<String, Object> filtered =
          put(label + "_where" + i, "scan", with(scan, "predicate", random.json()), type, CaseFile.encoded(matching, type, false));
      attempt("plan", () -> filtered.put("plan", new PlanJson(table).plan(
          snapshot, table.newReadBuilder().withFilter(random.predicate()).newScan().plan().splits())));
      // By statistics a reader may prune less.
      if (!filtered.containsKey("plan")) filtered.put("planCheck", "rows-only");
      else if (!random.within(made.pruned())) filtered.put("planCheck", "superset");
    }
    for (int i = made.selectionsMatter() ? 2 : 0; i < 2; i++) select(table, label + "_select" + i, scan, splits);
    int limit = dice.between(1, rows.size() + 3);
    Map<String, Object> few = put(label + "_limit", "scan", with(scan, "limit", limit), type, CaseFile.encoded(rows, type, false));
    few.put("count", Math.min(limit, rows.size()));
  }

  private static Long snapshotOf(FileStoreTable table, Map<String, Object> scan) {
    if (scan.get("snapshotId") != null) return (Long) scan.get("snapshotId");
    if (scan.get("watermark") != null) return table.snapshotManager().laterOrEqualWatermark((Long) scan.get("watermark")).id();
    if (scan.get("timestampMs") != null) return table.snapshotManager().earlierOrEqualTimeMills((Long) scan.get("timestampMs")).id();
    if (scan.get("tag") != null) return table.tagManager().getOrThrow((String) scan.get("tag")).trimToSnapshot().id();
    Snapshot latest = table.snapshotManager().latestSnapshot();
    return latest == null ? null : latest.id();
  }

  private void select(FileStoreTable table, String label, Map<String, Object> scan, List<Split> splits) throws Exception {
    RowType type = table.rowType();
    List<Integer> all = new ArrayList<>();
    for (int i = 0; i < type.getFieldCount(); i++) all.add(i);
    int[] wanted = dice.some(all, dice.between(1, all.size())).stream().mapToInt(i -> i).toArray();
    List<DataField> fields = new ArrayList<>();
    for (int index : wanted) fields.add(type.getFields().get(index));
    RowType read = new RowType(fields);
    List<InternalRow> rows = new ArrayList<>();
    read(table.newReadBuilder().withProjection(wanted).newRead(), splits, read, rows);
    put(label, "scan", with(scan, "select", read.getFieldNames()), read, CaseFile.encoded(rows, read, false));
  }

  private void asOf(FileStoreTable table, long id) throws Exception {
    long at = table.snapshotManager().snapshot(id).timeMillis() + dice.of(0, 0, 1, 7);
    scans(table, "time" + id, scan("timestampMs", at));
  }

  private void between(FileStoreTable table, long one, long other) throws Exception {
    long from = table.snapshotManager().snapshot(Math.min(one, other)).timeMillis() - dice.below(2);
    long to = table.snapshotManager().snapshot(Math.max(one, other)).timeMillis() + dice.below(2);
    for (String mode : made.skipsLevel0() ? List.of("changelog") : List.of("delta", "auto")) {
      changes(table, "times_" + mode, scan("fromTimestampMs", from, "toTimestampMs", to, "mode", mode));
    }
  }

  /** Whether the sequence of keys starts over in between: what was before may then come last to the reference. */
  private boolean startsOver(FileStoreTable table, long from, long to) {
    return made.primaryKey
        && LongStream.rangeClosed(from + 1, to).anyMatch(id -> table.snapshotManager().snapshot(id).commitKind() == Snapshot.CommitKind.OVERWRITE);
  }

  private void tags(FileStoreTable table, String from, String to) throws Exception {
    if (!made.unordered.isEmpty() || made.losesDifferences()) return;
    if (startsOver(table, table.tagManager().getOrThrow(from).id(), table.tagManager().getOrThrow(to).id())) return;
    changes(table, "tags", scan("from", from, "to", to));
  }

  private void changes(FileStoreTable table, String label, Map<String, Object> range) throws Exception {
    Map<String, String> options = new LinkedHashMap<>();
    boolean times = range.containsKey("fromTimestampMs");
    options.put(
        times ? "incremental-between-timestamp" : "incremental-between",
        times ? range.get("fromTimestampMs") + "," + range.get("toTimestampMs") : range.get("from") + "," + range.get("to"));
    if (range.containsKey("mode")) options.put("incremental-between-scan-mode", (String) range.get("mode"));
    FileStoreTable changed = table.copy(options);
    RowType type = changed.rowType();
    ReadBuilder builder = changed.newReadBuilder();
    List<InternalRow> rows = new ArrayList<>();
    read(builder.newRead(), builder.newScan().plan().splits(), type, rows);
    put("incr_" + label, "incremental", scan("incremental", range), type, CaseFile.encoded(rows, type, true)).put("rowKinds", true);
  }

  /** Partitions and buckets that are asked for by name, with and without a limit. */
  private void places(FileStoreTable table) throws Exception {
    RowType type = table.rowType();
    List<InternalRow> rows = new ArrayList<>();
    read(table.newReadBuilder().newRead(), table.newReadBuilder().newScan().plan().splits(), type, rows);
    for (int i = 0; i < 4 && !table.partitionKeys().isEmpty(); i++) {
      Map<String, String> wanted = new LinkedHashMap<>();
      for (String key : dice.some(table.partitionKeys(), dice.between(1, table.partitionKeys().size()))) {
        int index = type.getFieldIndex(key);
        Object value = rows.isEmpty() || dice.chance(0.1)
            ? values.value(type.getTypeAt(index))
            : InternalRow.createFieldGetter(type.getTypeAt(index), index).getFieldOrNull(dice.of(rows));
        Object shown = value == null ? table.coreOptions().partitionDefaultName() : Encode.value(value, type.getTypeAt(index));
        wanted.put(key, shown.toString());
      }
      String label = "partition" + i;
      attempt(label, () -> place(table, label, scan("partitionFilter", List.of(wanted)), builder -> builder.withPartitionFilter(wanted)));
    }
    int bucket = dice.below(4);
    attempt("bucket", () -> place(table, "bucket", scan("bucket", bucket), builder -> builder.withBucket(bucket)));
    for (int i = 0; i < 2 && !table.partitionKeys().isEmpty(); i++) {
      // A limit by partitions is the one that plans may obey.
      CasePredicate random = RandomPredicate.of(dice, values, type.project(table.partitionKeys()), projected(rows, type, table.partitionKeys()), 1);
      CasePredicate whole = random.over(type);
      List<InternalRow> matching = rows.stream().filter(whole.predicate()::test).toList();
      int limit = dice.between(1, matching.size() + 2);
      Map<String, Object> few = put(
          "limit_where" + i, "scan", with(scan("predicate", whole.json()), "limit", limit), type, CaseFile.encoded(matching, type, false));
      few.put("count", Math.min(limit, matching.size()));
    }
  }

  private static List<InternalRow> projected(List<InternalRow> rows, RowType type, List<String> names) {
    int[] at = names.stream().mapToInt(type::getFieldIndex).toArray();
    return rows.stream().map(row -> (InternalRow) ProjectedRow.from(at).replaceRow(row)).toList();
  }

  private void place(FileStoreTable table, String label, Map<String, Object> scan, Consumer<ReadBuilder> ask) throws Exception {
    ReadBuilder builder = table.newReadBuilder();
    ask.accept(builder);
    List<Split> splits = builder.newScan().plan().splits();
    List<InternalRow> rows = new ArrayList<>();
    read(builder.newRead(), splits, table.rowType(), rows);
    Map<String, Object> one = put(label, "scan", scan, table.rowType(), CaseFile.encoded(rows, table.rowType(), false));
    one.put("plan", new PlanJson(table).plan(snapshotOf(table, Map.of()), splits));
  }

  /** Rows by ranges of row ids; without data evolution the reference gives whole files. */
  private void ranges(FileStoreTable table, int number) throws InterruptedException {
    if (!made.dataEvolution()) return;
    List<Range> ranges = new ArrayList<>();
    List<Object> shown = new ArrayList<>();
    long from = 0;
    for (int i = dice.between(1, 3); i > 0; i--) {
      from += dice.below(40);
      long to = from + dice.below(30);
      ranges.add(new Range(from, to));
      shown.add(List.of(from, to));
      from = to + 2;
    }
    attempt("ranges", () -> {
      ReadBuilder builder = table.newReadBuilder().withRowRanges(ranges);
      RowType type = table.rowType();
      List<InternalRow> rows = new ArrayList<>();
      read(builder.newRead(), builder.newScan().plan().splits(), type, rows);
      put("ranges" + number, "scan", scan("rowRanges", shown), type, CaseFile.encoded(rows, type, false));
    });
  }

  /** Rows by filters of their ids and columns, each tested by the reference, whose own plans lose rows by them. */
  private void rowIds(FileStoreTable table, int number) throws InterruptedException {
    attempt("row ids", () -> {
      RowType type = SpecialFields.rowTypeWithRowTracking(table.rowType());
      ReadBuilder builder = table.newReadBuilder().withReadType(type);
      List<InternalRow> rows = new ArrayList<>();
      read(builder.newRead(), builder.newScan().plan().splits(), type, rows);
      long last = Math.max(1, rows.size());
      String op = dice.of("eq", "ne", "lt", "le", "gt", "ge", "in", "between");
      List<Object> ids = new ArrayList<>();
      for (int i = op.equals("in") ? 3 : op.equals("between") ? 2 : 1; i > 0; i--) ids.add((long) dice.below((int) last + 2));
      CasePredicate filter = CasePredicate.leaf(type, op, "_ROW_ID", ids);
      RowType columns = table.rowType();
      if (dice.chance(0.6)) {
        CasePredicate other = RandomPredicate.of(dice, values, columns, rows, 1).over(type);
        filter = CasePredicate.join(dice.chance(0.5), List.of(filter, other));
      }
      CasePredicate wanted = filter;
      List<InternalRow> matching = rows.stream().filter(wanted.predicate()::test).toList();
      put("row_ids" + number, "scan", scan("predicate", wanted.json()), columns, CaseFile.encoded(matching, columns, false));
    });
  }

  /** Streams by where they may begin. */
  private void streams(FileStoreTable table, int first, long latest) throws InterruptedException {
    if (latest == 0) return;
    long id = dice.between(first, (int) latest);
    long at = table.snapshotManager().snapshot(id).timeMillis();
    Map<String, Map<String, String>> starts = new LinkedHashMap<>();
    starts.put("full_at", Map.of("scan.mode", "from-snapshot-full", "scan.snapshot-id", String.valueOf(id)));
    starts.put("time", Map.of("scan.timestamp-millis", String.valueOf(at - dice.below(2))));
    starts.put("compacted", Map.of("scan.mode", "compacted-full"));
    boolean taken = List.of("none", "input").contains(made.options.getOrDefault("changelog-producer", "none"));
    // It takes the rows that vectors hide for rows of the table.
    boolean hides = !made.engine.equals("deduplicate") && made.options.containsKey("deletion-vectors.enabled");
    if (made.primaryKey && taken && !hides) starts.put("overwrites", Map.of("streaming-read-overwrite", "true", "scan.snapshot-id", String.valueOf(first)));
    for (Map.Entry<String, Map<String, String>> start : starts.entrySet()) {
      if (dice.chance(0.5)) attempt("stream " + start.getKey(), () -> stream(table, "stream_" + start.getKey(), start.getValue()));
    }
  }

  private void branch(String branch) throws Exception {
    FileStoreTable table = (FileStoreTable) catalog.getTable(new Identifier("fx", name, branch));
    RowType type = table.rowType();
    ReadBuilder builder = table.newReadBuilder();
    List<Split> splits = builder.newScan().plan().splits();
    List<InternalRow> rows = new ArrayList<>();
    read(builder.newRead(), splits, type, rows);
    put("branch_" + branch, "scan", scan("branch", branch), type, CaseFile.encoded(rows, type, false));
  }

  private void incremental(FileStoreTable whole, long from, long to, String mode) throws Exception {
    FileStoreTable table = whole.copy(Map.of("incremental-between", from + "," + to, "incremental-between-scan-mode", mode));
    RowType type = table.rowType();
    ReadBuilder builder = table.newReadBuilder();
    List<Split> splits = builder.newScan().plan().splits();
    List<InternalRow> rows = new ArrayList<>();
    read(builder.newRead(), splits, type, rows);
    Map<String, Object> between = scan("from", from, "to", to, "mode", mode);
    Map<String, Object> one =
        put("incr_" + from + "_" + to + "_" + mode, "incremental", scan("incremental", between), type, CaseFile.encoded(rows, type, true));
    one.put("rowKinds", true);
    // A file whose deletion vector alone differs is in no difference of the reference.
    if (mode.equals("diff") && made.skipsLevel0()) one.put("planCheck", "superset");
    one.put("plan", new PlanJson(table).plan(to, splits));
  }

  private void stream(FileStoreTable whole, String label, Map<String, String> options) throws Exception {
    FileStoreTable table = options.isEmpty() ? whole : copied(whole, new LinkedHashMap<>(options));
    RowType type = table.rowType();
    ReadBuilder builder = table.newReadBuilder();
    StreamTableScan scan = builder.newStreamScan();
    PlanJson json = new PlanJson(table);
    List<Object> plans = new ArrayList<>();
    List<Map<String, Object>> rows = new ArrayList<>();
    for (int nothing = 0; nothing < 2; ) {
      TableScan.Plan plan;
      try {
        plan = scan.plan();
      } catch (EndOfScanException e) {
        break;
      }
      if (plan instanceof SnapshotNotExistPlan) {
        nothing++;
        continue;
      }
      // A plan of nothing need not be made.
      if (plan.splits().isEmpty()) continue;
      List<InternalRow> read = new ArrayList<>();
      read(builder.newRead(), plan.splits(), type, read);
      for (Map<String, Object> row : CaseFile.encoded(read, type, true)) {
        row.put("_plan", plans.size());
        rows.add(row);
      }
      Map<String, Object> one = json.plan(((SnapshotReader.Plan) plan).snapshotId(), plan.splits());
      one.put("nextSnapshotId", scan.checkpoint());
      plans.add(one);
    }
    Map<String, Object> asked = scan("streaming", true);
    if (!options.isEmpty()) asked.put("options", options);
    Map<String, Object> one = put(label, "stream", asked, type, rows);
    one.put("rowKinds", true);
    one.put("plans", plans);
  }

  private void system(String system) throws Exception {
    Table table = catalog.getTable(Identifier.create("fx", name + "$" + system));
    ReadBuilder builder = table.newReadBuilder();
    RowType type = table.rowType();
    List<InternalRow> rows = new ArrayList<>();
    read(builder.newRead(), builder.newScan().plan().splits(), type, rows);
    List<Map<String, Object>> encoded = CaseFile.encoded(rows, type, false);
    if (system.equals("aggregation_fields")) for (Map<String, Object> row : encoded) inFileOrder(row);
    put("sys_" + system, "system", scan("systemTable", system), type, encoded);
  }

  /** A column's options come in the order of the reference's hash table: this is their order in the schema file. */
  private void inFileOrder(Map<String, Object> row) throws Exception {
    String keys = (String) row.get("function_options");
    List<String> shown = List.of(keys.substring(1, keys.length() - 1).split(", "));
    if (shown.size() < 2) return;
    FileStoreTable table = history.table();
    TableSchema schema = table.schemaManager().latest().get();
    Map<String, String> options = schema.options();
    if (!row.get("function").equals(shown.stream().map(options::get).toList().toString())) throw new IllegalStateException("keys and values differ in order: " + row);
    JsonNode file = new ObjectMapper().readTree(table.fileIO().readFileUtf8(table.schemaManager().toSchemaPath(schema.id())));
    List<String> sorted = new ArrayList<>();
    file.get("options").fieldNames().forEachRemaining(key -> {
      if (shown.contains(key)) sorted.add(key);
    });
    row.put("function_options", sorted.toString());
    row.put("function", sorted.stream().map(options::get).toList().toString());
  }

  private void read(TableRead read, List<Split> splits, RowType type, List<InternalRow> into) throws Exception {
    into.addAll(CaseFile.read(read, splits, type, tmp));
  }

  private Map<String, Object> put(
      String label, String kind, Map<String, Object> scan, RowType type, List<Map<String, Object>> rows) throws IOException {
    return file.put(label, kind, scan, type, rows);
  }
}
