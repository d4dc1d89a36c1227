package org.shardmend.storage;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Paths of mounted file systems as the kernel reads them. A {@code ..} is the directory above what
 * the path before it leads to, links followed: where {@code current} is a link to {@code data/v2},
 * {@code current/../x} is {@code data/x}. Without the {@code ..} dropped as text, a path means here
 * what it means to {@code ls}, {@code cp} and the engine.
 */
final class KernelPath {
  static final String UP = "..";
  private static final String HERE = ".";

  private KernelPath() {}

  /** Whether a part of the path is {@code ..}. */
  static boolean holdsUp(String path) {
    return Arrays.asList(path.split("/", -1)).contains(UP);
  }

  /**
   * The same place without any {@code ..}. A path that has none is given back as it is: its links
   * stay.
   *
   * @param absolute from the root
   * @throws IllegalArgumentException when what is before a {@code ..} is no directory, or can't be
   *     looked at
   */
  static String withoutUp(String absolute) {
    if (!holdsUp(absolute)) {
      return absolute;
    }
    Path place = Path.of("/");
    for (String part : absolute.split("/", -1)) {
      if (part.equals(UP)) {
        place = above(place, absolute);
      } else if (!part.isEmpty() && !part.equals(HERE)) {
        place = place.resolve(part);
      }
    }
    return place.toString();
  }

  private static Path above(Path before, String whole) {
    try {
      Path real = before.toRealPath();
      if (!Files.isDirectory(real)) {
        throw new NoSuchFileException(before.toString(), null, "it is no directory");
      }
      requireExpressible(real);
      return real.getParent() == null ? real : real.getParent();
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "'..' after '%s' leads nowhere, in '%s': %s. Write the path without '..'."
              .formatted(before, whole, reason(e)),
          e);
    }
  }

  private static void requireExpressible(Path real) throws IOException {
    if (!LocalStore.isExpressible(real, real.toString())) {
      throw new IOException(
          "it leads to a name that is not valid in this process's encoding; start it with"
              + " LC_ALL=C.UTF-8");
    }
  }

  private static String reason(IOException failure) {
    if (failure instanceof NoSuchFileException absent && absent.getReason() == null) {
      return "it does not exist";
    }
    return failure instanceof FileSystemException system && system.getReason() != null
        ? system.getReason()
        : String.valueOf(failure.getMessage());
  }
}
