package lakefold.interop;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.FormatTable;
import org.apache.paimon.table.format.FormatDataSplit;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.types.DataTypes;

/** Format tables with a damaged file, with the options that let damage pass and without. */
final class FormatScenarios {
  /** What is asked of damaged tables: no failure may pass, or some may. */
  static final Map<String, Map<String, String>> ASKED = new LinkedHashMap<>();

  static {
    String corrupt = "scan.ignore-corrupt-files";
    String lost = "scan.ignore-lost-files";
    ASKED.put("none", Map.of());
    ASKED.put("corrupt", Map.of(corrupt, "true"));
    ASKED.put("lost", Map.of(lost, "true"));
    ASKED.put("both", Map.of(corrupt, "true", lost, "true"));
  }

  private final Path out;
  private final String tmp;
  private final List<String> wanted;

  FormatScenarios(Path out, String tmp, List<String> wanted) {
    this.out = out;
    this.tmp = tmp;
    this.wanted = wanted;
  }

  void run() throws Exception {
    Files.createDirectories(out.resolve("format-schemas"));
    for (String format : List.of("parquet", "orc")) {
      columnar(format, "tail", FormatScenarios::tail);
      columnar(format, "hole", FormatScenarios::hole);
      columnar(format, "start", FormatScenarios::start);
    }
    lines("json", "line", "", "{\"id\":2,\"v\":", Map.of(), UnaryOperator.identity());
    lines("csv", "line", "", "two,v2", Map.of("csv.mode", "failfast"), UnaryOperator.identity());
    for (String format : List.of("csv", "json", "text")) {
      lines(format, "gzip", ".gz", null, Map.of(), bytes -> Arrays.copyOf(gzip(bytes), gzip(bytes).length / 2));
      lines(format, "plain", ".gz", null, Map.of(), UnaryOperator.identity());
    }
  }

  private static byte[] tail(byte[] bytes) {
    byte[] damaged = bytes.clone();
    Arrays.fill(damaged, damaged.length - 12, damaged.length, (byte) 7);
    return damaged;
  }

  private static byte[] hole(byte[] bytes) {
    byte[] damaged = bytes.clone();
    Arrays.fill(damaged, damaged.length / 2, damaged.length / 2 + 900, (byte) 0xff);
    return damaged;
  }

  /** The first rows, behind the magic bytes. */
  private static byte[] start(byte[] bytes) {
    byte[] damaged = bytes.clone();
    Arrays.fill(damaged, 4, 400, (byte) 0xff);
    return damaged;
  }

