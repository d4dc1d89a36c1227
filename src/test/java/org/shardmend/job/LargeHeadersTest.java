package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.testing.TestJvm;

/** Headers at the format's limit are repaired in a heap that could not hold two of them at once. */
class LargeHeadersTest {
  private static final String CANONICAL = "\"model.layers.0.self_attn.kv_b_proj.weight\"";

  private static final int RANKS = 4;
  private static final int TENSORS = 60_000;

  @TempDir private Path scratch;

  private void repair(String heap) throws Exception {
    assertThat(
            run(heap, scratch.resolve("source").toString(), scratch.resolve("repaired").toString()))
        .contains("repaired ");
  }

  private String run(String heap, String... places) throws Exception {
    Path log = scratch.resolve("log");
    Process process =
        TestJvm.of(LargeHeaders.class, List.of("-Xmx" + heap), places)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    assertThat(process.waitFor(15, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(log)).isZero();
    return Files.readString(log);
  }

  /** Four tasks want to read one each at the same time. */
  @Test
  void severalHeadersOfAHundredMegabytesGoThroughASmallHeap() throws Exception {
    LargeHeaders.writeLongMetadata(scratch.resolve("source"), 4);

    repair("512m");

    for (int rank = 0; rank < 4; rank++) {
      assertThat(end(scratch.resolve("repaired").resolve(LargeHeaders.shard(rank))))
          .contains(CANONICAL);
    }
  }

  /** The last part of the header's text, where the tensors are; behind it there is padding. */
  private static String end(Path shard) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(shard.toFile(), "r")) {
      byte[] part = new byte[12_000_000];
      file.seek(file.length() - part.length);
      file.readFully(part);
      return new String(part, StandardCharsets.ISO_8859_1);
    }
  }

  /** A million took ten times as long with 1 GB of heap, and did the same. */
  @Tag("nightly")
  @Test
  void aHundredThousandTensorsInOneShardArePlannedAndRepaired() throws Exception {
    LargeHeaders.writeManyTensors(scratch.resolve("source"), 100_000);

    repair("512m");

    Path shard = scratch.resolve("repaired").resolve(LargeHeaders.shard(0));
    try (InputStream in = Files.newInputStream(shard)) {
      assertThat(new String(in.readNBytes(200), StandardCharsets.ISO_8859_1)).contains(CANONICAL);
    }
  }

  /** What a plan and its comparisons hold of each name adds up over the shards. */
  @Test
  void hundredsOfThousandsOfDropsOfSeveralShardsArePlannedInASmallHeap() throws Exception {
    Path source = scratch.resolve("source");
    LargeHeaders.writeAliases(source, RANKS, TENSORS);

    assertThat(run("192m", source.toString())).contains("drop=" + RANKS * TENSORS / 2);
  }
}
