package org.shardmend.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;

/**
 * A file that is to be changed in place, with all that decides whether it may be.
 *
 * @param name relative to the checkpoint
 * @param leadsOutside whether it is a symbolic link that leads out of the checkpoint
 * @param target what the name leads to, links followed
 * @param writeFailure why it can't be opened for writing; empty when it can
 */
public record InPlaceCandidate(
    String name, boolean leadsOutside, FileStatus target, String writeFailure) {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

  /**
   * Looks at a file, on a store that overwrites. It is opened for writing, but not written.
   *
   * @throws IOException when it can't be looked at
   */
  public static InPlaceCandidate look(Store store, String checkpoint, String name)
      throws IOException {
    String path = checkpoint + "/" + name;
    String real = store.realPath(path);
    FileStatus target =
        store.stat(real).orElseThrow(() -> new NoSuchFileException(store.locate(path).toString()));
    boolean outside = !real.startsWith(store.realPath(checkpoint) + "/");
    return new InPlaceCandidate(name, outside, target, writeFailure(store, target));
  }

  private static String writeFailure(Store store, FileStatus target) {
    try {
      store.writeAt(target.path(), 0, NOTHING.duplicate());
      return "";
    } catch (IOException refused) {
      return refused.getMessage();
    }
  }
}
