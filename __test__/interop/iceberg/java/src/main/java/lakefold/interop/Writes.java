package lakefold.interop;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Schema;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.data.GenericFileWriterFactory;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.InternalRecordWrapper;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.deletes.BaseDVFileWriter;
import org.apache.iceberg.deletes.EqualityDeleteWriter;
import org.apache.iceberg.deletes.PositionDelete;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.deletes.PositionDeleteWriter;
import org.apache.iceberg.encryption.EncryptedOutputFile;
import org.apache.iceberg.encryption.EncryptionUtil;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.StructLikeMap;

/** Writes data and delete files of a table with the reference's writers. */
final class Writes {
  private final Dice dice;
  private final Table table;
  private final boolean orc;
  private int written;

  Writes(Dice dice, Table table, boolean orc) {
    this.orc = orc;
    this.dice = dice;
    this.table = table;
  }

  FileFormat format() {
    String main = table.properties().getOrDefault("write.format.default", "parquet");
    return FileFormat.fromString(dice.chance(0.75) ? main : dice.of("parquet", "parquet", orc ? "orc" : "parquet", "avro"));
  }

  private GenericFileWriterFactory.Builder factory(FileFormat format) {
    return new GenericFileWriterFactory.Builder(table).dataFileFormat(format).deleteFileFormat(format).writerProperties(table.properties());
  }

  private EncryptedOutputFile out(PartitionSpec spec, StructLike partition, FileFormat format, String what) {
    String name = format.addExtension(String.format("%05d-%s", written++, what));
    String path = spec.isUnpartitioned() ? "" : spec.partitionToPath(partition);
    // A folder's name may not be long.
    boolean flat = path.isEmpty() || path.length() > 120 || dice.chance(0.2);
    String location = flat ? table.locationProvider().newDataLocation(name) : table.locationProvider().newDataLocation(spec, partition, name);
    return EncryptionUtil.plainAsEncryptedOutput(table.io().newOutputFile(location));
  }

  /** Rows by partition of a spec; at most `most` partitions, the rows of others are left out. */
  List<Map.Entry<PartitionKey, List<Record>>> byPartition(PartitionSpec spec, Schema schema, List<Record> rows, int most) {
    Map<PartitionKey, List<Record>> groups = new LinkedHashMap<>();
    PartitionKey key = new PartitionKey(spec, schema);
    InternalRecordWrapper wrapper = new InternalRecordWrapper(schema.asStruct());
    for (Record row : rows) {
      key.partition(wrapper.wrap(row));
      if (!groups.containsKey(key) && groups.size() == most) continue;
      groups.computeIfAbsent(key.copy(), k -> new ArrayList<>()).add(row);
    }
    return new ArrayList<>(groups.entrySet());
  }

  /** One or two data files a partition. */
  List<DataFile> data(PartitionSpec spec, Schema schema, List<Record> rows) throws Exception {
    return data(spec, schema, schema, rows, 6);
  }

  List<DataFile> data(PartitionSpec spec, Schema partitioned, Schema schema, List<Record> rows, int most) throws Exception {
    List<DataFile> files = new ArrayList<>();
    for (Map.Entry<PartitionKey, List<Record>> group : byPartition(spec, partitioned, rows, most)) {
      List<Record> all = group.getValue();
      int cut = dice.chance(0.2) ? dice.below(all.size()) : 0;
      if (cut > 0) files.add(data(spec, group.getKey(), schema, all.subList(0, cut)));
      files.add(data(spec, group.getKey(), schema, all.subList(cut, all.size())));
    }
    return files;
  }

  DataFile data(PartitionSpec spec, StructLike partition, Schema schema, List<Record> rows) throws Exception {
    FileFormat format = format();
    DataWriter<Record> writer = factory(format).dataSchema(schema).dataSortOrder(table.sortOrder()).build()
        .newDataWriter(out(spec, partition, format, "data"), spec, spec.isUnpartitioned() ? null : partition);
    try (writer) {
      rows.forEach(writer::write);
    }
    return writer.toDataFile();
  }

