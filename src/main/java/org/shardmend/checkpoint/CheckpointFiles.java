package org.shardmend.checkpoint;

import java.io.IOException;
import java.util.List;

/**
 * What this package needs of storage, for one checkpoint. All names are relative to the
 * checkpoint's directory and separated by {@code /}. Implementations open nothing that the caller
 * did not name.
 */
public interface CheckpointFiles {

  /** Where the checkpoint is, as shown to people; without credentials. */
  String location();

  /**
   * The entries of one directory, sorted by name (by code unit), not recursive. {@code "."} and
   * {@code ".."} are not among them.
   *
   * @param directory a relative name; {@code ""} is the checkpoint's own directory
   * @throws java.nio.file.NoSuchFileException if there is nothing of that name
   * @throws java.nio.file.NotDirectoryException if it is something else
   * @throws IOException if it cannot be listed
   */
  List<FileEntry> list(String directory) throws IOException;

  /**
   * Up to {@code maxBytes} from the start of a file; fewer when the file is shorter.
   *
   * @throws IOException if it cannot be read
   */
  byte[] readPrefix(String name, int maxBytes) throws IOException;

  /**
   * Exactly {@code bytes} bytes from {@code offset} on.
   *
   * @throws java.io.EOFException if the file ends before
   * @throws IOException if it cannot be read
   */
  byte[] read(String name, long offset, int bytes) throws IOException;
}
