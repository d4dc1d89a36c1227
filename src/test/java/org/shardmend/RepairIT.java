package org.shardmend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SortedMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.checkpoint.Samples;
import org.shardmend.testing.DirectoryContent;
import org.shardmend.testing.ShardmendProcess;
import org.shardmend.testing.ShardmendProcess.Result;

/** Repairs as users run them: through the launcher, in processes of their own. */
@Tag("smoke")
class RepairIT {
  private static final String SHARD = "model-rank-1-part-0.safetensors";

  @TempDir private Path scratch;

  @Test
  void theDemoTellsTheWholeStory() throws Exception {
    Path demo = scratch.resolve("demo");

    Result result = new ShardmendProcess().run("demo", demo.toString());

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out()).contains("KeyError: '", "32 ranks", "Look next:");
    assertThat(result.err()).doesNotContain("\tat ");
    requireClean(demo.resolve("repaired"));
  }

  @Test
  void executorsInProcessesOfTheirOwnWriteTheSameBytes() throws Exception {
    Path source = scratch.resolve("source");
    ok(
        new ShardmendProcess()
            .run(
                "generate", source.toString(), "--tp", "2", "--fault", "mixed", "--bytes", "8MiB"));
    Path threads = scratch.resolve("by-threads");
    Path processes = scratch.resolve("by-processes");

    ok(repair("local[2]", source, threads));
    ok(repair("local-cluster[2,1,1024]", source, processes));

    assertThat(shards(processes)).isNotEmpty().isEqualTo(shards(threads));
    requireClean(threads);
    requireClean(processes);
  }

  private static Result repair(String master, Path source, Path output) throws Exception {
    return new ShardmendProcess()
        .master(master)
        .run("repair", source.toString(), "--output", output.toString(), "--verify", "full");
  }

  private static SortedMap<String, String> shards(Path checkpoint) {
    SortedMap<String, String> content = DirectoryContent.of(checkpoint);
    content.keySet().removeIf(name -> !name.endsWith(".safetensors"));
    return content;
  }

  /** The heap is smaller than the shard, and less than Spark itself asks for unless told not to. */
  @Test
  void aShardIsRepairedInLessMemoryThanItsSize() throws Exception {
    Path source = scratch.resolve("source");
    Path output = scratch.resolve("repaired");
    ok(
        new ShardmendProcess()
            .run(
                "generate",
                source.toString(),
                "--sparse",
                "--bytes",
                "280MiB",
                "--max-shard-bytes",
                "1GiB"));
    assertThat(Files.size(source.resolve("model-rank-0-part-0.safetensors")))
        .isGreaterThan(200L << 20);

    Result repair =
        new ShardmendProcess()
            .master("local[2]")
            .heap("192m")
            .conf("spark.testing.memory", String.valueOf(512L << 20))
            .run("repair", source.toString(), "--output", output.toString());

    ok(repair);
    requireClean(output);
  }

  @Test
  void aRefusalThroughTheLauncherIsOneMessage() throws Exception {
    Path source =
        DirectoryContent.copy(Samples.directory("mla-fp8-tp4"), scratch.resolve("source"));
    Path shard = source.resolve(SHARD);
    Files.write(shard, new byte[] {1}, StandardOpenOption.APPEND);

    Result result =
        new ShardmendProcess()
            .run("repair", source.toString(), "--output", scratch.resolve("out").toString());

    assertThat(result.exitCode()).isEqualTo(4);
    assertThat(result.out()).isEmpty();
    assertThat(result.err())
        .contains("shardmend: ", SHARD, "longer than its header says, by 1 bytes")
        .doesNotContain("\tat ")
        .doesNotContain("Exception");
    assertThat(scratch.resolve("out")).doesNotExist();
  }

  private static void ok(Result result) {
    assertThat(result.exitCode()).as(result.err()).isZero();
  }

  /** No checksum file and no temporary one, the audit's folder included. */
  private static void requireClean(Path output) throws IOException {
    assertThat(DirectoryContent.names(output))
        .anyMatch(name -> name.startsWith(".shardmend/audit/tensors/"))
        .noneMatch(name -> name.endsWith(".crc"))
        .noneMatch(name -> name.contains("_temporary") || name.contains("_staging/"))
        .noneMatch(name -> name.contains(".tmp") || name.contains("attempt"));
    assertThat(Files.readString(output.resolve("shardmend.json"))).contains("fingerprint");
  }
}
