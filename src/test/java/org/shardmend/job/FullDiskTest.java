package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.job.repair.RepairResult;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.testing.SharedSparkJob;
import org.shardmend.trial.Fault;

/**
 * A disk that is full: a small one in memory, mounted for each test. Skipped where that isn't
 * allowed; a used up quota of HDFS shows the same everywhere.
 */
class FullDiskTest {
  private static final long DISK_BYTES = 4 << 20;

  @TempDir private Path scratch;
  private Path source;
  private Path disk;
  private Path output;
  private Path filler;

  @BeforeEach
  void mount() throws Exception {
    source = scratch.resolve("source");
    disk = Files.createDirectory(scratch.resolve("disk"));
    output = disk.resolve("repaired");
    filler = disk.resolve("filler");
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=" + DISK_BYTES, "none", disk.toString()),
        "A disk can be mounted here");
    Actions.generate(source, Fault.MIXED);
  }

  @AfterEach
  void unmount() throws Exception {
    run("umount", disk.toString());
  }

  private static boolean run(String... command) throws IOException, InterruptedException {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(new File("/dev/null"))
              .start();
      return process.waitFor(1, TimeUnit.MINUTES) && process.exitValue() == 0;
    } catch (IOException noSuchProgram) {
      return false;
    }
  }

  /** Takes all but so much of the disk. */
  private void leave(long bytes) {
    try {
      FileStore store = Files.getFileStore(disk);
      Files.write(filler, new byte[(int) (store.getUsableSpace() - bytes)]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private JobException failureOf(Progress progress) throws JobException {
    Actions actions = Actions.withDefaultRules(SharedSparkJob.withProgress(progress));
    JobException failure =
        catchThrowableOfType(JobException.class, () -> actions.repair(source, output));
    assertThat(failure.kind()).isEqualTo(JobException.Kind.FAILED);
    assertThat(failure.code()).isEqualTo("no-space");
    assertThat(output).doesNotExist();
    return failure;
  }

  @Test
  void isNoticedBeforeAnythingIsWritten() throws Exception {
    leave(100 << 10);

    JobException failure = failureOf(Progress.SILENT);

    assertThat(failure)
        .message()
        .containsPattern("needs [^(]+ \\([0-9]{6} bytes\\) for this repair")
        .containsPattern("\\([0-9]{5} bytes\\) are free");
    assertThat(disk.toFile().list()).containsExactly("filler");
  }

  /**
   * How many shards are complete by then depends on who is quicker, the tasks or the driver that
   * takes them in; that none is written again is shown where a driver is killed.
   */
  @Test
  void failsARepairThatIsContinuedWhenThereIsRoom() throws Exception {
    Progress fillsUp =
        new DeafProgress() {
          @Override
          public void begin(String stage, long totalBytes) {
            if (stage.equals("Rewrite shards")) {
              leave(300 << 10);
            }
          }
        };

    JobException failure = failureOf(fillsUp);

    assertThat(failure)
        .hasMessageContaining(disk.toString())
        .message()
        .containsPattern("at least [0-9]+ bytes are needed, [0-9]+ bytes are free");
    Files.delete(filler);
    Actions actions = Actions.withDefaultRules(SharedSparkJob.withProgress(Progress.SILENT));
    RepairResult again = actions.repair(source, output);
    assertThat(again.outcome()).isEqualTo(RepairResult.Outcome.DONE);
    assertThat(actions.verifyAgainst(output, source).faults()).isEmpty();
    assertThat(disk.toFile().list()).containsExactly("repaired");
  }
}
