package org.shardmend.job.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.shardmend.checkpoint.Shard;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.plan.Action;
import org.shardmend.plan.ActionCounts;
import org.shardmend.plan.Decision;
import org.shardmend.plan.PackedComparisons;
import org.shardmend.plan.PackedDecisions;
import org.shardmend.plan.ShardPlan;
import org.shardmend.plan.UnitPlan;

class DecisionSpillTest {
  private static final UnitId UNIT = UnitId.ofTp(0);

  private static List<Decision> decisions(int shard) {
    List<Decision> decisions = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      decisions.add(
          new Decision(
              UNIT,
              "shard-" + shard,
              "model.layers.%d.%d".formatted(shard, i),
              "layers.%d.%d".formatted(shard, i),
              Action.RENAME,
              "wrapper#1",
              "why"));
    }
    return decisions;
  }

  private static ShardPlan shard(int number) {
    List<Decision> changes = decisions(number);
    return new ShardPlan(
        UNIT,
        new Shard("shard-" + number, number, 100, 0),
        "digest",
        10,
        ActionCounts.of(50, changes),
        PackedDecisions.of(changes),
        100,
        10,
        false,
        true,
        "");
  }

  @Test
  void whatIsTooMuchForTheHeapComesBackFromTheFile() throws IOException {
    DecisionSpill spill = new DecisionSpill(shard(0).changes().deflated().bytes().length + 1L);

    UnitPlan kept =
        spill.keep(
            new UnitPlan(UNIT, List.of(shard(0), shard(1), shard(2)), PackedComparisons.NONE));

    assertThat(spill.spilledBytes()).isPositive();
    for (int number = 0; number < 3; number++) {
      assertThat(kept.shards().get(number).changes().unpack()).isEqualTo(decisions(number));
    }
  }

  @Test
  void spilledDecisionsTravelWhole() throws Exception {
    DecisionSpill spill = new DecisionSpill(0);
    UnitPlan kept = spill.keep(new UnitPlan(UNIT, List.of(shard(4)), PackedComparisons.NONE));

    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(kept.shards().get(0));
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      ShardPlan sent = (ShardPlan) in.readObject();
      assertThat(sent.changes().unpack()).isEqualTo(decisions(4));
    }
  }
}
