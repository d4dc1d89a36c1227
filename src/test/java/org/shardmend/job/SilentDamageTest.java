package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.job.repair.RepairRequest;
import org.shardmend.job.repair.RepairResult;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.job.verify.DigestCoverage;
import org.shardmend.job.verify.VerifyRequest;
import org.shardmend.job.verify.VerifyResult;
import org.shardmend.plan.Strategy;
import org.shardmend.safetensors.HeaderReader;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.testing.SharedSparkJob;
import org.shardmend.trial.Fault;

/** One bit of what was written is another one, and neither size nor time tells. */
class SilentDamageTest {
  private static final String SHARD = "model-rank-1-part-1.safetensors";

  @TempDir private Path scratch;
  private Path source;
  private Path output;

  @BeforeEach
  void generate() throws JobException {
    source = scratch.resolve("source");
    output = scratch.resolve("repaired");
    Actions.generate(source, Fault.MIXED);
  }

  /** What happens to a file; gives the name of the tensor that it concerns. */
  @FunctionalInterface
  private interface Flip {
    String in(Path shard) throws IOException;
  }

  /** Flips a bit of the written shard when a stage begins. */
  private final class Damage extends DeafProgress {
    private final String stage;
    private final Flip flip;
    private Optional<String> tensor = Optional.empty();

    Damage(String stage, Flip flip) {
      this.stage = stage;
      this.flip = flip;
    }

