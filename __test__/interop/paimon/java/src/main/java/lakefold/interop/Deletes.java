package lakefold.interop;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.paimon.Snapshot;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.deletionvectors.Bitmap64DeletionVector;
import org.apache.paimon.deletionvectors.BitmapDeletionVector;
import org.apache.paimon.deletionvectors.DeletionVector;
import org.apache.paimon.deletionvectors.append.BaseAppendDeleteFileMaintainer;
import org.apache.paimon.index.IndexFileHandler;
import org.apache.paimon.index.IndexFileMeta;
import org.apache.paimon.io.CompactIncrement;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.io.DataIncrement;
import org.apache.paimon.manifest.FileKind;
import org.apache.paimon.manifest.IndexManifestEntry;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.table.sink.TableCommitImpl;

/** Deletes random rows of an append table by deletion vectors, as the reference's engines do. */
record Deletes(Dice dice, FileStoreTable table) {

  /** The next commit's number. */
  long some(long commit) throws Exception {
    Snapshot snapshot = table.snapshotManager().latestSnapshot();
    if (snapshot == null) return commit;
    boolean unaware = table.coreOptions().bucket() == -1;
    IndexFileHandler handler = table.store().newIndexFileHandler();
    Map<BinaryRow, Map<Integer, List<DataFileMeta>>> places = new LinkedHashMap<>();
    for (ManifestEntry entry : table.store().newScan().plan().files()) {
      places.computeIfAbsent(entry.partition(), any -> new LinkedHashMap<>())
          .computeIfAbsent(entry.bucket(), any -> new ArrayList<>())
          .add(entry.file());
    }
    List<CommitMessage> messages = new ArrayList<>();
    for (BinaryRow partition : places.keySet()) {
      for (Map.Entry<Integer, List<DataFileMeta>> place : places.get(partition).entrySet()) {
        if (dice.chance(0.4)) continue;
        BaseAppendDeleteFileMaintainer maintainer = unaware
            ? BaseAppendDeleteFileMaintainer.forUnawareAppend(handler, snapshot, partition)
            : BaseAppendDeleteFileMaintainer.forBucketedAppend(handler, snapshot, partition, place.getKey());
        for (DataFileMeta file : place.getValue()) {
          if (dice.chance(0.6)) maintainer.notifyNewDeletionVector(file.fileName(), vector(file.rowCount()));
        }
        Map<FileKind, List<IndexFileMeta>> files = maintainer.persist().stream().collect(Collectors.groupingBy(
            IndexManifestEntry::kind, Collectors.mapping(IndexManifestEntry::indexFile, Collectors.toList())));
        if (files.isEmpty()) continue;
        DataIncrement increment = new DataIncrement(
            List.of(), List.of(), List.of(), files.getOrDefault(FileKind.ADD, List.of()), files.getOrDefault(FileKind.DELETE, List.of()));
        messages.add(new CommitMessageImpl(
            partition, place.getKey(), table.coreOptions().bucket(), increment, CompactIncrement.emptyIncrement()));
      }
    }
    if (messages.isEmpty()) return commit;
    try (TableCommitImpl committer = table.newCommit("user")) {
      committer.commit(commit, messages);
    }
    return commit + 1;
  }

  private DeletionVector vector(long rows) {
    DeletionVector vector = table.coreOptions().deletionVectorBitmap64() ? new Bitmap64DeletionVector() : new BitmapDeletionVector();
    double density = dice.of(0.05, 0.3, 1.0);
    for (long row = 0; row < rows; row++) if (dice.chance(density)) vector.delete(row);
    if (vector.isEmpty()) vector.delete(dice.below((int) rows));
    return vector;
  }
}
