package lakefold.interop;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.DeletionFile;
import org.apache.paimon.table.source.IncrementalSplit;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.types.RowType;

/** Plans as the cases write them. */
final class PlanJson {
  private final String root;
  private final RowType partition;
  private final RowType key;

  PlanJson(FileStoreTable table) {
    TableSchema schema = table.schema();
    this.root = table.location().toString();
    this.partition = schema.logicalPartitionType();
    this.key = new RowType(schema.trimmedPrimaryKeysFields());
  }

  Map<String, Object> plan(Long snapshot, List<? extends Split> splits) {
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("snapshotId", snapshot);
    out.put("splits", splits.stream().map(this::split).toList());
    return out;
  }

  private Map<String, Object> split(Split split) {
    return split instanceof IncrementalSplit two ? difference(two) : data((DataSplit) split);
  }

  private Map<String, Object> data(DataSplit split) {
    Map<String, Object> out = place(split.partition(), split.bucket(), split.totalBuckets());
    out.put("bucketPath", below(split.bucketPath()));
    out.put("rawConvertible", split.rawConvertible());
    out.put("rowCount", split.rowCount());
    split.mergedRowCount().ifPresent(count -> out.put("mergedRowCount", count));
    out.put("files", files(split.dataFiles()));
    out.put("deletionFiles", split.deletionFiles().map(this::deletions).orElse(null));
    if (split.isStreaming()) out.put("isStreaming", true);
    return out;
  }

  private Map<String, Object> difference(IncrementalSplit split) {
    Map<String, Object> out = place(split.partition(), split.bucket(), split.totalBuckets());
    out.put("files", files(split.afterFiles()));
    out.put("beforeFiles", files(split.beforeFiles()));
    List<DeletionFile> after = split.afterDeletionFiles();
    out.put("deletionFiles", after == null ? null : deletions(after));
    return out;
  }

  private Map<String, Object> place(BinaryRow row, int bucket, Integer total) {
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("partition", Encode.row(row, partition));
    out.put("bucket", bucket);
    if (total != null) out.put("totalBuckets", total);
    return out;
  }

  private List<Object> files(List<DataFileMeta> files) {
    return files.stream().map((Function<DataFileMeta, Object>) this::file).toList();
  }

  private Map<String, Object> file(DataFileMeta file) {
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("name", file.fileName());
    out.put("level", file.level());
    out.put("rowCount", file.rowCount());
    out.put("schemaId", file.schemaId());
    out.put("fileSize", file.fileSize());
    out.put("minSequenceNumber", file.minSequenceNumber());
    out.put("maxSequenceNumber", file.maxSequenceNumber());
    file.deleteRowCount().ifPresent(count -> out.put("deleteRowCount", count));
    if (key.getFieldCount() > 0) {
      out.put("minKey", new ArrayList<>(Encode.row(file.minKey(), key).values()));
      out.put("maxKey", new ArrayList<>(Encode.row(file.maxKey(), key).values()));
    }
    if (file.firstRowId() != null) out.put("firstRowId", file.firstRowId());
    out.put("extraFiles", file.extraFiles());
    return out;
  }

  private List<Object> deletions(List<DeletionFile> files) {
    List<Object> out = new ArrayList<>();
    for (DeletionFile file : files) {
      if (file == null) {
        out.add(null);
        continue;
      }
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("path", below(file.path()));
      one.put("offset", file.offset());
      one.put("length", file.length());
      one.put("cardinality", file.cardinality());
      out.add(one);
    }
    return out;
  }

  private String below(String path) {
    return path.startsWith(root + "/") ? path.substring(root.length() + 1) : path;
  }
}
