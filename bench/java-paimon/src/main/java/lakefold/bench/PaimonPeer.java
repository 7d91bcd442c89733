package lakefold.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.table.source.Split;

/**
 * Paimon's Java behind a line protocol: `work|table|threads|id, column<int or -|sums` in, `check milliseconds sums` out; so that the JVM may warm up. The table
 * is opened anew for each line, without the caches of a catalog.
 */
public final class PaimonPeer {
  public static void main(String[] args) throws Exception {
    try (java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] parts = line.split("\\|");
        long start = System.nanoTime();
        FileStoreTable table = MakePaimonTables.open(parts[1]);
        ReadBuilder builder = table.newReadBuilder();
        if (!parts[3].equals("-")) {
          PredicateBuilder filter = new PredicateBuilder(table.rowType());
          String[] less = parts[3].split("<");
          builder.withFilter(less.length == 1
              ? filter.equal(0, Long.parseLong(parts[3]))
              : filter.lessThan(table.rowType().getFieldIndex(less[0]), Integer.parseInt(less[1])));
        }
        boolean sums = parts[4].equals("sums");
        long[] result = parts[0].equals("plan")
            ? plan(builder)
            : scan(builder, Integer.parseInt(parts[2]), sums);
        double ms = (System.nanoTime() - start) / 1e6;
        System.out.printf(Locale.ROOT, "%d %.3f %s%n", result[0], ms,
            Arrays.toString(Arrays.copyOfRange(result, 1, result.length)).replace(" ", ""));
        System.out.flush();
      }
    }
  }

  /** Files of all splits. */
  private static long[] plan(ReadBuilder builder) {
    long files = 0;
    for (Split split : builder.newScan().plan().splits()) {
      files += ((DataSplit) split).dataFiles().size();
    }
    return new long[] {files};
  }

  /** Rows, and the sums of id, customer and amount if they are asked for. */
  private static long[] scan(ReadBuilder builder, int threads, boolean sums) throws Exception {
    List<Split> splits = builder.newScan().plan().splits();
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<long[]>> parts = new ArrayList<>();
      for (Split split : splits) {
        parts.add(pool.submit(() -> read(builder, split, sums)));
      }
      long[] all = new long[4];
      for (Future<long[]> part : parts) {
        for (int i = 0; i < all.length; i++) {
          all[i] += part.get()[i];
        }
      }
      return sums ? all : new long[] {all[0]};
    } finally {
      pool.shutdown();
    }
  }

  private static long[] read(ReadBuilder builder, Split split, boolean sums) throws Exception {
    long[] result = new long[4];
    try (RecordReader<InternalRow> reader = builder.newRead().createReader(split)) {
      for (var batch = reader.readBatch(); batch != null; batch = reader.readBatch()) {
        for (InternalRow row = batch.next(); row != null; row = batch.next()) {
          result[0]++;
          if (sums) {
            result[1] += row.getLong(0);
            result[2] += row.isNullAt(1) ? 0 : row.getInt(1);
            result[3] += row.isNullAt(2) ? 0 : row.getDecimal(2, 12, 2).toUnscaledLong();
          }
        }
        batch.releaseBatch();
      }
    }
    return result;
  }
}
