package lakefold.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.serializer.InternalRowSerializer;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.table.source.TableRead;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.RowType;

/** The cases of one table, with their rows beside them. */
final class CaseFile {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String table;
  private final Path folder;
  private final Collection<String> unordered;
  private final List<Map<String, Object>> cases = new ArrayList<>();

  /** `unordered` names array columns whose elements come in no order. */
  CaseFile(String table, Path out, Collection<String> unordered) {
    this.table = table;
    this.folder = out.resolve("cases");
    this.unordered = unordered;
  }

  /** The rows of splits, copied. */
  static List<InternalRow> read(TableRead read, List<Split> splits, RowType type, String tmp) throws IOException {
    InternalRowSerializer serializer = new InternalRowSerializer(type);
    List<InternalRow> rows = new ArrayList<>();
    read.withIOManager(IOManager.create(tmp));
    for (Split split : splits) {
      try (RecordReader<InternalRow> reader = read.createReader(split)) {
        reader.forEachRemaining(row -> rows.add(serializer.copy(row)));
      }
    }
    return rows;
  }

  static List<Map<String, Object>> encoded(List<InternalRow> rows, RowType type, boolean kinds) {
    List<Map<String, Object>> out = new ArrayList<>();
    for (InternalRow row : rows) {
      Map<String, Object> one = Encode.row(row, type);
      if (kinds) one.put("_kind", row.getRowKind().shortString());
      out.add(one);
    }
    return out;
  }

  /** Adds a case, and returns it so that more may be put into it. */
  Map<String, Object> put(
      String label, String kind, Map<String, Object> scan, RowType type, List<Map<String, Object>> rows) throws IOException {
    String file = "rows/" + table + "__" + label + ".ndjson";
    StringBuilder text = new StringBuilder();
    for (Map<String, Object> row : rows) text.append(JSON.writeValueAsString(row)).append('\n');
    Files.writeString(folder.resolve(file), text);
    Map<String, Object> one = head(label, kind, scan);
    one.put("columns", columns(type));
    List<String> free = unordered.stream().filter(type::containsField).toList();
    if (!free.isEmpty()) one.put("unorderedArrays", free);
    one.put("rowsFile", file);
    one.put("count", rows.size());
    return one;
  }

  /** Adds a case of an error. */
  Map<String, Object> error(String label, Map<String, Object> scan, RowType type, Throwable error) {
    Map<String, Object> one = head(label, "error", scan);
    one.put("columns", columns(type));
    String message = String.valueOf(error.getMessage()).replaceAll("file:\\S*?/warehouse/", "file:/lake/paimon/");
    one.put("error", Map.of("class", error.getClass().getSimpleName(), "message", message));
    return one;
  }

  private static List<Object> columns(RowType type) {
    List<Object> columns = new ArrayList<>();
    for (DataField field : type.getFields()) columns.add(Map.of("name", field.name(), "type", field.type().asSQLString()));
    return columns;
  }

  private Map<String, Object> head(String label, String kind, Map<String, Object> scan) {
    Map<String, Object> one = new LinkedHashMap<>();
    one.put("id", table + "__" + label);
    one.put("table", "fx." + table);
    one.put("kind", kind);
    one.put("scan", scan);
    cases.add(one);
    return one;
  }

  void write() throws IOException {
    List<String> lines = new ArrayList<>();
    for (Map<String, Object> one : cases) lines.add(JSON.writeValueAsString(one));
    Files.writeString(folder.resolve(table + ".json"), "[\n" + String.join(",\n", lines) + "\n]\n");
  }
}
