package org.shardmend.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import org.shardmend.audit.RunOutcome;

/**
 * The document of a command that did not get as far as running: its command line is wrong, or it
 * has a fault of its own.
 *
 * @param command the command's name
 * @param code stable, in kebab case
 * @param message for people
 */
record FailureDocument(String command, String code, String message) {

  /** What an option has in arguments that could not be read as a whole. */
  static Optional<String> value(String option, String... arguments) {
    List<String> words = List.of(arguments);
    int at = words.indexOf(option);
    if (at >= 0 && at + 1 < words.size()) {
      return Optional.of(words.get(at + 1));
    }
    return words.stream()
        .filter(word -> word.startsWith(option + "="))
        .map(word -> word.substring(option.length() + 1))
        .findFirst();
  }

  /** The document. */
  ObjectNode node() {
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    document.put("schema", AnsweringCommand.schema(command));
    document.put("outcome", RunOutcome.FAILED.token());
    document
        .putObject("error")
        .put("code", code)
        .put("message", message)
        .putNull("shard")
        .putNull("tensor");
    return document;
  }
}
