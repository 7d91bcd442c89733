package lakefold.interop;

import java.io.File;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/** Local files, with those of `file:/lake/iceberg` in a folder elsewhere: tables hold the locations that the runner expects. */
public final class LakeFiles extends RawLocalFileSystem {
  static final String LAKE = "/lake/iceberg";
  static volatile File folder;

  @Override
  public File pathToFile(Path path) {
    String plain = super.pathToFile(path).getPath();
    boolean ours = plain.equals(LAKE) || plain.startsWith(LAKE + "/");
    return ours ? new File(folder, plain.substring(LAKE.length())) : new File(plain);
  }

  /** Would run a command for each file. */
  @Override
  public void setPermission(Path path, FsPermission permission) {}
}
