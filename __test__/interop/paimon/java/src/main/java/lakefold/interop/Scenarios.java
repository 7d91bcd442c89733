package lakefold.interop;

import static lakefold.interop.Scenario.and;
import static lakefold.interop.Scenario.or;
import static lakefold.interop.Scenario.row;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TimeZone;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericArray;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowKind;

/** Makes the tables of `__test__/fixtures/paimon-scenarios`, or those of them that are named: folder, names. */
public final class Scenarios {
  private interface Story {
    void tell(Scenario table) throws Exception;
  }

  private final Catalog catalog;
  private final Path out;
  private final String tmp;
  private final List<String> wanted;

  private Scenarios(Catalog catalog, Path out, String tmp, List<String> wanted) {
    this.catalog = catalog;
    this.out = out;
    this.tmp = tmp;
    this.wanted = wanted;
  }

  public static void main(String[] args) throws Exception {
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    Path out = Path.of(args[0]).toAbsolutePath();
    Files.createDirectories(out.resolve("cases/rows"));
    Catalog catalog = CatalogFactory.createCatalog(
        CatalogContext.create(new org.apache.paimon.fs.Path(out.resolve("warehouse").toUri())));
    catalog.createDatabase("fx", true);
    String tmp = Files.createTempDirectory("paimon").toString();
    new Scenarios(catalog, out, tmp, List.of(args).subList(1, args.length)).run();
    System.exit(0);
  }

  private void run() throws Exception {
    merged();
    vectors();
    overlapping();
    values();
    evolution();
    changes();
    files();
    rowIds();
    damaged();
    instants();
    indexes();
    watermarks();
    parts();
    new FormatScenarios(out, tmp, wanted).run();
  }

  private void make(String name, Schema.Builder schema, Story story) throws Exception {
    if (!wanted.isEmpty() && !wanted.contains(name)) return;
    Scenario table = new Scenario(catalog, name, schema.option("bucket", bucket(schema)).build(), out, tmp);
    story.tell(table);
    table.file().write();
  }

  private static String bucket(Schema.Builder schema) {
    Schema made = schema.build();
    return made.options().getOrDefault("bucket", made.primaryKeys().isEmpty() ? "-1" : "1");
  }

  private static Schema.Builder keyed(String engine, Object... columns) {
    return columns(columns).primaryKey("k").option("merge-engine", engine);
  }

  private static Schema.Builder columns(Object... columns) {
    Schema.Builder builder = Schema.newBuilder();
    for (int i = 0; i < columns.length; i += 2) builder.column((String) columns[i], (DataType) columns[i + 1]);
    return builder;
  }

