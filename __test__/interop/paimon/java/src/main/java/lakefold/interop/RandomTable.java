package lakefold.interop;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeRoot;
import org.apache.paimon.types.DataTypes;

/** A random table: its schema and options, and what its rows may be. */
final class RandomTable {
  final Dice dice;
  final RandomTypes types;
  final Map<String, String> options = new LinkedHashMap<>();
  final Map<String, DataType> columns = new LinkedHashMap<>();
  final List<String> keys = new ArrayList<>();
  final List<String> partitions = new ArrayList<>();
  final Map<String, String> functions = new HashMap<>();
  /** Columns whose order of elements is that of a hash table. */
  final Set<String> unordered = new HashSet<>();
  final boolean primaryKey;
  /** Keys of many rows in several overlapping Parquet files, for readers that cut merges. */
  final boolean merges;
  /** A key's row may move to another partition: the key does not hold the partition. */
  final boolean crossPartition;
  String engine = "";
  boolean retracts;
  boolean dynamicBucket;
  /** How many buckets rows of `bucket-postpone` are moved to; 0: the table has no such bucket. */
  int postponed;

  RandomTable(Dice dice, boolean merges) {
    this.dice = dice;
    this.merges = merges;
    this.primaryKey = merges || dice.chance(0.75);
    List<String> formats = formats();
    this.types = new RandomTypes(dice, formats);
    this.crossPartition = primaryKey && dice.chance(0.08);
    if (dice.chance(merges ? 0.15 : 0.4)) partition("p0", types.partition());
    if (!partitions.isEmpty() && dice.chance(0.3)) partition("p1", types.partition());
    if (primaryKey) primaryKeyColumns();
    else appendColumns();
    files();
  }

  private void partition(String name, DataType type) {
    partitions.add(name);
    columns.put(name, primaryKey && !crossPartition ? type.notNull() : type);
    if (primaryKey && !crossPartition) keys.add(name);
  }

  private List<String> formats() {
    String format = merges ? "parquet" : dice.of("parquet", "parquet", "orc", "avro");
    options.put("file.format", format);
    List<String> formats = new ArrayList<>(List.of(format));
    if (primaryKey && !merges && dice.chance(0.25)) {
      String first = dice.of("parquet", "orc", "avro");
      String last = dice.of("parquet", "orc", "avro");
      options.put("file.format.per.level", "0:" + first + ",5:" + last);
      formats.add(first);
      formats.add(last);
    }
    return formats;
  }

  private void primaryKeyColumns() {
    int width = merges ? dice.of(1, 1, 2, 2, 3) : dice.of(1, 1, 1, 2, 3);
    for (int i = 0; i < width; i++) {
      columns.put("k" + i, types.key().notNull());
      keys.add("k" + i);
    }
    engine = dice.of("deduplicate", "partial-update", "partial-update", "aggregation", "aggregation", "first-row");
    options.put("merge-engine", engine);
    retracts = dice.chance(0.6);
    switch (engine) {
      case "partial-update" -> partialUpdate();
      case "aggregation" -> aggregation();
      default -> plain();
    }
    dynamicBucket = (crossPartition && !partitions.isEmpty()) || dice.chance(0.15);
    if (!dynamicBucket && dice.chance(0.1)) postponed = dice.of(1, 2, 3);
    options.put("bucket", dynamicBucket ? "-1" : postponed > 0 ? "-2" : merges ? "1" : dice.of("1", "1", "2", "4"));
    if (!dynamicBucket && width > 1 && dice.chance(0.3)) options.put("bucket-key", dice.of("k0", "k1", "k1,k0"));
    String key = options.getOrDefault("bucket-key", width == 1 ? "k0" : "");
    DataType hashed = columns.get(key);
    if (!dynamicBucket && postponed == 0 && hashed != null && hashed.isAnyOf(DataTypeRoot.INTEGER, DataTypeRoot.BIGINT) && dice.chance(0.4)) {
      options.put("bucket-function.type", "mod");
    }
    producer();
    if (dice.chance(0.2)) options.put("data-file.thin-mode", "true");
  }

  private void plain() {
    values(dice.between(1, 7));
    if (engine.equals("first-row")) {
      if (dice.chance(0.5)) options.put("ignore-delete", "true");
      else retracts = false;
      return;
    }
    if (dice.chance(0.2)) options.put("ignore-delete", "true");
    if (dice.chance(0.2)) options.put("ignore-update-before", "true");
    sequence(0.4);
  }

