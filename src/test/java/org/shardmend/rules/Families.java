package org.shardmend.rules;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Families for tests, built or built-in. */
final class Families {
  private Families() {}

  /** A rule with one example. */
  static Rule rule(String from, String to, String before, String after) {
    return Rule.of(from, to, List.of(new RuleExample(before, after)));
  }

  static RuleFamily family(String name, Rule... rules) {
    return new RuleFamily(name, "For a test.", List.of("sharded_state"), false, List.of(rules));
  }

  static RuleFamily builtin(String name) {
    return BuiltinRules.find(name).orElseThrow();
  }

  /** The active rules of a sharded_state checkpoint. */
  static RuleSet shardedState(RuleFamily... families) {
    return RuleSet.of(List.of(families), "sharded_state");
  }

  static RuleSet shardedState(String... builtins) {
    return RuleSet.of(Arrays.stream(builtins).map(Families::builtin).toList(), "sharded_state");
  }

  static RuleFamily read(String json) throws RuleException {
    return RuleReader.read(json.getBytes(StandardCharsets.UTF_8), "my-rules.json");
  }
}
