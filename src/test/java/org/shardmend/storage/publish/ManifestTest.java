package org.shardmend.storage.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.Store;

/** The sentences M1 and M2 of {@code publish.md}. */
class ManifestTest {
  private static final ManifestShard READ =
      new ManifestShard("a.safetensors", 100, "aa", "0123456789abcdef");
  private static final ManifestShard NOT_READ =
      new ManifestShard("b.safetensors", 200, "bb", ManifestShard.NOT_READ);
  private static final Manifest MANIFEST =
      new Manifest(
          "r20261130T080000Z-00000001",
          "0.1.0",
          "hdfs://cluster/model",
          "ff00",
          List.of("mla-kv-b-proj"),
          "xxh3-128",
          List.of(READ, NOT_READ));

  @Test
  void m1_itSaysNullWhereNoDataWasRead() throws IOException {
    String json = new String(MANIFEST.toJson(), StandardCharsets.UTF_8);
    assertThat(json)
        .contains("\"format\" : \"shardmend/manifest/1\"")
        .contains("\"run_id\"")
        .contains("\"digest\" : \"0123456789abcdef\"")
        .contains("\"digest\" : null");
    assertThat(Manifest.parse(MANIFEST.toJson())).isEqualTo(MANIFEST);
  }

  @Test
  void m2_itCountsWhileNamesSizesAndHeadersAreTheSame() {
    ManifestShard other = new ManifestShard("b.safetensors", 200, "bb", "digest not compared");
    assertThat(MANIFEST.matches(List.of(other, READ))).isTrue();
  }

  @Test
  void m2_itIsALeftoverOtherwiseAndSaysWhy() {
    assertThat(MANIFEST.firstMismatch(List.of(READ))).get().asString().contains("b.safetensors");
    assertThat(
            MANIFEST.firstMismatch(
                List.of(READ, NOT_READ, new ManifestShard("c.safetensors", 1, "", ""))))
        .get()
        .asString()
        .contains("c.safetensors");
    assertThat(
            MANIFEST.firstMismatch(
                List.of(READ, new ManifestShard("b.safetensors", 201, "bb", ""))))
        .get()
        .asString()
        .contains("201");
    assertThat(
            MANIFEST.firstMismatch(
                List.of(READ, new ManifestShard("b.safetensors", 200, "cc", ""))))
        .get()
        .asString()
        .contains("header");
  }

  @Test
  void whatIsNoManifestIsSaidToBeNone() {
    assertThatThrownBy(() -> Manifest.parse("{\"format\":\"x\"}".getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> Manifest.parse("[]".getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> Manifest.parse(new byte[0])).isInstanceOf(IOException.class);
  }

  @Test
  void m2_whatIsDamagedIsALeftover(@TempDir Path checkpoint) throws IOException {
    Path file = checkpoint.resolve(Manifest.NAME);
    String whole = new String(MANIFEST.toJson(), StandardCharsets.UTF_8);
    try (Store store = new LocalStore()) {
      assertThat(Manifest.read(store, checkpoint.toString())).isEmpty();
      Files.writeString(file, whole);
      assertThat(Manifest.read(store, checkpoint.toString())).contains(MANIFEST);
      for (String damaged :
          List.of("", "null", "garbage", "{}", "[]", whole.substring(0, whole.length() / 2))) {
        Files.writeString(file, damaged);
        assertThat(Manifest.read(store, checkpoint.toString())).as(damaged).isEmpty();
      }
    }
  }
}