  /** Merged rows that match where no row of a file does, or the other way round. */
  private void merged() throws Exception {
    Schema.Builder partial = keyed("partial-update", "k", DataTypes.INT(), "v", DataTypes.INT(), "w", DataTypes.STRING());
    make("merged_partial", partial, table -> {
      table.write(row(1, 3, null), row(2, 4, null));
      table.write(row(1, null, "late"), row(2, null, "other"));
      table.where("by_both", and(table.leaf("eq", "v", 3), table.leaf("eq", "w", "late")));
      table.where("by_old", table.leaf("eq", "v", 3));
      table.where("by_null", table.leaf("isNull", "w"));
    });
    Schema.Builder sum = keyed("aggregation", "k", DataTypes.INT(), "v", DataTypes.INT()).option("fields.v.aggregate-function", "sum");
    make("merged_sum", sum, table -> {
      table.write(row(1, 1), row(2, 1));
      table.write(row(1, 2), row(2, 5));
      table.where("sum", table.leaf("eq", "v", 3));
      table.where("part", table.leaf("eq", "v", 1));
    });
    Schema.Builder newest = keyed("deduplicate", "k", DataTypes.INT(), "v", DataTypes.STRING());
    make("merged_newest", newest, table -> {
      table.write(row(1, "old"), row(2, "old"), row(3, "old"));
      table.write(row(1, "new"), row(RowKind.DELETE, 2, "old"));
      table.where("stale", table.leaf("eq", "v", "old"));
      table.where("newest", table.leaf("eq", "v", "new"));
      table.where("key", table.leaf("eq", "k", 2));
      table.where("stale_limit", table.leaf("eq", "v", "old"), "limit", 1);
      table.limit("limit", 1, Map.of());
    });
    Schema.Builder order = columns("b", DataTypes.INT(), "v", DataTypes.INT(), "a", DataTypes.STRING()).primaryKey("a", "b");
    make("key_order", order, table -> {
      // The key's declared order is not that of the schema.
      table.write(row(1, 1, "x"), row(2, 1, "x"), row(1, 1, "y"), row(3, 1, "a"));
      table.write(row(2, 2, "x"), row(1, 2, "y"), row(0, 2, "z"));
      table.compact(row(3, 3, "a"), row(9, 3, "m"));
      table.write(row(1, 4, "x"), row(RowKind.DELETE, 0, 4, "z"));
      table.all("all", Map.of());
      table.where("one", and(table.leaf("eq", "a", "x"), table.leaf("ge", "b", 2)));
    });
    Schema.Builder tie = keyed("deduplicate", "k", DataTypes.INT(), "s", DataTypes.INT(), "v", DataTypes.STRING()).option("sequence.field", "s");
    make("sequence_ties", tie, table -> {
      table.write(row(1, 5, "first"), row(2, 5, "first"), row(3, 5, "first"), row(4, null, "first"));
      table.write(row(1, 5, "second"), row(2, 4, "late"), row(RowKind.DELETE, 3, 5, "gone"), row(4, 1, "known"));
      table.write(row(RowKind.DELETE, 2, 3, "late"), row(3, 5, "back"), row(4, null, "unknown"));
      table.all("all", Map.of());
    });
    Schema.Builder older = keyed(
            "partial-update", "k", DataTypes.INT(), "s", DataTypes.INT(), "plain", DataTypes.ARRAY(DataTypes.INT()), "kept", DataTypes.ARRAY(DataTypes.INT()),
            "once", DataTypes.ARRAY(DataTypes.ROW(DataTypes.INT())))
        .option("fields.s.sequence-group", "plain,kept,once")
        .option("fields.once.distinct", "true");
    for (String list : List.of("plain", "kept", "once")) older.option("fields." + list + ".aggregate-function", "collect");
    // What ignores retractions puts an older list in front, and takes it for distinct.
    for (String list : List.of("kept", "once")) older.option("fields." + list + ".ignore-retract", "true");
    make("collect_older", older, table -> {
      table.write(lists(1, 5, 1, 2), lists(2, 5, 1, 1));
      table.write(lists(1, 3, 3, 2, 3), lists(2, 7, 2, 2));
      table.write(lists(1, 9, 9, 9, 1), lists(2, 6, 2, 4, 4));
      table.all("all", Map.of());
    });
    for (String format : List.of("parquet", "orc", "avro")) {
      Schema.Builder digits = keyed("aggregation", "k", DataTypes.INT(), "d", DataTypes.DECIMAL(5, 4), "wide", DataTypes.DECIMAL(20, 2))
          .option("file.format", format)
          .option("fields.default-aggregate-function", "sum");
      make("sum_digits_" + format, digits, table -> {
        // Both rows of a key are one in the file.
        table.write(digits(1, "9.5", "1"), digits(1, "9.5", "999999999999999999.99"), digits(2, "9.9999", "2"));
        table.write(digits(1, "1.5", "1"), digits(2, "0.0001", "3"));
        table.all("alone", Map.of("scan.snapshot-id", "1"));
        table.all("merged", Map.of());
        table.where("too_long", table.leaf("isNull", "d"));
      });
    }
  }

  private static GenericRow lists(int key, int sequence, Integer... values) {
    GenericArray all = new GenericArray((Object[]) values);
    Object[] rows = Arrays.stream(values).map(value -> (Object) GenericRow.of(value)).toArray();
    return row(key, sequence, all, all, new GenericArray(rows));
  }

  private static GenericRow digits(int key, String few, String many) {
    return row(key, Decimal.fromBigDecimal(new BigDecimal(few), 5, 4), Decimal.fromBigDecimal(new BigDecimal(many), 20, 2));
  }

