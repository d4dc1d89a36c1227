package org.shardmend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.iceberg.spark.SparkCatalog;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardmend.cli.CommandScript;
import org.shardmend.testing.BuildFiles;
import org.shardmend.testing.IcebergCatalog;

/**
 * Every command on the job's jar and the libraries that a cluster brings, with nothing of the tests
 * before them on the class path.
 */
@Tag("smoke")
class EveryStageIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path scratch;

  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(strings = {"presharded", "huggingface"})
  void soIsOneOfEveryOtherLayout(String layout) throws Exception {
    aCheckpointIsPlannedRepairedVerifiedAndRolledBack(layout);
  }

  @Test
  void aCheckpointIsPlannedRepairedVerifiedAndRolledBack() throws Exception {
    aCheckpointIsPlannedRepairedVerifiedAndRolledBack("sharded_state");
  }

  private void aCheckpointIsPlannedRepairedVerifiedAndRolledBack(String layout) throws Exception {
    String source = scratch.resolve("source").toString();
    String expected = scratch.resolve("expected.json").toString();
    String copied = scratch.resolve("copied").toString();
    String linked = scratch.resolve("linked").toString();

    run(
        "0 generate %s --format %s --fault mixed --pure-mla --layers 4 --bytes 300kB --max-shard-bytes 60kB --expected %s"
            .formatted(source, layout, expected),
        "0 inspect " + source,
        "3 plan " + source,
        "0 plan %s --no-default-rules --find-aliases --expected-state %s"
            .formatted(source, expected),
        "3 verify %s --expected-state %s".formatted(source, expected),
        "0 repair %s --output %s --verify full --result %s".formatted(source, copied, result()),
        "0 verify %s --against %s --full".formatted(copied, source),
        "0 verify %s --expected-state %s".formatted(copied, expected),
        "0 repair %s --output %s --link-unchanged".formatted(source, linked),
        "0 verify %s --like %s".formatted(linked, copied),
        "0 repair %s --in-place".formatted(source),
        "0 verify %s --expected-state %s".formatted(source, expected),
        "0 audit %s --action RENAME,DROP".formatted(source),
        "0 rollback " + source,
        "3 plan " + source);

    assertThat(JSON.readTree(result().toFile()).at("/counts/RENAME").asInt()).isPositive();
  }

  @Test
  void aTreeIsSweptAndItsAuditKeptInACatalogCompactedAndReported() throws Exception {
    Path root = scratch.resolve("tree");
    Path audit = scratch.resolve("audit");
    String sweep =
        "sweep %s --in-place --settle 0s --audit %s --audit-table lake.shardmend --result %s"
            .formatted(root, audit, result());
    String generate = "0 generate %s/%s --fault %s --layers 4 --bytes 100kB";

    run(
        generate.formatted(root, "a", "alias-only"),
        generate.formatted(root, "b", "both-same"),
        generate.formatted(root, "c", "both-differ"),
        "4 " + sweep,
        "4 " + sweep,
        "0 audit %s --audit-table other.shardmend".formatted(audit),
        "0 audit %s --compact".formatted(audit),
        "0 audit %s --json".formatted(audit),
        "0 report %s --output %s".formatted(audit, scratch.resolve("report.html")),
        "%d rules --log-format json".formatted(hasJsonLogs() ? 0 : 2));

    JsonNode again = JSON.readTree(result().toFile());
    assertThat(again.at("/outcomes/nothing-to-do").asInt()).isEqualTo(2);
    assertThat(again.at("/outcomes/refused-before").asInt()).isEqualTo(1);
    assertThat(scratch.resolve("lake/shardmend/tensors/metadata")).isDirectory();
    assertThat(scratch.resolve("other/shardmend/runs/metadata")).isDirectory();
    assertThat(scratch.resolve("report.html")).content().contains("</html>");
  }

  private Path result() {
    return scratch.resolve("result.json");
  }

  /** Each command in turn, after the exit code that it must have. */
  private void run(String... commands) throws Exception {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xmx1g"));
    words.addAll(List.of(build("launcher.options").split("\\s+", -1)));
    Stream.of("lake", "other")
        .map(name -> new IcebergCatalog(name, scratch.resolve(name)))
        .flatMap(catalog -> catalog.settings().entrySet().stream())
        .forEach(setting -> words.add("-D%s=%s".formatted(setting.getKey(), setting.getValue())));
    words.add("-Dspark.master=local[2]");
    words.add(
        "-Dlog4j2.configurationFile="
            + BuildFiles.projectFolder().resolve("conf/log4j2.properties"));
    words.add("-cp");
    words.add(
        String.join(
            File.pathSeparator,
            build("launcher.classpath"),
            BuildFiles.jobJar().toString(),
            place(SparkCatalog.class).toString(),
            place(CommandScript.class).toString()));
    words.add(CommandScript.class.getName());
    words.addAll(List.of(commands));
    Path log = scratch.resolve("log");
    Process process =
        new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      assertThat(process.waitFor(10, TimeUnit.MINUTES)).as("ended").isTrue();
      assertThat(process.exitValue()).as(Files.readString(log)).isZero();
    } finally {
      process.destroyForcibly();
    }
  }

  /** Spark brings the layout from version 4.0 on. */
  private static boolean hasJsonLogs() throws IOException {
    return build("launcher.classpath").contains("log4j-layout-template-json");
  }

  private static String build(String file) throws IOException {
    return Files.readString(BuildFiles.buildFolder().resolve(file)).strip();
  }

  /** The jar or folder that a class is loaded from. */
  private static Path place(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }
}
