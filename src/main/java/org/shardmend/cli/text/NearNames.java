package org.shardmend.cli.text;

import java.util.Collection;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.UnmatchedArgumentException;

/** Tells which of some names was perhaps meant: with the measure that picocli has for options. */
public final class NearNames {
  private static final String DASHES = "--";

  private NearNames() {}

  /** What to add to a message about {@code wrong}; empty when nothing is near. */
  public static String hint(String wrong, Collection<String> known) {
    CommandSpec options = CommandSpec.create();
    known.forEach(name -> options.addOption(OptionSpec.builder(DASHES + name).build()));
    List<String> near =
        new UnmatchedArgumentException(new CommandLine(options), List.of(DASHES + wrong))
            .getSuggestions();
    return near.isEmpty()
        ? ""
        : ". Did you mean '%s'?".formatted(near.get(0).substring(DASHES.length()));
  }
}