  /** Tables that hide rows by deletion vectors. */
  private void vectors() throws Exception {
    Schema.Builder deleted = keyed("deduplicate", "k", DataTypes.INT(), "v", DataTypes.STRING()).option("deletion-vectors.enabled", "true");
    make("vectors_deleted", deleted, table -> {
      table.compact(row(1, "a"), row(2, "b"), row(3, "c"));
      table.compact(row(RowKind.DELETE, 2, "b"), row(3, "d"));
      table.where("gone", table.leaf("eq", "k", 2));
      table.where("replaced", table.leaf("eq", "v", "c"));
      table.write(row(1, "waits"), row(4, "waits"));
      table.all("level_0_hidden", Map.of());
      table.where("waiting", table.leaf("eq", "v", "waits"));
      // An option of later versions: level 0 is read too, and merged.
      Map<String, Object> merged = Scenario.members("options", Map.of("deletion-vectors.merge-on-read", "true"));
      table.put("merge_on_read", merged, table.type(), List.of(row(1, "waits"), row(3, "d"), row(4, "waits")));
      table.limit("limit", 2, Map.of());
      table.limit("limit_all", 9, Map.of());
    });
    Schema.Builder sequence = keyed("deduplicate", "k", DataTypes.INT(), "s", DataTypes.INT(), "v", DataTypes.STRING())
        .option("deletion-vectors.enabled", "true")
        .option("sequence.field", "s");
    make("vectors_sequence", sequence, table -> {
      table.compact(row(1, 5, "kept"), row(2, 5, "replaced"), row(3, 5, "kept"));
      table.compact(row(1, 4, "late"), row(2, 6, "newer"));
      table.compact(row(3, 1, "later"), row(RowKind.DELETE, 1, 3, "late"));
      table.all("all", Map.of());
      table.where("late", table.leaf("eq", "v", "late"));
      table.where("kept", table.leaf("eq", "v", "kept"));
    });
  }

  /** Splits and limits of files that overlap. */
  private void overlapping() throws Exception {
    Schema.Builder files = keyed("deduplicate", "k", DataTypes.INT(), "v", DataTypes.INT());
    make("overlapping_splits", files, table -> {
      table.write(IntStream.range(0, 40).mapToObj(k -> row(k, 0)).toArray(GenericRow[]::new));
      for (int commit = 1; commit < 5; commit++) {
        int c = commit;
        table.write(IntStream.range(0, 8).mapToObj(k -> row(k * 5 + c, c)).toArray(GenericRow[]::new));
      }
      table.write(row(100, 7), row(101, 7), row(RowKind.DELETE, 3, 0));
      Map<String, String> small = Map.of("source.split.target-size", "1 b", "source.split.open-file-cost", "1 b");
      table.all("all", Map.of());
      table.all("small_splits", small);
      for (int limit : new int[] {1, 2, 3, 39, 41, 50}) table.limit("limit_" + limit, limit, small);
      for (int limit : new int[] {1, 9, 31}) table.where("stale_limit_" + limit, table.leaf("eq", "v", 0), "limit", limit);
    });
  }

