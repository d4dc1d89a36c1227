package org.shardmend.cli.text;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The completion script for fish, which picocli does not write. */
public final class FishCompletion {
  private final String program;
  private final List<String> lines = new ArrayList<>();

  private FishCompletion(String program) {
    this.program = program;
  }

  /** A script for a command with subcommands. */
  public static String script(CommandSpec root) {
    FishCompletion completion = new FishCompletion(root.name());
    completion.lines.add("# fish completion for " + root.name());
    String names = String.join(" ", root.subcommands().keySet());
    String noneYet = "not __fish_seen_subcommand_from " + names;
    root.subcommands()
        .forEach((name, command) -> completion.command(noneYet, name, command.getCommandSpec()));
    completion.options(noneYet, root);
    root.subcommands()
        .forEach(
            (name, command) ->
                completion.options(
                    "__fish_seen_subcommand_from " + name, command.getCommandSpec()));
    return String.join("\n", completion.lines) + "\n";
  }

  private void command(String condition, String name, CommandSpec command) {
    add(condition, "-f -a " + name + about(command.usageMessage().description()));
  }

  private void options(String condition, CommandSpec command) {
    for (OptionSpec option : command.options()) {
      if (!option.hidden()) {
        add(condition, names(option) + values(option) + about(option.description()));
      }
    }
  }

  private static String names(OptionSpec option) {
    return Arrays.stream(option.names())
        .map(name -> name.startsWith("--") ? "-l " + name.substring(2) : "-s " + name.substring(1))
        .collect(Collectors.joining(" "));
  }

  /** A value is completed as a file's name, unless it is one of a few words. */
  private static String values(OptionSpec option) {
    if (option.arity().max() == 0) {
      return "";
    }
    if (option.completionCandidates() == null) {
      return " -r";
    }
    String words =
        StreamSupport.stream(option.completionCandidates().spliterator(), false)
            .map(word -> word.toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(" "));
    return " -x -a " + quoted(words);
  }

  private static String about(String[] description) {
    String text = CommandLine.Help.Ansi.OFF.string(String.join(" ", description));
    return text.isEmpty() ? "" : " -d " + quoted(text);
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }

  private void add(String condition, String rest) {
    lines.add("complete -c %s -n %s %s".formatted(program, quoted(condition), rest));
  }
}
