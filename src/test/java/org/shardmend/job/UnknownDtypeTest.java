package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.job.audit.AuditQuery;
import org.shardmend.job.files.RuleSources;
import org.shardmend.job.plan.PlanAction;
import org.shardmend.job.plan.PlanRequest;
import org.shardmend.job.repair.RepairAction;
import org.shardmend.job.repair.RepairRequest;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.testing.SharedSparkJob;

/** A type that a later version of the format has brought. */
@ExtendWith(SharedSparkJob.class)
class UnknownDtypeTest {
  private static final String SHARD = "model-rank-0-part-0.safetensors";
  private static final String ALIAS = "layers.0.attn_mha.kv_b_proj.weight";
  private static final byte[] DATA = {1, 2, 3};

  @TempDir private Path scratch;
  private SparkJob job;
  private Path source;

  @BeforeEach
  void writeShard(SparkJob shared) throws IOException {
    job = shared;
    source = Files.createDirectory(scratch.resolve("source"));
    byte[] json =
        "{\"%s\":{\"dtype\":\"F3_FUTURE\",\"shape\":[8],\"data_offsets\":[0,3]}}"
            .formatted(ALIAS)
            .getBytes(StandardCharsets.UTF_8);
    ByteBuffer file = ByteBuffer.allocate(8 + json.length + DATA.length);
    file.order(ByteOrder.LITTLE_ENDIAN).putLong(json.length).put(json).put(DATA);
    Files.write(source.resolve(SHARD), file.array());
  }

  private PlanRequest request(UnknownDtypes dtypes) throws JobException {
    return new PlanRequest(
        Actions.location(source),
        DiscoveryOptions.defaults(),
        RuleSources.defaultsAnd(List.of()),
        dtypes);
  }

  @Test
  void itIsRefusedWithItsName() {
    assertThatThrownBy(() -> new PlanAction(job, request(UnknownDtypes.REFUSE)).execute())
        .isInstanceOfSatisfying(
            JobException.class,
            refusal -> {
              assertThat(refusal.kind()).isEqualTo(JobException.Kind.REFUSED);
              assertThat(refusal).hasMessageContaining("F3_FUTURE").hasMessageContaining(SHARD);
            });
  }

  @Test
  void allowedItsBytesAreCarriedThroughAndTheAuditSaysSo() throws Exception {
    Path output = scratch.resolve("output");

    new RepairAction(
            job, RepairRequest.toOutput(request(UnknownDtypes.ALLOW), Actions.location(output)))
        .execute();

    byte[] written = Files.readAllBytes(output.resolve(SHARD));
    assertThat(
            List.of(
                written[written.length - 3],
                written[written.length - 2],
                written[written.length - 1]))
        .containsExactly((byte) 1, (byte) 2, (byte) 3);
    Map<String, String> reasons = new HashMap<>();
    new AuditQuery(job, Actions.location(output))
        .read(run -> {}, row -> reasons.put(row.getAs("target_tensor"), row.getAs("reason")));
    assertThat(reasons).containsOnlyKeys("layers.0.kv_b_proj.weight");
    assertThat(reasons.get("layers.0.kv_b_proj.weight")).contains("F3_FUTURE", "carried through");
  }
}
