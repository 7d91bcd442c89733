package lakefold.bench;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Schema;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.Table;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.deletes.BaseDVFileWriter;
import org.apache.iceberg.deletes.EqualityDeleteWriter;
import org.apache.iceberg.deletes.PositionDelete;
import org.apache.iceberg.deletes.PositionDeleteWriter;
import org.apache.iceberg.hadoop.HadoopFileIO;
import org.apache.iceberg.hadoop.HadoopTables;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Types;

/** Makes the tables that need Iceberg's own writer: deletes over lineitem, and the metadata-only planning tables. */
public final class MakeTables {
  private static final Configuration CONF = new Configuration();
  private static final HadoopTables TABLES = new HadoopTables(CONF);

  public static void main(String[] args) throws Exception {
    Path out = Path.of(args[1]).toAbsolutePath();
    switch (args[0]) {
      case "deletes" -> {
        deletes(Path.of(args[2]), out.resolve("lineitem_dv"), "dv");
        deletes(Path.of(args[2]), out.resolve("lineitem_pos"), "pos");
        deletes(Path.of(args[2]), out.resolve("lineitem_eq"), "eq");
      }
      case "plan" -> plan(out.resolve(args[2]), Integer.parseInt(args[3]), Integer.parseInt(args[4]), args.length > 5);
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  static Table open(String metadata) {
    return new BaseTable(new StaticTableOperations(metadata, new HadoopFileIO(CONF)), "t");
  }

  /** The same data files under a table of its own, with one row in a hundred deleted. */
  private static void deletes(Path lineitemMetadata, Path location, String kind) throws Exception {
    Table source = open("file:" + lineitemMetadata);
    Map<String, String> props = new HashMap<>();
    props.put("format-version", kind.equals("dv") ? "3" : "2");
    Table table = TABLES.create(source.schema(), PartitionSpec.unpartitioned(), props, "file:" + location);
    AppendFiles append = table.newAppend();
    List<DataFile> files = new ArrayList<>();
    try (CloseableIterable<FileScanTask> tasks = source.newScan().includeColumnStats().planFiles()) {
      for (FileScanTask task : tasks) {
        files.add(task.file().copy());
      }
    }
    files.forEach(append::appendFile);
    append.commit();

    OutputFileFactory factory = OutputFileFactory.builderFor(table, 1, 1)
        .format(kind.equals("dv") ? FileFormat.PUFFIN : FileFormat.PARQUET).suffix("deletes").build();
    RowDelta delta = table.newRowDelta();
    if (kind.equals("dv")) {
      BaseDVFileWriter writer = new BaseDVFileWriter(factory, path -> null);
      for (DataFile file : files) {
        for (long pos = 37; pos < file.recordCount(); pos += 100) {
          writer.delete(file.location(), pos, table.spec(), null);
        }
      }
      writer.close();
      writer.result().deleteFiles().forEach(delta::addDeletes);
    } else if (kind.equals("pos")) {
      for (DataFile file : files) {
        PositionDeleteWriter<Record> writer = Parquet.writeDeletes(factory.newOutputFile())
            .createWriterFunc(GenericParquetWriter::create).withSpec(table.spec()).buildPositionWriter();
        PositionDelete<Record> delete = PositionDelete.create();
        for (long pos = 37; pos < file.recordCount(); pos += 100) {
          writer.write(delete.set(file.location(), pos));
        }
        writer.close();
        delta.addDeletes(writer.toDeleteFile());
      }
    } else {
      int orderkey = table.schema().findField("l_orderkey").fieldId();
      int linenumber = table.schema().findField("l_linenumber").fieldId();
      Schema keys = table.schema().select("l_orderkey", "l_linenumber");
      EqualityDeleteWriter<Record> writer = Parquet.writeDeletes(factory.newOutputFile())
          .createWriterFunc(GenericParquetWriter::create).withSpec(table.spec()).rowSchema(keys)
          .equalityFieldIds(orderkey, linenumber).buildEqualityWriter();
      long row = 0;
      try (CloseableIterable<Record> records =
          IcebergGenerics.read(source).select("l_orderkey", "l_linenumber").build()) {
        for (Record record : records) {
          if (row++ % 100 == 37) {
            GenericRecord key = GenericRecord.create(keys);
            key.setField("l_orderkey", record.getField("l_orderkey"));
            key.setField("l_linenumber", record.getField("l_linenumber"));
            writer.write(key);
          }
        }
      }
      writer.close();
      delta.addDeletes(writer.toDeleteFile());
    }
    delta.commit();
    System.out.println(location + " " + kind);
  }

  /** Metadata only: manifests x files, partitioned by day, twelve columns with full bounds. */
  private static void plan(Path location, int manifests, int filesEach, boolean withDeletes) throws Exception {
    Schema schema = new Schema(
        Types.NestedField.required(1, "id", Types.LongType.get()),
        Types.NestedField.required(2, "user_id", Types.LongType.get()),
        Types.NestedField.required(3, "ts", Types.TimestampType.withZone()),
        Types.NestedField.optional(4, "country", Types.StringType.get()),
        Types.NestedField.optional(5, "city", Types.StringType.get()),
        Types.NestedField.optional(6, "url", Types.StringType.get()),
        Types.NestedField.optional(7, "price", Types.DecimalType.of(12, 2)),
        Types.NestedField.optional(8, "quantity", Types.IntegerType.get()),
        Types.NestedField.optional(9, "score", Types.DoubleType.get()),
        Types.NestedField.optional(10, "active", Types.BooleanType.get()),
        Types.NestedField.optional(11, "day", Types.DateType.get()),
        Types.NestedField.optional(12, "note", Types.StringType.get()));
    PartitionSpec spec = PartitionSpec.builderFor(schema).day("ts").build();
    Map<String, String> props = new HashMap<>();
    props.put("format-version", "2");
    props.put("commit.manifest-merge.enabled", "false");
    props.put("write.metadata.delete-after-commit.enabled", "true");
    props.put("write.metadata.previous-versions-max", "2");
    Table table = TABLES.create(schema, spec, props, "file:" + location);
    Random random = new Random(7);
    long dayMicros = 86_400_000_000L;
    for (int m = 0; m < manifests; m++) {
      int day = 19_000 + m;
      AppendFiles append = table.newFastAppend();
      for (int f = 0; f < filesEach; f++) {
        Map<Integer, Long> counts = new HashMap<>();
        Map<Integer, Long> nulls = new HashMap<>();
        Map<Integer, Long> nans = new HashMap<>();
        Map<Integer, ByteBuffer> lower = new HashMap<>();
        Map<Integer, ByteBuffer> upper = new HashMap<>();
        long rows = 100_000;
        for (int id = 1; id <= 12; id++) {
          counts.put(id, rows);
          nulls.put(id, id > 3 ? 17L : 0L);
        }
        nans.put(9, 0L);
        long first = ((long) m * filesEach + f) * rows;
        long user = f * 1000L;
        bound(lower, upper, 1, Types.LongType.get(), first, first + rows - 1);
        bound(lower, upper, 2, Types.LongType.get(), user, user + 999L);
        bound(lower, upper, 3, Types.TimestampType.withZone(), day * dayMicros, day * dayMicros + dayMicros - 1);
        bound(lower, upper, 4, Types.StringType.get(), "argentina", "zimbabwe");
        bound(lower, upper, 5, Types.StringType.get(), "aachen" + f, "zurich" + f);
        bound(lower, upper, 6, Types.StringType.get(), "https://example/", "https://exampl0");
        bound(lower, upper, 7, Types.DecimalType.of(12, 2), new java.math.BigDecimal("0.01"), new java.math.BigDecimal("99999.99"));
        bound(lower, upper, 8, Types.IntegerType.get(), 1, 500 + f);
        bound(lower, upper, 9, Types.DoubleType.get(), random.nextDouble(), 1 + random.nextDouble());
        bound(lower, upper, 10, Types.BooleanType.get(), false, true);
        bound(lower, upper, 11, Types.DateType.get(), day, day);
        bound(lower, upper, 12, Types.StringType.get(), "a note of " + f, "z note of " + f);
        String dir = location + "/data/ts_day=" + java.time.LocalDate.ofEpochDay(day);
        append.appendFile(DataFiles.builder(spec)
            .withPath("file:" + dir + "/" + String.format("%05d-%d-0a5c6f7e-data.parquet", f, m))
            .withFormat(FileFormat.PARQUET)
            .withPartitionPath("ts_day=" + java.time.LocalDate.ofEpochDay(day))
            .withFileSizeInBytes(134_217_728L + f)
            .withMetrics(new Metrics(rows, null, counts, nulls, nans, lower, upper))
            .withSplitOffsets(List.of(4L))
            .build());
      }
      append.commit();
    }
    if (withDeletes) {
      RowDelta delta = table.newRowDelta();
      for (int m = 0; m < manifests; m++) {
        int day = 19_000 + m;
        String partition = "ts_day=" + java.time.LocalDate.ofEpochDay(day);
        delta.addDeletes(FileMetadata.deleteFileBuilder(spec)
            .ofPositionDeletes()
            .withPath("file:" + location + "/data/" + partition + "/deletes-" + m + ".parquet")
            .withFormat(FileFormat.PARQUET)
            .withPartitionPath(partition)
            .withFileSizeInBytes(40_000)
            .withRecordCount(1_000)
            .build());
      }
      delta.commit();
    }
    System.out.println(location + " " + manifests + "x" + filesEach);
  }

  private static void bound(Map<Integer, ByteBuffer> lower, Map<Integer, ByteBuffer> upper, int id,
      org.apache.iceberg.types.Type type, Object low, Object high) {
    lower.put(id, Conversions.toByteBuffer(type, low));
    upper.put(id, Conversions.toByteBuffer(type, high));
  }
}
