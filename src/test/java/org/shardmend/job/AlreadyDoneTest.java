package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.Severity;
import org.shardmend.job.repair.RepairRequest;
import org.shardmend.job.repair.RepairResult;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.storage.protocol.StepListener;
import org.shardmend.testing.DirectoryContent;
import org.shardmend.testing.SharedSparkJob;
import org.shardmend.trial.Fault;

/** What is published is done: whatever fails behind that, and however often the command is run. */
@ExtendWith(SharedSparkJob.class)
class AlreadyDoneTest {
  @TempDir private Path scratch;
  private Path source;
  private Path output;
  private Path audit;
  private Actions actions;

  @BeforeEach
  void generate(SparkJob job) throws Exception {
    source = scratch.resolve("source");
    output = scratch.resolve("repaired");
    audit = scratch.resolve("audit");
    actions = Actions.withDefaultRules(job);
    Actions.generate(source, Fault.MIXED);
  }

  /** Something that happens to files. */
  @FunctionalInterface
  private interface Trouble {
    void happens() throws IOException;
  }

  private static StepListener at(String step, Trouble trouble) {
    return reached -> {
      if (reached.equals(step)) {
        try {
          trouble.happens();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    };
  }

  private RepairRequest request() throws JobException {
    return RepairRequest.toOutput(actions.of(source), Actions.location(output));
  }

  private RepairRequest withAudit() throws JobException {
    return request().audit(Actions.location(audit));
  }

  private void assertExists(RepairRequest request) {
    assertThatThrownBy(() -> actions.repair(request))
        .isInstanceOfSatisfying(
            JobException.class,
            wrong -> {
              assertThat(wrong.kind()).isEqualTo(JobException.Kind.USAGE);
              assertThat(wrong.code()).isEqualTo("output-exists");
            });
  }

  private Path shard(Path checkpoint) throws IOException {
    try (Stream<Path> files = Files.list(checkpoint)) {
      return files
          .filter(file -> file.toString().endsWith(".safetensors"))
          .sorted()
          .findFirst()
          .orElseThrow();
    }
  }

  @Test
  void theSameRepairAgainIsDoneAndWritesNothing() throws Exception {
    actions.repair(request());
    SortedMap<String, String> before = DirectoryContent.of(scratch);

    RepairResult again = actions.repair(request());

    assertThat(again.outcome()).isEqualTo(RepairResult.Outcome.DONE);
    assertThat(again.bytesWritten()).isZero();
    assertThat(again.output()).isEqualTo("file:" + output);
    assertThat(DirectoryContent.of(scratch)).isEqualTo(before);
  }

  @Test
  void withHardLinksToTheSourceItIsDoneToo() throws Exception {
    actions.repair(request().linkUnchanged());
    Files.createLink(scratch.resolve("another"), shard(source));

    assertThat(actions.repair(request().linkUnchanged()).bytesWritten()).isZero();
  }

  @Test
  void anotherRepairFindsTheNameTaken() throws Exception {
    actions.repair(request());

    assertExists(request().digest("sha256"));
    Path elsewhere = scratch.resolve("elsewhere");
    Actions.generate(elsewhere, Fault.MIXED);
    assertExists(RepairRequest.toOutput(actions.of(elsewhere), Actions.location(output)));
  }

  /** The headers are the same, so that the fingerprint is, too. */
  @Test
  void aSourceWithOtherWeightsFindsTheNameTaken() throws Exception {
    actions.repair(request());
    Path shard = shard(source);
    FileTime before = Files.getLastModifiedTime(shard);
    byte[] bytes = Files.readAllBytes(shard);
    bytes[bytes.length - 1] ^= 1;
    Files.write(shard, bytes);
    Files.setLastModifiedTime(shard, before);

    assertExists(request());
  }

  @Test
  void aResultThatIsNoLongerWholeIsNotTakenForDone() throws Exception {
    actions.repair(request());
    try (FileChannel channel = FileChannel.open(shard(output), StandardOpenOption.WRITE)) {
      channel.truncate(channel.size() - 1);
    }

    assertExists(request());
  }

  @Test
  void aStagingDirectoryThatCannotBeRemovedIsAWarningAndGoesWithTheNextRun() throws Exception {
    StepListener trouble =
        at(
            "publish: remove the note",
            () -> {
              try (Stream<Path> files = Files.list(scratch)) {
                Path staging =
                    files
                        .filter(Files::isDirectory)
                        .filter(file -> file.getFileName().toString().startsWith(".repaired."))
                        .findFirst()
                        .orElseThrow();
                Files.writeString(staging.resolve("stray"), "");
              }
            });

    RepairResult result = actions.repair(request().listener(trouble));

    assertThat(result.outcome()).isEqualTo(RepairResult.Outcome.DONE);
    assertWarned(result);
    assertThat(actions.verifyAgainst(output, source).faults()).isEmpty();
    assertThat(actions.repair(request()).outcome()).isEqualTo(RepairResult.Outcome.DONE);
    assertThat(scratch.toFile().list()).containsExactlyInAnyOrder("source", "repaired");
  }

  @Test
  void anAuditThatCannotBeAppendedIsAWarningAndIsAppendedByTheNextRun() throws Exception {
    StepListener trouble =
        at("publish: done", () -> Files.writeString(audit.resolve("runs"), "in the way"));

    RepairResult result = actions.repair(withAudit().listener(trouble));

    assertWarned(result);
    Files.delete(audit.resolve("runs"));
    RepairResult again = actions.repair(withAudit());
    assertThat(again.findings()).extracting(Finding::code).doesNotContain("failed-afterwards");
    assertThat(DirectoryContent.names(audit))
        .filteredOn(name -> name.startsWith("runs/") && name.endsWith(".parquet"))
        .hasSize(1);
    assertThat(audit.resolve("_staging")).doesNotExist();
  }

  private static void assertWarned(RepairResult result) {
    assertThat(result.findings())
        .filteredOn(finding -> finding.code().equals("failed-afterwards"))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.severity()).isEqualTo(Severity.WARNING);
              assertThat(finding.message()).contains("same command again");
            });
  }

  /** Its staging directory is the other run's from then on, and stays. */
  @Test
  void aRunWhoseLockWasBrokenSaysSoAndLeavesTheOthersWorkAlone() throws Exception {
    Path lock = scratch.resolve(".repaired.shardmend-lock");
    StepListener trouble =
        step -> {
          if (step.startsWith("weights: take in")) {
            try {
              Files.writeString(lock, "another run's");
              throw new UncheckedIOException(new IOException("as if its files were gone"));
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          }
        };

    assertThatThrownBy(() -> actions.repair(request().listener(trouble)))
        .isInstanceOfSatisfying(
            JobException.class,
            failure -> {
              assertThat(failure.code()).isEqualTo("locked");
              assertThat(failure).hasMessageContaining("no longer holds its lock");
            });
    assertThat(lock).hasContent("another run's");
  }
}
