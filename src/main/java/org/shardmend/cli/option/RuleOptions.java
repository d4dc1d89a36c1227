package org.shardmend.cli.option;

import java.util.ArrayList;
import java.util.List;
import org.shardmend.checkpoint.ShellWord;
import org.shardmend.job.files.RuleSources;
import org.shardmend.job.spark.JobException;
import org.shardmend.rules.RuleFamily;
import picocli.CommandLine.Option;

/** Which rules are active; the same for all commands that judge names. */
final class RuleOptions {
  @Option(
      names = "--rules",
      paramLabel = "NAME|FILE",
      arity = "1..*",
      split = ",",
      description =
          "Rule families besides the default ones: a built-in family's name (see 'shardmend rules')"
              + " or a file of one's own.")
  List<String> rules = new ArrayList<>();

  @Option(
      names = "--no-default-rules",
      description = "Leave the default families out: only what --rules names is active.")
  boolean noDefaultRules;

  /** These options as they were given, each after a space, for a shell. */
  String words() {
    return (noDefaultRules ? " --no-default-rules" : "")
        + (rules.isEmpty() ? "" : " --rules " + ShellWord.of(String.join(",", rules)));
  }

  List<RuleFamily> families() throws JobException {
    return noDefaultRules ? RuleSources.only(rules) : RuleSources.defaultsAnd(rules);
  }
}
