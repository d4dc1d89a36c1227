package org.shardmend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.shardmend.testing.BrokenCheckpoint;
import org.shardmend.testing.BuildFiles;
import org.shardmend.testing.DirectoryContent;
import org.shardmend.testing.PrivateMounts;
import org.shardmend.testing.ShardmendProcess;
import org.shardmend.testing.ShardmendProcess.Result;
import org.shardmend.testing.ShardmendProcess.Running;
import org.shardmend.testing.SparkHome;
import org.shardmend.testing.StandaloneCluster;
import org.shardmend.testing.StandaloneCluster.Node;
import org.shardmend.trial.Fault;

/**
 * The job's jar through spark-submit, on a standalone cluster of separate processes. The disks of
 * the client and of each node are their own; checkpoints, results and, in cluster mode, the jar are
 * on one that all of them see.
 */
class ClusterIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final String JAVA_OPTIONS =
      "-Djava.io.tmpdir=. -XX:+UseSerialGC -XX:TieredStopAtLevel=1";

  /** Of libraries that the jar brings: a cluster's own, which can't even be loaded. */
  private static final List<String> OTHER_LIBRARIES =
      List.of(
          "picocli/CommandLine.class",
          "com/dynatrace/hash4j/hashing/Hashing.class",
          "com/samskivert/mustache/Mustache.class",
          "io/prometheus/metrics/model/snapshots/GaugeSnapshot.class");

  @TempDir private static Path scratch;
  private static Path client;
  private static Path shared;
  private static SparkHome spark;
  private static StandaloneCluster cluster;

  /** Where spark-submit starts the driver. */
  enum Driver {
    /** In its own process, which ends as the command does. */
    CLIENT,
    /** On a worker. Spark-submit ends with 0, whatever the driver's exit code was. */
    CLUSTER;

    int exitCodeOfSubmit(int exitCode) {
      return switch (this) {
        case CLIENT -> exitCode;
        case CLUSTER -> 0;
      };
    }
  }

  @BeforeAll
  static void start() throws Exception {
    client = Files.createDirectories(scratch.resolve("client/tmp")).getParent();
    shared = Files.createDirectory(scratch.resolve("shared"));
    for (Path disk : List.of(client, shared)) {
      Path build = Files.createDirectory(disk.resolve("build"));
      Files.copy(BuildFiles.jobJar(), build.resolve("shardmend.jar"));
    }
    spark = SparkHome.make("cluster-it-spark");
    addLibrariesOfOtherVersions(spark.folder().resolve("jars/other-libraries.jar"));
    cluster = StandaloneCluster.start(spark, scratch.resolve("cluster"), client);
  }

  private static void addLibrariesOfOtherVersions(Path jar) throws IOException {
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      for (String name : OTHER_LIBRARIES) {
        out.putNextEntry(new JarEntry(name));
        out.write("no class".getBytes(StandardCharsets.UTF_8));
        out.closeEntry();
      }
    }
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void nodesSeeNeitherTheClientsDiskNorEachOthers() {
    assumeTrue(PrivateMounts.arePossible(), "A process can have mounts of its own here");
    Path jar = Path.of("build/shardmend.jar");
    for (Node node : cluster.nodes()) {
      assertThat(node.sees(shared.resolve(jar))).isTrue();
      assertThat(node.sees(client.resolve(jar))).isFalse();
      assertThat(cluster.nodes())
          .filteredOn(other -> node.sees(other.disk().resolve("work")))
          .containsExactly(node);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aPlanItsRepairAndTheProof(Driver driver) throws Exception {
    Path home = Files.createDirectory(shared.resolve("repair-" + driver));
    BrokenCheckpoint broken = BrokenCheckpoint.generate(home.resolve("broken"), Fault.MIXED);
    String source = broken.directory().toString();
    String output = home.resolve("repaired").toString();

    JsonNode plan = answer(driver, "plan", source);
    JsonNode repair = answer(driver, "repair", source, "--output", output, "--verify", "full");
    JsonNode verify = answer(driver, "verify", output, "--against", source, "--full");

    assertThat(exitCode(plan)).as(plan.toString()).isEqualTo(3);
    assertThat(plan.at("/counts/RENAME").asInt()).isPositive();
    assertThat(plan.at("/counts/DROP").asInt()).isPositive();
    assertThat(exitCode(repair)).as(repair.toString()).isZero();
    assertThat(repair.path("fingerprint")).isEqualTo(plan.path("fingerprint"));
    assertThat(repair.path("counts")).isEqualTo(plan.path("counts"));
    assertThat(exitCode(verify)).as(verify.toString()).isZero();
    assertThat(verify.path("ok").asBoolean()).isTrue();
    broken.requireRepairedIn(Path.of(output));
    assertThat(DirectoryContent.names(home))
        .noneMatch(name -> name.contains("_staging") || name.contains(".tmp"));
    for (Node node : cluster.nodes()) {
      assertThat(node.work())
          .as("executors on %s got the jar from the driver", node.disk())
          .anyMatch(name -> name.matches("app-[^/]+/\\d+/shardmend\\.jar"));
    }
    if (driver == Driver.CLUSTER) {
      assertThat(cluster.nodes())
          .as("the driver ran on a worker")
          .anyMatch(
              node ->
                  node.work().stream()
                      .anyMatch(name -> name.matches("driver-[^/]+/shardmend\\.jar")));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aRefusalChangesNothing(Driver driver) throws Exception {
    Path home = Files.createDirectory(shared.resolve("refusal-" + driver));
    Path source = home.resolve("broken");
    BrokenCheckpoint.generate(source, Fault.MIXED);
    Files.write(firstShard(source), new byte[] {1}, StandardOpenOption.APPEND);
    SortedMap<String, String> before = DirectoryContent.of(home);

    Path result = resultFile();

    Result submit =
        start(driver, result, "repair", source.toString(), "--output", home + "/out").await();

    assertThat(submit.exitCode()).as(submit.err()).isEqualTo(driver.exitCodeOfSubmit(4));
    JsonNode repair = JSON.readTree(Files.readString(result));
    assertThat(exitCode(repair)).isEqualTo(4);
    assertThat(repair.path("outcome").asText()).isEqualTo("refused");
    assertThat(repair.at("/error/message").asText())
        .contains("longer than its header says, by 1 bytes");
    assertThat(DirectoryContent.of(home)).isEqualTo(before);
  }

  private static Path firstShard(Path checkpoint) throws IOException {
    try (Stream<Path> files = Files.list(checkpoint)) {
      return files
          .filter(file -> file.toString().endsWith(".safetensors"))
          .sorted()
          .findFirst()
          .orElseThrow();
    }
  }

  private static int exitCode(JsonNode document) {
    return document.path("exit_code").asInt(-1);
  }

  private static Path resultFile() throws IOException {
    return Files.createTempDirectory(shared, "result").resolve("result.json");
  }

  /** What a command writes as its result; spark-submit, which asks only now and then, is ended. */
  private static JsonNode answer(Driver driver, String... command) throws Exception {
    Path result = resultFile();
    Running submit = start(driver, result, command);
    Instant end = Instant.now().plus(PATIENCE);
    while (!hasEnded(result) && submit.process().isAlive() && Instant.now().isBefore(end)) {
      TimeUnit.MILLISECONDS.sleep(100);
    }
    if (driver == Driver.CLUSTER) {
      submit.process().destroy();
    }
    Result ended = submit.await();
    assertThat(result).as("%s%n%s", ended.err(), cluster.output()).exists();
    return JSON.readTree(Files.readString(result));
  }

  /** From its start until its end a run's result says that it is running, without an exit code. */
  private static boolean hasEnded(Path result) throws IOException {
    return Files.exists(result)
        && JSON.readTree(Files.readString(result)).path("exit_code").isNumber();
  }

  private static Running start(Driver driver, Path result, String... command) throws IOException {
    ShardmendProcess process =
        new ShardmendProcess()
            .master(cluster.url())
            .heap("512m")
            .conf("spark.executor.memory", "512m")
            .conf("spark.executor.extraJavaOptions", JAVA_OPTIONS);
    spark.environment().forEach(process::environment);
    switch (driver) {
      case CLIENT ->
          process
              .environment("SHARDMEND_BUILD", client.resolve("build").toString())
              .environment("SHARDMEND_JAVA_OPTS", "-Djava.io.tmpdir=" + client.resolve("tmp"));
      case CLUSTER ->
          process
              .environment("SHARDMEND_BUILD", shared.resolve("build").toString())
              .conf("spark.submit.deployMode", "cluster")
              .conf("spark.standalone.submit.waitAppCompletion", "true")
              .conf("spark.driver.extraJavaOptions", JAVA_OPTIONS);
    }
    return process.start(
        Stream.concat(Stream.of(command), Stream.of("--result", result.toString()))
            .toArray(String[]::new));
  }
}
