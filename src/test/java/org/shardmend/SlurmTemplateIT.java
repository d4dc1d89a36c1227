package org.shardmend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.testing.BrokenCheckpoint;
import org.shardmend.testing.BuildFiles;
import org.shardmend.testing.DirectoryContent;
import org.shardmend.testing.Scripts;
import org.shardmend.testing.SparkHome;
import org.shardmend.trial.Fault;

/**
 * The Slurm template on an allocation of two nodes, both of them this machine: stand-ins for {@code
 * srun} and {@code scontrol}, real Spark processes.
 */
class SlurmTemplateIT {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** What a job that failed leaves where it was submitted. */
  private static final String LOGS = "shardmend-[^/]+(/(master|workers)\\.log)?";

  /** Starts a step's tasks here, and passes TERM on to them. */
  private static final String SRUN =
      """
      #!/usr/bin/env bash
      tasks=1
      while [[ $1 == --* ]]; do
        [[ $1 != --ntasks=* ]] || tasks=${1#*=}
        shift
      done
      pids=()
      trap 'kill -TERM "${pids[@]}"' TERM
      for ((task = 0; task < tasks; task++)); do
        SLURM_PROCID=$task "$@" &
        pids+=("$!")
      done
      printf '%s\\n' "${pids[@]}" >"$RECORD/$4.tasks"
      status=0
      for pid in "${pids[@]}"; do
        while kill -0 "$pid" 2>/dev/null; do
          status=0
          wait "$pid" || status=$?
        done
      done
      exit "$status"
      """;

  private static final String SCONTROL =
      """
      #!/usr/bin/env bash
      [[ $* == "show hostnames two-nodes" ]] || exit 9
      printf '127.0.0.1\\n127.0.0.1\\n'
      """;

  @TempDir private Path scratch;
  private final String job = "test-" + UUID.randomUUID();
  private Path record;
  private Path submitFolder;
  private Path home;
  private BrokenCheckpoint broken;
  private Path output;

  private record Outcome(int exitCode, String log) {}

  @BeforeEach
  void allocate() throws IOException {
    record = Files.createDirectory(scratch.resolve("record"));
    submitFolder = Files.createDirectory(scratch.resolve("submitted from"));
    home = Files.createDirectory(scratch.resolve("lustre"));
    Scripts.write(scratch.resolve("bin/srun"), SRUN);
    Scripts.write(scratch.resolve("bin/scontrol"), SCONTROL);
    broken = BrokenCheckpoint.generate(home.resolve("broken"), Fault.MIXED);
    output = home.resolve("repaired");
  }

  /** Also after a failure of the test. */
  @AfterEach
  void endWhatIsLeft() {
    processesOfTheJob().forEach(ProcessHandle::destroyForcibly);
  }

  @Test
  void aRefusalOnAnInstallationIsTheJobsExitCode() throws Exception {
    Files.write(firstShard(), new byte[] {1}, StandardOpenOption.APPEND);
    SparkHome spark = SparkHome.make("slurm-it-spark");

    Outcome outcome = await(submit(spark.folder().toString(), repair()));

    assertThat(outcome.exitCode()).as(outcome.log()).isEqualTo(4);
    assertThat(outcome.log())
        .contains("longer than its header says, by 1 bytes", "exit 4; the logs of master and");
    requireNoProcesses();
    assertThat(home.toFile().list()).containsExactly("broken");
  }

  /** As 120 seconds before the limit. */
  @Test
  void aRunThatSlurmStopsIsResumedAndLeavesNothingBehind() throws Exception {
    Process slow = submit("", repair("--max-bytes-per-second", "256KiB"));
    awaitTheRewrite(slow);
    slow.destroy();

    Outcome stopped = await(slow);

    assertThat(stopped.exitCode()).as(stopped.log()).isEqualTo(5);
    assertThat(stopped.log()).contains("stopped by Slurm; submit again to resume");
    requireNoProcesses();
    assertThat(output).doesNotExist();
    DirectoryContent.names(submitFolder).forEach(name -> assertThat(name).matches(LOGS));
    SortedMap<String, String> logs = DirectoryContent.of(submitFolder);

    Outcome resumed = await(submit("", repair("--verify", "full")));

    assertThat(resumed.exitCode()).as(resumed.log()).isZero();
    broken.requireRepairedIn(output);
    assertThat(tasksOf("daemon")).hasSize(1);
    assertThat(tasksOf("worker")).hasSize(2);
    requireNoProcesses();
    assertThat(DirectoryContent.of(submitFolder)).isEqualTo(logs);
    assertThat(home.toFile().list()).containsExactlyInAnyOrder("broken", "repaired");
    assertThat(scratch.resolve("node")).isEmptyDirectory();
  }

