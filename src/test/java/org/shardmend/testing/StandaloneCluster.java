package org.shardmend.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A standalone Spark cluster on this machine: a master and two workers, processes of their own that
 * listen on 127.0.0.1. Where {@link PrivateMounts} are possible, each worker, and with it the
 * drivers and executors that it starts, sees neither the other's disk nor the client's.
 */
public final class StandaloneCluster implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final Pattern MASTER_URL =
      Pattern.compile("Starting Spark master at (spark://\\S+)");
  private static final Pattern REGISTERED = Pattern.compile("Successfully registered with master");

  private final SparkHome spark;
  private final Path logs;
  private final List<Process> processes = new ArrayList<>();
  private final List<Node> nodes = new ArrayList<>();
  private String url = "";

  /**
   * A worker.
   *
   * @param disk what it and those that it starts write to; work/ has a folder for each of them
   * @param process the worker itself
   */
  public record Node(Path disk, Process process) {
    /** Whether a path is there for this node. */
    public boolean sees(Path path) {
      return Files.exists(Path.of("/proc/" + process.pid() + "/root" + path));
    }

    /** The names of the files that each application and driver got, below work/. */
    public List<String> work() {
      return DirectoryContent.names(disk.resolve("work"));
    }
  }

  private StandaloneCluster(SparkHome spark, Path logs) {
    this.spark = spark;
    this.logs = logs;
  }

  /**
   * Starts one, and waits until both workers are there.
   *
   * @param folder where the nodes' disks and the logs of master and workers go
   * @param client the disk that no node sees
   */
  public static StandaloneCluster start(SparkHome spark, Path folder, Path client)
      throws IOException, InterruptedException {
    StandaloneCluster cluster =
        new StandaloneCluster(spark, Files.createDirectories(folder.resolve("logs")));
    try {
      cluster.startAll(
          List.of(
              Files.createDirectories(folder.resolve("node-1")),
              Files.createDirectories(folder.resolve("node-2"))),
          client);
      return cluster;
    } catch (Throwable e) {
      cluster.close();
      throw e;
    }
  }

  private void startAll(List<Path> disks, Path client) throws IOException, InterruptedException {
    Process master =
        start("master", daemon("org.apache.spark.deploy.master.Master", "--port", "0"), logs);
    url = await(master, "master", MASTER_URL).group(1);
    boolean apart = PrivateMounts.arePossible();
    for (Path disk : disks) {
      List<String> worker =
          daemon(
              "org.apache.spark.deploy.worker.Worker",
              "--cores",
              "2",
              "--memory",
              "1536m",
              "--work-dir",
              Files.createDirectory(disk.resolve("work")).toString(),
              url);
      List<Path> others = new ArrayList<>(disks);
      others.remove(disk);
      others.add(client);
      nodes.add(
          new Node(
              disk,
              start(
                  disk.getFileName().toString(),
                  apart ? PrivateMounts.hiding(others, worker) : worker,
                  Files.createDirectory(disk.resolve("tmp")))));
    }
    for (Node node : nodes) {
      await(node.process(), node.disk().getFileName().toString(), REGISTERED);
    }
  }

  private List<String> daemon(String main, String... arguments) {
    List<String> words = new ArrayList<>(List.of(spark.sparkClass().toString(), main));
    words.addAll(List.of("--host", "127.0.0.1", "--webui-port", "0"));
    words.addAll(List.of(arguments));
    return words;
  }

  private Process start(String name, List<String> command, Path temporary) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log(name).toFile());
    builder.environment().putAll(spark.environment());
    builder.environment().put("SPARK_LOCAL_DIRS", temporary.toString());
    builder.environment().put("SPARK_DAEMON_MEMORY", "512m");
    builder.environment().put("SPARK_DAEMON_JAVA_OPTS", "-XX:TieredStopAtLevel=1");
    Process process = builder.start();
    processes.add(process);
    return process;
  }

  private Path log(String name) {
    return logs.resolve(name + ".log");
  }

  private Matcher await(Process process, String name, Pattern line)
      throws IOException, InterruptedException {
    Instant end = Instant.now().plus(PATIENCE);
    while (true) {
      boolean ended = !process.isAlive();
      String text = Files.readString(log(name));
      Matcher found = line.matcher(text);
      if (found.find()) {
        return found;
      }
      if (ended || Instant.now().isAfter(end)) {
        throw new IllegalStateException(name + " does not say '" + line + "':\n" + text);
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  /** What {@code --master} names. */
  public String url() {
    return url;
  }

  /** The workers. */
  public List<Node> nodes() {
    return List.copyOf(nodes);
  }

  /** What drivers and executors printed, for a test that fails. */
  public String output() throws IOException {
    StringBuilder output = new StringBuilder();
    for (Node node : nodes) {
      try (Stream<Path> files = Files.walk(node.disk().resolve("work"))) {
        for (Path file : files.filter(path -> path.endsWith("stderr")).sorted().toList()) {
          output.append(file).append(":\n").append(Files.readString(file)).append('\n');
        }
      }
    }
    return output.toString();
  }

  /** Ends every process; a worker ends what it has started. */
  @Override
  public void close() {
    List<ProcessHandle> started =
        processes.stream()
            .flatMap(process -> Stream.concat(process.descendants(), Stream.of(process.toHandle())))
            .toList();
    processes.forEach(Process::destroy);
    for (ProcessHandle handle : started) {
      try {
        handle.onExit().get(30, TimeUnit.SECONDS);
      } catch (TimeoutException | ExecutionException e) {
        handle.destroyForcibly();
      } catch (InterruptedException e) {
        handle.destroyForcibly();
        Thread.currentThread().interrupt();
      }
    }
  }
}
