package org.shardmend.trial;

import static org.assertj.core.api.Assertions.assertThat;

import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hashing;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.expected.ExpectedTensor;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.checkpoint.sidefile.HashKind;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.Location;
import org.shardmend.trial.SavedCheckpoint.ShardFile;

/** Recomputes all that a dump states about itself from the formulas, without the writer's code. */
class PreshardedDumpTest {
  private static final BigInteger TWO_TO_64 = BigInteger.ONE.shiftLeft(64);
  private static final Map<String, String> TORCH_NAMES =
      Map.of(
          "F32", "torch.float32",
          "BF16", "torch.bfloat16",
          "F8_E4M3", "torch.float8_e4m3fn");

  @TempDir private Path root;

  private Trial trial;
  private Path dump;
  private JsonNode checksum;
  private SavedCheckpoint saved;

  private static TrialSettings.Builder settings() {
    return TrialSettings.builder().layout(Layout.PRESHARDED).tp(2).pp(2).bytes(400_000);
  }

  private void generate(TrialSettings.Builder settings) throws IOException {
    trial =
        CheckpointGenerator.generate(
            settings.build(), new LocalStore(), Location.ofFile(root.toString()));
    dump = Path.of(trial.checkpoint().path());
    checksum = new ObjectMapper().readTree(dump.resolve("checksum.json").toFile());
    saved = SavedCheckpoint.read(dump);
  }

  private static byte[] hash(HashKind kind, byte[] bytes) {
    return switch (kind) {
      case SHA1 -> sha1(bytes);
      case XXH3_128 -> canonical(Hashing.xxh3_128().hashBytesTo128Bits(bytes));
    };
  }

