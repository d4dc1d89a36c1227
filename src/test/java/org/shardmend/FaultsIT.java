package org.shardmend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.checkpoint.Samples;
import org.shardmend.testing.BrokenCheckpoint;
import org.shardmend.testing.DirectoryContent;
import org.shardmend.testing.PrivateMounts;
import org.shardmend.testing.Scripts;
import org.shardmend.testing.ShardmendProcess;
import org.shardmend.testing.ShardmendProcess.Result;
import org.shardmend.testing.ShardmendProcess.Running;
import org.shardmend.trial.Fault;

/** Repairs through the launcher, among processes that die, see other places or know no UTF-8. */
class FaultsIT {
  private static final String TWO_EXECUTORS = "local-cluster[2,1,1024]";
  private static final int PATIENCE_SECONDS = 120;

  @TempDir private Path scratch;
  private Path source;
  private Path home;
  private Path output;

  @BeforeEach
  void generate() throws IOException {
    source = scratch.resolve("source");
    home = Files.createDirectory(scratch.resolve("home"));
    output = home.resolve("repaired");
    BrokenCheckpoint.generate(source, Fault.MIXED);
  }

  private static void ok(Result result) {
    assertThat(result.exitCode()).as(result.err()).isZero();
  }

  @Test
  void anExecutorThatIsKilledInTheMiddleOfTheRewriteCostsNothing() throws Exception {
    Running repair =
        new ShardmendProcess()
            .master(TWO_EXECUTORS)
            .start(
                "repair",
                source.toString(),
                "--output",
                output.toString(),
                "--verify",
                "full",
                "--max-bytes-per-second",
                "1MiB");
    ProcessHandle killed = killAnExecutorInTheRewrite(repair.process());

    Result result = repair.await();

    ok(result);
    assertThat(killed.isAlive()).isFalse();
    assertThat(home.toFile().list()).containsExactly("repaired");
    assertThat(DirectoryContent.names(output))
        .noneMatch(name -> name.contains("_staging/") || name.contains(".tmp"));
    ok(
        new ShardmendProcess()
            .run("verify", output.toString(), "--against", source.toString(), "--full"));
  }

  private ProcessHandle killAnExecutorInTheRewrite(Process repair) throws Exception {
    Instant end = Instant.now().plusSeconds(PATIENCE_SECONDS);
    while (!isWriting()) {
      assertThat(repair.isAlive()).isTrue();
      assertThat(Instant.now()).isBefore(end);
      TimeUnit.MILLISECONDS.sleep(20);
    }
    // The launcher has become Java, and Java starts nothing but executors.
    Optional<ProcessHandle> executor = repair.children().findFirst();
    assertThat(executor).isPresent();
    assertThat(executor.get().destroyForcibly()).isTrue();
    return executor.get();
  }

  private boolean isWriting() throws IOException {
    try (Stream<Path> below = Files.walk(home)) {
      return below.anyMatch(path -> path.toString().matches(".*/work/[0-9]+-[0-9]+"));
    } catch (java.io.UncheckedIOException changing) {
      return false;
    }
  }

  /** Each executor has something else mounted where the output is going to be. */
  @Test
  void executorsThatSeeAnotherPlaceUnderThePathAreRefused() throws Exception {
    assumeTrue(PrivateMounts.arePossible(), "A process can have mounts of its own here");
    Scripts.write(
        scratch.resolve("jdk/bin/java"),
        """
        #!/bin/sh
        exec unshare -m sh -c 'mount -t tmpfs none "$0" && exec "$@"' '%s' '%s/bin/java' "$@"
        """
            .formatted(home, System.getProperty("java.home")));

    Result result =
        new ShardmendProcess()
            .master(TWO_EXECUTORS)
            .conf("spark.executorEnv.JAVA_HOME", scratch.resolve("jdk").toString())
            .run("repair", source.toString(), "--output", output.toString());

    assertThat(result.exitCode()).as(result.err()).isEqualTo(5);
    assertThat(result.err())
        .contains("file:" + home + "/.repaired.shardmend-", "is not the same place on host")
        .doesNotContain("\tat ");
    assertThat(home.toFile().list()).isEmpty();
  }

  @Test
  void namesOfEveryKindAreTakenAsTheyAreInTheLocaleC() throws Exception {
    // Engines take the path of a checkpoint for a pattern, so that no output is made below [x]*.
    String name = "größe 模型 \ud83d\ude00 %20 #1 \n end";
    String sideFile = "[x]* " + name;
    Path odd =
        DirectoryContent.copy(Samples.directory("mla-fp8-tp4"), scratch.resolve(name + "/" + name));
    Files.writeString(odd.resolve(sideFile), "a side file");
    Path repaired = odd.resolveSibling("repaired " + name);

    Result result =
        new ShardmendProcess()
            .environment("LC_ALL", "C")
            .environment("LANG", "C")
            .master(TWO_EXECUTORS)
            .run("repair", odd.toString(), "--output", repaired.toString(), "--verify", "full");

    ok(result);
    assertThat(repaired.resolve(sideFile)).hasContent("a side file");
    assertThat(odd.getParent().toFile().list()).containsExactlyInAnyOrder(name, "repaired " + name);
    assertThat(DirectoryContent.names(repaired))
        .filteredOn(file -> !file.startsWith(".shardmend") && !file.equals("shardmend.json"))
        .isEqualTo(DirectoryContent.names(odd));
  }
}