  /** Equality deletes of the keys of some rows; with a spec of partitions one file for each. */
  List<DeleteFile> equality(PartitionSpec spec, Schema schema, Schema keys, int[] ids, List<Record> rows) throws Exception {
    List<DeleteFile> files = new ArrayList<>();
    for (Map.Entry<PartitionKey, List<Record>> group : byPartition(spec, schema, rows, 4)) {
      FileFormat format = format();
      EqualityDeleteWriter<Record> writer = factory(format).equalityFieldIds(ids).equalityDeleteRowSchema(keys).build()
          .newEqualityDeleteWriter(out(spec, group.getKey(), format, "eq"), spec, spec.isUnpartitioned() ? null : group.getKey());
      try (writer) {
        for (Record row : group.getValue()) writer.write(projected(row, keys.asStruct()));
      }
      files.add(writer.toDeleteFile());
    }
    return files;
  }

  /** The fields of `type` alone. */
  static Record projected(Record row, Types.StructType type) {
    GenericRecord out = GenericRecord.create(type);
    for (Types.NestedField field : type.fields()) {
      Object value = row.getField(field.name());
      boolean struct = value != null && field.type().isStructType();
      out.setField(field.name(), struct ? projected((Record) value, field.type().asStructType()) : value);
    }
    return out;
  }

  /** Position deletes over some files, of one file each or of a partition's files together. */
  List<DeleteFile> positions(List<FileScanTask> tasks) throws Exception {
    Map<Integer, StructLikeMap<List<FileScanTask>>> groups = new HashMap<>();
    for (FileScanTask task : tasks) {
      groups.computeIfAbsent(task.spec().specId(), id -> StructLikeMap.create(task.spec().partitionType()))
          .computeIfAbsent(task.file().partition(), p -> new ArrayList<>()).add(task);
    }
    List<DeleteFile> files = new ArrayList<>();
    for (StructLikeMap<List<FileScanTask>> partitions : groups.values()) {
      for (List<FileScanTask> group : partitions.values()) {
        if (dice.chance(0.5)) files.add(positions(group, group.get(0)));
        else for (FileScanTask task : group) files.add(positions(List.of(task), task));
      }
    }
    return files;
  }

  private DeleteFile positions(List<FileScanTask> group, FileScanTask first) throws Exception {
    FileFormat format = format();
    StructLike partition = first.file().partition();
    PositionDeleteWriter<Record> writer = factory(format).build().newPositionDeleteWriter(
        out(first.spec(), partition, format, "pos"), first.spec(), first.spec().isUnpartitioned() ? null : partition);
    List<FileScanTask> sorted = new ArrayList<>(group);
    sorted.sort(Comparator.comparing(task -> task.file().location()));
    try (writer) {
      for (FileScanTask task : sorted) {
        for (long pos : places(task)) writer.write(PositionDelete.<Record>create().set(task.file().location(), pos));
      }
    }
    return writer.toDeleteFile();
  }

  /** Some places in a file, in order, at times twice. */
  private List<Long> places(FileScanTask task) {
    int rows = (int) task.file().recordCount();
    List<Long> places = new ArrayList<>();
    boolean every = dice.chance(0.08);
    for (long pos = 0; pos < rows; pos++) if (every || dice.chance(0.25)) places.add(pos);
    if (places.isEmpty()) places.add((long) dice.below(Math.max(rows, 1)));
    if (dice.chance(0.1)) places.add(places.get(0));
    Collections.sort(places);
    return places;
  }

  /** Deletion vectors over some files, joined with what was deleted of them before. */
  void vectors(List<FileScanTask> tasks, RowDelta delta) throws Exception {
    Map<String, FileScanTask> byPath = new HashMap<>();
    for (FileScanTask task : tasks) byPath.put(task.file().location(), task);
    OutputFileFactory factory = OutputFileFactory.builderFor(table, 1, ++written).format(FileFormat.PUFFIN).build();
    BaseDVFileWriter writer = new BaseDVFileWriter(factory, path -> before(byPath.get(path)));
    try (writer) {
      for (FileScanTask task : tasks) {
        StructLike partition = task.spec().isUnpartitioned() ? null : task.file().partition();
        for (long pos : places(task)) writer.delete(task.file().location(), pos, task.spec(), partition);
      }
    }
    writer.result().deleteFiles().forEach(delta::addDeletes);
    writer.result().rewrittenDeleteFiles().forEach(delta::removeDeletes);
  }

  private PositionDeleteIndex before(FileScanTask task) {
    List<DeleteFile> deletes = task.deletes().stream().filter(file -> file.equalityFieldIds() == null).toList();
    if (deletes.isEmpty()) return null;
    return new BaseDeleteLoader(file -> table.io().newInputFile(file.location())).loadPositionDeletes(deletes, task.file().location());
  }
}
