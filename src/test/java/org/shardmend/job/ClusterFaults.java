package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.SparkConf;
import org.apache.spark.deploy.master.Master;
import org.apache.spark.deploy.worker.Worker;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.job.files.GenerateAction;
import org.shardmend.job.files.Locations;
import org.shardmend.job.files.RuleSources;
import org.shardmend.job.plan.PlanRequest;
import org.shardmend.job.repair.RepairAction;
import org.shardmend.job.repair.RepairRequest;
import org.shardmend.job.repair.RepairResult;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.Location;
import org.shardmend.testing.DirectoryContent;
import org.shardmend.testing.FaultyFileSystem;
import org.shardmend.testing.FaultyFileSystem.Fault;
import org.shardmend.trial.Trial;
import org.shardmend.trial.TrialSettings;

/**
 * A process of its own with a Spark cluster of two hosts (both are this machine) and their executor
 * processes, on which repairs meet dying executors and tasks that are slow, deaf or broken. Two
 * hosts, because Spark speculates on another one only.
 */
final class ClusterFaults {
  private static final String HOST = "127.0.0.1";
  private static final String OTHER_HOST = "127.0.0.2";
  private static final String SHARD = "model-rank-1-part-0.safetensors";
  private static final String OTHER_SHARD = "model-rank-2-part-0.safetensors";
  private static final int PATIENCE_SECONDS = 120;

  private final Path scratch;
  private final Path faults;
  private final Path source;
  private final SortedMap<String, String> expected;

  private ClusterFaults(Path scratch) throws JobException {
    this.scratch = scratch;
    this.faults = scratch.resolve("faults");
    this.source = scratch.resolve("source");
    this.expected = shards(scratch.resolve("expected"));
  }

  /**
   * What the faults meet: shards of 100 kB and more, so that data lies behind what is read first;
   * without twins, whose data would be read when the repair is planned.
   */
  static Trial generate(Path directory) throws JobException {
    TrialSettings settings =
        TrialSettings.builder()
            .tp(4)
            .layers(8)
            .bytes(4_000_000)
            .maxShardBytes(500_000)
            .fault(org.shardmend.trial.Fault.ALIAS_ONLY)
            .build();
    return new GenerateAction(settings, Actions.location(directory), "", Progress.SILENT).execute();
  }

  /** The weights below a directory. */
  static SortedMap<String, String> shards(Path checkpoint) {
    SortedMap<String, String> content = DirectoryContent.of(checkpoint);
    content.keySet().removeIf(name -> !name.endsWith(".safetensors"));
    return content;
  }

  /**
   * Runs every scenario.
   *
   * @param args a directory with {@code source} and its repair, {@code expected}; and the class
   *     path of the executors
   */
  public static void main(String[] args) throws IOException, JobException {
    Path scratch = Path.of(args[0]);
    startCluster(scratch, args[1]);
    ClusterFaults faults = new ClusterFaults(scratch);
    run("killed", faults::anExecutorIsKilled);
    run("speculated", faults::aSlowAndADeafTaskAreSpeculated);
    run("failed once", faults::aTaskFailsOnce);
    run("kept failing", faults::aTaskKeepsFailing);
    Runtime.getRuntime().halt(0); // Master and workers would go on.
  }

  /** One scenario. */
  @FunctionalInterface
  private interface Scenario {
    void play() throws Exception;
  }

  private static void run(String name, Scenario scenario) {
    try {
      scenario.play();
      System.out.println("ok " + name);
    } catch (Throwable failure) { // Also of an assertion: this process has no other end.
      System.out.println("failed: " + name);
      failure.printStackTrace(System.out);
    }
  }

  // --- the cluster ---

