package org.shardmend.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.testing.S3Server;
import org.shardmend.testing.SharedSparkJob;

/** The commands on an object store, and that its keys stay where the user has put them. */
class S3aCommandTest {
  private static final String WITH_WRONG_KEY = "s3a-wrong-key";
  private static final AtomicInteger BUCKETS = new AtomicInteger();
  private static final String SECRET = "sEcReT-kEy/0123456789+abcdef";
  private static final String TOKEN = "sEsSiOn-tOkEn/0123456789";

  @TempDir private Path scratch;
  private S3Server server;

  // Hadoop keeps a client for each name: a new name is a new client.
  private final String bucket = "s3a-commands-" + BUCKETS.incrementAndGet();
  private final String source = "s3a://" + bucket + "/data/broken";
  private final String output = "s3a://" + bucket + "/data/fixed";
  private final List<String> seen = new ArrayList<>();

  /** A Spark application that is running has the settings that it was started with. */
  @BeforeEach
  void start() throws IOException, JobException {
    SharedSparkJob.withProgress(Progress.SILENT).close();
    server = S3Server.start();
    for (String name : List.of(bucket, WITH_WRONG_KEY)) {
      server.settings(name).forEach(S3aCommandTest::set);
      set("fs.s3a.bucket." + name + ".secret.key", SECRET);
      set("fs.s3a.bucket." + name + ".session.token", TOKEN);
    }
    set("fs.s3a.bucket." + WITH_WRONG_KEY + ".access.key", "wRoNg-aCcEsS-kEy");
  }

  @AfterEach
  void stop() {
    System.getProperties()
        .stringPropertyNames()
        .forEach(
            name -> {
              if (name.startsWith("spark.hadoop.fs.s3a.")) {
                System.clearProperty(name);
              }
            });
    server.close();
  }

  private static void set(String key, String value) {
    System.setProperty("spark.hadoop." + key, value);
  }

  private CommandRun run(String... arguments) {
    CommandRun run = CommandRun.of(arguments);
    seen.add(run.out());
    seen.add(run.err());
    return run;
  }

  /** Everything that the commands printed and wrote, to disk or into the store. */
  private void assertNoSecretIsSeen() throws IOException {
    server
        .objects()
        .values()
        .forEach(content -> seen.add(new String(content, StandardCharsets.ISO_8859_1)));
    try (Stream<Path> files = Files.walk(scratch)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        seen.add(Files.readString(file, StandardCharsets.ISO_8859_1));
      }
    }
    assertThat(seen).hasSizeGreaterThan(4);
    assertThat(seen)
        .noneMatch(text -> text.contains(SECRET) || text.contains(TOKEN))
        .noneMatch(text -> text.contains(SECRET.substring(0, 12)));
  }

  @Test
  void theCommandsWorkOnAStoreAndShowNoKey() throws IOException {
    String result = scratch.resolve("result.json").toString();
    assertThat(run("generate", source, "--layers", "4", "--bytes", "100kB").exit()).isZero();
    assertThat(run("inspect", source).exit()).isZero();
    assertThat(run("plan", source, "--verbose").exit()).isEqualTo(3);
    CommandRun repair =
        run("repair", source, "--output", output, "--json", "--verbose", "--result", result);
    assertThat(repair.exit()).as(repair.err()).isZero();
    assertThat(repair.document().path("output").asText()).isEqualTo(output);
    assertThat(run("verify", output, "--against", source, "--full").exit()).isZero();
    CommandRun audit = run("audit", output, "--action", "RENAME", "--json");
    assertThat(audit.exit()).isZero();
    assertThat(audit.document().toString()).contains(".kv_b_proj.");
    assertThat(run("plan", output, "--result", output + "-plan.json").exit()).isZero();
    assertThat(server.objects()).containsKey("data/fixed-plan.json");

    assertNoSecretIsSeen();
  }

  @Test
  void aWrongKeyFailsWithThePlaceAndWithoutTheKey() throws IOException {
    assertThat(run("generate", source, "--layers", "4", "--bytes", "100kB").exit()).isZero();
    String closed = "s3a://" + WITH_WRONG_KEY + "/data/broken";
    String audit = scratch.resolve("audit").toString();

    CommandRun plan = run("plan", closed, "--verbose", "--json");
    CommandRun repair = run("repair", closed, "--output", output, "--verbose", "--audit", audit);
    CommandRun write =
        run("repair", source, "--output", "s3a://" + WITH_WRONG_KEY + "/data/fixed", "--verbose");

    assertThat(plan.exit()).isEqualTo(5);
    assertThat(plan.document().at("/error/message").asText()).contains(closed, "permission denied");
    for (CommandRun failed : List.of(repair, write)) {
      assertThat(failed.exit()).isEqualTo(5);
      assertThat(failed.err()).contains("s3a://" + WITH_WRONG_KEY, "permission denied");
    }
    assertThat(server.objects().keySet()).noneMatch(key -> key.startsWith("data/fixed"));
    assertNoSecretIsSeen();
  }

  @Test
  void keysInALocationAreRefusedAndNotRepeated() throws IOException {
    for (String key : List.of(SECRET, SECRET.replace('/', '-'))) {
      String open = "s3a://user:" + key + "@" + bucket + "/data/broken";
      for (CommandRun refused :
          List.of(
              run("plan", open, "--json"),
              run("verify", open, "--verbose"),
              run("repair", source, "--output", open + "-fixed"),
              run("audit", open))) {
        assertThat(refused.exit()).isEqualTo(2);
        assertThat(refused.out() + refused.err())
            .contains("Keys do not belong")
            .doesNotContain("user:");
      }
    }
    assertNoSecretIsSeen();
  }

  @Test
  void inPlaceAndRollbackSayTheWayThatWorks() {
    assertThat(run("generate", source, "--layers", "4", "--bytes", "100kB").exit()).isZero();

    CommandRun inPlace = run("repair", source, "--in-place");
    CommandRun rollback = run("rollback", source);

    assertThat(inPlace.exit()).isEqualTo(2);
    assertThat(inPlace.err()).contains(source, "--output");
    assertThat(rollback.exit()).as(rollback.err()).isZero();
  }
}
