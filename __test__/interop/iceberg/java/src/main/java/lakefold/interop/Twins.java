package lakefold.interop;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.Files;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.orc.GenericOrcReader;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.hadoop.HadoopFileIO;
import org.apache.iceberg.hadoop.HadoopInputFile;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileAppender;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.orc.ORC;
import org.apache.iceberg.orc.ORCSchemaUtil;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.orc.OrcFile;
import org.apache.orc.Reader;

/** ORC files of columns with defaults, which the reference refuses to read, as Parquet files with the same columns and rows. */
final class Twins extends HadoopFileIO {
  private final Table table;
  private final Map<String, File> known = new HashMap<>();

  Twins(Table table) {
    super(((HadoopFileIO) table.io()).conf());
    this.table = table;
  }

  /** Whether files may lack a column that has a default. */
  static boolean areNeeded(Table table) {
    return table.schemas().values().stream().anyMatch(schema -> schema.columns().stream().anyMatch(Twins::hasDefault));
  }

  private static boolean hasDefault(NestedField field) {
    if (field.initialDefault() != null) return true;
    Type type = field.type();
    return type.isNestedType() && type.asNestedType().fields().stream().anyMatch(Twins::hasDefault);
  }

  /** The file as readers are to take it: in its place, with its twin's format and size. */
  DataFile of(DataFile file) {
    if (file.format() != FileFormat.ORC) return file;
    File twin = known.computeIfAbsent(file.location(), this::write);
    return (DataFile) Proxy.newProxyInstance(DataFile.class.getClassLoader(), new Class<?>[] {DataFile.class}, (self, method, arguments) ->
        switch (method.getName()) {
          case "format" -> FileFormat.PARQUET;
          case "fileSizeInBytes" -> twin.length();
          default -> method.invoke(file, arguments);
        });
  }

  @Override
  public InputFile newInputFile(String location) {
    File twin = known.get(location);
    return twin == null ? super.newInputFile(location) : Files.localInput(twin);
  }

  @Override
  public InputFile newInputFile(String location, long length) {
    File twin = known.get(location);
    return twin == null ? super.newInputFile(location, length) : Files.localInput(twin);
  }

  private File write(String location) {
    try {
      File twin = File.createTempFile("twin", ".parquet");
      twin.deleteOnExit();
      HadoopInputFile file = (HadoopInputFile) table.io().newInputFile(location);
      Schema schema;
      try (Reader reader = OrcFile.createReader(file.getPath(), OrcFile.readerOptions(file.getConf()))) {
        schema = ORCSchemaUtil.convert(reader.getSchema());
      }
      try (CloseableIterable<Record> rows = ORC.read(file).project(schema).createReaderFunc(orc -> GenericOrcReader.buildReader(schema, orc)).build();
          FileAppender<Record> out = Parquet.write(Files.localOutput(twin)).schema(schema).overwrite().createWriterFunc(type -> GenericParquetWriter.create(schema, type)).build()) {
        rows.forEach(out::add);
      }
      return twin;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
