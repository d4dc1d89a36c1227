package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.testing.DirectoryContent;
import org.shardmend.testing.SharedSparkJob;
import org.shardmend.trial.Fault;

/** Files that change or go while a repair runs: it fails with their names and publishes nothing. */
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
}