  private static void startCluster(Path scratch, String classPath) {
    String master =
        Master.startRpcEnvAndEndpoint(HOST, 0, 0, new SparkConf())._1().address().toSparkURL();
    for (String host : List.of(HOST, OTHER_HOST)) {
      daemon(
          () ->
              Worker.main(
                  words(
                      "--host",
                      host,
                      "--cores",
                      2,
                      "--memory",
                      "1G",
                      "--webui-port",
                      0,
                      "--work-dir",
                      scratch.resolve("work-" + host),
                      master)));
    }
    System.setProperty("spark.master", master);
    System.setProperty("spark.driver.host", HOST);
    System.setProperty("spark.ui.enabled", "false");
    System.setProperty("spark.executor.memory", "512m");
    System.setProperty("spark.executor.cores", "2");
    System.setProperty("spark.executor.extraClassPath", classPath);
    System.setProperty("spark.scheduler.minRegisteredResourcesRatio", "1");
    System.setProperty("spark.cores.max", "4");
    System.setProperty("spark.speculation", "true");
    System.setProperty("spark.speculation.interval", "100ms");
    System.setProperty("spark.speculation.quantile", "0.3");
    System.setProperty("spark.speculation.efficiency.enabled", "false");
    System.setProperty("spark.hadoop.fs.faulty.impl", FaultyFileSystem.class.getName());
    System.setProperty(
        "spark.hadoop." + FaultyFileSystem.FAULTS, scratch.resolve("faults").toString());
  }

  private static String[] words(Object... words) {
    return Stream.of(words).map(Object::toString).toArray(String[]::new);
  }

  private static void daemon(Runnable main) {
    Thread thread = new Thread(main);
    thread.setDaemon(true);
    thread.start();
  }

  // --- scenarios ---

  private void anExecutorIsKilled() throws Exception {
    Path output = output("killed");
    boolean[] killed = {false};
    Progress progress =
        new DeafProgress() {
          @Override
          public void update(long doneBytes) {
            if (!killed[0] && isWriting(output)) {
              killed[0] = true;
              kill(executors().findFirst().orElseThrow());
            }
          }
        };

    RepairResult result = repair(progress, output, 300_000);

    assertThat(killed[0]).isTrue();
    requireRight(result, output);
  }

  /** This process starts no others. */
  private static Stream<ProcessHandle> executors() {
    return ProcessHandle.current().children();
  }

  /** Java's own way, which is SIGKILL. */
  private static void kill(ProcessHandle process) {
    assertThat(process.destroyForcibly()).isTrue();
  }

  /**
   * One task waits until it is interrupted, as the loser of the race; another hears of nothing, and
   * goes on to write its whole shard when the winner's has been taken long ago.
   */
  private void aSlowAndADeafTaskAreSpeculated() throws Exception {
    Path output = output("speculated");
    FaultyFileSystem.make(faults, SHARD, Fault.STUCK_ONCE);
    FaultyFileSystem.make(faults, OTHER_SHARD, Fault.DEAF_ONCE);
    SortedMap<String, String> taken = new TreeMap<>();
    Progress progress =
        new DeafProgress() {
          @Override
          public void begin(String stage, long totalBytes) {
            if (stage.equals("Verify what was written")) {
              taken.putAll(names(shards(output.getParent())));
              String attempts = attemptsAt(output, OTHER_SHARD);
              wake(OTHER_SHARD);
              await(() -> written(output, attempts) == 2);
              assertThat(names(shards(output.getParent()))).isEqualTo(taken);
            }
          }
        };

    RepairResult result = repair(progress, output, Long.MAX_VALUE);

    assertThat(FaultyFileSystem.wasMet(faults, SHARD)).isTrue();
    assertThat(FaultyFileSystem.wasMet(faults, OTHER_SHARD)).isTrue();
    assertThat(taken).isEqualTo(expected);
    requireRight(result, output);
    clearFaults();
  }

