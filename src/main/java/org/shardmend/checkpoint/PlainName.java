package org.shardmend.checkpoint;

/** A file name that comes out of a JSON file: one inside the checkpoint's directory, or refused. */
public final class PlainName {
  private PlainName() {}

  /** Whether it names a file in the directory itself, whatever the file system. */
  static boolean isPlain(String name) {
    return !name.isEmpty()
        && !name.equals(".")
        && !name.equals("..")
        && name.chars().noneMatch(c -> c == '/' || c == '\\' || c < ' ' || c == 0x7f);
  }

  /**
   * Checks a name that {@code origin} gives.
   *
   * @throws CheckpointException (refused) if it is not plain
   */
  public static void require(String name, String origin) throws CheckpointException {
    if (!isPlain(name)) {
      throw CheckpointException.refused(
          FindingCode.UNSAFE_NAME.code(),
          origin,
          origin
              + " names the file '"
              + name
              + "', which is no plain name in the checkpoint's own directory. It was not opened;"
              + " correct the file.");
    }
  }
}