  @Test
  void aMasterThatDiesEndsTheJob() throws Exception {
    Process slow = submit("", repair("--max-bytes-per-second", "256KiB"));
    awaitTheRewrite(slow);
    ProcessHandle.of(tasksOf("daemon").get(0)).orElseThrow().destroyForcibly();

    Outcome outcome = await(slow);

    assertThat(outcome.exitCode()).as(outcome.log()).isEqualTo(5);
    assertThat(outcome.log()).contains("The master or all workers ended while Shardmend was");
    requireNoProcesses();
    assertThat(output).doesNotExist();
  }

  @Test
  void whatSlurmDoesNotAnswerIsAFailure() throws Exception {
    Scripts.write(scratch.resolve("bin/scontrol"), "#!/bin/sh\nexit 1\n");

    Outcome outcome = await(submit("", "plan", broken.directory().toString()));

    assertThat(outcome.exitCode()).as(outcome.log()).isEqualTo(5);
    assertThat(outcome.log()).contains("The batch script itself failed, in line ");
    requireNoProcesses();
  }

  private String[] repair(String... options) {
    List<String> words = new ArrayList<>(List.of("repair", broken.directory().toString()));
    words.addAll(List.of("--output", output.toString()));
    words.addAll(List.of(options));
    return words.toArray(String[]::new);
  }

  private Path firstShard() throws IOException {
    try (Stream<Path> files = Files.list(broken.directory())) {
      return files
          .filter(file -> file.toString().endsWith(".safetensors"))
          .sorted()
          .findFirst()
          .orElseThrow();
    }
  }

  /** Starts the batch script as Slurm does on the allocation's first node. */
  private Process submit(String sparkHome, String... command) throws IOException {
    List<String> words = new ArrayList<>();
    words.add("bash");
    words.add(BuildFiles.projectFolder().resolve("jobs/slurm/shardmend.sbatch").toString());
    words.addAll(List.of(command));
    ProcessBuilder builder =
        new ProcessBuilder(words)
            .directory(submitFolder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log().toFile());
    Map<String, String> environment = builder.environment();
    environment.put("PATH", scratch.resolve("bin") + ":" + environment.get("PATH"));
    environment.put("RECORD", record.toString());
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("SPARK_HOME", sparkHome);
    environment.put("SHARDMEND_ROOT", BuildFiles.projectFolder().toString());
    environment.put("SHARDMEND_BUILD", BuildFiles.buildFolder().toString());
    environment.put("EXECUTOR_MEMORY", "512m");
    environment.put("SLURM_JOB_ID", job);
    environment.put("SLURM_JOB_NODELIST", "two-nodes");
    environment.put("SLURM_JOB_NUM_NODES", "2");
    environment.put("SLURM_CPUS_PER_TASK", "1");
    environment.put("SLURM_SUBMIT_DIR", submitFolder.toString());
    environment.put("SLURM_TMPDIR", Files.createDirectories(scratch.resolve("node")).toString());
    return builder.start();
  }

  private Path log() {
    return scratch.resolve("job.log");
  }

  private Outcome await(Process batch) throws IOException, InterruptedException {
    boolean ended = batch.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    String log = Files.readString(log());
    assertThat(ended).as("The job has ended: %s", log).isTrue();
    return new Outcome(batch.exitValue(), log);
  }

  private void awaitTheRewrite(Process batch) throws IOException, InterruptedException {
    Instant end = Instant.now().plus(PATIENCE);
    while (!isWriting()) {
      assertThat(batch.isAlive()).as(Files.readString(log())).isTrue();
      assertThat(Instant.now()).as(Files.readString(log())).isBefore(end);
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  private boolean isWriting() {
    try {
      return DirectoryContent.names(home).stream()
          .anyMatch(name -> name.matches(".*/work/[0-9]+-[0-9]+"));
    } catch (UncheckedIOException changing) {
      return false;
    }
  }

  /** The processes that the stand-in started for a step. */
  private List<Long> tasksOf(String step) throws IOException {
    return Files.readAllLines(record.resolve(step + ".tasks")).stream().map(Long::valueOf).toList();
  }

  /** The script's own {@code sleep} may outlive it by a second. */
  private void requireNoProcesses() throws InterruptedException {
    Instant end = Instant.now().plusSeconds(10);
    while (!processesOfTheJob().isEmpty() && Instant.now().isBefore(end)) {
      TimeUnit.MILLISECONDS.sleep(50);
    }
    assertThat(processesOfTheJob()).extracting(ProcessHandle::info).isEmpty();
  }

  /** Whatever was started below the batch script, wherever it hangs now. */
  private List<ProcessHandle> processesOfTheJob() {
    String mark = "SLURM_JOB_ID=" + job;
    return ProcessHandle.allProcesses()
        .filter(process -> environmentOf(process).contains(mark))
        .toList();
  }

  private static List<String> environmentOf(ProcessHandle process) {
    try {
      byte[] environment = Files.readAllBytes(Path.of("/proc/" + process.pid() + "/environ"));
      return List.of(new String(environment, StandardCharsets.UTF_8).split("\0"));
    } catch (IOException goneOrAnothers) {
      return List.of();
    }
  }
}