  /** Values and bounds. */
  private void values() throws Exception {
    for (String format : List.of("parquet", "orc", "avro")) {
      Schema.Builder floats = columns("id", DataTypes.INT(), "d", DataTypes.DOUBLE(), "f", DataTypes.FLOAT())
          .option("file.format", format)
          .option("metadata.stats-mode", "full");
      make("nan_negated_" + format, floats, table -> {
        table.write(row(1, 1.0, 1f), row(2, Double.NaN, Float.NaN), row(3, null, null));
        table.write(row(4, 1.0, 1f));
        table.write(row(5, Double.NaN, Float.NaN));
        for (String name : List.of("d", "f")) {
          Object one = name.equals("d") ? (Object) 1.0 : (Object) 1f;
          Object two = name.equals("d") ? (Object) 2.0 : (Object) 2f;
          table.where(name + "_ne", table.leaf("ne", name, one));
          table.where(name + "_not_in", table.leaf("notIn", name, one, two));
          table.where(name + "_gt", table.leaf("gt", name, one));
        }
      });
    }
    Schema.Builder indexed = columns("id", DataTypes.INT(), "a", DataTypes.STRING(), "b", DataTypes.INT(), "c", DataTypes.BIGINT())
        .option("file-index.bitmap.columns", "a,b")
        .option("file-index.bsi.columns", "c")
        .option("file-index.range-bitmap.columns", "id")
        .option("metadata.stats-mode", "none");
    make("bitmap_or", indexed, table -> {
      table.write(IntStream.range(0, 60).mapToObj(i -> row(i, i % 7 == 0 ? null : "a" + i % 5, i % 3 == 0 ? null : i % 4, (long) i - 30)).toArray(GenericRow[]::new));
      table.write(IntStream.range(60, 90).mapToObj(i -> row(i, "z" + i % 2, i % 2, (long) i)).toArray(GenericRow[]::new));
      table.where("or", or(table.leaf("eq", "a", "a1"), table.leaf("eq", "b", 2)));
      table.where("or_null", or(table.leaf("isNull", "a"), table.leaf("isNull", "b")));
      table.where("or_of_ands", or(and(table.leaf("eq", "a", "a1"), table.leaf("eq", "b", 2)), table.leaf("eq", "a", "z0")));
      table.where("not_in", table.leaf("notIn", "a", "a1", "a2", "z0"));
      table.where("ne", table.leaf("ne", "b", 1));
      table.where("bsi", or(table.leaf("lt", "c", -28L), table.leaf("ge", "c", 88L)));
      table.where("range", and(table.leaf("gt", "id", 57), table.leaf("lt", "id", 62)));
      table.where("and_unindexed", and(table.leaf("eq", "a", "a3"), table.leaf("gt", "c", 0L)));
    });
  }

  /** Columns that changed. */
  private void evolution() throws Exception {
    Schema.Builder names = columns("id", DataTypes.INT(), "a", DataTypes.STRING(), "b", DataTypes.INT());
    make("names_again", names, table -> {
      table.write(row(1, "old a", 10), row(2, "old a2", 20));
      table.alter(SchemaChange.renameColumn("a", "a2"));
      table.write(row(3, "new a2", 30));
      table.alter(SchemaChange.dropColumn("b"));
      table.alter(SchemaChange.addColumn("b", DataTypes.INT()), SchemaChange.addColumn("a", DataTypes.STRING()));
      table.write(row(4, "last", 10, "a"));
      table.all("all", Map.of());
      table.where("renamed", table.leaf("eq", "a2", "old a"));
      table.where("added_again", table.leaf("eq", "b", 10));
      table.where("null_again", table.leaf("isNull", "b"));
      table.where("old_name", table.leaf("isNotNull", "a"));
    });
    Schema.Builder text = columns("id", DataTypes.INT(), "v", DataTypes.STRING()).option("metadata.stats-mode", "full");
    make("text_to_int", text, table -> {
      table.write(row(1, "9"), row(2, "10"), row(3, "-3"));
      table.write(row(4, "100"));
      table.alter(SchemaChange.updateColumnType("v", DataTypes.INT()));
      table.write(row(5, 10), row(6, 7));
      table.where("eq", table.leaf("eq", "v", 10));
      table.where("gt", table.leaf("gt", "v", 9));
      table.where("lt", table.leaf("lt", "v", 10));
    });
  }

  /** What changed between snapshots. */
  private void changes() throws Exception {
    Schema.Builder vectors = keyed("deduplicate", "k", DataTypes.INT(), "v", DataTypes.STRING()).option("deletion-vectors.enabled", "true");
    make("vectors_changes", vectors, table -> {
      table.compact(row(1, "a"), row(2, "b"));
      GenericRow[] second = {row(2, "c"), row(3, "d"), row(RowKind.DELETE, 1, "a")};
      table.write(second);
      table.compactBucket(0);
      // The reference skips level 0 here too, and finds nothing: apache/paimon#8712. These are the rows that were written.
      long last = table.table().snapshotManager().latestSnapshotId();
      table.changed("delta", 2, 3, "delta", List.of(second));
      table.changes("diff", 2, last, "diff");
    });
    Schema.Builder changelog = keyed("deduplicate", "k", DataTypes.INT(), "v", DataTypes.STRING()).option("changelog-producer", "input");
    make("audit_changes", changelog, table -> {
      table.write(row(1, "a"), row(2, "b"));
      table.write(row(RowKind.UPDATE_BEFORE, 1, "a"), row(RowKind.UPDATE_AFTER, 1, "c"), row(RowKind.DELETE, 2, "b"));
      table.write(row(3, "d"));
      for (String mode : List.of("changelog", "delta", "diff")) {
        Map<String, String> options = Map.of("incremental-between", "1,3", "incremental-between-scan-mode", mode);
        table.system("audit_log_" + mode, "audit_log", options);
        if (!mode.equals("diff")) table.system("binlog_" + mode, "binlog", options);
        table.changes("changes_" + mode, 1, 3, mode);
      }
      table.system("audit_log_at", "audit_log", Map.of("scan.snapshot-id", "1"));
    });
  }

