package org.shardmend.job.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.job.files.RuleSources;
import org.shardmend.job.spark.JobException;
import org.shardmend.rules.RuleFamily;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.Location;

class PlanRequestTest {

  @Test
  void aNamedFamilyForOtherLayoutsIsAWrongUse() throws JobException {
    PlanRequest request = request("linear-attention-long");

    JobException e =
        catchThrowableOfType(JobException.class, () -> request.rulesFor(Layout.HUGGINGFACE));

    assertThat(e.kind()).isEqualTo(JobException.Kind.USAGE);
    assertThat(e.code()).isEqualTo("rules-inactive");
    assertThat(e)
        .hasMessageContaining(
            "linear-attention-long is for sharded_state and presharded, and file:/ckpt is"
                + " huggingface: it would not be applied");
    assertThat(request.rulesFor(Layout.SHARDED_STATE).families())
        .extracting(RuleFamily::name)
        .containsExactly("linear-attention-long", "mla-kv-b-proj");
  }

  @Test
  void whereManyCheckpointsAreMeantItIsLeftOut() throws JobException {
    PlanRequest request = request("linear-attention-long").leavingOutOtherLayouts();

    assertThat(request.rulesFor(Layout.HUGGINGFACE).families())
        .extracting(RuleFamily::name)
        .containsExactly("mla-kv-b-proj");
  }

  private static PlanRequest request(String family) throws JobException {
    return new PlanRequest(
        Location.ofFile("/ckpt"),
        DiscoveryOptions.defaults(),
        RuleSources.defaultsAnd(List.of(family)),
        UnknownDtypes.REFUSE);
  }
}
