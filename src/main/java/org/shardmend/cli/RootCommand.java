package org.shardmend.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code shardmend} without a command: says what there is. */
@Command(
    name = "shardmend",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    header = "Repairs sharded LLM checkpoints whose tensor names are not what the model asks for.",
    footer = {
      "",
      "Before COMMAND: --master URL and --conf spark.KEY=VALUE, for Spark.",
      "Exit: 0 done; 2 wrong use; 3 work or a fault found; 4 refused; 5 failed, run again.",
      "",
      "Start with: shardmend demo"
    },
    scope = CommandLine.ScopeType.LOCAL,
    subcommands = {
      DemoCommand.class,
      GenerateCommand.class,
      InspectCommand.class,
      PlanCommand.class,
      RepairCommand.class,
      VerifyCommand.class,
      RollbackCommand.class,
      AuditCommand.class,
      SweepCommand.class,
      ReportCommand.class,
      RulesCommand.class,
    })
final class RootCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine().usage(System.err);
    return ExitCode.USAGE.code();
  }
}