  /** A filter of several columns tells partitions, keys and buckets apart by what it says of these alone. */
  private void parts() throws Exception {
    Schema.Builder schema = columns("p", DataTypes.INT(), "k", DataTypes.INT(), "v", DataTypes.INT())
        .partitionKeys("p").primaryKey("p", "k").option("merge-engine", "aggregation").option("fields.v.aggregate-function", "sum").option("bucket", "4");
    make("parts_of_filter", schema, table -> {
      for (int i = 0; i < 2; i++) {
        for (int p = 0; p < 3; p++) table.write(row(p, 1, i), row(p, 2, i), row(p, 3, i), row(p, 7, i), row(p, 8, i));
      }
      CasePredicate one = table.leaf("eq", "k", 1), two = table.leaf("eq", "k", 2), big = table.leaf("gt", "k", 7), any = table.leaf("gt", "v", 0);
      CasePredicate here = table.leaf("eq", "p", 1), there = table.leaf("eq", "p", 2);
      table.splits("partitions", or(and(any, here), there));
      table.splits("partitions_none", or(and(any, here), big));
      table.splits("keys", or(and(any, big), and(big, here)));
      table.splits("buckets", or(and(any, one), two));
      table.splits("buckets_in_partitions", or(and(one, here), and(two, there)));
    });
  }

  /** Which snapshot is that of a watermark: of several that have it, the one that the reference's bisection meets. */
  private void watermarks() throws Exception {
    make("watermarks", columns("id", DataTypes.INT()), table -> {
      Long[] marks = {null, null, Long.MIN_VALUE, 10L, 20L, 20L, 20L, 20L, 30L, 30L, 30L, 30L, 30L};
      for (int i = 0; i < marks.length; i++) table.writeAt(marks[i], row(i));
      for (long mark : new long[] {-5, 9, 10, 11, 20, 21, 30}) table.all("at" + mark, Map.of("scan.watermark", String.valueOf(mark)));
      table.system("snapshots", "snapshots", Map.of());
    });
    make("watermarks_none", columns("id", DataTypes.INT()), table -> {
      Long[] marks = {null, Long.MIN_VALUE, Long.MIN_VALUE};
      for (int i = 0; i < marks.length; i++) table.writeAt(marks[i], row(i));
      table.allOrError("at1", Map.of("scan.watermark", "1"));
      table.system("snapshots", "snapshots", Map.of());
    });
  }

