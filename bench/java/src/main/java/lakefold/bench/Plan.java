package lakefold.bench;

import java.util.Locale;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.ExpressionParser;
import org.apache.iceberg.io.CloseableIterable;

/** Plans on demand: a line `metadata|filter JSON or -` in, `count milliseconds` out; so that the JVM may warm up. */
public final class Plan {
  public static void main(String[] args) throws Exception {
    try (java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        int bar = line.indexOf('|');
        String filter = line.substring(bar + 1);
        long start = System.nanoTime();
        Table table = MakeTables.open("file:" + line.substring(0, bar));
        TableScan scan = table.newScan();
        if (!filter.equals("-")) {
          Expression expression = ExpressionParser.fromJson(filter, table.schema());
          scan = scan.filter(expression);
        }
        long count = 0;
        try (CloseableIterable<FileScanTask> tasks = scan.planFiles()) {
          for (FileScanTask task : tasks) {
            count += task.file().recordCount() > 0 ? 1 : 0;
          }
        }
        System.out.printf(Locale.ROOT, "%d %.3f%n", count, (System.nanoTime() - start) / 1e6);
        System.out.flush();
      }
    }
  }
}
