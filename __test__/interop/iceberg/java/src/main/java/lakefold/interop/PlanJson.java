package lakefold.interop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.ChangelogScanTask;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.ContentScanTask;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.SingleValueParser;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.ExpressionParser;
import org.apache.iceberg.metrics.ScanReport;
import org.apache.iceberg.metrics.ScanReportParser;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types.NestedField;

/** Plans as the cases spell them. */
final class PlanJson {
  private static final ObjectMapper JSON = new ObjectMapper();

  private PlanJson() {}

  static List<Object> files(Iterable<? extends FileScanTask> tasks) throws Exception {
    List<Object> out = new ArrayList<>();
    for (FileScanTask task : tasks) out.add(file(task, task.deletes()));
    return out;
  }

  static Map<String, Object> change(ChangelogScanTask task, List<DeleteFile> deletes) throws Exception {
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("operation", task.operation().name());
    out.put("changeOrdinal", task.changeOrdinal());
    out.put("commitSnapshotId", String.valueOf(task.commitSnapshotId()));
    out.putAll(file((ContentScanTask<DataFile>) task, deletes));
    return out;
  }

  static Map<String, Object> range(ContentScanTask<?> task) {
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("path", task.file().location());
    out.put("start", task.start());
    out.put("length", task.length());
    return out;
  }

  private static Map<String, Object> file(ContentScanTask<DataFile> task, List<DeleteFile> deletes) throws Exception {
    DataFile file = task.file();
    Map<String, Object> out = range(task);
    out.put("format", file.format().name());
    out.put("specId", file.specId());
    out.put("partition", partition(file, task.spec()));
    out.put("recordCount", file.recordCount());
    out.put("fileSizeInBytes", file.fileSizeInBytes());
    out.put("dataSequenceNumber", file.dataSequenceNumber());
    out.put("fileSequenceNumber", file.fileSequenceNumber());
    if (file.firstRowId() != null) out.put("firstRowId", file.firstRowId());
    List<DeleteFile> sorted = new ArrayList<>(deletes);
    sorted.sort(Comparator.comparing(DeleteFile::location));
    List<Object> spelled = new ArrayList<>();
    for (DeleteFile delete : sorted) spelled.add(delete(delete));
    out.put("deletes", spelled);
    out.put("residual", expression(task.residual()));
    return out;
  }

  private static Map<String, Object> delete(DeleteFile file) {
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("path", file.location());
    out.put("content", file.content().name());
    out.put("format", file.format().name());
    out.put("recordCount", file.recordCount());
    out.put("fileSizeInBytes", file.fileSizeInBytes());
    out.put("specId", file.specId());
    out.put("dataSequenceNumber", file.dataSequenceNumber());
    if (file.format() == FileFormat.PUFFIN) {
      out.put("contentOffset", file.contentOffset());
      out.put("contentSizeInBytes", file.contentSizeInBytes());
      out.put("referencedDataFile", file.referencedDataFile());
    }
    if (file.equalityFieldIds() != null) out.put("equalityIds", file.equalityFieldIds());
    return out;
  }

  private static Map<String, JsonNode> partition(ContentFile<?> file, PartitionSpec spec) throws Exception {
    Map<String, JsonNode> out = new LinkedHashMap<>();
    List<NestedField> fields = spec.partitionType().fields();
    for (int i = 0; i < fields.size(); i++) {
      Object value = file.partition().get(i, Object.class);
      out.put(fields.get(i).name(), value(fields.get(i).type(), value));
    }
    return out;
  }

  /** A float as the double that it is. */
  private static JsonNode value(Type type, Object value) throws Exception {
    if (value instanceof Float real && Float.isFinite(real)) return JSON.valueToTree(real.doubleValue());
    return JSON.readTree(value == null ? "null" : SingleValueParser.toJson(type, value));
  }

  static JsonNode expression(Expression expression) throws Exception {
    return JSON.readTree(ExpressionParser.toJson(expression));
  }

  /** The counters of a scan's report. */
  static Map<String, Object> metrics(ScanReport report) throws Exception {
    Map<String, Object> out = new LinkedHashMap<>();
    JSON.readTree(ScanReportParser.toJson(report)).get("metrics").fields().forEachRemaining(entry -> {
      if (entry.getValue().has("value")) out.put(entry.getKey(), entry.getValue().get("value").asLong());
    });
    return out;
  }
}