  /** Where files lie, and what of them does not say what the table has. */
  private void files() throws Exception {
    Schema.Builder retracts = keyed("deduplicate", "k", DataTypes.INT(), "v", DataTypes.STRING());
    make("retract_single", retracts, table -> {
      table.write(row(1, "a"), row(RowKind.DELETE, 2, "b"), row(3, "c"));
      table.all("all", Map.of());
      table.limit("limit", 3, Map.of());
      table.where("gone", table.leaf("eq", "k", 2));
    });
    Schema.Builder beside = keyed("deduplicate", "k", DataTypes.INT(), "v", DataTypes.STRING())
        .option("deletion-vectors.enabled", "true")
        .option("index-file-in-data-file-dir", "true");
    make("vectors_beside_data", beside, table -> {
      table.compact(IntStream.range(0, 50).mapToObj(k -> row(k, "old")).toArray(GenericRow[]::new));
      table.compact(IntStream.range(0, 5).mapToObj(k -> row(k * 10, "new")).toArray(GenericRow[]::new));
      table.compact(row(7, "last"), row(RowKind.DELETE, 8, "old"));
      table.all("all", Map.of());
      table.where("old", table.leaf("eq", "v", "old"));
    });
    Schema.Builder moved = keyed("deduplicate", "k", DataTypes.INT(), "v", DataTypes.STRING());
    make("level_moved", moved, table -> {
      // The one file of the bucket moves to the highest level under its name.
      table.write(row(1, "a"), row(2, "b"));
      table.compactBucket(0);
      table.write(row(2, "c"));
      table.all("moved", Map.of("scan.snapshot-id", "2"));
      table.all("all", Map.of());
    });
    Schema.Builder rescaled = keyed("deduplicate", "k", DataTypes.INT(), "v", DataTypes.STRING()).option("bucket", "1");
    make("rescaled_diff", rescaled, table -> {
      table.write(row(1, "a"), row(2, "b"), row(3, "c"));
      table.alter(SchemaChange.setOption("bucket", "2"));
      table.overwrite(row(1, "a"), row(2, "b"), row(3, "d"));
      table.write(row(4, "e"));
      table.all("all", Map.of());
      table.changes("diff_after", 2, 3, "diff");
      table.refusedChanges("diff_across", 1, 3, "diff");
    });
    make("partition_overlaid", columns("id", DataTypes.INT(), "p", DataTypes.STRING(), "v", DataTypes.STRING()).partitionKeys("p"), table -> {
      table.write(row(1, "a", "own"));
      // A file without the partition's column, as migrations leave them.
      Scenario flat = new Scenario(catalog, "partition_flat", columns("id", DataTypes.INT(), "v", DataTypes.STRING()).option("bucket", "-1").build(), out, tmp);
      flat.write(row(2, "lacks p"));
      table.adopt(flat, "b", List.of("id", "v"));
      // And one that holds other values there.
      Scenario other = new Scenario(
          catalog, "partition_other", columns("id", DataTypes.INT(), "p", DataTypes.STRING(), "v", DataTypes.STRING()).option("bucket", "-1").build(), out, tmp);
      other.write(row(3, "wrong", "has p"));
      table.adopt(other, "c", null);
      table.all("all", Map.of());
      table.where("by_partition", table.leaf("eq", "p", "c"));
      table.where("by_wrong_value", table.leaf("eq", "p", "wrong"));
      table.where("both", or(table.leaf("eq", "p", "b"), table.leaf("eq", "v", "has p")));
      flat.drop();
      other.drop();
    });
    String external = "/tmp/lakefold-external";
    Schema.Builder elsewhere = columns("id", DataTypes.INT(), "v", DataTypes.STRING())
        .option("data-file.external-paths", "file://" + external)
        .option("data-file.external-paths.strategy", "round-robin");
    make("external_paths", elsewhere, table -> {
      table.write(row(1, "a"), row(2, "b"));
      table.write(row(3, "c"));
      table.all("all", Map.of()).remove("plan");
    });
  }

  /** Filters of row ids. Without data evolution the reference loses rows by them: it takes them for another column. */
  private void rowIds() throws Exception {
    for (boolean evolution : new boolean[] {false, true}) {
      String name = evolution ? "row_ids_evolution" : "row_ids_tracking";
      Schema.Builder tracked = columns("id", DataTypes.INT(), "v", DataTypes.INT()).option("row-tracking.enabled", "true");
      if (evolution) tracked.option("data-evolution.enabled", "true");
      make(name, tracked, table -> {
        for (int commit = 0; commit < 3; commit++) {
          int c = commit;
          table.write(IntStream.range(0, 5).mapToObj(i -> row(100 - c * 5 - i, i)).toArray(GenericRow[]::new));
        }
        if (evolution) {
          new LateColumns(new Dice(1), new RandomValues(new Dice(2)), table.table(), table.tmp()).all(table.nextCommit(), List.of("v"));
        }
        CasePredicate seven = table.rowId("eq", 7L);
        CasePredicate value = CasePredicate.leaf(table.tracked(), "eq", "v", List.of(3));
        table.byRowId("eq", seven);
        table.byRowId("in", table.rowId("in", 1L, 12L, 99L));
        table.byRowId("between", table.rowId("between", 3L, 6L));
        table.byRowId("gt", table.rowId("gt", 12L));
        table.byRowId("lt", table.rowId("lt", 2L));
        table.byRowId("ne", table.rowId("ne", 7L));
        table.byRowId("none", table.rowId("eq", 77L));
        table.byRowId("null", table.rowId("isNull"));
        table.byRowId("or", or(seven, value));
        table.byRowId("or_ids", or(seven, table.rowId("ge", 14L)));
        table.byRowId("and", and(seven, CasePredicate.leaf(table.tracked(), "ge", "id", List.of(90))));
        table.byRowId("never", and(table.rowId("lt", 3L), table.rowId("gt", 5L)));
        table.byRowId("ranges", and(table.rowId("gt", 3L), table.rowId("le", 6L)));
        if (evolution) {
          for (CasePredicate one : List.of(seven, table.rowId("in", 1L, 12L), table.rowId("between", 3L, 6L))) {
            table.planned(table.byRowId("plan_" + one.json().get("op"), one), one);
          }
        }
      });
    }
  }