  private void sequence(double probability) {
    if (!dice.chance(probability)) return;
    int count = dice.of(1, 1, 2);
    List<String> names = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      columns.put("seq" + i, types.ordered());
      names.add("seq" + i);
    }
    options.put("sequence.field", String.join(",", names));
    if (dice.chance(0.4)) options.put("sequence.field.sort-order", "descending");
  }

  private void values(int count) {
    for (int i = 0; i < count; i++) columns.put("v" + i, dice.chance(0.1) ? types.any(2).notNull() : types.any(2));
  }

  private void partialUpdate() {
    if (dice.chance(0.6)) {
      groups();
      return;
    }
    values(dice.between(1, 7));
    if (dice.chance(0.3)) options.put("fields.default-aggregate-function", "last_non_null_value");
    switch (dice.below(3)) {
      case 0 -> options.put("ignore-delete", "true");
      case 1 -> options.put("partial-update.remove-record-on-delete", "true");
      default -> retracts = false;
    }
    sequence(0.3);
  }

  private void groups() {
    Aggregates aggregates = new Aggregates(dice, types);
    int groups = dice.between(1, 3);
    List<String> firsts = new ArrayList<>();
    for (int g = 0; g < groups; g++) {
      List<String> sequence = new ArrayList<>();
      for (int i = dice.of(1, 1, 2); i > 0; i--) sequence.add("g" + g + "s" + i);
      List<String> members = new ArrayList<>();
      List<String> late = dice.chance(0.5) ? sequence : List.of();
      if (late.isEmpty()) for (String name : sequence) columns.put(name, types.ordered());
      for (int i = dice.between(1, 3); i > 0; i--) {
        String name = "g" + g + "v" + i;
        members.add(name);
        if (dice.chance(0.5)) aggregate(aggregates, name, dice.of(Aggregates.ALL));
        else columns.put(name, types.any(1));
      }
      for (String name : late) columns.put(name, types.ordered());
      options.put("fields." + String.join(",", sequence) + ".sequence-group", String.join(",", members));
      firsts.add(dice.of(sequence));
    }
    values(dice.between(0, 2));
    switch (dice.below(4)) {
      case 0 -> options.put("ignore-delete", "true");
      case 1 -> options.put("partial-update.remove-record-on-sequence-group", dice.of(firsts));
      default -> {}
    }
  }

  private void aggregate(Aggregates aggregates, String name, String function) {
    DataType type = aggregates.type(function);
    columns.put(name, type);
    functions.put(name, function);
    boolean ignore = retracts && (!Aggregates.RETRACTS.contains(function) || dice.chance(0.2));
    aggregates.options(name, function, ignore, options);
    boolean distinct = function.equals("collect") && options.containsKey("fields." + name + ".distinct");
    if (distinct || function.startsWith("nested_")) unordered.add(name);
  }

  private void aggregation() {
    Aggregates aggregates = new Aggregates(dice, types);
    boolean remove = retracts && dice.chance(0.25);
    if (remove) options.put("aggregation.remove-record-on-delete", "true");
    boolean before = retracts;
    // A record that is removed takes no field that leaves retractions out.
    if (remove) retracts = false;
    int count = dice.between(1, 8);
    for (int i = 0; i < count; i++) aggregate(aggregates, "v" + i, dice.of(Aggregates.ALL));
    if (dice.chance(0.3)) columns.put("plain", types.any(1));
    if (dice.chance(0.2)) options.put("fields.default-aggregate-function", dice.of("last_value", "first_value"));
    if (remove) onlyDeletes = true;
    retracts = before;
    sequence(0.3);
  }

  /** Whether `-U` rows are left out, that functions cannot take. */
  boolean onlyDeletes;

  private void producer() {
    if (postponed > 0) return;
    boolean lookup = dice.chance(engine.equals("first-row") ? 0.6 : 0.3);
    boolean vectors = !engine.equals("first-row") && dice.chance(0.25);
    if (vectors) {
      options.put("deletion-vectors.enabled", "true");
      if (dice.chance(0.3)) options.put("deletion-vectors.bitmap64", "true");
    }
    String producer = engine.equals("first-row") || vectors
        ? dice.of("none", "lookup")
        : engine.equals("deduplicate") ? dice.of("none", "input", "lookup", "full-compaction") : dice.of("none", "lookup", "full-compaction");
    if (lookup) options.put("changelog-producer", producer);
  }

  private void appendColumns() {
    values(dice.between(1, 9));
    columns.put("id", DataTypes.INT());
    String bucket = dice.of("-1", "-1", "1", "3");
    options.put("bucket", bucket);
    if (!bucket.equals("-1")) {
      columns.put("b0", types.ordered());
      options.put("bucket-key", dice.of("id", "b0", "b0,id"));
    } else if (dice.chance(0.35)) {
      options.put("row-tracking.enabled", "true");
      if (dice.chance(0.6)) options.put("data-evolution.enabled", "true");
    }
    if (!dataEvolution() && dice.chance(0.3)) {
      options.put("deletion-vectors.enabled", "true");
      if (dice.chance(0.4)) options.put("deletion-vectors.bitmap64", "true");
    }
    index();
  }

  private void index() {
    for (String kind : List.of("bloom-filter", "bitmap", "bsi", "range-bitmap")) {
      if (!dice.chance(0.25)) continue;
      List<String> able = columns.entrySet().stream()
          .filter(column -> switch (column.getValue().getTypeRoot()) {
            case TINYINT, SMALLINT, INTEGER, BIGINT, DATE -> true;
            case CHAR, VARCHAR, BOOLEAN, FLOAT, DOUBLE -> !kind.equals("bsi");
            case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> true;
            case DECIMAL -> kind.equals("bsi");
            default -> false;
          })
          .map(Map.Entry::getKey)
          .toList();
      if (!able.isEmpty()) options.put("file-index." + kind + ".columns", String.join(",", dice.some(able, 2)));
    }
    if (dice.chance(0.5)) options.put("file-index.in-manifest-threshold", dice.of("1 kb", "1 mb", "1 b"));
  }

  private void files() {
    String first = options.get("file.format");
    if (dice.chance(0.5)) {
      // A codec of one format may be unknown to another.
      boolean one = !options.containsKey("file.format.per.level");
      options.put("file.compression", !one ? "zstd" : first.equals("avro") ? dice.of("zstd", "snappy", "null", "deflate") : dice.of("zstd", "lz4", "snappy", "none"));
    }
    if (dice.chance(0.4)) options.put("parquet.enable.dictionary", "false");
    if (dice.chance(0.3)) options.put("parquet.page.row.count.limit", dice.of("3", "17"));
    if (dice.chance(0.2)) options.put("parquet.block.size", "1000");
    if (dice.chance(0.3)) options.put("orc.row.index.stride", "1000");
    if (dice.chance(0.3)) options.put("write.batch-size", dice.of("1", "7", "64"));
    // Columns that are written later must be one file for each that they belong to.
    if (!dataEvolution() && dice.chance(0.4)) options.put("target-file-size", dice.of("1 b", "4 kb"));
    if (dice.chance(0.4)) options.put("metadata.stats-mode", dice.of("none", "counts", "full", "truncate(2)"));
    if (dice.chance(0.2)) options.put("metadata.stats-dense-store", "false");
    if (dice.chance(0.2)) options.put("manifest.format", dice.of("orc", "parquet"));
    if (dice.chance(0.2)) options.put("manifest.merge-min-count", "2");
    if (dice.chance(0.2)) options.put("partition.legacy-name", "false");
    if (dice.chance(0.3)) options.put("num-sorted-run.compaction-trigger", dice.of("2", "3"));
    if (dice.chance(0.3)) options.put("num-levels", dice.of("3", "4"));
    if (dice.chance(merges ? 0.05 : 0.3)) options.put("source.split.target-size", dice.of("1 b", "5 kb"));
    if (dice.chance(0.3)) options.put("source.split.open-file-cost", dice.of("1 b", "1 kb"));
    options.put("read.batch-size", "64");
    options.put("write-buffer-size", "4 mb");
    options.put("page-size", "64 kb");
    options.put("snapshot.num-retained.min", "1000");
  }

  boolean dataEvolution() {
    return options.containsKey("data-evolution.enabled");
  }

  /** Whether rows of files are hidden by deletion vectors that are written apart. */
  boolean deletesRows() {
    return !primaryKey && options.containsKey("deletion-vectors.enabled");
  }

  /** Whether some files may be ORC. */
  boolean mayBeOrc() {
    return (options.get("file.format") + options.get("file.format.per.level")).contains("orc");
  }

  /** Whether rows are ordered by a column. */
  boolean isSequence(String name) {
    return List.of(options.getOrDefault("sequence.field", "").split(",")).contains(name);
  }

  /** Whether batch reads see only what was compacted, as changes then lose what was not. */
  boolean skipsLevel0() {
    return primaryKey && (engine.equals("first-row") || options.containsKey("deletion-vectors.enabled"));
  }

  /**
   * Whether a row that is late or ignored may change a merged row that keeps its place in the order, which the reference may take for unchanged; or
   * maps are merged, whose entries it compares in the order of a hash table, which is another when they are read from a file.
   */
  boolean losesDifferences() {
    if (functions.values().stream().anyMatch(function -> function.startsWith("merge_map"))) return true;
    if (engine.equals("partial-update") && options.containsKey("ignore-delete")) return true;
    return options.containsKey("sequence.field") && (engine.equals("partial-update") || engine.equals("aggregation"));
  }

  /** Whether a selection without a group's fields leaves out what deletes rows: the reference then returns them. */
  boolean selectionsMatter() {
    return options.containsKey("partial-update.remove-record-on-sequence-group");
  }

  /** Fields that partitions and buckets can be pruned by. */
  Set<String> pruned() {
    Set<String> names = new HashSet<>(partitions);
    names.addAll(List.of(options.getOrDefault("bucket-key", String.join(",", keys)).split(",")));
    return names;
  }

  Schema schema() {
    Schema.Builder builder = Schema.newBuilder();
    // Columns in random order: keys need not come first.
    List<String> names = dice.chance(0.5) ? new ArrayList<>(columns.keySet()) : dice.some(new ArrayList<>(columns.keySet()), columns.size());
    for (String name : names) builder.column(name, columns.get(name));
    return builder.primaryKey(keys).partitionKeys(partitions).options(options).build();
  }
}
