package org.shardmend.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Runs {@code scripts/shardmend} on the jar that this build made, in a process of its own. For
 * integration tests: the jar exists only after the package phase.
 */
public final class ShardmendProcess {
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final List<String> launcherOptions = new ArrayList<>();
  private final Map<String, String> environment = new HashMap<>();
  private Path directory = BuildFiles.projectFolder();

  /** With the launcher's own default master. */
  public ShardmendProcess() {
    environment.put("SHARDMEND_BUILD", BuildFiles.launcherFolder().toString());
    environment.put("JAVA_HOME", System.getProperty("java.home"));
  }

  /** On this Spark master. */
  public ShardmendProcess master(String url) {
    launcherOptions.addAll(List.of("--master", url));
    return this;
  }

  /** With this Spark setting. */
  public ShardmendProcess conf(String key, String value) {
    launcherOptions.addAll(List.of("--conf", key + "=" + value));
    return this;
  }

  /** With this heap for the driver, written as Java's {@code -Xmx} takes it. */
  public ShardmendProcess heap(String size) {
    return environment("SHARDMEND_HEAP", size);
  }

  /** With this variable in the environment. */
  public ShardmendProcess environment(String name, String value) {
    environment.put(name, value);
    return this;
  }

  /** Started in this folder; otherwise in the project's. */
  public ShardmendProcess directory(Path folder) {
    directory = folder;
    return this;
  }

  /**
   * Runs one command to its end.
   *
   * @throws IOException when the process can't be started
   * @throws IllegalStateException when it hasn't ended after ten minutes; it is stopped then
   */
  public Result run(String... command) throws IOException, InterruptedException {
    return start(command).await();
  }

  /**
   * Starts one command, for tests that interfere with it in the middle.
   *
   * @throws IOException when the process can't be started
   */
  public Running start(String... command) throws IOException {
    Path out = Files.createTempFile("shardmend", ".out");
    Path err = Files.createTempFile("shardmend", ".err");
    return new Running(
        builder(command).redirectOutput(out.toFile()).redirectError(err.toFile()).start(),
        List.of(command),
        out,
        err);
  }

  private ProcessBuilder builder(String... command) {
    List<String> words = new ArrayList<>();
    words.add(BuildFiles.projectFolder().resolve("scripts/shardmend").toString());
    words.addAll(launcherOptions);
    words.addAll(List.of(command));
    ProcessBuilder builder = new ProcessBuilder(words).directory(directory.toFile());
    builder.environment().remove("SPARK_HOME");
    builder.environment().putAll(environment);
    return builder;
  }

  private static String text(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A command that was started, and the files that it prints into. */
  public record Running(Process process, List<String> command, Path out, Path err) {
    /**
     * Waits for its end.
     *
     * @throws IllegalStateException when it hasn't ended after ten minutes; it is stopped then
     */
    public Result await() throws IOException, InterruptedException {
      try {
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
          process.descendants().forEach(ProcessHandle::destroyForcibly);
          process.destroyForcibly();
          throw new IllegalStateException(
              "Still running after " + PATIENCE + ": " + command + "\n" + text(err));
        }
        return new Result(process.exitValue(), text(out), text(err));
      } finally {
        Files.deleteIfExists(out);
        Files.deleteIfExists(err);
      }
    }
  }

  /**
   * What a process left: its exit code, and what it printed on standard output and standard error.
   */
  public record Result(int exitCode, String out, String err) {}
}
