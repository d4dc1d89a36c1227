package org.shardmend.testing;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Another Java on the tests' class path, for what would end or overload the one they run in. */
public final class TestJvm {
  private TestJvm() {}

  /**
   * What starts it; the caller says where its output goes.
   *
   * @param main the class whose {@code main} runs
   * @param options for Java, besides those that Spark needs
   */
  public static ProcessBuilder of(Class<?> main, List<String> options, String... arguments) {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    String spark = System.getProperty("shardmend.jvm.options", "");
    if (!spark.isBlank()) {
      words.addAll(List.of(spark.trim().split("\\s+", -1)));
    }
    copyProperty("log4j2.configurationFile", words);
    words.addAll(options);
    words.add("-cp");
    words.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    words.add(main.getName());
    words.addAll(List.of(arguments));
    return new ProcessBuilder(words);
  }

  private static void copyProperty(String name, List<String> words) {
    String value = System.getProperty(name, "");
    if (!value.isEmpty()) {
      words.add("-D" + name + "=" + value);
    }
  }
}
