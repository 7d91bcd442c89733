package lakefold.interop;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TimeZone;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;

/** Makes a random table a seed and writes what the reference reads of it: folder, first seed, count; `merges`: of tables whose merges are large. */
public final class Main {
  private Main() {}

  public static void main(String[] args) throws Exception {
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    Path out = Path.of(args[0]).toAbsolutePath();
    long first = Long.parseLong(args[1]);
    int count = Integer.parseInt(args[2]);
    boolean merges = args.length > 3 && args[3].equals("merges");
    Files.createDirectories(out.resolve("cases/rows"));
    Path tmp = Files.createTempDirectory("paimon");
    Catalog catalog = CatalogFactory.createCatalog(
        CatalogContext.create(new org.apache.paimon.fs.Path(out.resolve("warehouse").toUri())));
    catalog.createDatabase("fx", true);
    for (long seed = first; seed < first + count; seed++) make(catalog, seed, merges, out, tmp.toString());
    System.exit(0);
  }

  private static void make(Catalog catalog, long seed, boolean merges, Path out, String tmp) {
    String name = "s" + seed;
    Identifier id = Identifier.create("fx", name);
    RandomTable made = new RandomTable(new Dice(seed), merges);
    History history = new History(catalog, id, made, tmp);
    try {
      catalog.dropTable(id, true);
      catalog.createTable(id, made.schema(), false);
      history.run();
    } catch (Exception | Error e) {
      // What it cannot write is no case; what it wrote until then is.
      System.out.println(name + " not written: " + cause(e));
    }
    try {
      List<String> failures = new Cases(catalog, name, made, history, out, tmp).write();
      for (String failure : failures) System.out.println(name + " not read: " + failure.replaceAll("\\s+", " "));
    } catch (Exception e) {
      System.out.println(name + " has no cases: " + cause(e));
    }
  }

  private static String cause(Throwable e) {
    Throwable root = e;
    while (root.getCause() != null && root.getCause() != root) root = root.getCause();
    String at = root.getStackTrace().length > 0 ? root.getStackTrace()[0].toString() : "";
    String text = (root + " at " + at).replaceAll("\\s+", " ");
    return text.substring(0, Math.min(400, text.length()));
  }
}
