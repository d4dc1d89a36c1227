package org.shardmend.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.shardmend.cli.text.ExitCode;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
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
      "Exit: 0 done; 2 wrong use; 3 work or a fault found; 4 refused; 5 failed, run again.",
      "",
      "Examples:",
      "  shardmend demo",
      "  shardmend --master spark://head:7077 plan /lustre/ckpt/kimi-k3"
    },
    scope = CommandLine.ScopeType.LOCAL)
final class RootCommand implements Callable<Integer> {
  private static final String MASTER = "--master";
  private static final String CONF = "--conf";
  private static final String SPARK = "spark.";

  @Option(
      names = MASTER,
      paramLabel = "URL",
      description =
          "Where Spark runs: local[4], local-cluster[2,1,1024], spark://HOST:7077, yarn, k8s://…")
  private String master = "";

  @Option(
      names = CONF,
      paramLabel = "spark.KEY=VALUE",
      description = "A setting of Spark; may be given several times.")
  private Map<String, String> conf = new LinkedHashMap<>();

  @Spec private CommandSpec spec;

  /** What stands before the command is Spark's, and reaches it as system properties. */
  void applySparkOptions() {
    if (spec.commandLine().getParseResult().hasMatchedOption(MASTER)) {
      if (master.isEmpty() || master.startsWith("-")) {
        throw wrong("--master needs a URL: --master local[4]");
      }
      System.setProperty("spark.master", master);
    }
    conf.forEach(
        (key, value) -> {
          if (!key.startsWith(SPARK)) {
            throw wrong("--conf needs spark.KEY=VALUE, but got '%s=%s'".formatted(key, value));
          }
          System.setProperty(key, value);
        });
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  @Override
  public Integer call() {
    spec.commandLine().usage(System.err);
    return ExitCode.USAGE.code();
  }
}
