package org.shardmend.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.shardmend.cli.text.NearNames;
import org.shardmend.job.spark.JobException;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * A job file: one command with its arguments and options, as JSON. What is wrong in it is reported
 * with its place.
 */
final class JobFile {
  private static final String ABOUT = "about";
  private static final String COMMAND = "command";
  private static final String ARGUMENTS = "arguments";
  private static final String OPTIONS = "options";
  private static final List<String> KEYS = List.of(ABOUT, COMMAND, ARGUMENTS, OPTIONS);

  private static final String RUN = "run";
  private static final String DASHES = "--";

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private final String origin;
  private final String text;
  private final JobVariables variables;

  /**
   * A job file.
   *
   * @param origin what to call it in messages
   * @param text its whole content
   * @param variables what is filled into its texts
   */
  JobFile(String origin, String text, JobVariables variables) {
    this.origin = origin;
    this.text = text;
    this.variables = variables;
  }

  /**
   * The command line that it stands for.
   *
   * @param overriding options that count over those of the same name in the file
   * @throws JobException USAGE when anything about the file is wrong, with its place
   */
  List<String> words(List<String> overriding) throws JobException {
    JsonNode root = parse();
    requireObject(root, JsonPointer.empty());
    requireKnown(root, JsonPointer.empty(), KEYS, key -> "there is no key '" + key + "' here");
    requireText(root.path(ABOUT), pointer(ABOUT));
    CommandLine command = command(root);
    List<String> words = new ArrayList<>();
    words.add(command.getCommandName());
    words.addAll(options(root.path(OPTIONS), command, overriding));
    words.addAll(overriding);
    List<String> arguments = arguments(root.path(ARGUMENTS));
    if (!arguments.isEmpty()) {
      words.add(DASHES);
      words.addAll(arguments);
    }
    requireTaken(root, words);
    return words;
  }

  private JsonNode parse() throws JobException {
    try {
      return JSON.readTree(text);
    } catch (JsonEOFException e) {
      throw wrong(Optional.ofNullable(e.getLocation()), "", "the document ends in the middle");
    } catch (JsonProcessingException e) {
      throw wrong(
          Optional.ofNullable(e.getLocation()), "", "this is not JSON: " + e.getOriginalMessage());
    }
  }

  private CommandLine command(JsonNode root) throws JobException {
    if (!root.has(COMMAND)) {
      throw wrong(JsonPointer.empty(), "the key 'command' is missing");
    }
    requireText(root.path(COMMAND), pointer(COMMAND));
    String name = root.path(COMMAND).textValue();
    Map<String, CommandLine> commands = new TreeMap<>(Main.commandLine().getSubcommands());
    commands.remove(RUN);
    if (!commands.containsKey(name)) {
      throw wrong(
          pointer(COMMAND),
          "there is no command '%s' for job files%s"
              .formatted(name, NearNames.hint(name, commands.keySet())));
    }
    return commands.get(name);
  }

  private List<String> options(JsonNode node, CommandLine command, List<String> overriding)
      throws JobException {
    List<String> words = new ArrayList<>();
    if (node.isMissingNode()) {
      return words;
    }
    requireObject(node, pointer(OPTIONS));
    Map<String, OptionSpec> known = new TreeMap<>();
    command.getCommandSpec().options().stream()
        .filter(Predicate.not(OptionSpec::usageHelp))
        .forEach(option -> known.put(option.longestName().substring(DASHES.length()), option));
    requireKnown(
        node,
        pointer(OPTIONS),
        known.keySet(),
        key -> "'%s' has no option '%s'".formatted(command.getCommandName(), key));
    for (Map.Entry<String, JsonNode> one : node.properties()) {
      List<String> said = option(known.get(one.getKey()), one.getKey(), one.getValue());
      if (overriding.stream().noneMatch(word -> isOption(word, one.getKey()))) {
        words.addAll(said);
      }
    }
    return words;
  }

  private static boolean isOption(String word, String name) {
    return word.equals(DASHES + name) || word.startsWith(DASHES + name + "=");
  }

