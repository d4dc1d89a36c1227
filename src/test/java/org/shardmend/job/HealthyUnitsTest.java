package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.job.plan.HealthyUnits;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.job.verify.UnitFaults;
import org.shardmend.testing.SharedSparkJob;

/** What a healthy checkpoint says that loaders expect, and who holds it. */
@ExtendWith(SharedSparkJob.class)
class HealthyUnitsTest {
  @TempDir private Path scratch;

  private HealthyUnits healthy(SparkJob job, int tensors) throws Exception {
    Path directory = scratch.resolve("healthy");
    LargeHeaders.writeManyTensors(directory, tensors);
    return HealthyUnits.of(
        job, Actions.withDefaultRules(job).of(directory), Actions.location(directory));
  }

  private static int serialized(Object value) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(value);
    }
    return bytes.size();
  }

  @Test
  void aTaskFindsOutItselfWhatItsUnitExpects(SparkJob job) throws Exception {
    int ofFew = serialized(healthy(job, 10).of(UnitId.ofTp(0)));
    HealthyUnits healthy = healthy(job, 5000);

    assertThat(healthy.ranks()).containsExactly(UnitId.ofTp(0));
    assertThat(serialized(healthy.of(UnitId.ofTp(0))))
        .as("bytes that the driver holds and sends for 5,000 names, and for 10")
        .isCloseTo(ofFew, within(100));
    assertThat(healthy.of(UnitId.ofTp(0)).read(bytes -> {}).orElseThrow())
        .hasSize(5000)
        .containsKey("model.layers.4999.w");
    assertThat(healthy.of(UnitId.ofTp(1)).read(bytes -> {}).orElseThrow())
        .as("of a rank that the healthy checkpoint lacks")
        .isEmpty();
  }

  @Test
  void aHealthyCheckpointThatIsDamagedMeanwhileIsSaid(SparkJob job) throws Exception {
    HealthyUnits healthy = healthy(job, 10);
    Path shard = scratch.resolve("healthy").resolve(LargeHeaders.shard(0));
    Files.write(shard, new byte[(int) Files.size(shard)]);

    assertThatThrownBy(() -> healthy.of(UnitId.ofTp(0)).read(bytes -> {}))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("healthy has changed while it was read: ");
  }

  @Test
  void ofFaultsWithoutEndTheFirstAreTold() {
    UnitFaults faults = new UnitFaults(UnitId.ofTp(3));
    for (int i = 0; i < UnitFaults.MOST; i++) {
      faults.add(Finding.fault("code", "shard", "tensor " + i, "message"));
    }
    assertThat(faults.told()).hasSize(UnitFaults.MOST);

    faults.add(Finding.fault("code", "shard", "one", "message"));
    faults.add(Finding.fault("code", "shard", "another", "message"));

    List<Finding> told = faults.told();
    assertThat(told).hasSize(UnitFaults.MOST + 1);
    assertThat(told.get(UnitFaults.MOST))
        .isEqualTo(Finding.fault("more-faults", "", "", "tp 3: 2 more faults"));
  }

  /** Every one was told, a million of them in as many sentences. */
  @Test
  void aCheckpointThatIsNotOfItsSourceHasItsFaultsCounted(SparkJob job) throws Exception {
    Path source = scratch.resolve("source");
    Path other = scratch.resolve("other");
    LargeHeaders.writeManyTensors(source, UnitFaults.MOST + 12);
    LargeHeaders.writeManyTensors(other, 2);

    List<Finding> faults =
        Actions.withDefaultRules(job).verifyAgainst(other, source).faults().stream()
            .filter(fault -> fault.message().startsWith("tp 0"))
            .filter(fault -> !fault.code().equals("alias"))
            .toList();

    assertThat(faults).hasSize(UnitFaults.MOST + 1);
    assertThat(faults.get(UnitFaults.MOST).code()).isEqualTo("more-faults");
  }
}