  private interface Damage {
    void to(Path file) throws IOException;
  }

  private static void rewrite(Path file, UnaryOperator<byte[]> change) throws IOException {
    Files.write(file, change.apply(Files.readAllBytes(file)));
    Files.deleteIfExists(file.resolveSibling("." + file.getFileName() + ".crc"));
  }

  private static byte[] cutTail(byte[] bytes) {
    byte[] out = bytes.clone();
    for (int i = 1; i <= 12; i++) out[out.length - i] = 7;
    return out;
  }

  private static byte[] holed(byte[] bytes) {
    byte[] out = bytes.clone();
    Arrays.fill(out, out.length / 2, out.length / 2 + 900, (byte) 0xff);
    return out;
  }

  /** Files that are lost or damaged, with the options that let them pass and without. */
  private void damaged() throws Exception {
    Map<String, Damage> damages = new LinkedHashMap<>();
    damages.put("lost", Files::delete);
    damages.put("tail", file -> rewrite(file, Scenarios::cutTail));
    damages.put("hole", file -> rewrite(file, Scenarios::holed));
    for (String kind : List.of("append", "merge", "stitch", "raw")) {
      for (String format : kind.equals("append") ? List.of("parquet", "orc", "avro") : List.of("parquet")) {
        for (Map.Entry<String, Damage> damage : damages.entrySet()) {
          boolean hole = damage.getKey().equals("hole");
          if (hole && (!format.equals("parquet") || kind.equals("raw"))) continue;
          damaged(kind, format, damage.getKey(), damage.getValue(), hole ? 500 : 3);
        }
      }
    }
  }

  private void damaged(String kind, String format, String name, Damage damage, int rows) throws Exception {
    boolean keyed = kind.equals("merge") || kind.equals("raw");
    Schema.Builder schema = columns("id", keyed ? DataTypes.INT().notNull() : DataTypes.INT(), "v", DataTypes.STRING())
        .option("file.format", format)
        .option("file.compression", format.equals("avro") ? "null" : "none")
        .option("parquet.enable.dictionary", "false")
        .option("parquet.block.size", "1000");
    if (keyed) schema.primaryKey("id");
    if (kind.equals("stitch")) schema.option("row-tracking.enabled", "true").option("data-evolution.enabled", "true");
    make(name + "_" + kind + "_" + format, schema, table -> {
      for (int commit = 0; commit < 2; commit++) {
        int c = commit;
        GenericRow[] some = IntStream.range(0, rows).mapToObj(i -> row(i + c * (rows - 1), "v" + c + "-" + i)).toArray(GenericRow[]::new);
        if (kind.equals("raw")) table.compact(some);
        else table.write(some);
      }
      if (kind.equals("stitch")) {
        new LateColumns(new Dice(1), new RandomValues(new Dice(2)), table.table(), table.tmp()).all(table.nextCommit(), List.of("id"));
      }
      List<Path> files = table.files();
      damage.to(files.get(kind.equals("stitch") ? 1 : files.size() - 1));
      for (Map.Entry<String, Map<String, String>> asked : FormatScenarios.ASKED.entrySet()) table.allOrError(asked.getKey(), asked.getValue());
    });
  }

