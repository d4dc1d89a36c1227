package org.shardmend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.testing.S3Server;
import org.shardmend.testing.ShardmendProcess;

/** Repairs in an object store by executors in processes of their own, with S3A from a folder. */
class S3aIT {
  private static final String BUCKET = "s3a-it";
  private static final String SOURCE = "s3a://" + BUCKET + "/data/broken";
  private static final String OUTPUT = "s3a://" + BUCKET + "/data/fixed";

  /** What the class path of the tests has of hadoop-aws and all that it needs. */
  private static final List<String> S3A_JARS =
      List.of(
          "/org/apache/hadoop/hadoop-aws/",
          "/software/amazon/",
          "/org/reactivestreams/",
          "/org/apache/httpcomponents/",
          "/org/wildfly/");

  @TempDir private Path scratch;
  private S3Server server;

  @BeforeEach
  void start() throws IOException {
    server = S3Server.start();
    Path jars = Files.createDirectory(scratch.resolve("jars"));
    for (String jar : System.getProperty("java.class.path").split(":", -1)) {
      if (S3A_JARS.stream().anyMatch(jar::contains)) {
        Files.createSymbolicLink(jars.resolve(Path.of(jar).getFileName()), Path.of(jar));
      }
    }
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private ShardmendProcess shardmend(String master) {
    String jars = scratch.resolve("jars") + "/*";
    ShardmendProcess process =
        new ShardmendProcess()
            .master(master)
            .conf("spark.driver.extraClassPath", jars)
            .conf("spark.executor.extraClassPath", jars);
    server.settings(BUCKET).forEach((key, value) -> process.conf("spark.hadoop." + key, value));
    return process;
  }

  private ShardmendProcess.Result run(String... command) throws Exception {
    return shardmend("local[2]").run(command);
  }

  @Test
  void anExecutorThatDiesAfterAnUploadLeavesNoneAndTheRepairIsWhole() throws Exception {
    assertThat(
            run("generate", SOURCE, "--tp", "3", "--bytes", "30MiB", "--fault", "mixed").exitCode())
        .isZero();
    AtomicBoolean killed = new AtomicBoolean();
    server.intercept(
        request -> {
          if (request.query().containsKey("partNumber") && !killed.getAndSet(true)) {
            killAnExecutor();
          }
          return Optional.empty();
        });

    ShardmendProcess.Result repair =
        shardmend("local-cluster[2,1,1024]").run("repair", SOURCE, "--output", OUTPUT);

    assertThat(repair.exitCode()).as(repair.err()).isZero();
    assertThat(killed).isTrue();
    assertThat(server.uploads()).isEmpty();
    ShardmendProcess.Result verify = run("verify", OUTPUT, "--against", SOURCE, "--full");
    assertThat(verify.exitCode()).as(verify.err()).isZero();
  }

  private static void killAnExecutor() {
    try (Stream<ProcessHandle> descendants = ProcessHandle.current().descendants()) {
      descendants
          .filter(S3aIT::isExecutor)
          .findFirst()
          .orElseThrow(() -> new IllegalStateException("There is no executor"))
          .destroyForcibly();
    }
  }

  private static boolean isExecutor(ProcessHandle process) {
    try {
      return Files.readString(
              Path.of("/proc/%d/cmdline".formatted(process.pid())), StandardCharsets.ISO_8859_1)
          .contains("CoarseGrainedExecutorBackend");
    } catch (IOException gone) {
      return false;
    }
  }
}
