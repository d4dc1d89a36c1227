package org.shardmend.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Locale;
import org.shardmend.cli.text.FishCompletion;
import org.shardmend.job.spark.Progress;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code shardmend completion}: a script that lets a shell complete commands and options. */
@Command(
    name = "completion",
    description = "Print a script that lets a shell complete commands, options and their values.",
    footer = {
      "",
      "Examples:",
      "  source <(shardmend completion bash)",
      "  shardmend completion fish > ~/.config/fish/completions/shardmend.fish"
    })
final class CompletionCommand extends ShardmendCommand {
  @Parameters(paramLabel = "SHELL", description = "bash, zsh or fish.")
  private Shell shell = Shell.BASH;

  private enum Shell {
    BASH,
    ZSH,
    FISH
  }

  @Override
  CommandResult run(Progress progress) {
    CommandLine root = spec().root().commandLine();
    String name = root.getCommandName();
    // The script for bash is one for zsh, too: it loads zsh's own emulation of bash's completion.
    String script =
        switch (shell) {
          case BASH, ZSH -> AutoComplete.bash(name, root);
          case FISH -> FishCompletion.script(root.getCommandSpec());
        };
    ObjectNode document = object();
    document.put("shell", shell.name().toLowerCase(Locale.ROOT));
    document.put("script", script);
    return CommandResult.done(document, List.of(script));
  }
}
