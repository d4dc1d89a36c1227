package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.job.repair.RepairRequest;
import org.shardmend.job.repair.RepairResult;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.plan.Strategy;
import org.shardmend.testing.DirectoryContent;
import org.shardmend.testing.SharedSparkJob;
import org.shardmend.trial.Fault;

/** Files that change or go while a repair runs: it fails with their names and publishes nothing. */
@Tag("smoke")
class StorageTroubleTest {
  private static final String SHARD = "model-rank-1-part-0.safetensors";

  @TempDir private Path scratch;
  private Path source;
  private Path output;

  @BeforeEach
  void generate() throws JobException {
    source = scratch.resolve("source");
    output = scratch.resolve("repaired");
    Actions.generate(source, Fault.MIXED);
  }

  /** Something that happens to the source's files. */
  @FunctionalInterface
  private interface Trouble {
    void to(Path shard) throws IOException;
  }

  /** Makes trouble when a stage begins. */
  private record TroubleAt(String stage, Trouble trouble, Path shard) implements Progress {
    @Override
    public void begin(String begun, long totalBytes) {
      if (begun.equals(stage)) {
        try {
          trouble.to(shard);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }

    @Override
    public void update(long doneBytes) {}

    @Override
    public void end() {}

    @Override
    public void message(String text) {}
  }

  private JobException repairWith(String stage, Trouble trouble) throws JobException {
    Progress progress = new TroubleAt(stage, trouble, source.resolve(SHARD));
    Actions actions = Actions.withDefaultRules(SharedSparkJob.withProgress(progress));
    JobException failure =
        catchThrowableOfType(JobException.class, () -> actions.repair(source, output));
    assertThat(output).doesNotExist();
    return failure;
  }

  @Test
  void aShardThatDisappearsBeforeItIsReadFails() throws Exception {
    JobException failure = repairWith("Read headers and plan", Files::delete);

    assertThat(failure.kind()).isEqualTo(JobException.Kind.FAILED);
    assertThat(failure).hasMessageContaining(SHARD).hasMessageNotContaining("Exception");
  }

  @Test
  void aShardThatDisappearsWhileItIsCopiedFailsAndRunningAgainResumes() throws Exception {
    Path aside = scratch.resolve("aside");

    JobException failure = repairWith("Rewrite shards", shard -> Files.move(shard, aside));

    assertThat(failure.kind()).isEqualTo(JobException.Kind.FAILED);
    assertThat(failure).hasMessageContaining(SHARD).hasMessageNotContaining("Exception");
    Files.move(aside, source.resolve(SHARD));
    Actions actions = Actions.withDefaultRules(SharedSparkJob.withProgress(Progress.SILENT));
    assertThat(actions.repair(source, output).outcome()).isEqualTo(RepairResult.Outcome.DONE);
    assertThat(actions.verifyAgainst(output, source).faults()).isEmpty();
    assertThat(DirectoryContent.names(scratch))
        .allMatch(name -> List.of("source", "repaired").contains(name.split("/", -1)[0]));
  }

  @Test
  void aShardThatIsCutShortWhileItIsCopiedFails() throws Exception {
    JobException failure =
        repairWith(
            "Rewrite shards",
            shard -> {
              try (FileChannel channel = FileChannel.open(shard, StandardOpenOption.WRITE)) {
                channel.truncate(channel.size() - 100);
              }
            });

    assertThat(failure.kind()).isIn(JobException.Kind.FAILED, JobException.Kind.REFUSED);
    assertThat(failure).hasMessageContaining(SHARD).hasMessageNotContaining("Exception");
  }

  @Test
  void aShardThatIsWrittenAfterItWasCopiedIsNotPublished() throws Exception {
    JobException failure =
        repairWith(
            "Verify what was written",
            shard -> Files.write(shard, new byte[8], StandardOpenOption.APPEND));

    assertThat(failure.kind()).isEqualTo(JobException.Kind.REFUSED);
    assertThat(failure.getMessage()).contains(source.toString());
  }

  @Test
  void aShardWhoseHeaderIsOverwrittenAfterItWasCopiedIsNotPublished() throws Exception {
    JobException failure =
        repairWith(
            "Verify what was written",
            shard -> {
              FileTime before = Files.getLastModifiedTime(shard);
              overwrite(shard, ".weight\"", ".Weight\"");
              Files.setLastModifiedTime(shard, before);
            });

    assertThat(failure.kind()).isEqualTo(JobException.Kind.REFUSED);
    assertThat(failure.code()).isEqualTo("source-changed");
    assertThat(failure.getMessage()).contains(source.toString(), "--restart");
  }

  /** What rsync and restoring from an archive do: the time of writing is the old one. */
  @Test
  void aShardThatIsOverwrittenUnderItsOldTimeIsNoticedAndReadAgain() throws Exception {
    requireReadAgain(
        shard -> {
          FileTime before = Files.getLastModifiedTime(shard);
          flipLastByte(shard);
          Files.setLastModifiedTime(shard, before);
        });
  }

  @Test
  void aShardThatAnotherFileOfTheSameTimeReplacesIsNoticedAndReadAgain() throws Exception {
    requireReadAgain(
        shard -> {
          Path other = shard.resolveSibling("other");
          Files.copy(shard, other, StandardCopyOption.COPY_ATTRIBUTES);
          flipLastByte(other);
          Files.setLastModifiedTime(other, Files.getLastModifiedTime(shard));
          Files.move(other, shard, StandardCopyOption.REPLACE_EXISTING);
        });
  }

  private void requireReadAgain(Trouble trouble) throws Exception {
    JobException failure = repairWith("Verify what was written", trouble);

    assertThat(failure.code()).isEqualTo("source-changed");
    Actions actions = Actions.withDefaultRules(SharedSparkJob.withProgress(Progress.SILENT));
    actions.repair(source, output);
    assertThat(actions.verifyAgainst(output, source).faults()).isEmpty();
  }

  /** A link changes its file as far as the file system is concerned, though no byte. */
  @Test
  void aShardThatTheRepairItselfLinksIsNotTakenForChanged() throws Exception {
    Actions actions = Actions.withDefaultRules(SharedSparkJob.withProgress(Progress.SILENT));

    RepairResult linked =
        actions.repair(
            RepairRequest.toOutput(actions.of(source), Actions.location(output)).linkUnchanged());

    assertThat(linked.strategies()).containsKey(Strategy.LINK);
    assertThat(actions.verifyAgainst(output, source).faults()).isEmpty();
  }

  /** Same size, same header, other data: only the time tells. */
  @Test
  void aShardWhoseDataIsOverwrittenAfterItWasCopiedIsNotPublishedAndIsReadAgain() throws Exception {
    JobException failure = repairWith("Verify what was written", StorageTroubleTest::flipLastByte);

    assertThat(failure.kind()).isEqualTo(JobException.Kind.REFUSED);
    assertThat(failure.code()).isEqualTo("source-changed");
    assertThat(failure).hasMessageContaining(SHARD + " was written since it was planned");
    Actions actions = Actions.withDefaultRules(SharedSparkJob.withProgress(Progress.SILENT));
    RepairResult again = actions.repair(source, output);
    assertThat(again.strategies()).hasSize(1);
    assertThat(again.bytesWritten()).isBetween(Files.size(source.resolve(SHARD)) / 2, 250_000L);
    assertThat(actions.verifyAgainst(output, source).faults()).isEmpty();
  }

  @Test
  void aShardThatIsTouchedWhileItIsCopiedIsNotPublished() throws Exception {
    JobException failure =
        repairWith(
            "Rewrite shards",
            shard -> Files.setLastModifiedTime(shard, FileTime.fromMillis(1_000_000_000_000L)));

    assertThat(failure.kind()).isEqualTo(JobException.Kind.REFUSED);
    assertThat(failure.code()).isEqualTo("source-changed");
    assertThat(failure).hasMessageContaining(SHARD);
  }

  /** Hours of copying would be for nothing, or wait for somebody to give the right place. */
  @Test
  void anAuditThatCannotBeWrittenFailsBeforeAnyShardIsCopied() throws Exception {
    Path audit = Files.createDirectory(scratch.resolve("audit"));
    Files.createFile(audit.resolve("_staging"));
    List<String> stages = new ArrayList<>();
    Progress progress =
        new DeafProgress() {
          @Override
          public void begin(String stage, long totalBytes) {
            stages.add(stage);
          }
        };
    Actions actions = Actions.withDefaultRules(SharedSparkJob.withProgress(progress));
    RepairRequest request =
        RepairRequest.toOutput(actions.of(source), Actions.location(output))
            .audit(Actions.location(audit));

    JobException failure = catchThrowableOfType(JobException.class, () -> actions.repair(request));

    assertThat(failure.kind()).isEqualTo(JobException.Kind.FAILED);
    assertThat(failure).hasMessageContaining(audit.toString());
    assertThat(stages).contains("Read headers and plan").doesNotContain("Rewrite shards");
    assertThat(scratch.toFile().list()).containsExactlyInAnyOrder("source", "audit");
  }

  private static void flipLastByte(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length - 1] ^= 1;
    Files.write(file, bytes);
    Files.setLastModifiedTime(file, FileTime.fromMillis(System.currentTimeMillis() + 2000));
  }

  private static void overwrite(Path file, String old, String replacement) throws IOException {
    String text = Files.readString(file, StandardCharsets.ISO_8859_1);
    int at = text.indexOf(old);
    assertThat(at).isPositive();
    Files.writeString(
        file,
        text.substring(0, at) + replacement + text.substring(at + old.length()),
        StandardCharsets.ISO_8859_1);
  }
}