    @Override
    public void begin(String begun, long totalBytes) {
      if (begun.equals(stage)) {
        try (Stream<Path> below = Files.walk(scratch)) {
          Path staged =
              below.filter(path -> path.endsWith("out/" + SHARD)).findFirst().orElseThrow();
          tensor = Optional.of(flip.in(staged));
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  /** Flips a bit of the last tensor that has bytes, and gives its name. */
  private static String flipABit(Path shard) throws IOException {
    FileTime time = Files.getLastModifiedTime(shard);
    byte[] bytes = Files.readAllBytes(shard);
    String tensor;
    try {
      int json = HeaderReader.jsonBytes(bytes, bytes.length);
      List<TensorEntry> tensors =
          HeaderReader.parse(
                  bytes, HeaderReader.LENGTH_BYTES, json, bytes.length, UnknownDtypes.REFUSE)
              .inOffsetOrder();
      tensor = tensors.get(tensors.size() - 1).name();
    } catch (org.shardmend.safetensors.SafetensorsException e) {
      throw new IOException(e);
    }
    bytes[bytes.length - 1] ^= 4;
    Files.write(shard, bytes);
    Files.setLastModifiedTime(shard, time);
    return tensor;
  }

  private JobException failureOf(Damage damage, Strategy strategy) throws JobException {
    Actions actions = Actions.withDefaultRules(SharedSparkJob.withProgress(damage));
    return catchThrowableOfType(
        JobException.class,
        () ->
            actions.repair(
                RepairRequest.toOutput(actions.of(source), Actions.location(output))
                    .strategy(strategy)
                    .verify(RepairRequest.Verify.FULL)));
  }

  @Test
  void aBitThatFlipsBetweenRewriteAndPublishIsCaughtByVerifyFull() throws Exception {
    Damage damage = new Damage("Read back what storage holds", SilentDamageTest::flipABit);

    JobException failure = failureOf(damage, Strategy.COPY);

    assertThat(failure.kind()).isEqualTo(JobException.Kind.FAILED);
    assertThat(failure.code()).isEqualTo("verify-failed");
    assertThat(failure.shard()).contains(SHARD);
    assertThat(failure)
        .hasMessageContaining("'" + damage.tensor.orElseThrow() + "'")
        .hasMessageContaining("--restart");
    assertThat(output).doesNotExist();
  }

  @Test
  void aHeaderThatIsDamagedBetweenRewriteAndPublishIsCaughtAlways() throws Exception {
    Damage damage = new Damage("Verify what was written", SilentDamageTest::flipABitOfTheHeader);
    Actions actions = Actions.withDefaultRules(SharedSparkJob.withProgress(damage));

    JobException failure =
        catchThrowableOfType(JobException.class, () -> actions.repair(source, output));

    assertThat(failure.code()).isEqualTo("verify-failed");
    assertThat(failure).hasMessageContaining(SHARD);
    assertThat(output).doesNotExist();
  }

  private static String flipABitOfTheHeader(Path shard) throws IOException {
    byte[] bytes = Files.readAllBytes(shard);
    bytes[40] ^= 1;
    Files.write(shard, bytes);
    return "";
  }

  @Test
  void aBitThatFlipsLaterIsFoundByVerifyFullWhichNamesTheTensor() throws Exception {
    SparkJob job = SharedSparkJob.withProgress(Progress.SILENT);
    Actions actions = Actions.withDefaultRules(job);
    actions.repair(source, output);
    assertThat(full(actions).faults()).isEmpty();
    String tensor = flipABit(output.resolve(SHARD));

    assertThat(actions.verify(output).faults()).isEmpty();
    assertThat(full(actions).faults())
        .singleElement()
        .satisfies(
            fault -> {
              assertThat(fault.code()).isEqualTo("bytes-differ");
              assertThat(fault.shard()).isEqualTo(SHARD);
              assertThat(fault.tensor()).isEqualTo(tensor);
            });
    assertThat(actions.verifyAgainst(output, source).faults())
        .anySatisfy(fault -> assertThat(fault.tensor()).isEqualTo(tensor));
  }

  @Test
  void afterAPatchInPlaceVerifyFullSaysOfHowManyTensorsItKnowsNothing() throws Exception {
    Actions actions = Actions.withDefaultRules(SharedSparkJob.withProgress(Progress.SILENT));
    Path aliased = scratch.resolve("aliased");
    Actions.generate(aliased, Fault.ALIAS_ONLY);
    actions.repairInPlace(aliased);

    VerifyResult whole = full(actions, aliased);

    assertThat(whole.faults()).isEmpty();
    assertThat(whole.coverage()).isEqualTo(new DigestCoverage(whole.tensors(), 0));
    assertThat(actions.verify(aliased).coverage()).isEqualTo(DigestCoverage.NOTHING_READ);
  }

  @Test
  void aRepairInPlaceThatIsAskedForDigestsRemembersEveryTensor() throws Exception {
    Actions actions = Actions.withDefaultRules(SharedSparkJob.withProgress(Progress.SILENT));
    RepairResult repaired =
        actions.repair(RepairRequest.inPlace(actions.of(source)).digest("sha256"));
    assertThat(repaired.strategies().keySet())
        .contains(Strategy.PATCH, Strategy.NONE, Strategy.COPY);

    VerifyResult whole = full(actions, source);
    assertThat(whole.faults()).isEmpty();
    assertThat(whole.coverage()).isEqualTo(DigestCoverage.all(whole.tensors()));

    List<String> damaged = new ArrayList<>();
    for (Path shard : shards(source)) {
      damaged.add("bytes-differ %s %s".formatted(shard.getFileName(), flipABit(shard)));
    }
    assertThat(full(actions, source).faults())
        .extracting(fault -> "%s %s %s".formatted(fault.code(), fault.shard(), fault.tensor()))
        .containsExactlyInAnyOrderElementsOf(damaged);
  }

  private static List<Path> shards(Path checkpoint) throws IOException {
    try (Stream<Path> files = Files.list(checkpoint)) {
      return files.filter(file -> file.toString().endsWith(".safetensors")).sorted().toList();
    }
  }

  private VerifyResult full(Actions actions) throws JobException {
    return full(actions, output);
  }

  private static VerifyResult full(Actions actions, Path checkpoint) throws JobException {
    return actions.verify(new VerifyRequest(actions.of(checkpoint), VerifyRequest.Depth.FULL));
  }

  @Test
  void aDamagedNoteOfTheRepairIsNotTakenForNone() throws Exception {
    Actions actions = Actions.withDefaultRules(SharedSparkJob.withProgress(Progress.SILENT));
    actions.repair(source, output);
    Path note = output.resolve("shardmend.json");
    Files.writeString(note, Files.readString(note).substring(0, 100));

    VerifyResult whole =
        actions.verify(new VerifyRequest(actions.of(output), VerifyRequest.Depth.FULL));

    assertThat(whole.faults())
        .extracting(org.shardmend.checkpoint.Finding::code)
        .containsExactly("manifest-damaged");
    assertThat(actions.verify(output).faults()).isEmpty();
  }
}
