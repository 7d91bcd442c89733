package lakefold.interop;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.io.DataIncrement;
import org.apache.paimon.io.CompactIncrement;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.table.sink.StreamTableWrite;
import org.apache.paimon.table.sink.TableCommitImpl;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.RowType;

/** Writes some columns of rows that are there, into files of their own beside the first ones: data evolution. */
record LateColumns(Dice dice, RandomValues values, FileStoreTable table, String tmp) {

  /** The next commit's number. */
  long some(long commit) throws Exception {
    Map<Long, ManifestEntry> ranges = new LinkedHashMap<>();
    for (ManifestEntry entry : table.store().newScan().plan().files()) ranges.putIfAbsent(entry.file().firstRowId(), entry);
    List<String> able = table.rowType().getFieldNames().stream().filter(name -> !table.partitionKeys().contains(name)).toList();
    List<CommitMessage> messages = new ArrayList<>();
    for (ManifestEntry entry : ranges.values()) {
      if (dice.chance(0.5)) continue;
      List<String> names = dice.some(able, dice.between(1, Math.max(1, able.size() - 1)));
      messages.addAll(write(entry, table.rowType().project(table.rowType().getFieldNames().stream().filter(names::contains).toList()), commit));
    }
    if (messages.isEmpty()) return commit;
    try (TableCommitImpl committer = table.newCommit("user")) {
      committer.commit(commit, messages);
    }
    return commit + 1;
  }

  /** All rows, these columns. */
  void all(long commit, List<String> names) throws Exception {
    List<CommitMessage> messages = new ArrayList<>();
    for (ManifestEntry entry : table.store().newScan().plan().files()) messages.addAll(write(entry, table.rowType().project(names), commit));
    try (TableCommitImpl committer = table.newCommit("user")) {
      committer.commit(commit, messages);
    }
  }

  private List<CommitMessage> write(ManifestEntry entry, RowType type, long commit) throws Exception {
    List<CommitMessage> messages = new ArrayList<>();
    BinaryRow partition = entry.partition();
    try (StreamTableWrite write = table.newWrite("user")) {
      write.withIOManager(IOManager.create(tmp));
      write.withWriteType(type);
      List<DataFileMeta> files = new ArrayList<>();
      org.apache.paimon.operation.AbstractFileStoreWrite<?> store =
          (org.apache.paimon.operation.AbstractFileStoreWrite<?>) ((org.apache.paimon.table.sink.TableWriteImpl<?>) write).getWrite();
      @SuppressWarnings("unchecked")
      org.apache.paimon.operation.AbstractFileStoreWrite<org.apache.paimon.data.InternalRow> rows =
          (org.apache.paimon.operation.AbstractFileStoreWrite<org.apache.paimon.data.InternalRow>) store;
      for (long i = 0; i < entry.file().rowCount(); i++) rows.write(partition, 0, row(type));
      for (CommitMessage message : write.prepareCommit(true, commit)) {
        for (DataFileMeta file : ((CommitMessageImpl) message).newFilesIncrement().newFiles()) {
          files.add(file.assignFirstRowId(entry.file().firstRowId()));
        }
      }
      if (files.size() != 1) throw new IllegalStateException(files.size() + " files of late columns");
      messages.add(new CommitMessageImpl(
          partition, 0, -1, new DataIncrement(files, List.of(), List.of()), CompactIncrement.emptyIncrement()));
    }
    return messages;
  }

  private GenericRow row(RowType type) {
    GenericRow row = new GenericRow(type.getFieldCount());
    for (int i = 0; i < type.getFieldCount(); i++) {
      DataField field = type.getFields().get(i);
      row.setField(i, values.value(field.type(), 0.2));
    }
    return row;
  }
}