  private static byte[] gzip(byte[] bytes) {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    try (OutputStream zip = new GZIPOutputStream(file)) {
      zip.write(bytes);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return file.toByteArray();
  }

  private void columnar(String format, String damage, UnaryOperator<byte[]> change) throws Exception {
    Map<String, String> options = Map.of(
        "file.compression", format.equals("orc") ? "zlib" : "none",
        "parquet.enable.dictionary", "false",
        "parquet.block.size", "1000",
        "orc.stripe.size", "1",
        "orc.stripe.row.count", "1000",
        "orc.rows.between.memory.checks", "1000");
    make(damage + "_format_" + format, format, options, false, (table, folder) -> {
      for (int file = 0; file < 2; file++) write(table, file * 2000, 2000);
      Path last = files(folder).get(1);
      Files.write(last, change.apply(Files.readAllBytes(last)));
    });
  }

  /** Two files of lines: the first is whole, the second has `bad` for its third line, where there is one, and what `change` makes of it. */
  private void lines(String format, String damage, String ending, String bad, Map<String, String> options, UnaryOperator<byte[]> change)
      throws Exception {
    make(damage + "_format_" + format, format, options, format.equals("text"), (table, folder) -> {
      for (int file = 0; file < 2; file++) {
        int from = file * 300;
        String text = IntStream.range(from, from + 300)
            .mapToObj(i -> bad != null && i == 302 ? bad : line(format, i))
            .collect(Collectors.joining("\n", "", "\n"));
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        byte[] whole = ending.isEmpty() ? bytes : gzip(bytes);
        Files.write(folder.resolve("data-" + file + "." + format + ending), file == 0 ? whole : change.apply(bytes));
      }
    });
  }

  private static String line(String format, int i) {
    return switch (format) {
      case "csv" -> i + ",v" + i;
      case "json" -> "{\"id\":" + i + ",\"v\":\"v" + i + "\"}";
      default -> "v" + i;
    };
  }

  private interface Story {
    void tell(FormatTable table, Path folder) throws Exception;
  }

  private void make(String name, String format, Map<String, String> options, boolean oneColumn, Story story) throws Exception {
    if (!wanted.isEmpty() && !wanted.contains(name)) return;
    Schema.Builder builder = Schema.newBuilder().option("type", "format-table").option("file.format", format);
    options.forEach(builder::option);
    if (!oneColumn) builder.column("id", DataTypes.INT());
    TableSchema schema = TableSchema.create(0, builder.column("v", DataTypes.STRING()).build());
    Files.writeString(out.resolve("format-schemas").resolve(name + ".json"), schema + "\n");
    Path folder = out.resolve("warehouse/fx.db").resolve(name);
    Files.createDirectories(folder);
    FormatTable table = FormatTable.builder()
        .fileIO(LocalFileIO.create())
        .identifier(Identifier.create("fx", name))
        .rowType(schema.logicalRowType())
        .partitionKeys(List.of())
        .location(folder.toUri().toString())
        .format(FormatTable.parseFormat(format))
        .options(schema.options())
        .catalogContext(CatalogContext.create(new org.apache.paimon.fs.Path(out.resolve("warehouse").toUri())))
        .build();
    story.tell(table, folder);
    CaseFile cases = new CaseFile(name, out, List.of());
    for (Map.Entry<String, Map<String, String>> asked : ASKED.entrySet()) all(cases, folder, table, asked.getKey(), asked.getValue());
    // With its files lost after they were listed, it is an error whatever is asked for.
    lost(table, folder);
    cases.write();
  }

  private void all(CaseFile cases, Path folder, FormatTable plain, String label, Map<String, String> options) throws Exception {
    FormatTable table = plain.copy(options);
    ReadBuilder builder = table.newReadBuilder();
    List<Split> splits = new ArrayList<>(builder.newScan().plan().splits());
    Map<String, Object> scan = options.isEmpty() ? Scenario.members() : Scenario.members("options", options);
    try {
      List<InternalRow> rows = CaseFile.read(builder.newRead(), splits, table.rowType(), tmp);
      Map<String, Object> plan = Scenario.members("snapshotId", null, "splits", splits.stream().map(split -> planned(folder, split)).toList());
      cases.put(label, "format", scan, table.rowType(), CaseFile.encoded(rows, table.rowType(), false)).put("plan", plan);
    } catch (IOException | RuntimeException e) {
      cases.error(label, scan, table.rowType(), e);
    }
  }

  private static Map<String, Object> planned(Path folder, Split split) {
    FormatDataSplit one = (FormatDataSplit) split;
    String file = folder.relativize(Path.of(one.dataPath().toUri().getPath())).toString();
    long length = one.length() == null ? one.fileSize() : one.length();
    return Scenario.members("partition", Map.of(), "file", file, "fileSize", one.fileSize(), "offset", one.offset(), "length", length);
  }

  /** The rows that come of a plan whose files are away, told on the console: it is to be an error of each format. */
  private void lost(FormatTable plain, Path folder) throws Exception {
    for (Map.Entry<String, Map<String, String>> asked : ASKED.entrySet()) {
      ReadBuilder builder = plain.copy(asked.getValue()).newReadBuilder();
      List<Split> splits = builder.newScan().plan().splits();
      Path away = folder.resolveSibling(folder.getFileName() + "-away");
      Files.move(folder, away);
      try {
        CaseFile.read(builder.newRead(), splits, plain.rowType(), tmp);
        throw new IllegalStateException(plain.name() + " reads lost files: " + asked.getKey());
      } catch (java.io.FileNotFoundException e) {
        // As told.
      } finally {
        Files.move(away, folder);
      }
    }
  }

  private void write(FormatTable table, int from, int count) throws Exception {
    // The writer looks for the folder among the options.
    BatchWriteBuilder builder = table.copy(Map.of("path", table.location())).newBatchWriteBuilder();
    try (BatchTableWrite write = builder.newWrite();
        BatchTableCommit committer = builder.newCommit()) {
      write.withIOManager(IOManager.create(tmp));
      for (int i = from; i < from + count; i++) write.write(Scenario.row(i, "v" + i));
      committer.commit(write.prepareCommit());
    }
  }

  /** The files by age. */
  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(Files::isRegularFile)
          .filter(file -> !file.getFileName().toString().startsWith("."))
          .sorted((a, b) -> Long.compare(a.toFile().lastModified(), b.toFile().lastModified()))
          .toList();
    }
  }
}