  /** ORC files of a writer elsewhere than in UTC, as the reference reads them there. */
  private void instants() throws Exception {
    for (String legacy : List.of("true", "false")) {
      Schema.Builder clocks = columns(
              "id", DataTypes.INT(),
              "ltz3", DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3),
              "ltz6", DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(6),
              "ltz9", DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(9),
              "many", DataTypes.ARRAY(DataTypes.ROW(DataTypes.FIELD(9, "at", DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(6)))),
              "ts", DataTypes.TIMESTAMP(6))
          .option("file.format", "orc")
          .option("orc.timestamp-ltz.legacy.type", legacy);
      make(legacy.equals("true") ? "orc_instants_local" : "orc_instants", clocks, table -> {
        TimeZone.setDefault(TimeZone.getTimeZone("America/New_York"));
        try {
          List<String> times = List.of(
              "2024-01-15T12:00:00.123456", "2024-07-15T12:00:00.5", "2024-11-03T01:30:00", "1969-12-31T23:59:59.25", "1900-01-01T00:00:00");
          List<GenericRow> rows = new ArrayList<>();
          for (String time : times) {
            Timestamp at = Timestamp.fromLocalDateTime(LocalDateTime.parse(time));
            Timestamp short3 = Timestamp.fromEpochMillis(at.getMillisecond());
            rows.add(row(rows.size(), short3, at, at, new GenericArray(new Object[] {GenericRow.of(at), null}), at));
          }
          rows.add(row(rows.size(), null, null, null, null, null));
          table.write(rows.toArray(GenericRow[]::new));
          table.all("all", Map.of());
          Timestamp summer = Timestamp.fromLocalDateTime(LocalDateTime.parse(times.get(1)));
          table.where("eq", table.leaf("eq", "ltz6", summer));
          table.where("lt", table.leaf("lt", "ltz3", summer));
          table.where("ge", table.leaf("ge", "ltz9", summer));
        } finally {
          TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        }
      });
    }
  }

  /** Indexes beside files, or in manifests, that tell rows apart; statistics tell nothing. */
  private void indexes() throws Exception {
    for (boolean embedded : new boolean[] {false, true}) {
      Schema.Builder indexed = columns("id", DataTypes.INT(), "city", DataTypes.STRING(), "n", DataTypes.BIGINT(), "r", DataTypes.INT(), "b", DataTypes.STRING(), "pad", DataTypes.BIGINT())
          .option("file-index.bitmap.columns", "city")
          .option("file-index.bsi.columns", "n")
          .option("file-index.range-bitmap.columns", "r")
          .option("file-index.bloom-filter.columns", "b")
          .option("file-index.bloom-filter.b.items", "100")
          .option("file-index.in-manifest-threshold", embedded ? "1 mb" : "1 b")
          .option("metadata.stats-mode", "none")
          .option("parquet.block.size", "20000")
          .option("parquet.page.row.count.limit", "500")
          .option("deletion-vectors.enabled", "true");
      make(embedded ? "indexed_rows_embedded" : "indexed_rows", indexed, table -> {
        for (int commit = 0; commit < 2; commit++) {
          int c = commit;
          Random random = new Random(c);
          table.write(IntStream.range(0, 8000).mapToObj(i -> row(
                  c * 8000 + i, i % 1000 == 0 ? null : "city" + c + "-" + i / 2000, (long) (i / 100), c * 7 + i / 2000, "b" + c, random.nextLong()))
              .toArray(GenericRow[]::new));
        }
        new Deletes(new Dice(17), table.table()).some(table.nextCommit());
        table.where("bitmap", table.leaf("eq", "city", "city0-1"));
        table.where("bitmap_null", table.leaf("isNull", "city"));
        table.where("bitmap_few", and(table.leaf("eq", "city", "city1-3"), table.leaf("ge", "id", 15990)));
        table.where("bsi", table.leaf("between", "n", 30L, 31L));
        table.where("range_bitmap", table.leaf("gt", "r", 9));
        table.where("bloom", and(table.leaf("eq", "b", "b1"), table.leaf("lt", "n", 3L)));
        table.where("bloom_none", table.leaf("eq", "b", "nothing"));
        table.where("or", or(table.leaf("eq", "n", 5L), table.leaf("eq", "r", 10)));
        table.where("or_unindexed", or(table.leaf("eq", "n", 5L), table.leaf("eq", "id", 12345)));
        table.where("ne", and(table.leaf("ne", "city", "city0-0"), table.leaf("le", "r", 1)));
      });
    }
  }
}
