package org.shardmend;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.spark.launcher.JavaModuleOptions;
import org.junit.jupiter.api.Test;

/**
 * The JVM options of pom.xml, which the launcher passes, are those that Spark passes to its own
 * processes.
 */
class LauncherOptionsTest {
  /** Spark uses it where it's there, and does without it; it prints a warning at each start. */
  private static final String VECTOR_MODULE = "jdk.incubator.vector";

  @Test
  void theLauncherOpensWhatSparkAsksFor() {
    List<String> ours = List.of(System.getProperty("shardmend.jvm.options").split(" "));
    List<String> sparks =
        List.of(JavaModuleOptions.defaultModuleOptions().split(" ")).stream()
            .filter(option -> !option.contains(VECTOR_MODULE))
            .toList();

    assertThat(ours).containsAll(sparks);
  }
}
