package org.shardmend.checkpoint.layout;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.shardmend.checkpoint.FileEntry;
import org.shardmend.checkpoint.Listing;
import org.shardmend.checkpoint.ShellWord;
import org.shardmend.checkpoint.Wording;

/** Tells of the weight files in a directory of which none has a name that loaders look for. */
final class PresentWeights {
  private static final int MOST_GROUPS = 5;

  /** A number behind a word for a place in a launch; digits alone may be anything. */
  private static final Pattern NUMBER =
      Pattern.compile(
          "(?<![A-Za-z])(?<word>pp|stage|tp|mp|rank|part)(?<sep>[-_]?(?:rank[-_]?)?)(?<digits>[0-9]{1,9})",
          Pattern.CASE_INSENSITIVE);

  private static final Set<String> OTHER_FORMATS =
      Set.of("bin", "pt", "pth", "ckpt", "gguf", "npz", "h5", "msgpack");

  private PresentWeights() {}

  /** What is there and how it could be read: sentences, after a space. */
  static String told(Listing listing) {
    Map<String, List<String>> groups = new LinkedHashMap<>();
    List<String> others = new ArrayList<>();
    List<String> directories = new ArrayList<>();
    for (FileEntry entry : listing.topLevel()) {
      String name = entry.name();
      if (entry.kind() == FileEntry.Kind.DIRECTORY) {
        directories.add(name + "/");
      } else if (HuggingFaceNames.ofWeights(name).isPresent()) {
        groups.computeIfAbsent(reading(name), reading -> new ArrayList<>()).add(name);
      } else if (OTHER_FORMATS.contains(ending(name))) {
        others.add(name);
      }
    }
    StringBuilder told = new StringBuilder();
    groups.entrySet().stream()
        .limit(MOST_GROUPS)
        .forEach(
            group ->
                told.append(" It holds ")
                    .append(Wording.examples(group.getValue()))
                    .append(": ")
                    .append(group.getKey()));
    if (groups.size() > MOST_GROUPS) {
      told.append(" There are more.");
    }
    if (!others.isEmpty()) {
      told.append(" It holds ")
          .append(Wording.examples(others))
          .append(": Shardmend works on safetensors files only.");
    }
    if (groups.isEmpty() && !directories.isEmpty()) {
      told.append(" It holds directories (")
          .append(Wording.examples(directories))
          .append("): name the one in which the shards lie.");
    }
    return told.isEmpty()
        ? " Check the path, or give the pattern that the saver was given."
        : told.toString();
  }

  private static String ending(String name) {
    return name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
  }

  /** How a file can be read, as a sentence that begins with the option. */
  private static String reading(String name) {
    Optional<String> ranks = ofRanks(name);
    if (ranks.isPresent()) {
      return "--pattern "
          + ShellWord.of(ranks.get())
          + " reads them as the ranks of a sharded_state save.";
    }
    String model = HuggingFaceNames.ofWeights(name).map(HuggingFaceNames::single).orElse(name);
    return "--pattern " + ShellWord.of(model) + " reads that model in the Hugging Face layout.";
  }

  /** The pattern of a file that says which rank it belongs to; empty when it says none. */
  private static Optional<String> ofRanks(String name) {
    Matcher number = NUMBER.matcher(name.replace("{", "{{").replace("}", "}}"));
    List<String> fields = new ArrayList<>();
    StringBuilder pattern = new StringBuilder();
    while (number.find()) {
      String field = field(number.group("word"));
      String replaced = number.group();
      if (!fields.contains(field)) {
        fields.add(field);
        replaced =
            number.group("word") + number.group("sep") + placeholder(field, number.group("digits"));
      }
      number.appendReplacement(pattern, Matcher.quoteReplacement(replaced));
    }
    number.appendTail(pattern);
    return fields.contains("rank") ? Optional.of(pattern.toString()) : Optional.empty();
  }

  private static String field(String word) {
    return switch (word.toLowerCase(Locale.ROOT)) {
      case "pp", "stage" -> "pp_rank";
      case "part" -> "part";
      default -> "rank";
    };
  }

  /** With the width of the digits, where they are padded. */
  private static String placeholder(String field, String digits) {
    return digits.length() > 1 && digits.startsWith("0")
        ? "{" + field + ":0" + digits.length() + "d}"
        : "{" + field + "}";
  }
}
