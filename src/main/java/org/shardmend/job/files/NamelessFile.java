package org.shardmend.job.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A temporary file of this process, for what its heap has no room for. It has no name any more when
 * it is in use, and so is gone with the process, however that ends.
 */
public final class NamelessFile {
  private NamelessFile() {}

  /**
   * Makes an empty one, to be read and written.
   *
   * @param prefix what its name begins with while it has one
   * @throws IOException when the temporary directory can't be written
   */
  public static FileChannel open(String prefix) throws IOException {
    Path path = Files.createTempFile(prefix, ".spill");
    FileChannel file =
        FileChannel.open(
            path,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE);
    Files.deleteIfExists(path);
    return file;
  }
}
