package org.shardmend.cli;

import java.util.Arrays;

/**
 * Runs commands one after another in one process, for tests of a jar that would start many. Each
 * argument is a command with its words separated by spaces, after the exit code that it must have.
 */
public final class CommandScript {
  private CommandScript() {}

  /** Ends with exit code 0 if every command had its own; else at the first that had another. */
  public static void main(String[] commands) {
    for (String command : commands) {
      String[] words = command.split(" ", -1);
      int exit = Main.run(Arrays.copyOfRange(words, 1, words.length));
      if (exit != Integer.parseInt(words[0])) {
        System.err.println("Exit %d instead of: %s".formatted(exit, command));
        System.exit(1);
      }
      System.out.println("As expected: " + command);
    }
  }
}
