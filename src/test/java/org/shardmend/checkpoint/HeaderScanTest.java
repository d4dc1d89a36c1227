package org.shardmend.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.checkpoint.layout.Discovery;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.safetensors.UnknownDtypes;

class HeaderScanTest {
  private static final String NAME = "model-rank-0-part-0.safetensors";

  private static ScannedShard scan(InMemoryFiles files) {
    try {
      return HeaderScan.read(files, UnitId.ofTp(0), shard(files), UnknownDtypes.REFUSE);
    } catch (CheckpointException e) {
      throw new AssertionError(e);
    }
  }

  private static CheckpointException failure(InMemoryFiles files, Shard shard) {
    return catchThrowableOfType(
        CheckpointException.class,
        () -> HeaderScan.read(files, UnitId.ofTp(0), shard, UnknownDtypes.REFUSE));
  }

  private static Shard shard(InMemoryFiles files) {
    return new Shard(NAME, 0, files.content(NAME).length, 0);
  }

  @Test
  void aSmallHeaderIsReadAtOnce() throws Exception {
    byte[] bytes = new TestShard().bf16("a", 2, 3).bytes();
    InMemoryFiles files = new InMemoryFiles().file(NAME, bytes);

    ScannedShard scanned = scan(files);

    assertThat(files.reads()).hasSize(1);
    assertThat(scanned.header().tensors()).hasSize(1);
    byte[] header = Arrays.copyOf(bytes, bytes.length - 12);
    assertThat(scanned.headerDigest())
        .isEqualTo(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(header)));
  }

  @Test
  void aLargeHeaderTakesTwoReads() {
    TestShard shard = new TestShard();
    for (int i = 0; i < 2000; i++) {
      shard.bf16("model.layers." + i + ".self_attn.kv_b_proj.weight", 1);
    }
    InMemoryFiles files = new InMemoryFiles().file(NAME, shard.bytes());

    assertThat(scan(files).header().tensors()).hasSize(2000);
    assertThat(files.reads()).hasSize(2);
  }

  @Test
  void anEmptyFileIsRefusedByItsName() {
    InMemoryFiles files = new InMemoryFiles().empty(NAME);

    CheckpointException e = failure(files, shard(files));

    assertThat(e.reason()).isEqualTo(CheckpointException.Reason.REFUSED);
    assertThat(e.code()).isEqualTo("malformed-shard");
    assertThat(e.shard()).contains(NAME);
    assertThat(e).hasMessageContainingAll("file:/ckpt/" + NAME, "ends at byte 0");
  }

  @Test
  void aTruncatedShardIsRefusedByFileTensorAndOffset() {
    byte[] bytes = new TestShard().bf16("a", 2).bf16("b", 3).bytes();
    InMemoryFiles files = new InMemoryFiles().file(NAME, Arrays.copyOf(bytes, bytes.length - 1));

    CheckpointException e = failure(files, shard(files));

    assertThat(e.reason()).isEqualTo(CheckpointException.Reason.REFUSED);
    assertThat(e)
        .hasMessageContainingAll(
            NAME, Integer.toString(bytes.length), Integer.toString(bytes.length - 1));
  }

  @Test
  void aFileThatCannotBeReadFails() {
    InMemoryFiles files =
        new InMemoryFiles().file(NAME, new TestShard().bf16("a", 2).bytes()).unreadable(NAME);

    CheckpointException e = failure(files, shard(files));

    assertThat(e.reason()).isEqualTo(CheckpointException.Reason.FAILED);
    assertThat(e).hasMessageContainingAll(NAME, "Input/output error");
    assertThat(e.getMessage()).containsOnlyOnce("file:/ckpt");
  }

  /** A problem is shown below its checkpoint's name, so it has the file's alone. */
  @Test
  void aMalformedShardsPlaceIsSaidOnce() {
    InMemoryFiles files = new InMemoryFiles().empty(NAME);

    CheckpointException e = failure(files, shard(files));
    CheckpointException ofAll = CheckpointException.refused("file:/ckpt", e.problems());

    assertThat(e.getMessage()).startsWith("file:/ckpt/" + NAME + ": ");
    assertThat(e.problems().get(0).message()).startsWith(NAME + ": ");
    assertThat(ofAll.getMessage()).startsWith("file:/ckpt: " + NAME + ": ");
  }

  @Test
  void aFileThatShrankSinceItWasListedFails() {
    byte[] bytes = new TestShard().bf16("a", 2).bytes();
    InMemoryFiles files = new InMemoryFiles().file(NAME, Arrays.copyOf(bytes, 50));

    CheckpointException e = failure(files, new Shard(NAME, 0, bytes.length, 0));

    assertThat(e.reason()).isEqualTo(CheckpointException.Reason.FAILED);
    assertThat(e.code()).isEqualTo("file-changed");
  }

  @Test
  void everyShardOfTheSamplesIsRead() throws CheckpointException {
    for (String sample : new String[] {"mla-tp2-pp2", "mla-fp8-tp4"}) {
      InMemoryFiles files = InMemoryFiles.ofSample(sample);
      Checkpoint checkpoint = Discovery.discover(files, DiscoveryOptions.defaults());
      for (LoadUnit unit : checkpoint.units()) {
        for (Shard shard : unit.shards()) {
          assertThat(
                  HeaderScan.read(files, unit.id(), shard, UnknownDtypes.REFUSE)
                      .header()
                      .fileBytes())
              .isEqualTo(shard.bytes());
        }
      }
    }
  }
}
