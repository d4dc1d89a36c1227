package org.shardmend.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

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

  /**
   * The job's jar; exists from the package phase on. {@code -Dshardmend.jar=FILE} names another
   * build's, to see that the one jar runs on several versions of Spark.
   */
  public static Path jobJar() {
    String other = System.getProperty("shardmend.jar", "");
    return other.isEmpty() ? buildFolder().resolve("shardmend.jar") : Path.of(other);
  }

  /** A folder that {@code SHARDMEND_BUILD} may name: the job's jar, on this build's Spark. */
  static Path launcherFolder() {
    if (jobJar().equals(buildFolder().resolve("shardmend.jar"))) {
      return buildFolder();
    }
    return OtherJar.FOLDER;
  }

  /** Made once, in the build's own folder. */
  private static final class OtherJar {
    static final Path FOLDER = folder();

    private static Path folder() {
      try {
        Path folder = Files.createTempDirectory(buildFolder(), "other-jar-");
        Files.createSymbolicLink(folder.resolve("shardmend.jar"), jobJar().toAbsolutePath());
        for (String name : List.of("launcher.classpath", "launcher.options")) {
          Files.createSymbolicLink(folder.resolve(name), buildFolder().resolve(name));
        }
        return folder;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
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
