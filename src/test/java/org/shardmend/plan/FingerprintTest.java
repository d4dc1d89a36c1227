package org.shardmend.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What makes two plans one, and what makes them two. */
class FingerprintTest {
  private static final String RULES = "[]";

  private static String of(
      String layout, List<ShardPlan> shards, Map<String, String> sideFiles, String rules) {
    return Fingerprint.of(layout, shards, sideFiles, rules, List.of(), ComparisonResults.NONE);
  }

  private static String plain() {
    return of("sharded_state", List.of(ShardPlans.unchanged()), Map.of(), RULES);
  }

  @Test
  void isADigestAndTheSameForTheSamePlan() {
    assertThat(plain()).matches("[0-9a-f]{64}").isEqualTo(plain());
  }

  @Test
  void layoutRulesAndShardsCount() {
    List<ShardPlan> shards = List.of(ShardPlans.unchanged());

    assertThat(
            List.of(
                plain(),
                of("huggingface", shards, Map.of(), RULES),
                of("sharded_state", shards, Map.of(), "[{\"name\":\"other\"}]"),
                of("sharded_state", List.of(), Map.of(), RULES),
                of("sharded_state", shards, Map.of("index", "d1"), RULES),
                of("sharded_state", shards, Map.of("index", "d2"), RULES)))
        .doesNotHaveDuplicates();
  }

  @Test
  void theOrderInWhichSideFilesWereReadDoesNotCount() {
    List<ShardPlan> shards = List.of(ShardPlans.unchanged());
    Map<String, String> one = new LinkedHashMap<>();
    one.put("a", "1");
    one.put("b", "2");
    Map<String, String> other = new LinkedHashMap<>();
    other.put("b", "2");
    other.put("a", "1");

    assertThat(of("huggingface", shards, one, RULES))
        .isEqualTo(of("huggingface", shards, other, RULES));
  }

  /** What follows from the rules and the headers needs no place of its own. */
  @Test
  void decisionsFollowFromRulesAndHeaders() {
    assertThat(of("sharded_state", List.of(ShardPlans.renamedToShorter()), Map.of(), RULES))
        .isEqualTo(plain());
  }
}
