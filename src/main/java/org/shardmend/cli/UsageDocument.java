package org.shardmend.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** The document of a command line that is wrong. */
final class UsageDocument {
  private UsageDocument() {}

  static String of(CommandLine command, ParameterException cause) {
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    document.put("schema", "shardmend/" + command.getCommandName() + "/1");
    document.put("outcome", Outcome.FAILED.id());
    document
        .putObject("error")
        .put("code", "usage")
        .put("message", cause.getMessage())
        .putNull("shard")
        .putNull("tensor");
    return document.toPrettyString();
  }
}
