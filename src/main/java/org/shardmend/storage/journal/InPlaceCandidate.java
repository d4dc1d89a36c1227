package org.shardmend.storage.journal;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import org.shardmend.checkpoint.Listing;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.NotReplaceableException;
import org.shardmend.storage.Store;

/**
 * A file that is to be changed in place, with all that decides whether it may be.
 *
 * @param name relative to the checkpoint
 * @param leadsOutside whether it is a symbolic link that leads out of the checkpoint
 * @param target what the name leads to, links followed
 * @param writeFailure why it can't be opened for writing; empty when it can
 * @param replaceFailure why no file with the same rights can take its place; empty when one can,
 *     and where it is only overwritten
 */
public record InPlaceCandidate(
    String name,
    boolean leadsOutside,
    FileStatus target,
    String writeFailure,
    String replaceFailure) {
  private static final String PROBE = "/" + Listing.OWN_DIRECTORY + "/probe";

  /**
   * Looks at a file whose bytes are going to be overwritten, on a store that overwrites. It is
   * opened for writing, but not written.
   *
   * @throws IOException when it can't be looked at
   */
  public static InPlaceCandidate overwritten(Store store, String checkpoint, String name)
      throws IOException {
    String path = checkpoint + "/" + name;
    String real = store.realPath(path);
    FileStatus target =
        store.stat(real).orElseThrow(() -> new NoSuchFileException(store.locate(path).toString()));
    boolean outside = !real.startsWith(store.realPath(checkpoint) + "/");
    return new InPlaceCandidate(name, outside, target, writeFailure(store, target), "");
  }

  /**
   * Looks at a file whose name another file is going to take. The caller holds the lock of the
   * checkpoint, and a probe is made and removed beside that.
   *
   * @throws IOException when it can't be looked at
   */
  public static InPlaceCandidate replaced(Store store, String checkpoint, String name)
      throws IOException {
    InPlaceCandidate file = overwritten(store, checkpoint, name);
    if (file.leadsOutside || !file.target.isFile()) {
      return file;
    }
    String failure = "";
    try {
      store.requireReplaceable(file.target.path(), checkpoint + PROBE);
    } catch (NotReplaceableException refused) {
      failure = refused.getMessage();
    }
    return new InPlaceCandidate(name, false, file.target, file.writeFailure, failure);
  }

  /**
   * Tries whether a file can be added, as {@link #replaced} tries it of one that is there.
   *
   * @throws NotReplaceableException when it can't; the message says why
   * @throws IOException when it can't be found out
   */
  public static void requireAddable(Store store, String checkpoint, String name)
      throws IOException {
    store.requireReplaceable(checkpoint + "/" + name, checkpoint + PROBE);
  }

  private static String writeFailure(Store store, FileStatus target) throws IOException {
    try {
      store.requireOverwritable(target.path());
      return "";
    } catch (NotReplaceableException refused) {
      return refused.getMessage();
    }
  }
}
