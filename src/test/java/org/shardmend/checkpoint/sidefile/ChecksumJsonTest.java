package org.shardmend.checkpoint.sidefile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.Samples;

class ChecksumJsonTest {
  private static final String SAMPLE =
      "presharded-tp2-pp2-sha1/TP-2-sig-49c4b287720e2996/checksum.json";
  private static final String A = "a".repeat(40);
  private static final String B = "b".repeat(40);

  /** Two ranks; both read {@code A}, rank 1 also reads {@code B}, as an attribute. */
  private static final String SMALL =
      """
      {"version": 1, "world_size": 2, "note": {"x": [1.50, 1e5, -0.0]}, "files": [
        {"filename": "m0", "writer_rank": 0, "rank_list": null, "is_common": true, "tensors": [
          {"stored_key": "AA", "size": 8, "rank_to_names": {"0": ["n.w"], "1": ["n.w", "n.v"]}}]},
        {"filename": "m1", "writer_rank": 1, "rank_list": [1], "is_common": false, "tensors": [
          {"stored_key": "BB", "size": 4, "rank_to_names": {"1": ["n.x"]}}]}],
       "rank_to_reads": {
        "0": [{"filename": "m0", "stored_key": "AA", "name": "n.w", "is_extra": false}],
        "1": [{"filename": "m0", "stored_key": "AA", "name": "n.w", "is_extra": false},
              {"filename": "m0", "stored_key": "AA", "name": "n.v", "is_extra": false},
              {"filename": "m1", "stored_key": "BB", "name": "n.x", "is_extra": true}]},
       "rank_checksums": {"0": "0000000000000000", "1": "0000000000000001"}}
      """
          .replace("AA", A)
          .replace("BB", B);

  private static byte[] sha1(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-1").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static ChecksumJson read(String json) {
    try {
      return ChecksumJson.read(utf8(json), "checksum.json");
    } catch (CheckpointException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {SAMPLE, "presharded-tp2-pp2-xxh3/TP-2-sig-49c4b287720e2996/checksum.json"})
  void withoutChangesTheDocumentStaysAsItIs(String sample) throws CheckpointException {
    byte[] json = Samples.read(sample);

    ChecksumJson checksums = ChecksumJson.read(json, "checksum.json");

    assertThat(checksums.rewritten((rank, read) -> Optional.of(read.name()), bytes -> bytes))
        .isEqualTo(json);
  }

  @Test
  void theSumsOfTheSampleAreRight() throws CheckpointException {
    ChecksumJson checksums = ChecksumJson.read(Samples.read(SAMPLE), "checksum.json");

    assertThat(checksums.ranksWithWrongSums(ChecksumJsonTest::sha1)).isEmpty();
    assertThat(RankChecksum.of(ChecksumJsonTest::sha1, checksums.reads().get(0)))
        .isEqualTo("0b4c4283c5ee31eb");
  }

  @Test
  void wrongSumsAreFoundByRank() {
    assertThat(read(SMALL).ranksWithWrongSums(ChecksumJsonTest::sha1)).containsExactly(0, 1);
  }

  @Test
  void aRenameChangesBothListsAndTheSums() throws CheckpointException {
    ChecksumJson before = ChecksumJson.read(Samples.read(SAMPLE), "checksum.json");

    byte[] json =
        before.rewritten(
            (rank, read) -> Optional.of(read.name().replace("language_model.", "")),
            ChecksumJsonTest::sha1);
    ChecksumJson after = ChecksumJson.read(json, "checksum.json");

    assertThat(after.ranksWithWrongSums(ChecksumJsonTest::sha1)).isEmpty();
    assertThat(after.rankChecksums().get(0)).isNotEqualTo(before.rankChecksums().get(0));
    assertThat(after.reads().get(3)).hasSameSizeAs(before.reads().get(3));
    assertThat(new String(json, StandardCharsets.UTF_8)).doesNotContain("language_model.");
    assertThat(after.signature()).isEqualTo(before.signature()).contains("49c4b287720e2996");
  }

  @Test
  void onlyTheSumsOfChangedRanksChange() {
    byte[] json =
        read(SMALL)
            .rewritten(
                (rank, read) -> Optional.of(rank == 1 ? read.name() + "2" : read.name()),
                ChecksumJsonTest::sha1);

    ChecksumJson after = read(new String(json, StandardCharsets.UTF_8));
    assertThat(after.rankChecksums().get(0)).isEqualTo("0000000000000000");
    assertThat(after.ranksWithWrongSums(ChecksumJsonTest::sha1)).containsExactly(0);
  }

  @Test
  void aDroppedNameLeavesBothListsAndNothingElseChanges() {
    byte[] json =
        read(SMALL)
            .rewritten(
                (rank, read) ->
                    read.name().equals("n.v") ? Optional.empty() : Optional.of(read.name()),
                ChecksumJsonTest::sha1);

    String text = new String(json, StandardCharsets.UTF_8);
    assertThat(text).contains("\"note\": {").contains("1.50").contains("1e5").contains("-0.0");
    assertThat(text).doesNotContain("n.v");
    ChecksumJson after = read(text);
    assertThat(after.reads().get(1))
        .containsExactly(
            new PreshardedRead("m0", A, "n.w", false), new PreshardedRead("m1", B, "n.x", true));
    assertThat(after.files()).isEqualTo(read(SMALL).files());
  }

  @Test
  void attributesKeepTheirMeaning() {
    List<String> extras = new ArrayList<>();

    read(SMALL)
        .rewritten(
            (rank, read) -> {
              if (read.extra()) {
                extras.add(rank + " " + read.name());
              }
              return Optional.of(read.name());
            },
            ChecksumJsonTest::sha1);

    assertThat(extras).containsExactly("1 n.x");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"world_size\": 2|\"world_size\": 3|missing-rank|rank 2 reads nothing",
        "\"world_size\": 2|\"world_size\": 1|rank-outside|there is a rank 1, but world_size is 1",
        "\"1\": \"0000000000000001\"|\"1\": \"1\"|inconsistent-dump|sum of rank 1 is '1'",
        ", \"1\": \"0000000000000001\"||inconsistent-dump|no sum of rank 1",
        "\"name\": \"n.v\"|\"name\": \"n.u\"|inconsistent-dump|rank 1 reads n.u from",
        "\"name\": \"n.v\"|\"name\": \"n.w\"|inconsistent-dump|rank 1 reads the name n.w twice",
        "[\"n.w\", \"n.v\"]|[\"n.w\", \"n.w\"]|inconsistent-dump|rank 1 has the name n.w twice",
        "[\"n.w\", \"n.v\"]|[\"n.w\"]|inconsistent-dump|no file lists that name",
        "[\"n.w\", \"n.v\"]|[\"n.w\", \"n.v\", \"n.y\"]|inconsistent-dump|but does not read it",
        "\"rank_list\": [1]|\"rank_list\": [0, 1]|inconsistent-dump|names for ranks [1]",
        "\"rank_list\": [1]|\"rank_list\": null|inconsistent-dump|has no list of ranks",
        "\"rank_list\": null|\"rank_list\": [0, 1]|inconsistent-dump|is common but has",
        "\"writer_rank\": 1|\"writer_rank\": 0|inconsistent-dump|written by rank 0",
        "\"filename\": \"m1\", \"writer|\"filename\": \"m0\", \"writer|inconsistent-dump|listed"
            + " twice",
      })
  void aContradictionIsRefusedByWhatContradicts(String what, String into, String code, String why) {
    assertThat(SMALL).contains(what);
    String json = SMALL.replace(what, into == null ? "" : into);

    CheckpointException e =
        catchThrowableOfType(
            CheckpointException.class, () -> ChecksumJson.read(utf8(json), "checksum.json"));

    assertThat(e.reason()).isEqualTo(CheckpointException.Reason.REFUSED);
    assertThat(e.problems()).extracting(Finding::code).contains(code);
    assertThat(e).hasMessageContainingAll("checksum.json", why);
  }

