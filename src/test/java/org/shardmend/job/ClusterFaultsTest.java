package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.job.spark.Progress;
import org.shardmend.testing.SharedSparkJob;
import org.shardmend.testing.TestJvm;

/** What {@link ClusterFaults} does to a cluster of executor processes, all in one process tree. */
class ClusterFaultsTest {
  @TempDir private static Path scratch;
  private static String output;

  @BeforeAll
  static void run() throws Exception {
    ClusterFaults.generate(scratch.resolve("source"));
    Actions.withDefaultRules(SharedSparkJob.withProgress(Progress.SILENT))
        .repair(scratch.resolve("source"), scratch.resolve("expected"));
    Files.createDirectories(scratch.resolve("spark-home/jars"));
    Path log = scratch.resolve("log");
    ProcessBuilder cluster =
        TestJvm.of(ClusterFaults.class, List.of("-Xmx512m"), scratch.toString(), classPath());
    cluster.environment().put("SPARK_HOME", scratch.resolve("spark-home").toString());
    cluster.environment().put("SPARK_SCALA_VERSION", "2.13");
    Process process = cluster.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      assertThat(process.waitFor(15, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    output = Files.readString(log);
  }

  private static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }

  private static void require(String scenario) {
    assertThat(output.lines().anyMatch(("ok " + scenario)::equals)).as(output).isTrue();
  }

  @Test
  void anExecutorThatIsKilledInTheRewriteCostsNoShard() {
    require("killed");
  }

  @Test
  void twoAttemptsAtAShardAreOneResultAndAZombieChangesNothing() {
    require("speculated");
  }

  @Test
  void aTaskThatFailsIsTriedAgain() {
    require("failed once");
  }

  @Test
  void aTaskThatKeepsFailingFailsTheRepairWhichResumesWhenItsFileCanBeRead() {
    require("kept failing");
  }
}
