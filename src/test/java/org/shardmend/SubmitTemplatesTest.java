package org.shardmend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardmend.testing.BuildFiles;
import org.shardmend.testing.Programs;
import org.shardmend.testing.Scripts;

/**
 * The submit templates in {@code jobs/}, with stand-ins for spark-submit and the launcher that
 * write down what they get.
 */
class SubmitTemplatesTest {
  private static final Path JOBS = BuildFiles.projectFolder().resolve("jobs");

  /** Leaves the result that a driver in cluster mode would, and fails as spark-submit does then. */
  private static final String SPARK_SUBMIT =
      """
      #!/usr/bin/env bash
      printf '%s\\n' "$@" >"$RECORD/spark-submit"
      while (($# > 0)); do
        [[ $1 != --result ]] || result=$2
        shift
      done
      if [[ -n ${EXIT:-} ]]; then
        mkdir -p "$(dirname "${result#file://}")"
        printf '{\\n  "outcome" : "some",\\n  "exit_code" : %s\\n}' "$EXIT" >"${result#file://}"
      fi
      [[ ${EXIT:-1} == 0 ]] || exit 1
      """;

  /** Hadoop's commands on files, as far as the templates use them. */
  private static final String SPARK_CLASS =
      """
      #!/usr/bin/env bash
      [[ $1 == org.apache.hadoop.fs.FsShell ]] || exit 9
      case $2 in
        -cat) cat "${3#file://}" ;;
        -mkdir) mkdir -p "${4#file://}" ;;
        -put) cp "$4" "${5#file://}" ;;
        *) exit 9 ;;
      esac
      """;

  private static final String LAUNCHER =
      """
      #!/usr/bin/env bash
      printf '%s\\n' "$@" >"$RECORD/launcher"
      printf '%s\\n' "$SHARDMEND_CHECKPOINTS" "$SHARDMEND_AUDIT" "$SHARDMEND_HEAP" >"$RECORD/environment"
      echo "the document"
      echo "what went wrong" >&2
      exit "${EXIT:-0}"
      """;

  @TempDir private Path scratch;
  private Path record;
  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void makeStandIns() throws IOException {
    record = Files.createDirectories(scratch.resolve("record"));
    Path spark = scratch.resolve("spark");
    Scripts.write(spark.resolve("bin/spark-submit"), SPARK_SUBMIT);
    Scripts.write(spark.resolve("bin/spark-class"), SPARK_CLASS);
    Path build = Files.createDirectories(scratch.resolve("build"));
    Files.writeString(build.resolve("shardmend.jar"), "");
    environment.put("RECORD", record.toString());
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("SPARK_HOME", spark.toString());
    environment.put("SHARDMEND_BUILD", build.toString());
    environment.put("SHARDMEND_STAGING", "file://" + scratch + "/staging");
    environment.put("SHARDMEND_RESULTS", "file://" + scratch + "/results");
  }

  @ParameterizedTest
  @CsvSource({"yarn,0", "yarn,3", "yarn,4", "yarn,5", "kubernetes,0", "kubernetes,4"})
  void inClusterModeTheExitCodeIsTheResults(String cluster, int code) throws Exception {
    environment.put("EXIT", String.valueOf(code));

    Outcome outcome = run(JOBS.resolve(cluster).resolve("submit"), "plan", "a checkpoint");

    assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(code);
    assertThat(outcome.out()).contains("\"exit_code\" : " + code);
    assertThat(recorded("spark-submit")).containsSubsequence("plan", "a checkpoint", "--result");
  }

  @ParameterizedTest
  @ValueSource(strings = {"yarn", "kubernetes"})
  void aDriverThatIsLostBeforeItsResultIsAFailure(String cluster) throws Exception {
    Outcome outcome = run(JOBS.resolve(cluster).resolve("submit"), "plan", "checkpoint");

    assertThat(outcome.exitCode()).isEqualTo(5);
    assertThat(outcome.err()).contains("There is no result at file://", "resumes");
  }

