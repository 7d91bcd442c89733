package lakefold.interop;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TimeZone;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.hadoop.HadoopTables;

/** Makes a random table a seed and writes what the reference reads of it: folder, first seed, count, and a name if it is to be kept. */
public final class Main {
  private Main() {}

  public static void main(String[] args) throws Exception {
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    // Plans are in the order of the manifests.
    System.setProperty("iceberg.scan.plan-in-worker-pool", "false");
    Path out = Path.of(args[0]).toAbsolutePath();
    long first = Long.parseLong(args[1]);
    int count = Integer.parseInt(args[2]);
    Files.createDirectories(out.resolve("cases/rows"));
    Files.createDirectories(out.resolve("tables"));
    LakeFiles.folder = out.resolve("tables").toFile();
    Configuration conf = new Configuration();
    conf.set("fs.file.impl", LakeFiles.class.getName());
    HadoopTables tables = new HadoopTables(conf);
    for (long seed = first; seed < first + count; seed++) make(tables, seed, args.length > 3 ? args[3] : "s" + seed, out);
    System.exit(0);
  }

  private static void make(HadoopTables tables, long seed, String name, Path out) {
    try {
      RandomTable made = new RandomTable(new Dice(seed), tables, "file:" + LakeFiles.LAKE + "/" + name);
      // What it cannot write is no case; what it wrote until then is.
      for (String refused : made.history.run()) System.out.println(name + " not written: " + refused);
      List<String> failures = new Cases(name, made, out).write();
      for (String failure : failures) System.out.println(name + " not read: " + failure);
    } catch (Exception | Error e) {
      System.out.println(name + " has no cases: " + cause(e));
    }
  }

  static String cause(Throwable e) {
    Throwable root = e;
    while (root.getCause() != null && root.getCause() != root) root = root.getCause();
    String at = root.getStackTrace().length > 0 ? root.getStackTrace()[0].toString() : "";
    String text = (root + " at " + at).replaceAll("\\s+", " ");
    return text.substring(0, Math.min(400, text.length()));
  }
}
