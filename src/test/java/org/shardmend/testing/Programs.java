package org.shardmend.testing;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What this machine has, for tests that can't do without. */
public final class Programs {
  private Programs() {}

  /** Whether a program is on the path. */
  public static boolean isThere(String program) {
    return Stream.of(System.getenv("PATH").split(":"))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }
}
