package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.checkpoint.Finding;
import org.shardmend.job.files.GenerateAction;
import org.shardmend.job.plan.PlanRequest;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.verify.SliceCount;
import org.shardmend.job.verify.VerifyAction;
import org.shardmend.job.verify.VerifyRequest;
import org.shardmend.job.verify.VerifyResult;
import org.shardmend.safetensors.Header;
import org.shardmend.safetensors.HeaderWriter;
import org.shardmend.safetensors.Shape;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.trial.TrialSettings;

/** Names, types and shapes are all right, and the bytes are another rank's or another name's. */
class ExchangedBytesTest {
  private static final String RANK = "model-pp-1-rank-%d-part-0.safetensors";

  @TempDir private Path scratch;
  private Path checkpoint;
  private Path healthy;

  @BeforeEach
  void generate() throws JobException {
    checkpoint = generate("checkpoint", 1);
    healthy = generate("healthy", 1);
  }

  private Path generate(String name, long seed) throws JobException {
    TrialSettings settings =
        TrialSettings.builder()
            .tp(2)
            .pp(2)
            .layers(4)
            .bytes(100_000)
            .fault(org.shardmend.trial.Fault.CLEAN)
            .seed(seed)
            .build();
    Path directory = scratch.resolve(name);
    new GenerateAction(settings, LayoutActions.location(directory), "", Progress.SILENT).execute();
    return directory;
  }

  @Test
  void aRankThatIsACopyOfAnotherIsToldByTheOtherStage() throws Exception {
    Files.delete(checkpoint.resolve(RANK.formatted(1)));
    Damage.copy(RANK.formatted(0), RANK.formatted(1)).to(checkpoint);

    assertThat(full().faults())
        .singleElement()
        .satisfies(
            fault -> {
              assertThat(fault.code()).isEqualTo("identical-ranks");
              assertThat(fault.shard()).isEqualTo(RANK.formatted(1));
              assertThat(fault.message()).startsWith("pp 1, tp 0 and pp 1, tp 1 hold");
            });
  }

  @Test
  void exchangedRanksAreToldByAHealthyCheckpoint() throws Exception {
    exchangeRanks();

    assertThat(full().faults()).isEmpty();
    assertThat(fullLike(healthy).faults())
        .allSatisfy(fault -> assertThat(fault.code()).isEqualTo("misplaced-rank"))
        .extracting(Finding::shard)
        .containsExactlyInAnyOrder(RANK.formatted(0), RANK.formatted(1));
  }

  private void exchangeRanks() throws Exception {
    Damage.move(RANK.formatted(0), "kept")
        .and(Damage.move(RANK.formatted(1), RANK.formatted(0)))
        .and(Damage.move("kept", RANK.formatted(1)))
        .to(checkpoint);
  }

  @Test
  void exchangedNamesAreToldByAHealthyCheckpoint() throws Exception {
    String norm = ".layers.3.input_layernorm.";
    String post = ".layers.3.post_attention_layernorm.";
    Damage.headers(
            "model-pp-1-", text -> text.replace(norm, "\0").replace(post, norm).replace("\0", post))
        .to(checkpoint);

    assertThat(full().faults()).isEmpty();
    assertThat(fullLike(healthy).faults())
        .allSatisfy(fault -> assertThat(fault.code()).isEqualTo("exchanged-names"))
        .hasSize(4);
  }

  @Test
  void aTensorOfOtherBytesThanTheHealthyCheckpointIsNamed() throws Exception {
    Damage.zeroed(".o_proj.weight").to(checkpoint);

    assertThat(fullLike(healthy).faults())
        .singleElement()
        .satisfies(
            fault -> {
              assertThat(fault.code()).isEqualTo("other-bytes");
              assertThat(fault.tensor()).endsWith(".o_proj.weight");
            });
  }