  private List<String> option(OptionSpec option, String name, JsonNode value) throws JobException {
    JsonPointer place = pointer(OPTIONS).appendProperty(name);
    if (option.arity().max() == 0) {
      if (!value.isBoolean()) {
        throw wrong(place, "'%s' is a switch: it is true or false".formatted(name));
      }
      return value.booleanValue() ? List.of(DASHES + name) : List.of();
    }
    if (value.isArray() && !option.isMultiValue()) {
      throw wrong(place, "'%s' takes one value, not a list".formatted(name));
    }
    List<String> words = new ArrayList<>();
    for (int i = 0; i < (value.isArray() ? value.size() : 1); i++) {
      JsonNode one = value.isArray() ? value.get(i) : value;
      JsonPointer at = value.isArray() ? place.appendIndex(i) : place;
      if (!one.isTextual() && !one.isNumber()) {
        throw wrong(at, "'%s' takes a string or a number".formatted(name));
      }
      words.add(DASHES + name + "=" + filled(one.asText(), at));
    }
    return words;
  }

  private List<String> arguments(JsonNode node) throws JobException {
    List<String> arguments = new ArrayList<>();
    if (node.isMissingNode()) {
      return arguments;
    }
    if (!node.isArray()) {
      throw wrong(pointer(ARGUMENTS), "'arguments' is a list of strings");
    }
    for (int i = 0; i < node.size(); i++) {
      JsonPointer place = pointer(ARGUMENTS).appendIndex(i);
      requireText(node.get(i), place);
      arguments.add(filled(node.get(i).textValue(), place));
    }
    return arguments;
  }

  private String filled(String value, JsonPointer place) throws JobException {
    try {
      return variables.fill(value);
    } catch (IllegalArgumentException e) {
      throw wrong(place, e.getMessage());
    }
  }

  /** Requires what the command's own reader of arguments takes. */
  private void requireTaken(JsonNode root, List<String> words) throws JobException {
    try {
      Main.commandLine().parseArgs(words.toArray(String[]::new));
    } catch (MissingParameterException e) {
      throw wrong(place(root, e.getMissing().stream().findFirst()), e.getMessage());
    } catch (ParameterException e) {
      throw wrong(place(root, Optional.ofNullable(e.getArgSpec())), e.getMessage());
    }
  }

  /** The nearest place in the file that an option or an argument has. */
  private static JsonPointer place(JsonNode root, Optional<ArgSpec> argument) {
    String member = argument.filter(ArgSpec::isPositional).isPresent() ? ARGUMENTS : OPTIONS;
    Stream<JsonPointer> inner =
        argument
            .filter(ArgSpec::isOption)
            .map(OptionSpec.class::cast)
            .map(option -> option.longestName().substring(DASHES.length()))
            .map(name -> pointer(OPTIONS).appendProperty(name))
            .stream();
    return Stream.concat(inner, Stream.of(pointer(member)))
        .filter(place -> !root.at(place).isMissingNode())
        .findFirst()
        .orElse(JsonPointer.empty());
  }

  private void requireObject(JsonNode node, JsonPointer place) throws JobException {
    if (!node.isObject()) {
      throw wrong(place, "an object is expected here");
    }
  }

  /** Goes on with a string, or with nothing. */
  private void requireText(JsonNode node, JsonPointer place) throws JobException {
    if (!node.isTextual() && !node.isMissingNode()) {
      throw wrong(place, "a string is expected here");
    }
  }

  private void requireKnown(
      JsonNode object, JsonPointer place, Collection<String> known, UnaryOperator<String> problem)
      throws JobException {
    for (Map.Entry<String, JsonNode> member : object.properties()) {
      String key = member.getKey();
      if (!known.contains(key)) {
        throw wrong(place.appendProperty(key), problem.apply(key) + NearNames.hint(key, known));
      }
    }
  }

  private static JsonPointer pointer(String key) {
    return JsonPointer.empty().appendProperty(key);
  }

  private JobException wrong(JsonPointer place, String problem) {
    return wrong(locate(place), place.toString(), problem);
  }

  private JobException wrong(Optional<JsonLocation> location, String place, String problem) {
    String where =
        location
            .map(at -> ", line %d, column %d".formatted(at.getLineNr(), at.getColumnNr()))
            .orElse("");
    return JobException.usage(
        "bad-job-file",
        "%s%s%s: %s".formatted(origin, where, place.isEmpty() ? "" : ", at " + place, problem));
  }

  /** Where a value, or its key, begins. */
  private Optional<JsonLocation> locate(JsonPointer place) {
    try (JsonParser parser = new JsonFactory().createParser(text)) {
      while (parser.nextToken() != null) {
        if (parser.getParsingContext().pathAsPointer().equals(place)) {
          return Optional.of(parser.currentTokenLocation());
        }
      }
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException("The file was read once already", e);
    }
  }
}
