package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.job.spark.Progress;
import org.shardmend.testing.SharedSparkJob;
import org.shardmend.trial.Fault;

/** Who may read a checkpoint may read its repair, and nobody else. */
class KeptModesTest {
  private static final String SHARD = "model-rank-1-part-0.safetensors";

  @TempDir private Path scratch;
  private Path source;
  private Path output;

  @BeforeEach
  void generate() throws Exception {
    source = scratch.resolve("source");
    output = scratch.resolve("repaired");
    Actions.generate(source, Fault.MIXED);
    Files.createDirectory(source.resolve("below"));
    Files.writeString(source.resolve("below/note"), "a note");
    mode(source.resolve(SHARD), "r--r-----");
    mode(source.resolve("config.json"), "rw-rw-rw-");
    mode(source.resolve("below/note"), "rwx--x--x");
    mode(source.resolve("below"), "rwxr-x---");
    mode(source, "rwxrwx---");
  }

  private static void mode(Path path, String mode) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void anOutputHasTheModesOfItsSourceWhateverTheUmask() throws Exception {
    Actions.withDefaultRules(SharedSparkJob.withProgress(Progress.SILENT)).repair(source, output);

    assertThat(mode(output)).isEqualTo("rwxrwx---");
    assertThat(mode(output.resolve(SHARD))).isEqualTo("r--r-----");
    assertThat(mode(output.resolve("config.json"))).isEqualTo("rw-rw-rw-");
    assertThat(mode(output.resolve("below"))).isEqualTo("rwxr-x---");
    assertThat(mode(output.resolve("below/note"))).isEqualTo("rwx--x--x");
  }

  @Test
  void ofAProtectedCheckpointTheOwnerMayWriteTheOutputsDirectoriesAlone() throws Exception {
    mode(source.resolve("below/note"), "r--r--r--");
    mode(source.resolve("below"), "r-xr-xr-x");
    mode(source, "r-xr-xr-x");

    Actions.withDefaultRules(SharedSparkJob.withProgress(Progress.SILENT)).repair(source, output);

    assertThat(mode(output)).isEqualTo("rwxr-xr-x");
    assertThat(mode(output.resolve("below"))).isEqualTo("rwxr-xr-x");
    assertThat(mode(output.resolve("below/note"))).isEqualTo("r--r--r--");
  }

  @Test
  void whatIsOursFollowsTheUmask() throws Exception {
    Actions.withDefaultRules(SharedSparkJob.withProgress(Progress.SILENT)).repair(source, output);

    Path file = Files.writeString(scratch.resolve("file"), "");
    Path directory = Files.createDirectory(scratch.resolve("directory"));
    assertThat(mode(output.resolve("shardmend.json"))).isEqualTo(mode(file));
    assertThat(mode(output.resolve(".shardmend"))).isEqualTo(mode(directory));
  }

  @Test
  void aRepairInPlaceKeepsThem() throws Exception {
    mode(source.resolve(SHARD), "rw-r-----");

    Actions.withDefaultRules(SharedSparkJob.withProgress(Progress.SILENT)).repairInPlace(source);

    assertThat(mode(source)).isEqualTo("rwxrwx---");
    assertThat(mode(source.resolve(SHARD))).isEqualTo("rw-r-----");
    assertThat(mode(source.resolve("config.json"))).isEqualTo("rw-rw-rw-");
  }

  /**
   * A shard that loses a tensor is a new file, and so are an index and our own notes' successor.
   */
  @Test
  void aFileThatIsBuiltAnewKeepsOwnerGroupAndExtendedAttributes() throws Exception {
    Path checkpoint = scratch.resolve("both");
    Actions.generate(checkpoint, Fault.BOTH_SAME);
    boolean root = "root".equals(System.getProperty("user.name"));
    Map<Path, Object> inodes = new HashMap<>();
    for (Path shard : shards(checkpoint)) {
      mode(shard, "rw-r-----");
      if (root) {
        Files.setAttribute(shard, "unix:gid", 2000);
        Files.setAttribute(shard, "unix:uid", 2001);
      }
      attributes(shard).write("note", ByteBuffer.wrap("keep".getBytes(StandardCharsets.UTF_8)));
      inodes.put(shard, Files.getAttribute(shard, "unix:ino"));
    }

    Actions.withDefaultRules(SharedSparkJob.withProgress(Progress.SILENT))
        .repairInPlace(checkpoint);

    int builtAnew = 0;
    for (Path shard : shards(checkpoint)) {
      builtAnew += inodes.get(shard).equals(Files.getAttribute(shard, "unix:ino")) ? 0 : 1;
      assertThat(mode(shard)).isEqualTo("rw-r-----");
      assertThat(attributes(shard).list()).containsExactly("note");
      if (root) {
        assertThat(Files.getAttribute(shard, "unix:uid")).isEqualTo(2001);
        assertThat(Files.getAttribute(shard, "unix:gid")).isEqualTo(2000);
      }
    }
    assertThat(builtAnew).isPositive();
  }

  private static List<Path> shards(Path checkpoint) throws IOException {
    try (Stream<Path> files = Files.list(checkpoint)) {
      return files.filter(file -> file.toString().endsWith(".safetensors")).toList();
    }
  }

  private static UserDefinedFileAttributeView attributes(Path file) {
    return Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
  }
}