  @Test
  void theSameWeightsAreAProofOfEveryTensor() throws Exception {
    VerifyResult same = fullLike(healthy);
    VerifyResult otherStep = fullLike(generate("later", 2));

    assertThat(same.ok()).isTrue();
    assertThat(same.coverage().compared()).isPositive();
    assertThat(otherStep.faults()).isEmpty();
    assertThat(otherStep.findings()).extracting("code").containsExactly("other-bytes");
    assertThat(otherStep.coverage().compared()).isZero();
  }

  @Test
  void exchangedRanksAreToldByTheSlicesOfTheOriginalModel() throws Exception {
    Path model = scratch.resolve("model");
    writeModelAndRanks(model, scratch.resolve("cut"), 0, 1);
    writeModelAndRanks(model, scratch.resolve("exchanged"), 1, 0);

    VerifyResult right = verifyWithModel(scratch.resolve("cut"), model);
    assertThat(right.faults()).isEmpty();
    assertThat(right.slices()).isEqualTo(new SliceCount(4, 4, 0));

    VerifyResult wrong = verifyWithModel(scratch.resolve("exchanged"), model);
    assertThat(wrong.faults())
        .extracting(fault -> fault.code() + " " + fault.shard())
        .containsExactly(
            "misplaced-rank model-rank-0-part-0.safetensors",
            "misplaced-rank model-rank-1-part-0.safetensors");
    assertThat(wrong.slices()).isEqualTo(new SliceCount(4, 0, 0));
  }

  /** Two matrices, one cut by rows and one by columns, for ranks that get each other's names. */
  private static void writeModelAndRanks(Path model, Path checkpoint, int... namedAs)
      throws Exception {
    byte[] rows = new byte[64];
    byte[] columns = new byte[64];
    new Random(3).nextBytes(rows);
    new Random(4).nextBytes(columns);
    Files.createDirectories(model);
    write(model.resolve("model.safetensors"), new long[] {8, 4}, rows, new long[] {8, 4}, columns);
    Files.createDirectories(checkpoint);
    for (int rank = 0; rank < 2; rank++) {
      byte[] half = new byte[32];
      for (int row = 0; row < 8; row++) {
        System.arraycopy(columns, row * 8 + rank * 4, half, row * 4, 4);
      }
      write(
          checkpoint.resolve("model-rank-%d-part-0.safetensors".formatted(namedAs[rank])),
          new long[] {4, 4},
          Arrays.copyOfRange(rows, rank * 32, rank * 32 + 32),
          new long[] {8, 2},
          half);
    }
  }

  private static void write(Path file, long[] up, byte[] ofUp, long[] down, byte[] ofDown)
      throws Exception {
    Header header =
        Header.of(
            Optional.empty(),
            List.of(
                new TensorEntry("model.layers.0.up.weight", "BF16", Shape.of(up), 0, ofUp.length),
                new TensorEntry(
                    "model.layers.0.down.weight",
                    "BF16",
                    Shape.of(down),
                    ofUp.length,
                    ofUp.length + ofDown.length)),
            UnknownDtypes.REFUSE);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(HeaderWriter.encode(header));
    bytes.write(ofUp);
    bytes.write(ofDown);
    Files.write(file, bytes.toByteArray());
  }

  private static VerifyResult verifyWithModel(Path of, Path model) throws JobException {
    return verify(
        new VerifyRequest(LayoutActions.with().of(of), VerifyRequest.Depth.FULL)
            .sourceModel(LayoutActions.location(model)));
  }

  private VerifyResult full() throws JobException {
    return verify(new VerifyRequest(request(), VerifyRequest.Depth.FULL));
  }

  private VerifyResult fullLike(Path twin) throws JobException {
    return verify(
        new VerifyRequest(request(), VerifyRequest.Depth.FULL).like(LayoutActions.location(twin)));
  }

  private PlanRequest request() throws JobException {
    return LayoutActions.with().of(checkpoint);
  }

  private static VerifyResult verify(VerifyRequest request) throws JobException {
    return new VerifyAction(LayoutActions.with().job(), request).execute();
  }
}
