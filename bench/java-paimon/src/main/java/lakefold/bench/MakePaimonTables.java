package lakefold.bench;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.apache.paimon.data.BinaryArray;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.BinaryRowWriter;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.io.CompactIncrement;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.io.DataIncrement;
import org.apache.paimon.manifest.FileSource;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaManager;
import org.apache.paimon.stats.SimpleStats;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.types.DataTypes;

/** Makes the Paimon tables by Paimon's own writer: `<warehouse folder> <name>`. */
public final class MakePaimonTables {
  private static final int RUNS = 5;
  private static final int ROWS = 1_000_000;
  /** Each run draws a third of the keys, so that about 2.6 million of them are in some run. */
  private static final int KEYS = 3_000_000;

  private static final Map<String, String> WRITE_ONLY = Map.of("write-only", "true", "num-sorted-run.compaction-trigger",
      "100", "num-sorted-run.stop-trigger", "200");

  public static void main(String[] args) throws Exception {
    Path path = new Path(args[0] + "/bench.db/" + args[1]);
    switch (args[1]) {
      case "pk_merge" -> runs(create(path, true, WRITE_ONLY));
      // All keys in one bucket.
      case "pk_one" -> {
        Map<String, String> options = new LinkedHashMap<>(WRITE_ONLY);
        options.put("bucket", "1");
        runs(create(path, true, options));
      }
      case "pk_dv" -> runs(create(path, true, Map.of("deletion-vectors.enabled", "true")));
      // The Iceberg metadata beside the table lets an Iceberg reader read the same files.
      case "append" -> runs(create(path, false, Map.of("metadata.iceberg.storage", "table-location")));
      case "plan_100k" -> plan(path, 200, 500);
      default -> throw new IllegalArgumentException(args[1]);
    }
  }

  static FileStoreTable open(String location) {
    return FileStoreTableFactory.create(LocalFileIO.create(), new Path(location));
  }

  private static FileStoreTable create(Path path, boolean keyed, Map<String, String> more) throws Exception {
    Map<String, String> options = new LinkedHashMap<>(more);
    options.put("file.format", "parquet");
    options.putIfAbsent("bucket", keyed ? "8" : "-1");
    Schema.Builder schema = Schema.newBuilder()
        .column("id", DataTypes.BIGINT().notNull())
        .column("customer", DataTypes.INT())
        .column("amount", DataTypes.DECIMAL(12, 2))
        .column("score", DataTypes.DOUBLE())
        .column("state", DataTypes.STRING())
        .column("note", DataTypes.STRING())
        .column("changed", DataTypes.TIMESTAMP(3))
        .options(options);
    if (keyed) {
      schema.primaryKey("id");
    }
    new SchemaManager(LocalFileIO.create(), path).createTable(schema.build());
    return open(path.toString());
  }

  /** Five commits of a million rows each, whose keys overlap. */
  private static void runs(FileStoreTable table) throws Exception {
    BinaryString[] states = new BinaryString[40];
    for (int i = 0; i < states.length; i++) {
      states[i] = BinaryString.fromString("state-" + i);
    }
    for (int run = 0; run < RUNS; run++) {
      int[] keys = shuffled(new Random(run));
      Random random = new Random(100 + run);
      BatchWriteBuilder builder = table.newBatchWriteBuilder();
      try (BatchTableWrite write = builder.newWrite(); BatchTableCommit commit = builder.newCommit()) {
        write.withIOManager(IOManager.create(System.getProperty("java.io.tmpdir")));
        for (int i = 0; i < ROWS; i++) {
          boolean blank = random.nextInt(50) == 0;
          write.write(GenericRow.of(
              (long) keys[i] * 7,
              random.nextInt(100_000),
              blank ? null : Decimal.fromUnscaledLong(random.nextInt(100_000_000), 12, 2),
              random.nextDouble(),
              states[random.nextInt(states.length)],
              BinaryString.fromString("note " + Long.toHexString(random.nextLong())),
              Timestamp.fromEpochMillis(1_700_000_000_000L + run * 86_400_000L + i)));
        }
        commit.commit(write.prepareCommit());
      }
    }
  }

  /** A third of the keys, in an order of their own. */
  private static int[] shuffled(Random random) {
    int[] keys = new int[KEYS];
    for (int i = 0; i < KEYS; i++) {
      keys[i] = i;
    }
    for (int i = 0; i < ROWS; i++) {
      int other = i + random.nextInt(KEYS - i);
      int key = keys[i];
      keys[i] = keys[other];
      keys[other] = key;
    }
    return keys;
  }

  /** Metadata only: a primary-key table of 128 buckets, the files of each commit spread over all of them. */
  private static void plan(Path path, int commits, int filesEach) throws Exception {
    new SchemaManager(LocalFileIO.create(), path).createTable(Schema.newBuilder()
        .column("id", DataTypes.BIGINT().notNull())
        .column("name", DataTypes.STRING())
        .column("amount", DataTypes.DECIMAL(12, 2))
        .column("quantity", DataTypes.INT())
        .column("changed", DataTypes.TIMESTAMP(3))
        .primaryKey("id")
        .option("bucket", "128")
        .option("write-only", "true")
        .option("file.format", "parquet")
        .build());
    FileStoreTable table = open(path.toString());
    for (int c = 0; c < commits; c++) {
      List<CommitMessage> messages = new ArrayList<>();
      for (int f = 0; f < filesEach; f++) {
        long number = ((long) c * filesEach + f) * 1_000;
        // As hashing leaves them: the keys of each file lie all over.
        long low = f;
        long high = 10_000_000L + f;
        SimpleStats keys = new SimpleStats(key(low), key(high), nulls(1));
        SimpleStats values = new SimpleStats(row(low, f, false), row(high, f, true), nulls(5));
        DataFileMeta file = DataFileMeta.create(
            "data-" + UUID.nameUUIDFromBytes((c + "/" + f).getBytes()) + "-0.parquet", 64_000 + f, 1_000,
            key(low), key(high), keys, values, number, number + 999, 0, 0, List.of(), 0L, null,
            FileSource.APPEND, null, null, null, null);
        messages.add(new CommitMessageImpl(BinaryRow.EMPTY_ROW, (c * 37 + f) % 128, 128,
            new DataIncrement(List.of(file), List.of(), List.of()), CompactIncrement.emptyIncrement()));
      }
      try (BatchTableCommit commit = table.newBatchWriteBuilder().newCommit()) {
        commit.commit(messages);
      }
    }
  }

  private static BinaryRow key(long id) {
    BinaryRow row = new BinaryRow(1);
    BinaryRowWriter writer = new BinaryRowWriter(row);
    writer.writeLong(0, id);
    writer.complete();
    return row;
  }

  private static BinaryRow row(long id, int f, boolean high) {
    BinaryRow row = new BinaryRow(5);
    BinaryRowWriter writer = new BinaryRowWriter(row);
    writer.writeLong(0, id);
    writer.writeString(1, BinaryString.fromString((high ? "zimbabwe " : "argentina ") + f));
    writer.writeDecimal(2, Decimal.fromBigDecimal(new BigDecimal(high ? "99999.99" : "0.01"), 12, 2), 12);
    writer.writeInt(3, high ? 500 + f : 1);
    writer.writeTimestamp(4, Timestamp.fromEpochMillis(1_700_000_000_000L + id), 3);
    writer.complete();
    return row;
  }

  private static BinaryArray nulls(int fields) {
    Long[] counts = new Long[fields];
    java.util.Arrays.fill(counts, 0L);
    return BinaryArray.fromLongArray(counts);
  }
}
