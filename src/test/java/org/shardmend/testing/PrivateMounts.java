package org.shardmend.testing;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Processes that see other disks than those beside them, where the system lets us start such. */
public final class PrivateMounts {
  private static final String HIDE =
      """
      while [ "$1" != -- ]; do mount -t tmpfs none "$1" || exit 1; shift; done
      shift
      exec "$@"
      """;

  private PrivateMounts() {}

  /** Whether a process can have mounts of its own here. */
  public static boolean arePossible() {
    try {
      return new ProcessBuilder(hiding(List.of(Path.of("/mnt")), List.of("true")))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException noSuchProgram) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * A command that runs {@code command} where each of these directories is another, empty one; the
   * process that is started becomes the command.
   */
  public static List<String> hiding(List<Path> directories, List<String> command) {
    List<String> words = new ArrayList<>(List.of("unshare", "-m", "sh", "-c", HIDE, "sh"));
    directories.forEach(directory -> words.add(directory.toString()));
    words.add("--");
    words.addAll(command);
    return words;
  }
}
