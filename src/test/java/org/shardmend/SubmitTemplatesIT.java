package org.shardmend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardmend.testing.BrokenCheckpoint;
import org.shardmend.testing.BuildFiles;
import org.shardmend.testing.Scripts;
import org.shardmend.testing.SparkHome;
import org.shardmend.trial.Fault;

/**
 * The submit templates with the real jar, job files and results, on a real HDFS. For cluster mode
 * the part of the cluster is played by a stand-in for spark-submit: it runs the driver here.
 */
class SubmitTemplatesIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /**
   * The driver gets what the settings hand on and nothing else of the environment, and the image's
   * files are the project's. As on YARN, its exit code is lost.
   */
  private static final String SPARK_SUBMIT =
      """
      #!/usr/bin/env bash
      environment=(PATH="$PATH" JAVA_HOME="$JAVA_HOME" SPARK_HOME="$SPARK_HOME" HADOOP_CONF_DIR="$HADOOP_CONF_DIR")
      words=(--master 'local[2]')
      mode=client
      while (($# > 0)); do
        case $1,$2 in
          --conf,spark.yarn.appMasterEnv.* | --conf,spark.kubernetes.driverEnv.*) environment+=("${2#spark.*Env.}") ;;
          --conf,spark.submit.deployMode=*) mode=${2#*=} ;;
          --conf,* | --class,*) words+=("$1" "$2") ;;
          --master,*) ;;
          *) break ;;
        esac
        shift 2
      done
      [[ $mode == cluster ]] || exit 9
      for word; do
        word=${word/#local:\\/\\/\\/opt\\/shardmend\\/build/$IMAGE_BUILD}
        words+=("${word/#file:\\/\\/\\/opt\\/shardmend\\/jobs/file:\\/\\/$IMAGE_JOBS}")
      done
      env -i "${environment[@]}" "$SPARK_HOME/bin/spark-class" org.apache.spark.deploy.SparkSubmit "${words[@]}" >&2 || exit 1
      """;

  @TempDir private static Path scratch;
  private static Path settings;
  private static SparkHome spark;
  private static MiniDFSCluster hdfs;
  private static FileSystem files;

  private record Outcome(int exitCode, String out, String err) {}

  @BeforeAll
  static void start() throws IOException {
    Configuration configuration = new Configuration();
    configuration.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, scratch.resolve("hdfs").toString());
    configuration.setInt("dfs.replication", 1);
    hdfs = new MiniDFSCluster.Builder(configuration).numDataNodes(1).build();
    hdfs.waitActive();
    files = hdfs.getFileSystem();
    settings = Files.createDirectory(scratch.resolve("settings"));
    try (OutputStream out = Files.newOutputStream(settings.resolve("core-site.xml"))) {
      files.getConf().writeXml(out);
    }
    spark = SparkHome.make("submit-it-spark");
    Scripts.write(spark.folder().resolve("bin/spark-submit"), SPARK_SUBMIT);
  }

  @AfterAll
  static void stop() {
    if (hdfs != null) {
      hdfs.shutdown();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"yarn", "kubernetes"})
  void aSweepRepairsWhatIsNewIntoATreeElsewhere(String cluster) throws Exception {
    String root = "hdfs:///" + cluster;
    BrokenCheckpoint broken = BrokenCheckpoint.generate(scratch.resolve(cluster), Fault.MIXED);
    upload(broken.directory(), root + "/checkpoints/team/new");
    age(root + "/checkpoints", Duration.ofHours(2));

    Outcome outcome =
        submit(
            cluster,
            Map.of(
                "SHARDMEND_CHECKPOINTS",
                root + "/checkpoints",
                "SHARDMEND_REPAIRED",
                root + "/repaired",
                "SHARDMEND_AUDIT",
                root + "/audits"));

    assertThat(outcome.exitCode()).as(outcome.err()).isZero();
    JsonNode result = JSON.readTree(outcome.out());
    assertThat(result.at("/outcomes/done").asInt()).isEqualTo(1);
    assertThat(result.path("exit_code").asInt(-1)).isZero();
    Path repaired = scratch.resolve(cluster + "-repaired");
    files.copyToLocalFile(
        false, path(root + "/repaired/team/new"), path(repaired.toString()), true);
    broken.requireRepairedIn(repaired);
    assertThat(files.exists(path(root + "/audits/runs"))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"yarn", "kubernetes"})
  void aRefusalIsTheTemplatesExitCode(String cluster) throws Exception {
    Path source = scratch.resolve(cluster + "-damaged");
    BrokenCheckpoint.generate(source, Fault.MIXED);
    try (Stream<Path> shards = Files.list(source)) {
      Path shard =
          shards.filter(file -> file.toString().endsWith(".safetensors")).findAny().orElseThrow();
      Files.write(shard, new byte[] {1}, StandardOpenOption.APPEND);
    }
    String damaged = "hdfs:///" + cluster + "/damaged";
    upload(source, damaged);

    Outcome outcome =
        submit(cluster, Map.of(), "repair", damaged, "--output", damaged + "-repaired");

    assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(4);
    assertThat(JSON.readTree(outcome.out()).path("outcome").asText()).isEqualTo("refused");
    assertThat(files.exists(path(damaged + "-repaired"))).isFalse();
  }

  @Test
  void underCronASweepRepairsInPlaceAndSaysNothing() throws Exception {
    Path root = scratch.resolve("cron");
    BrokenCheckpoint before = BrokenCheckpoint.generate(scratch.resolve("kept"), Fault.ALIAS_ONLY);
    Path checkpoint = root.resolve("team/new");
    BrokenCheckpoint.generate(checkpoint, Fault.ALIAS_ONLY);
    age(checkpoint.toUri().toString(), Duration.ofHours(2));

    Outcome outcome =
        run(
            "cron/nightly-sweep",
            Map.of(
                "SPARK_HOME",
                "",
                "SHARDMEND_CHECKPOINTS",
                root.toString(),
                "SHARDMEND_AUDIT",
                scratch.resolve("cron-audits").toString(),
                "SHARDMEND_LOGS",
                scratch.resolve("cron-logs").toString()));

    assertThat(outcome.exitCode()).as(outcome.err()).isZero();
    assertThat(outcome.out() + outcome.err()).isEmpty();
    before.requireRepairedIn(checkpoint);
    assertThat(scratch.resolve("cron-logs").toFile().list())
        .anyMatch(name -> name.endsWith(".json"));
  }

  private static org.apache.hadoop.fs.Path path(String path) {
    return new org.apache.hadoop.fs.Path(path);
  }

  private static void upload(Path directory, String target) throws IOException {
    files.mkdirs(path(target).getParent());
    files.copyFromLocalFile(path(directory.toString()), path(target));
  }

  private static void age(String directory, Duration age) throws IOException {
    long time = Instant.now().minus(age).toEpochMilli();
    FileSystem system = path(directory).getFileSystem(files.getConf());
    RemoteIterator<LocatedFileStatus> all = system.listFiles(path(directory), true);
    while (all.hasNext()) {
      system.setTimes(all.next().getPath(), time, time);
    }
  }

  private static Outcome submit(String cluster, Map<String, String> variables, String... command)
      throws Exception {
    Map<String, String> all = new HashMap<>(variables);
    all.putAll(spark.environment());
    all.put("HADOOP_CONF_DIR", settings.toString());
    all.put("SHARDMEND_STAGING", "hdfs:///yarn/staging");
    all.put("SHARDMEND_RESULTS", "hdfs:///kubernetes/results");
    all.put("IMAGE_BUILD", BuildFiles.buildFolder().toString());
    all.put("IMAGE_JOBS", BuildFiles.projectFolder().resolve("jobs").toString());
    return run(cluster + "/submit", all, command);
  }

  private static Outcome run(String template, Map<String, String> variables, String... command)
      throws Exception {
    List<String> words = new ArrayList<>();
    words.add(BuildFiles.projectFolder().resolve("jobs").resolve(template).toString());
    words.addAll(List.of(command));
    Path out = scratch.resolve("out");
    Path err = scratch.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(words).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("SHARDMEND_BUILD", BuildFiles.buildFolder().toString());
    builder.environment().putAll(variables);
    Process process = builder.start();
    boolean ended = process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    if (!ended) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    String said = Files.readString(err);
    assertThat(ended).as("%s has ended: %s", template, said).isTrue();
    return new Outcome(process.exitValue(), Files.readString(out), said);
  }
}
