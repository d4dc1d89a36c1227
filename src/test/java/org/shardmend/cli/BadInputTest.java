package org.shardmend.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.shardmend.checkpoint.Samples;
import org.shardmend.testing.DirectoryContent;

/**
 * What bad input gets: one message that says what, where and what to do; the exit code of the
 * contract; nothing published; the source untouched; and no stack trace.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BadInputTest {
  private static final String SHARD = "model-pp-0-rank-1-part-2.safetensors";
  private static final String OWN_RULES =
      """
      {"name": "mine", "about": "A family of one's own.", "layouts": ["sharded_state"], "default": false,
       "rules": [{"from": "%s", "to": "${a}.y", "examples": [["%s", "%s"]]}]%s}
      """;

  @TempDir private Path scratch;
  private Path source;
  private Path output;

  @BeforeEach
  void copyASample() {
    source = DirectoryContent.copy(Samples.directory("mla-tp2-pp2"), scratch.resolve("source"));
    output = scratch.resolve("repaired");
  }

  /** Makes a healthy sample bad. */
  @FunctionalInterface
  private interface Damage {
    void to(Path checkpoint) throws IOException;
  }

  /**
   * Something that a repair must not take.
   *
   * @param parts what the message must contain
   */
  private record Bad(String what, Damage damage, int exit, String code, List<String> parts) {
    @Override
    public String toString() {
      return what;
    }
  }

  private static Bad bad(String what, Damage damage, int exit, String code, String... parts) {
    return new Bad(what, damage, exit, code, List.of(parts));
  }

  static Stream<Bad> badCheckpoints() {
    return Stream.of(
        bad(
            "a truncated shard",
            source -> truncate(source.resolve(SHARD), 7),
            4,
            "malformed-shard",
            SHARD,
            "shorter than its header says",
            "7 bytes"),
        bad(
            "a shard that ends in its header",
            source -> cutTo(source.resolve(SHARD), 100),
            4,
            "malformed-shard",
            SHARD,
            "shorter than its header says"),
        bad(
            "an empty shard",
            source -> cutTo(source.resolve(SHARD), 0),
            4,
            "malformed-shard",
            SHARD,
            "ends at byte 0"),
        bad(
            "bytes after the last tensor",
            source -> append(source.resolve(SHARD), 5),
            4,
            "malformed-shard",
            SHARD,
            "longer than its header says, by 5 bytes",
            "cut the file to"),
        bad(
            "a header length beyond the file",
            source -> setHeaderLength(source.resolve(SHARD), 50_000_000),
            4,
            "malformed-shard",
            SHARD,
            "shorter than its header says"),
        bad(
            "a header length over the limit",
            source -> setHeaderLength(source.resolve(SHARD), 100_000_001),
            4,
            "malformed-shard",
            SHARD,
            "100000001",
            "100000000"),
        bad(
            "a rank without files",
            source -> deleteAll(source, "model-pp-1-rank-1-"),
            4,
            "missing-rank",
            "stage 1",
            "rank 1 has no files",
            "tp_size 2"),
        bad(
            "a gap in the part numbers",
            source -> deleteAll(source, SHARD),
            4,
            "missing-part",
            SHARD + " is missing"),
        bad(
            "ranks that don't fit servekit.json",
            source -> replace(source.resolve("servekit.json"), "\"tp_size\": 2", "\"tp_size\": 1"),
            4,
            "rank-outside",
            "servekit.json says tp_size 1"),
        bad(
            "fewer stages than servekit.json says",
            source -> replace(source.resolve("servekit.json"), "\"pp_size\": 2", "\"pp_size\": 3"),
            4,
            "missing-rank",
            "pipeline stage 2 has no files",
            "pp_size 3"),
        bad(
            "an unfinished save",
            source -> Files.createFile(source.resolve(".sharded-state-done-pp0-tp1")),
            4,
            "unfinished-save",
            ".sharded-state-done-pp0-tp1",
            "Save the model again"),
        bad(
            "a directory in a shard's place",
            source -> {
              Files.delete(source.resolve(SHARD));
              Files.createDirectory(source.resolve(SHARD));
            },
            4,
            "not-a-regular-file",
            SHARD,
            "a directory"),
        bad(
            "a shard that leads nowhere",
            source -> {
              Files.delete(source.resolve(SHARD));
              Files.createSymbolicLink(source.resolve(SHARD), Path.of("gone"));
            },
            4,
            "not-a-regular-file",
            SHARD,
            "a symbolic link"),
        bad(
            "a pipe in a shard's place",
            source -> {
              Files.delete(source.resolve(SHARD));
              makePipe(source.resolve(SHARD));
            },
            4,
            "not-a-regular-file",
            SHARD),
        bad(
            "a shard that leads to an endless device",
            source -> {
              Files.delete(source.resolve(SHARD));
              Files.createSymbolicLink(source.resolve(SHARD), Path.of("/dev/zero"));
            },
            4,
            "not-a-regular-file",
            SHARD),
        bad(
            "a shard that leads to itself",
            source -> {
              Files.delete(source.resolve(SHARD));
              Files.createSymbolicLink(source.resolve("round"), Path.of(SHARD));
              Files.createSymbolicLink(source.resolve(SHARD), Path.of("round"));
            },
            4,
            "not-a-regular-file",
            SHARD,
            "a symbolic link"),
        bad(
            "a pipe in the place of servekit.json",
            source -> {
              Files.delete(source.resolve("servekit.json"));
              makePipe(source.resolve("servekit.json"));
            },
            4,
            "not-a-regular-file",
            "servekit.json",
            "was not opened"),
        bad(
            "a header nested a million deep",
            source ->
                writeShard(
                    source.resolve(SHARD),
                    "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1],\"x\":"
                        + "[".repeat(1_000_000)
                        + "]".repeat(1_000_000)
                        + "}}"),
            4,
            "malformed-shard",
            SHARD,
            "deep"),
        bad(
            "a shape whose product is over 2^64",
            source ->
                writeShard(
                    source.resolve(SHARD),
                    "{\"a\":{\"dtype\":\"U8\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,1]}}"),
            4,
            "malformed-shard",
            SHARD,
            "4294967296"),
        bad(
            "offsets near 2^63",
            source ->
                writeShard(
                    source.resolve(SHARD),
                    "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[9223372036854775806,9223372036854775807]}}"),
            4,
            "malformed-shard",
            SHARD,
            "9223372036854775806"),
        bad(
            "an offset over 2^63",
            source ->
                writeShard(
                    source.resolve(SHARD),
                    "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,18446744073709551615]}}"),
            4,
            "malformed-shard",
            SHARD,
            "18446744073709551615"),
        bad(
            "a directory without shards",
            source -> deleteAll(source, "model-"),
            2,
            "no-shards",
            "holds no shards"),
        bad(
            "a file instead of a directory",
            source -> {
              deleteAll(source, "");
              Files.delete(source);
              Files.writeString(source, "no checkpoint");
            },
            2,
            "not-a-directory",
            "is not a directory",
            "Name the directory"),
        bad(
            "a path that does not exist",
            source -> {
              deleteAll(source, "");
              Files.delete(source);
            },
            2,
            "",
            "does not exist"));
  }

  @ParameterizedTest
  @MethodSource("badCheckpoints")
  void aBadCheckpointIsNotRepaired(Bad bad) throws IOException {
    bad.damage().to(source);
    SortedMap<String, String> before = DirectoryContent.of(scratch);

    CommandRun repair =
        CommandRun.of("repair", source.toString(), "--output", output.toString(), "--json");

    requireError(repair, "repair", bad);
    assertThat(repair.document().path("error").path("message").asText())
        .contains(source.toString());
    assertThat(DirectoryContent.of(scratch)).isEqualTo(before);
  }

  @ParameterizedTest
  @MethodSource("badCheckpoints")
  void aBadCheckpointIsNotRepairedInPlace(Bad bad) throws IOException {
    bad.damage().to(source);
    SortedMap<String, String> before = DirectoryContent.of(scratch);

    CommandRun repair = CommandRun.of("repair", source.toString(), "--in-place", "--json");

    requireError(repair, "repair", bad);
    assertThat(DirectoryContent.of(scratch)).isEqualTo(before);
  }

  @ParameterizedTest
  @MethodSource("badCheckpoints")
  void planSaysTheSameOfABadCheckpointAndVerifyFindsTheFault(Bad bad) throws IOException {
    bad.damage().to(source);

    CommandRun plan = CommandRun.of("plan", source.toString(), "--json");
    CommandRun verify = CommandRun.of("verify", source.toString(), "--json");

    requireError(plan, "plan", bad);
    assertThat(verify.exit()).isEqualTo(bad.exit() == 4 ? 3 : bad.exit());
    assertThat(verify.document().path("schema").asText()).isEqualTo("shardmend/verify/1");
    assertThat(verify.out()).contains(bad.code());
    requireNoTrace(verify);
  }

  private static void requireError(CommandRun run, String command, Bad bad) {
    requireNoTrace(run);
    assertThat(run.exit()).isEqualTo(bad.exit());
    JsonNode document = run.document();
    assertThat(document.path("schema").asText()).isEqualTo("shardmend/" + command + "/1");
    assertThat(document.path("outcome").asText()).isEqualTo(bad.exit() == 4 ? "refused" : "failed");
    JsonNode error = document.path("error");
    if (!bad.code().isEmpty()) {
      assertThat(error.path("code").asText()).isEqualTo(bad.code());
    }
    String message = error.path("message").asText();
    assertThat(message).contains(bad.parts());
    if (bad.exit() == 4) {
      assertThat(message.lines())
          .as("the place is said once")
          .noneMatch(line -> line.indexOf("file:/") != line.lastIndexOf("file:/"));
    }
    assertThat(run.err()).contains("shardmend: ").contains(bad.parts());
  }

  private static void requireNoTrace(CommandRun run) {
    assertThat(run.err())
        .doesNotContain("\tat ")
        .doesNotContain("Exception")
        .doesNotContain("please report");
  }

  @Test
  void aStrayFileThatARanksLoaderWouldReadIsNotRepaired() throws IOException {
    String stray = "model-pp-0-rank-1-part-4.safetensors";
    Files.copy(source.resolve(SHARD), source.resolve(stray));
    SortedMap<String, String> before = DirectoryContent.of(scratch);

    CommandRun repair =
        CommandRun.of("repair", source.toString(), "--output", output.toString(), "--json");

    requireError(
        repair, "repair", new Bad("", checkpoint -> {}, 4, "contradiction", List.of(stray)));
    assertThat(DirectoryContent.of(scratch)).isEqualTo(before);
  }

  @Test
  void aFinishedSaveWithItsMarkersIsAFindingOnly() throws IOException {
    for (int stage = 0; stage < 2; stage++) {
      for (int rank = 0; rank < 2; rank++) {
        Files.createFile(source.resolve(".sharded-state-done-pp" + stage + "-tp" + rank));
      }
    }

    CommandRun repair =
        CommandRun.of("repair", source.toString(), "--output", output.toString(), "--json");

    assertThat(repair.exit()).isZero();
    assertThat(repair.document().path("findings").findValuesAsText("code"))
        .contains("save-markers");
  }

  @Test
  void anOutputThatExistsIsLeftAlone() throws IOException {
    Files.createDirectories(output);
    requireBadPlace(output, "output-exists", output.toString());
  }

  @Test
  void anOutputThatIsAFileIsLeftAlone() throws IOException {
    Files.writeString(output, "mine");
    requireBadPlace(output, "output-exists", output.toString());
  }

  @Test
  void anOutputInsideTheInputIsRefused() throws IOException {
    requireBadPlace(source.resolve("below/repaired"), "output-inside-input", "lies inside");
  }

  @Test
  void anOutputInsideTheInputBehindALinkIsRefused() throws IOException {
    Path link = Files.createSymbolicLink(scratch.resolve("link"), source);
    requireBadPlace(link.resolve("repaired"), "output-inside-input", "lies inside");
  }

  @Test
  void anInputInsideTheOutputIsRefused() throws IOException {
    requireBadPlace(scratch, "input-inside-output", "lies inside");
  }

  @Test
  void anOutputThatIsTheInputIsRefused() throws IOException {
    requireBadPlace(source.resolve("../source/."), "output-is-input", "--in-place");
  }

  @Test
  void upInAPathMeansTheDirectoryAboveWhatALinkLeadsTo() throws IOException {
    Path data = Files.createDirectories(scratch.resolve("data/v2")).getParent();
    Path meant = DirectoryContent.copy(source, data.resolve("source"));
    Path link = Files.createSymbolicLink(scratch.resolve("current"), Path.of("data/v2"));
    SortedMap<String, String> before = DirectoryContent.of(source);

    CommandRun repair =
        CommandRun.of(
            "repair",
            link + "/../source",
            "--output",
            link + "/../repaired",
            "--audit",
            link + "/../audit",
            "--result",
            link + "/../result.json",
            "--metrics-file",
            link + "/../metrics.prom",
            "--json");

    assertThat(repair.exit()).as(repair.err()).isZero();
    assertThat(repair.document().path("checkpoint").asText()).isEqualTo("file:" + meant);
    assertThat(data.toFile().list())
        .containsExactlyInAnyOrder(
            "v2", "source", "repaired", "audit", "result.json", "metrics.prom");
    assertThat(scratch.toFile().list()).containsExactlyInAnyOrder("source", "data", "current");
    assertThat(DirectoryContent.of(source)).isEqualTo(before);
  }

  @Test
  void anOutputWhosePathAnEngineWouldTakeForAPatternIsRefused() {
    for (String character : List.of("[", "]", "*", "?")) {
      requireBadPlace(
          scratch.resolve("a" + character + "b/out"), "bad-output", "'" + character + "'");
    }
  }

  @Test
  void anOutputBehindALinkThatLeadsNowhereIsRefused() throws IOException {
    Path link = Files.createSymbolicLink(scratch.resolve("link"), Path.of("nothing"));
    requireBadPlace(link, "bad-output", link.toString());
    requireBadPlace(link.resolve("repaired"), "bad-output", link.toString());
  }

  @Test
  void anOutputBelowAFileIsRefused() throws IOException {
    Path file = Files.writeString(scratch.resolve("file"), "");
    requireBadPlace(file.resolve("repaired"), "bad-output", file + "/");
    requireBadPlace(file.resolve("below/repaired"), "bad-output", file + "/");
  }

  @Test
  void anAuditThatWouldBeInTheWayOfSourceOrOutputIsRefused() throws IOException {
    Path file = Files.writeString(scratch.resolve("file"), "");
    Path link = Files.createSymbolicLink(scratch.resolve("link"), source);
    for (Path audit :
        List.of(
            output,
            output.resolve(".shardmend/audit"),
            scratch,
            source,
            source.resolve("audit"),
            link.resolve(".shardmend/audit"),
            file.resolve("audit"))) {
      SortedMap<String, String> before = DirectoryContent.of(scratch);
      CommandRun repair =
          CommandRun.of(
              "repair",
              source.toString(),
              "--output",
              output.toString(),
              "--audit",
              audit.toString(),
              "--json");
      requireError(
          repair,
          "repair",
          new Bad("", checkpoint -> {}, 2, "bad-audit", List.of(audit.getFileName().toString())));
      assertThat(DirectoryContent.of(scratch)).isEqualTo(before);
    }
  }

  private void requireBadPlace(Path place, String code, String part) {
    SortedMap<String, String> before = DirectoryContent.of(scratch);
    CommandRun repair =
        CommandRun.of("repair", source.toString(), "--output", place.toString(), "--json");
    requireError(repair, "repair", new Bad("", checkpoint -> {}, 2, code, List.of(part)));
    assertThat(DirectoryContent.of(scratch)).isEqualTo(before);
  }

  private record BadRules(String what, String text, String place, List<String> parts) {
    @Override
    public String toString() {
      return what;
    }
  }

  static Stream<BadRules> badRules() {
    String good = "(?<a>.+)\\\\.x";
    return Stream.of(
        new BadRules(
            "a syntax error",
            "{\n  \"name\": \"mine\",\n  \"about\" \"no colon\"\n}",
            ":3:",
            List.of("This is not JSON", "Correct the syntax")),
        new BadRules(
            "an unknown key",
            OWN_RULES.formatted(good, "b.x", "b.y", ", \"colour\": 1"),
            ":2:",
            List.of("colour")),
        new BadRules(
            "a bad regular expression",
            OWN_RULES.formatted("(?<a>.+", "b.x", "b.y", ""),
            ":2:",
            List.of("rules[0].from")),
        new BadRules(
            "a failing example",
            OWN_RULES.formatted(good, "b.x", "b.z", ""),
            ":2:",
            List.of("rules[0].examples[0]", "b.x", "b.y", "b.z")));
  }

  @ParameterizedTest
  @MethodSource("badRules")
  void badRulesAreNamedWithTheirPlace(BadRules rules) throws IOException {
    Path file = Files.writeString(scratch.resolve("my-rules.json"), rules.text());
    SortedMap<String, String> before = DirectoryContent.of(scratch);
    List<String> parts = new ArrayList<>(rules.parts());
    parts.add(file + rules.place());
    Bad bad = new Bad(rules.what(), checkpoint -> {}, 2, "bad-rules", parts);

    requireError(CommandRun.of("rules", "--check", file.toString(), "--json"), "rules", bad);
    requireError(
        CommandRun.of("plan", source.toString(), "--rules", file.toString(), "--json"),
        "plan",
        bad);
    requireError(
        CommandRun.of(
            "repair",
            source.toString(),
            "--output",
            output.toString(),
            "--rules",
            file.toString(),
            "--json"),
        "repair",
        bad);
    assertThat(DirectoryContent.of(scratch)).isEqualTo(before);
  }

  @Test
  void theResultFileHoldsTheErrorWithItsExitCode() throws IOException {
    truncate(source.resolve(SHARD), 7);
    Path result = scratch.resolve("result.json");

    CommandRun repair =
        CommandRun.of(
            "repair",
            source.toString(),
            "--output",
            output.toString(),
            "--result",
            result.toString());

    JsonNode document = new ObjectMapper().readTree(result.toFile());
    assertThat(repair.exit()).isEqualTo(4);
    assertThat(repair.out()).isEmpty();
    assertThat(document.path("exit_code").asInt()).isEqualTo(4);
    assertThat(document.path("error").path("shard").asText()).isEqualTo(SHARD);
  }

  @Test
  void verboseShowsTheStackTrace() throws IOException {
    truncate(source.resolve(SHARD), 7);

    CommandRun plan = CommandRun.of("plan", source.toString(), "--verbose");

    assertThat(plan.err()).contains("\tat org.shardmend.").contains(SHARD);
  }

  private static void makePipe(Path path) throws IOException {
    try {
      assertThat(new ProcessBuilder("mkfifo", path.toString()).start().waitFor()).isZero();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  /** A file with this header and one byte of data. */
  private static void writeShard(Path file, String json) throws IOException {
    byte[] header = json.getBytes(StandardCharsets.UTF_8);
    Files.write(
        file,
        ByteBuffer.allocate(Long.BYTES + header.length + 1)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putLong(header.length)
            .put(header)
            .array());
  }

  private static void truncate(Path file, int bytes) throws IOException {
    cutTo(file, Files.size(file) - bytes);
  }

  private static void cutTo(Path file, long bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(bytes);
    }
  }

  private static void append(Path file, int bytes) throws IOException {
    Files.write(file, new byte[bytes], StandardOpenOption.APPEND);
  }

  private static void setHeaderLength(Path file, long length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(0, length);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(bytes, 0);
    }
  }

  private static void replace(Path file, String old, String replacement) throws IOException {
    String text = Files.readString(file);
    assertThat(text).contains(old);
    Files.writeString(file, text.replace(old, replacement));
  }

  private static void deleteAll(Path directory, String prefix) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      for (Path entry : entries.toList()) {
        if (entry.getFileName().toString().startsWith(prefix)) {
          Files.delete(entry);
        }
      }
    }
  }
}