  @Test
  void aKeyInTwoFilesIsRefused() {
    CheckpointException e =
        catchThrowableOfType(
            CheckpointException.class,
            () -> ChecksumJson.read(utf8(SMALL.replace(B, A)), "checksum.json"));

    assertThat(e).hasMessageContaining("the key " + A + " is stored twice, in m0 and in m1");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 31, 33, 39, 41, 64})
  void keysOfAnotherLengthAreRefused(int length) {
    CheckpointException e =
        catchThrowableOfType(
            CheckpointException.class,
            () ->
                ChecksumJson.read(
                    utf8(SMALL.replace(A, "a".repeat(length)).replace(B, "b".repeat(length))),
                    "checksum.json"));

    assertThat(e.code()).isEqualTo("unknown-hash");
    assertThat(e).hasMessageContaining(length + " digits");
  }

  @Test
  void keysOfTwoLengthsAreRefused() {
    CheckpointException e =
        catchThrowableOfType(
            CheckpointException.class,
            () -> ChecksumJson.read(utf8(SMALL.replace(B, "b".repeat(32))), "checksum.json"));

    assertThat(e.code()).isEqualTo("unknown-hash");
  }

  @ParameterizedTest
  @ValueSource(strings = {"../m1", "/m1", "a/m1", "..", "", "m1\\\\x"})
  void aFileNameOutsideTheDumpIsRefused(String name) {
    CheckpointException e =
        catchThrowableOfType(
            CheckpointException.class,
            () -> ChecksumJson.read(utf8(SMALL.replace("m1", name)), "checksum.json"));

    assertThat(e.reason()).isEqualTo(CheckpointException.Reason.REFUSED);
    assertThat(e.code()).isIn("unsafe-name", "malformed-side-file");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"version\": 1|\"version\": 2|version is 2",
        "\"version\": 1, ||'version' is missing",
        "\"is_extra\": true|\"is_extra\": 1|expected is_extra to be true or false",
        "\"size\": 8|\"size\": -8|size is -8",
        "\"size\": 8, ||has no 'stored_key' or no 'size'",
        "\"name\": \"n.v\", ||the read before lacks",
        "{\"0\": [\"n.w\"]|{\"00\": [\"n.w\"]|'00' is no rank",
        "\"note\"|\"version\"|Duplicate field 'version'",
      })
  void aMalformedDocumentIsRefusedWithItsPlace(String what, String into, String why) {
    String json = SMALL.replace(what, into == null ? "" : into);

    CheckpointException e =
        catchThrowableOfType(
            CheckpointException.class, () -> ChecksumJson.read(utf8(json), "checksum.json"));

    assertThat(e.code()).isEqualTo("malformed-side-file");
    assertThat(e.shard()).contains("checksum.json");
    assertThat(e).hasMessageContainingAll("checksum.json cannot be understood", why);
  }
}