  private static byte[] sha1(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-1").digest(bytes);
    } catch (NoSuchAlgorithmException impossible) {
      throw new AssertionError(impossible);
    }
  }

  private static byte[] canonical(HashValue128 hash) {
    byte[] bytes = new byte[16];
    for (int i = 0; i < 8; i++) {
      bytes[i] = (byte) (hash.getMostSignificantBits() >> (56 - 8 * i));
      bytes[8 + i] = (byte) (hash.getLeastSignificantBits() >> (56 - 8 * i));
    }
    return bytes;
  }

  private static String hex(byte[] bytes) {
    return "%%0%dx".formatted(2 * bytes.length).formatted(new BigInteger(1, bytes));
  }

  private static String pythonText(TensorEntry tensor) {
    StringBuilder text = new StringBuilder("(");
    int rank = tensor.shape().rank();
    for (int i = 0; i < rank; i++) {
      text.append(tensor.shape().dimension(i)).append(i < rank - 1 || rank == 1 ? "," : "");
      text.append(i < rank - 1 ? " " : "");
    }
    return text.append(')').append(TORCH_NAMES.get(tensor.dtype())).toString();
  }

  @ParameterizedTest
  @EnumSource
  void keysAreTheHashesOfShapeTypeAndBytes(HashKind kind) throws IOException {
    generate(settings().hash(kind).fp8(true));
    for (ShardFile file : saved.files().values()) {
      for (TensorEntry tensor : file.header().tensors()) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        content.writeBytes(pythonText(tensor).getBytes(StandardCharsets.UTF_8));
        content.writeBytes(file.data(tensor));
        assertThat(tensor.name()).isEqualTo(hex(hash(kind, content.toByteArray())));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void rankChecksumsAreTheSumsOverTheReads(HashKind kind) throws IOException {
    generate(settings().hash(kind).fault(Fault.MIXED));
    assertThat(checksum.path("rank_checksums").size()).isEqualTo(4);
    checksum
        .path("rank_checksums")
        .properties()
        .forEach(
            rank -> {
              BigInteger sum = BigInteger.ZERO;
              for (JsonNode read : checksum.path("rank_to_reads").path(rank.getKey())) {
                String text =
                    read.path("name").textValue() + ":" + read.path("stored_key").textValue();
                String first =
                    hex(hash(kind, text.getBytes(StandardCharsets.UTF_8))).substring(0, 16);
                sum = sum.add(new BigInteger(first, 16)).mod(TWO_TO_64);
              }
              assertThat(rank.getValue().textValue()).isEqualTo("%016x".formatted(sum));
            });
  }

  @Test
  void theDirectoryIsNamedAfterTheConfigurationAndReadyIsThere() throws IOException {
    generate(settings());
    // The first digits of Python's sha1 over this configuration, as in a dump of SGLang.
    assertThat(dump.getFileName()).hasToString("TP-2-sig-49c4b287720e2996");
    assertThat(Files.readString(dump.resolve("READY")))
        .isEqualTo("{\"plan_version\": 1, \"world_size\": 4, \"created_at\": 1785500000.0}");
  }

  @ParameterizedTest
  @EnumSource
  void everyRankReadsTheExpectedStateUnderItsFault(Fault fault) throws IOException {
    generate(settings().fault(fault).fp8(true));
    for (int world = 0; world < 4; world++) {
      Map<String, ExpectedTensor> repaired = new TreeMap<>();
      for (JsonNode read : checksum.path("rank_to_reads").path(Integer.toString(world))) {
        if (!read.path("is_extra").booleanValue()) {
          TensorEntry tensor = stored(read);
          repaired.put(
              read.path("name").textValue().replace(".attn_mha.", "."),
              ExpectedTensor.of(tensor.dtype(), tensor.shape()));
        }
      }
      assertThat(repaired)
          .isEqualTo(trial.expected().forUnit(new UnitId(world / 2, world % 2)).orElseThrow());
    }
  }

  private TensorEntry stored(JsonNode read) {
    return saved
        .files()
        .get(read.path("filename").textValue())
        .header()
        .find(read.path("stored_key").textValue())
        .orElseThrow();
  }

  @Test
  void bothListsOfNamesAgree() throws IOException {
    generate(settings().fault(Fault.BOTH_SAME));
    Set<String> inFiles = new HashSet<>();
    for (JsonNode file : checksum.path("files")) {
      for (JsonNode tensor : file.path("tensors")) {
        tensor
            .path("rank_to_names")
            .properties()
            .forEach(
                rank ->
                    rank.getValue()
                        .forEach(
                            name ->
                                inFiles.add(
                                    String.join(
                                        " ",
                                        rank.getKey(),
                                        file.path("filename").textValue(),
                                        tensor.path("stored_key").textValue(),
                                        name.textValue()))));
      }
    }
    Set<String> inReads = new HashSet<>();
    checksum
        .path("rank_to_reads")
        .properties()
        .forEach(
            rank ->
                rank.getValue()
                    .forEach(
                        read ->
                            inReads.add(
                                String.join(
                                    " ",
                                    rank.getKey(),
                                    read.path("filename").textValue(),
                                    read.path("stored_key").textValue(),
                                    read.path("name").textValue()))));
    assertThat(inReads).isEqualTo(inFiles).anyMatch(name -> name.contains(".attn_mha."));
  }

  @Test
  void computedAttributesAreExtraAndExpectedByNoLoader() throws IOException {
    generate(settings());
    Set<String> extras = new HashSet<>();
    checksum
        .path("rank_to_reads")
        .path("0")
        .forEach(
            read -> {
              if (read.path("is_extra").booleanValue()) {
                extras.add(read.path("name").textValue());
              }
            });
    assertThat(extras)
        .containsExactlyInAnyOrder(
            "language_model.model.layers.3.self_attn.w_kc",
            "language_model.model.layers.3.self_attn.w_vc");
    assertThat(trial.expected().forUnit(new UnitId(0, 0)).orElseThrow())
        .doesNotContainKeys(extras.toArray(String[]::new));
  }

  @Test
  void whatAllRanksReadIsInACommonFile() throws IOException {
    generate(settings().pp(1));
    assertThat(saved.files().keySet())
        .containsExactly(
            "model-00000-rank-000.safetensor",
            "model-00001-common.safetensor",
            "model-00002-rank-001.safetensor");
    JsonNode common = checksum.path("files").path(1);
    assertThat(common.path("is_common").booleanValue()).isTrue();
    assertThat(common.path("rank_list").isNull()).isTrue();
  }
}
