package org.shardmend.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A folder that Spark takes for its installation: Maven's jars in {@code jars/}, and the two
 * programs of an installation that start everything else.
 *
 * @param folder what {@code SPARK_HOME} names
 */
public record SparkHome(Path folder) {
  /** As Spark's own: its launcher says which Java to run, and how. */
  private static final String SPARK_CLASS =
      """
      #!/usr/bin/env bash
      set -Eeuo pipefail
      export SPARK_SCALA_VERSION=2.13
      words=()
      while IFS= read -r -d '' word; do
        words+=("$word")
      done < <("$JAVA_HOME/bin/java" -XX:TieredStopAtLevel=1 -cp "$SPARK_HOME/jars/*" \\
        org.apache.spark.launcher.Main "$@")
      words=("${words[@]:1}") # what comes before the command
      exec "${words[0]#$'\\n'}" "${words[@]:1}"
      """;

  private static final String SPARK_SUBMIT =
      """
      #!/usr/bin/env bash
      exec "$SPARK_HOME/bin/spark-class" org.apache.spark.deploy.SparkSubmit "$@"
      """;

  /**
   * Makes one with the jars that the launcher runs on, as symbolic links. For integration tests:
   * the list of jars exists only after the package phase.
   *
   * @param name of a folder of the build's; what it holds from before goes
   */
  public static SparkHome make(String name) throws IOException {
    Path folder = BuildFiles.buildFolder().toAbsolutePath().resolve(name);
    Path jars = Files.createDirectories(folder.resolve("jars"));
    try (Stream<Path> old = Files.list(jars)) {
      for (Path jar : old.toList()) {
        Files.delete(jar);
      }
    }
    String classPath = Files.readString(BuildFiles.buildFolder().resolve("launcher.classpath"));
    for (String jar : List.of(classPath.strip().split(":"))) {
      Path target = Path.of(jar);
      Files.createSymbolicLink(jars.resolve(target.getFileName()), target);
    }
    Scripts.write(folder.resolve("bin/spark-class"), SPARK_CLASS);
    Scripts.write(folder.resolve("bin/spark-submit"), SPARK_SUBMIT);
    return new SparkHome(folder);
  }

  /** The program that runs a class of Spark's or Hadoop's. */
  public Path sparkClass() {
    return folder.resolve("bin/spark-class");
  }

  /** What a process needs to know of it. */
  public Map<String, String> environment() {
    return Map.of("SPARK_HOME", folder.toString(), "JAVA_HOME", System.getProperty("java.home"));
  }
}