  /** As a driver leaves it that was killed, or that goes on after spark-submit. */
  @ParameterizedTest
  @ValueSource(strings = {"yarn", "kubernetes"})
  void aResultThatStillSaysRunningIsAFailureAndSaidAsSuch(String cluster) throws Exception {
    Scripts.write(
        scratch.resolve("spark/bin/spark-class"),
        """
        #!/bin/sh
        [ "$2" != -cat ] || printf '{\\n  "schema" : "shardmend/plan/1",\\n  "outcome" : "running"\\n}'
        """);

    Outcome outcome = run(JOBS.resolve(cluster).resolve("submit"), "plan", "checkpoint");

    assertThat(outcome.exitCode()).isEqualTo(5);
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err())
        .contains("The result at file://", "still says \"running\"", "resumes")
        .doesNotContain("There is no result");
  }

  @ParameterizedTest
  @ValueSource(strings = {"yarn", "kubernetes"})
  void withoutAPlaceForTheResultNothingIsStarted(String cluster) throws Exception {
    Scripts.write(scratch.resolve("spark/bin/spark-class"), "#!/bin/sh\nexit 1\n");

    Outcome outcome = run(JOBS.resolve(cluster).resolve("submit"), "plan", "checkpoint");

    assertThat(outcome.exitCode()).isEqualTo(5);
    assertThat(outcome.err()).startsWith("submit: Cannot make file://" + scratch);
    assertThat(record.resolve("spark-submit")).doesNotExist();
  }

  @Test
  void onYarnTheDriverIsNotStartedTwiceAndFindsItsJobFileOnHdfs() throws Exception {
    environment.put("EXIT", "0");
    environment.put("SHARDMEND_CHECKPOINTS", "hdfs:///models");

    run(JOBS.resolve("yarn/submit"));

    assertThat(recorded("spark-submit"))
        .containsSubsequence("--master", "yarn")
        .contains(
            "spark.submit.deployMode=cluster",
            "spark.yarn.maxAppAttempts=1",
            "spark.yarn.appMasterEnv.SHARDMEND_CHECKPOINTS=hdfs:///models");
    String jobFile = argumentAfter("run");
    assertThat(jobFile).startsWith("file://" + scratch + "/staging/").endsWith("mirror-sweep.json");
    assertThat(Path.of(jobFile.substring("file://".length())))
        .hasSameTextualContentAs(JOBS.resolve("mirror-sweep.json"));
  }

  /** Wherever the build is on the machine that submits. */
  @Test
  void onKubernetesTheImageHoldsJarAndJobFile() throws Exception {
    environment.put("EXIT", "0");
    environment.put("SHARDMEND_IMAGE", "registry/shardmend:1");

    run(JOBS.resolve("kubernetes/submit"));

    assertThat(recorded("spark-submit"))
        .contains(
            "k8s://https://kubernetes.default.svc:443",
            "spark.submit.deployMode=cluster",
            "spark.kubernetes.container.image=registry/shardmend:1",
            "local:///opt/shardmend/build/shardmend.jar")
        .containsSubsequence("run", "file:///opt/shardmend/jobs/mirror-sweep.json", "--result");
    assertThat(JOBS.resolve("kubernetes/Dockerfile"))
        .content()
        .contains("COPY target/shardmend.jar /opt/shardmend/build/shardmend.jar");
    for (String pod : List.of("driver", "executor")) {
      String setting = "spark.kubernetes." + pod + ".podTemplateFile=";
      String template =
          recorded("spark-submit").stream()
              .filter(argument -> argument.startsWith(setting))
              .findFirst()
              .orElseThrow()
              .substring(setting.length());
      assertThat(Path.of(template)).exists();
    }
  }

  @Test
  void underCronNothingIsPrintedWhenAllIsWell() throws Exception {
    Outcome outcome = run(cronIn(project()));

    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.out() + outcome.err()).isEmpty();
    assertThat(recorded("launcher"))
        .startsWith("run", project().resolve("jobs/nightly-sweep.json").toString(), "--result");
    assertThat(recorded("environment")).containsExactly("/ckpt", "/audits", "2g");
    assertThat(logs()).anyMatch(name -> name.endsWith(".log"));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 5})
  void underCronTheEndOfTheLogIsPrintedOtherwise(int code) throws Exception {
    environment.put("EXIT", String.valueOf(code));

    Outcome outcome = run(cronIn(project()));

    assertThat(outcome.exitCode()).isEqualTo(code);
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err()).contains("exit code " + code, "the document", "what went wrong");
  }

  @Test
  void underCronOneRunAtATime() throws Exception {
    Path logs = Files.createDirectories(scratch.resolve("logs"));
    Process holder =
        new ProcessBuilder("flock", logs.resolve("lock").toString(), "sh", "-c", "echo held; cat")
            .start();
    try {
      assertThat(holder.inputReader().readLine()).isEqualTo("held");

      Outcome outcome = run(cronIn(project()));

      assertThat(outcome.exitCode()).isEqualTo(75);
      assertThat(outcome.err()).contains("still running");
      assertThat(record.resolve("launcher")).doesNotExist();
    } finally {
      holder.descendants().forEach(ProcessHandle::destroyForcibly);
      holder.destroyForcibly();
    }
  }

  /** As flock answers on Lustre that is mounted without -o flock. */
  @Test
  void underCronAFolderWithoutLocksIsNotTakenForARunBefore() throws Exception {
    Scripts.write(scratch.resolve("bin/flock"), "#!/bin/sh\nexit 65\n");
    environment.put("PATH", scratch.resolve("bin") + ":" + System.getenv("PATH"));

    Outcome outcome = run(cronIn(project()));

    assertThat(outcome.exitCode()).isEqualTo(5);
    assertThat(outcome.err()).contains("takes no lock", "SHARDMEND_LOGS");
    assertThat(record.resolve("launcher")).doesNotExist();
  }

  @Test
  void underCronOldLogsGoAndOtherFilesStay() throws Exception {
    Path logs = Files.createDirectories(scratch.resolve("logs"));
    FileTime old = FileTime.from(Instant.now().minus(Duration.ofDays(40)));
    for (String name : List.of("20260101T023000Z.log", "20260101T023000Z.json", "notes.txt")) {
      Files.setLastModifiedTime(Files.createFile(logs.resolve(name)), old);
    }

    run(cronIn(project()));

    assertThat(logs()).contains("notes.txt").noneMatch(name -> name.startsWith("20260101"));
  }

  @Test
  void theCrontabNamesAProgramThatIsThere() throws Exception {
    List<String> entries =
        Files.readAllLines(JOBS.resolve("cron/shardmend.crontab")).stream()
            .filter(line -> line.matches("[0-9*].*"))
            .toList();

    assertThat(entries)
        .singleElement()
        .asString()
        .matches("(\\S+\\s+){5}shardmend\\s+/opt/shardmend/jobs/cron/nightly-sweep");
    assertThat(JOBS.resolve("cron/nightly-sweep")).isExecutable();
  }

  @Test
  void systemdTakesTheUnits() throws Exception {
    assumeThat(Programs.isThere("systemd-analyze"))
        .as("systemd-analyze is on this machine")
        .isTrue();
    Path units = Files.createDirectories(scratch.resolve("units"));
    for (String name : List.of("shardmend-sweep.service", "shardmend-sweep.timer")) {
      String unit = Files.readString(JOBS.resolve("cron").resolve(name));
      Files.writeString(units.resolve(name), unit.replace("/opt/shardmend/jobs", JOBS.toString()));
    }

    Outcome outcome =
        run(
            Path.of("systemd-analyze"),
            "verify",
            units.resolve("shardmend-sweep.service").toString(),
            units.resolve("shardmend-sweep.timer").toString());

    assertThat(outcome.out() + outcome.err()).doesNotContain("shardmend-sweep");
    assertThat(outcome.exitCode()).isZero();
  }

  static Stream<Path> shellFiles() throws IOException {
    List<Path> files = new ArrayList<>();
    for (String folder : List.of("jobs", "scripts", ".ci")) {
      try (Stream<Path> all = Files.walk(BuildFiles.projectFolder().resolve(folder))) {
        all.filter(Files::isRegularFile).filter(SubmitTemplatesTest::isShell).forEach(files::add);
      }
    }
    return files.stream();
  }

  private static boolean isShell(Path file) {
    try {
      return Files.readString(file).lines().findFirst().orElse("").matches("#.*\\bbash\\b.*");
    } catch (IOException binary) {
      return false;
    }
  }

  @Test
  void everySubmitTemplateIsAmongTheShellFiles() throws IOException {
    assertThat(shellFiles())
        .contains(
            JOBS.resolve("slurm/shardmend.sbatch"),
            JOBS.resolve("yarn/submit"),
            JOBS.resolve("kubernetes/submit"),
            JOBS.resolve("cron/nightly-sweep"),
            JOBS.resolve("cluster-mode.sh"));
  }

  @ParameterizedTest
  @MethodSource("shellFiles")
  void shellcheckFindsNothing(Path file) throws Exception {
    assumeThat(Programs.isThere("shellcheck")).as("shellcheck is on this machine").isTrue();

    Outcome outcome = run(Path.of("shellcheck"), "--external-sources", file.toString());

    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.exitCode()).as(outcome.err()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "slurm/shardmend.sbatch",
        "yarn/submit",
        "kubernetes/submit",
        "kubernetes/Dockerfile",
        "kubernetes/kustomization.yaml",
        "kubernetes/cronjob.yaml",
        "kubernetes/driver-pod.yaml",
        "kubernetes/executor-pod.yaml",
        "kubernetes/core-site.xml",
        "cron/nightly-sweep",
        "cron/shardmend.crontab",
        "cron/shardmend-sweep.service",
        "cron/shardmend-sweep.timer"
      })
  void eachTemplateSaysWhatToFillIn(String template) throws IOException {
    String header =
        Files.readString(JOBS.resolve(template)).lines().limit(30).reduce("", String::concat);

    assertThat(header).contains("Fill in");
  }

  /** A folder with the templates and a launcher that only writes down. */
  private Path project() throws IOException {
    Path project = scratch.resolve("a project");
    if (!Files.exists(project)) {
      Scripts.write(project.resolve("scripts/shardmend"), LAUNCHER);
      Scripts.write(
          project.resolve("jobs/cron/nightly-sweep"),
          Files.readString(JOBS.resolve("cron/nightly-sweep")));
    }
    return project;
  }

  private Path cronIn(Path project) {
    environment.put("SHARDMEND_ROOT", project.toString());
    environment.put("SHARDMEND_LOGS", scratch.resolve("logs").toString());
    environment.put("SHARDMEND_CHECKPOINTS", "/ckpt");
    environment.put("SHARDMEND_AUDIT", "/audits");
    return project.resolve("jobs/cron/nightly-sweep");
  }

  private List<String> logs() throws IOException {
    try (Stream<Path> files = Files.list(scratch.resolve("logs"))) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  private String argumentAfter(String word) throws IOException {
    List<String> arguments = recorded("spark-submit");
    return arguments.get(arguments.indexOf(word) + 1);
  }

  private List<String> recorded(String what) throws IOException {
    return Files.readAllLines(record.resolve(what));
  }

  private record Outcome(int exitCode, String out, String err) {}

  private Outcome run(Path program, String... arguments) throws Exception {
    List<String> words = new ArrayList<>(List.of(program.toString()));
    words.addAll(List.of(arguments));
    Path out = scratch.resolve("out");
    Path err = scratch.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(words).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("SHARDMEND_"));
    builder.environment().putAll(environment);
    int exitCode = builder.start().waitFor();
    return new Outcome(exitCode, Files.readString(out), Files.readString(err));
  }
}
