package org.shardmend.testing;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A folder that Spark takes for its installation, as far as it starts processes of its own: Maven's
 * jars in {@code jars/}.
 *
 * @param folder what {@code SPARK_HOME} names
 */
public record SparkHome(Path folder) {
  /**
   * Makes one with the jars that the launcher runs on, as symbolic links. For integration tests:
   * the list of jars exists only after the package phase.
   *
   * @param folder where; it may exist, and links that exist are kept
   */
  public static SparkHome in(Path folder) throws IOException {
    Path jars = Files.createDirectories(folder.resolve("jars"));
    String classPath = Files.readString(BuildFiles.buildFolder().resolve("launcher.classpath"));
    for (String jar : List.of(classPath.strip().split(":"))) {
      link(jars, Path.of(jar));
    }
    return new SparkHome(folder);
  }

  private static void link(Path jars, Path jar) throws IOException {
    Path link = jars.resolve(jar.getFileName());
    try {
      Files.createSymbolicLink(link, jar);
    } catch (FileAlreadyExistsException e) {
      if (!Files.isSameFile(link, jar)) {
        throw e;
      }
    }
  }

  /** What a process needs to know of it. */
  public Map<String, String> environment() {
    return Map.of("SPARK_HOME", folder.toString(), "SPARK_SCALA_VERSION", "2.13");
  }
}
