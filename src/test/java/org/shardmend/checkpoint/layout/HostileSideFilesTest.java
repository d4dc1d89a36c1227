package org.shardmend.checkpoint.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.InMemoryFiles;
import org.shardmend.checkpoint.Samples;
import org.shardmend.checkpoint.expected.ExpectedState;
import org.shardmend.checkpoint.sidefile.ChecksumJson;
import org.shardmend.checkpoint.sidefile.IndexJson;

/** Whatever stands in a side file: it is understood, or refused with a message; nothing else. */
class HostileSideFilesTest {
  private static final String DUMP =
      "presharded-tp2-pp2-xxh3/TP-2-sig-49c4b287720e2996/checksum.json";

  /** One change to a document. */
  private record Damage(int at, int length, String into) {
    byte[] applyTo(byte[] document) {
      String text = new String(document, StandardCharsets.ISO_8859_1);
      int from = Math.floorMod(at, text.length());
      int to = Math.min(text.length(), from + length);
      return (text.substring(0, from) + into + text.substring(to))
          .getBytes(StandardCharsets.ISO_8859_1);
    }
  }

  @Property(tries = 300)
  void aDamagedChecksumJsonIsUnderstoodOrRefused(@ForAll("damages") Damage damage) {
    byte[] json = damage.applyTo(Samples.read(DUMP));
    try {
      ChecksumJson checksums = ChecksumJson.read(json, "checksum.json");
      byte[] same = checksums.rewritten((rank, read) -> Optional.of(read.name()), bytes -> bytes);
      assertThat(ChecksumJson.read(same, "checksum.json").reads()).isEqualTo(checksums.reads());
    } catch (CheckpointException refused) {
      assertThat(refused.reason()).isEqualTo(CheckpointException.Reason.REFUSED);
      assertThat(refused).hasMessageContaining("checksum.json");
    }
  }

  @Property(tries = 300)
  void aDamagedExpectedStateIsUnderstoodOrAnErrorOfTheCommandLine(
      @ForAll("damages") Damage damage) {
    byte[] json = damage.applyTo(Samples.read("mla-tp2-pp2.expected.json"));
    try {
      ExpectedState state = ExpectedState.read(json, "state.json");
      assertThat(ExpectedState.read(state.write(), "state.json").units()).isEqualTo(state.units());
    } catch (CheckpointException refused) {
      assertThat(refused.reason()).isEqualTo(CheckpointException.Reason.USAGE);
      assertThat(refused).hasMessageContaining("state.json");
    }
  }

  /** The name of a side file may be a link to a file that only the reader can read. */
  @Example
  void whatAFileHoldsThatIsNoIndexIsNotInTheMessage() {
    byte[] secret = "hf_abc'def\n".getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> IndexJson.read(secret, "model.safetensors.index.json"))
        .isInstanceOf(CheckpointException.class)
        .hasMessageContaining("Unrecognized token")
        .hasMessageNotContainingAny("hf_abc", "def");
  }

  @Property(tries = 200)
  void damagedNotesNeverHideTheShards(
      @ForAll("damages") Damage ofServekit, @ForAll("damages") Damage ofConfig) {
    InMemoryFiles files = InMemoryFiles.ofSample("mla-fp8-tp4");
    for (String name : new String[] {"servekit.json", "config.json"}) {
      Damage damage = name.equals("servekit.json") ? ofServekit : ofConfig;
      files.file(name, damage.applyTo(files.content(name)));
    }
    try {
      assertThat(Discovery.discover(files, DiscoveryOptions.defaults()).units()).hasSize(4);
    } catch (CheckpointException refused) {
      // Another size may come out of the damage: then there are ranks too many, or too few.
      assertThat(refused.problems()).isNotEmpty();
      assertThat(refused.problems())
          .extracting(Finding::code)
          .isSubsetOf("missing-rank", "rank-outside", "pipeline-lost");
    }
  }

  @Provide
  Arbitrary<Damage> damages() {
    Arbitrary<String> into =
        Arbitraries.of(
            "",
            "\"",
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "0",
            "-",
            "1e9",
            "null",
            "true",
            "\\",
            "\u00e9",
            "\u0000",
            "\\ud800",
            "[".repeat(2000),
            "9".repeat(2000),
            "\u00ef\u00bb\u00bf");
    return Combinators.combine(
            Arbitraries.integers().between(0, 200_000), Arbitraries.of(0, 1, 2, 17, 5000), into)
        .as(Damage::new);
  }
}
