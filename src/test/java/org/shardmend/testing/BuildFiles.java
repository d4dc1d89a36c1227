package org.shardmend.testing;

import java.nio.file.Path;

/** Where the project lies and where its build puts things, as Maven tells the tests. */
public final class BuildFiles {
  private BuildFiles() {}

  /** The folder with pom.xml. */
  public static Path projectFolder() {
    return Path.of(property("shardmend.basedir"));
  }

  /** The folder with the jar and the launcher's files: target/, or a profile's own below it. */
  public static Path buildFolder() {
    return Path.of(property("shardmend.build"));
  }

  /** The job's jar; exists from the package phase on. */
  public static Path jobJar() {
    return buildFolder().resolve("shardmend.jar");
  }

  private static String property(String name) {
    String value = System.getProperty(name);
    if (value == null) {
      throw new IllegalStateException(
          name + " is not set; pom.xml sets it for tests that Maven runs.");
    }
    return value;
  }
}
