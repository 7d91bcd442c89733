package lakefold.interop;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types.NestedField;

/** Random properties of a table: how its files, metrics and manifests are written. */
final class TableOptions {
  private final Dice dice;
  final Map<String, String> all = new LinkedHashMap<>();

  TableOptions(Dice dice, int version, Schema schema, boolean orc) {
    this.dice = dice;
    all.put("format-version", String.valueOf(version));
    all.put("write.format.default", dice.of("parquet", "parquet", orc ? "orc" : "parquet", "avro"));
    parquet(schema);
    orc();
    all.put("write.avro.compression-codec", dice.of("gzip", "zstd", "snappy", "uncompressed"));
    metrics(schema);
    manifests();
  }

  private void maybe(double probability, String key, String... choices) {
    if (dice.chance(probability)) all.put(key, dice.of(choices));
  }

  private void parquet(Schema schema) {
    if (dice.chance(0.5)) {
      // A group is closed once this many bytes are seen, looked at every so many rows.
      all.put("write.parquet.row-group-size-bytes", dice.of("1", "300", "2000"));
      all.put("write.parquet.row-group-check-min-record-count", dice.of("1", "3", "7"));
      all.put("write.parquet.row-group-check-max-record-count", "7");
    }
    maybe(0.4, "write.parquet.page-size-bytes", "64", "100", "500");
    maybe(0.4, "write.parquet.page-row-limit", "2", "5", "20");
    maybe(0.4, "write.parquet.page-version", "v2");
    maybe(0.3, "write.parquet.dict-size-bytes", "64", "100", "200");
    all.put("write.parquet.compression-codec", dice.of("zstd", "snappy", "gzip", "uncompressed", "lz4_raw"));
    maybe(0.2, "write.delete.parquet.page-row-limit", "2", "3");
    maybe(0.2, "write.delete.parquet.compression-codec", "gzip", "snappy");
    all.put("write.parquet.bloom-filter-max-bytes", "1024");
    for (NestedField field : schema.columns()) {
      if (!field.type().isPrimitiveType()) continue;
      maybe(0.25, "write.parquet.bloom-filter-enabled.column." + field.name(), "true");
      maybe(0.15, "write.parquet.dict-encoding-enabled.column." + field.name(), "false");
      maybe(0.08, "write.parquet.stats-enabled.column." + field.name(), "false");
    }
  }

  private void orc() {
    maybe(0.3, "write.orc.stripe-size-bytes", "1", "1000");
    maybe(0.3, "write.orc.vectorized.batch-size", "1", "4");
    all.put("write.orc.compression-codec", dice.of("zlib", "snappy", "zstd", "lz4", "none"));
  }

  private void metrics(Schema schema) {
    List<String> modes = List.of("none", "counts", "truncate(1)", "truncate(2)", "truncate(16)", "truncate(5)", "full");
    if (dice.chance(0.6)) all.put("write.metadata.metrics.default", dice.of(modes));
    for (NestedField field : schema.columns()) {
      if (dice.chance(0.2)) all.put("write.metadata.metrics.column." + field.name(), dice.of(modes));
    }
    maybe(0.1, "write.metadata.metrics.max-inferred-column-defaults", "2", "4");
  }

  private void manifests() {
    maybe(0.4, "commit.manifest-merge.enabled", "false");
    maybe(0.4, "commit.manifest.min-count-to-merge", "2", "3");
    maybe(0.3, "commit.manifest.target-size-bytes", "1", "8000");
    maybe(0.3, "write.metadata.compression-codec", "gzip");
    maybe(0.4, "write.manifest.compression-codec", "zstd", "snappy", "uncompressed");
    maybe(0.15, "write.object-storage.enabled", "true");
    maybe(0.2, "write.summary.partition-limit", "5");
    maybe(0.1, "compatibility.snapshot-id-inheritance.enabled", "true");
  }
}