  private void wake(String file) {
    try {
      FaultyFileSystem.wake(faults, file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static SortedMap<String, String> names(SortedMap<String, String> byPath) {
    SortedMap<String, String> names = new TreeMap<>();
    byPath.forEach((path, digest) -> names.put(path.substring(path.lastIndexOf('/') + 1), digest));
    return names;
  }

  private void aTaskFailsOnce() throws Exception {
    Path output = output("failed-once");
    FaultyFileSystem.make(faults, SHARD, Fault.FAILS_ONCE);

    RepairResult result = repair(new DeafProgress(), output, Long.MAX_VALUE);

    assertThat(FaultyFileSystem.wasMet(faults, SHARD)).isTrue();
    requireRight(result, output);
    clearFaults();
  }

  private void aTaskKeepsFailing() throws Exception {
    Path output = output("kept-failing");
    FaultyFileSystem.make(faults, SHARD, Fault.FAILS);

    JobException failure =
        catchThrowableOfType(
            JobException.class, () -> repair(new DeafProgress(), output, Long.MAX_VALUE));

    assertThat(failure.kind()).isEqualTo(JobException.Kind.FAILED);
    assertThat(failure)
        .hasMessageContaining("faulty://disk" + source.resolve(SHARD))
        .hasMessageContaining("Input/output error")
        .hasMessageNotContaining("Exception");
    assertThat(output).doesNotExist();
    clearFaults();
    requireRight(repair(new DeafProgress(), output, Long.MAX_VALUE), output);
  }

  // --- what they share ---

  private Path output(String name) throws IOException {
    return Files.createDirectory(scratch.resolve(name)).resolve("repaired");
  }

  private RepairResult repair(Progress progress, Path output, long bytesPerSecond)
      throws JobException {
    PlanRequest plan =
        new PlanRequest(
            new Location("faulty", "disk", source.toString()),
            DiscoveryOptions.defaults(),
            RuleSources.defaultsAnd(List.of()),
            UnknownDtypes.REFUSE);
    return new RepairAction(
            SparkJob.start("cluster faults", progress),
            RepairRequest.toOutput(plan, Locations.parse(output.toString(), new Configuration()))
                .maxBytesPerSecond(bytesPerSecond))
        .execute();
  }

  private void requireRight(RepairResult result, Path output) {
    assertThat(result.outcome()).isEqualTo(RepairResult.Outcome.DONE);
    assertThat(shards(output)).isEqualTo(expected);
    assertThat(output.getParent().toFile().list()).containsExactly("repaired");
    assertThat(DirectoryContent.names(output))
        .noneMatch(name -> name.contains("_staging") || name.contains(".tmp"));
  }

  private static boolean isWriting(Path output) {
    return entries(output).anyMatch(path -> path.matches(".*/work/[0-9]+-[0-9]+"));
  }

  /** What the receipts' names of the attempts at a shard begin with, which was taken in. */
  private static String attemptsAt(Path output, String shard) {
    return receipts(output)
        .filter(file -> file.toString().endsWith(".json") && isOf(file, shard))
        .map(file -> file.getFileName().toString().replace(".json", "-"))
        .findFirst()
        .orElseThrow();
  }

  private static long written(Path output, String attempts) {
    return receipts(output)
        .map(file -> file.getFileName().toString())
        .filter(name -> name.startsWith(attempts) && name.endsWith(".tensors"))
        .count();
  }

  private static boolean isOf(Path receipt, String shard) {
    try {
      return Files.readString(receipt).contains("\"" + shard + "\"");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<Path> receipts(Path output) {
    try (Stream<Path> siblings = Files.list(output.getParent())) {
      Path staging = siblings.filter(Files::isDirectory).findFirst().orElseThrow();
      try (Stream<Path> files = Files.list(staging.resolve("receipts"))) {
        return files.toList().stream();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<String> entries(Path output) {
    try (Stream<Path> all = Files.walk(output.getParent())) {
      return all.map(Path::toString).toList().stream();
    } catch (IOException | UncheckedIOException changing) {
      return Stream.empty();
    }
  }

  private static void await(BooleanSupplier wished) {
    Instant end = Instant.now().plusSeconds(PATIENCE_SECONDS);
    while (!wished.getAsBoolean()) {
      assertThat(Instant.now()).isBefore(end);
      try {
        TimeUnit.MILLISECONDS.sleep(20);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }
  }

  private void clearFaults() throws IOException {
    try (Stream<Path> files = Files.list(faults)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
  }
}
