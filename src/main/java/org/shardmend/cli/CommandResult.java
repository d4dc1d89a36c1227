package org.shardmend.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.shardmend.audit.RunOutcome;
import org.shardmend.cli.text.ExitCode;

/**
 * What a command answers.
 *
 * @param outcome how it ended
 * @param exit the process's exit code
 * @param document the members of its JSON document, without schema and outcome
 * @param text the same for people, line by line
 */
record CommandResult(RunOutcome outcome, ExitCode exit, ObjectNode document, List<String> text) {

  static CommandResult done(ObjectNode document, List<String> text) {
    return new CommandResult(RunOutcome.DONE, ExitCode.DONE, document, text);
  }
}
