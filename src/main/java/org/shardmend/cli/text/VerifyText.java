package org.shardmend.cli.text;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.layout.Loader;
import org.shardmend.job.verify.VerifyResult;

/**
 * What {@code verify} found, as people read it: faults that differ in their rank and in numbers
 * within names are one line.
 */
public final class VerifyText {
  private static final int MOST_GROUPS = 40;

  /** The rank that a message begins with. */
  private static final Pattern RANK = Pattern.compile("^(?<rank>(?:pp \\d+, )?tp \\d+|pp \\d+): ");

  /** Faults of names, which a repair may cure. */
  private static final Set<String> OF_NAMES =
      Set.of("alias", "unexpected-tensor", "missing-tensor");

  private VerifyText() {}

  /**
   * What was found, line by line, with the next step last.
   *
   * @param words the checkpoint and how it is read, for the next command
   * @param expectation the option that said what is expected, for the same; empty without one
   */
  public static List<String> of(VerifyResult result, String words, String expectation) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s: %,d load units, %,d shards, %,d tensors"
            .formatted(
                Printable.of(result.checkpoint().toString()),
                result.units(),
                result.shards(),
                result.tensors()));
    result
        .loader()
        .filter(VerifyText::isOneOfSeveral)
        .ifPresent(l -> lines.add("Judged by " + l.about() + "."));
    lines.addAll(PlanText.findings(result.findings()));
    if (result.slices().compared() > 0) {
      lines.add(
          "Compared with slices of the original model: %,d tensors, %,d of them in place, %,d not comparable."
              .formatted(
                  result.slices().compared(),
                  result.slices().inPlace(),
                  result.slices().notComparable()));
    }
    if (result.ok()) {
      lines.add(result.coverage().missing() == 0 ? "No fault found." : uncompared(result));
      return lines;
    }
    lines.add("");
    lines.addAll(faults(result.faults()));
    if (result.faults().stream().anyMatch(fault -> OF_NAMES.contains(fault.code()))) {
      lines.add("");
      lines.add(
          "Next: shardmend plan %s%s      what a change of names cures"
              .formatted(words, options(result, expectation)));
    }
    return lines;
  }

  /** Who asked for every byte must not take bytes that nothing vouches for as proven. */
  private static String uncompared(VerifyResult result) {
    return ("No fault found, but %,d of %,d tensors have no digest to compare with: they were read,"
            + " and nothing here says what their bytes should be. --against SOURCE compares them"
            + " with the source; a repair remembers digests of what it copies, and with --in-place"
            + " --digest xxh3-128 of every tensor.")
        .formatted(result.coverage().missing(), result.coverage().tensors());
  }

  /** Two generations of one loader read presharded dumps, so that it is worth saying which. */
  private static boolean isOneOfSeveral(Loader loader) {
    return loader == Loader.PRESHARDED_EARLY || loader == Loader.PRESHARDED_MERGED;
  }

  /** What plan must be told to find more than the active rules do. */
  private static String options(VerifyResult result, String expectation) {
    if (!result.cures().families().isEmpty()) {
      return " --rules " + String.join(",", result.cures().families());
    }
    return result.cures().unexplained() > 0 && !expectation.isEmpty()
        ? " --find-aliases" + expectation
        : "";
  }

  private static List<String> faults(List<Finding> faults) {
    Map<String, List<Finding>> groups = new LinkedHashMap<>();
    for (Finding fault : faults) {
      groups.computeIfAbsent(group(fault), group -> new ArrayList<>()).add(fault);
    }
    List<String> lines = new ArrayList<>();
    groups.entrySet().stream()
        .limit(MOST_GROUPS)
        .forEach(group -> lines.addAll(lines(group.getKey(), group.getValue())));
    int more = groups.values().stream().skip(MOST_GROUPS).mapToInt(List::size).sum();
    if (more > 0) {
      lines.add("  … and %,d more: --json lists every one".formatted(more));
    }
    return lines;
  }

  private static String group(Finding fault) {
    String message = RANK.matcher(fault.message()).replaceFirst("");
    return fault.code() + ": " + PlanText.withoutNumbers(message);
  }

  private static List<String> lines(String group, List<Finding> faults) {
    Finding first = faults.get(0);
    if (faults.size() == 1) {
      return List.of(
          "      1 × %s: %s%s"
              .formatted(
                  first.code(),
                  first.message().contains(first.shard()) ? "" : Printable.of(first.shard()) + ": ",
                  Printable.of(first.message())));
    }
    List<String> lines = new ArrayList<>();
    lines.add("%,7d × %s".formatted(faults.size(), Printable.of(group)));
    Matcher rank = RANK.matcher(first.message());
    List<String> place = new ArrayList<>();
    if (rank.find()) {
      place.add(rank.group("rank"));
    }
    if (!first.shard().isEmpty()) {
      place.add(Printable.of(first.shard()));
    }
    if (!place.isEmpty()) {
      lines.add("          first: " + String.join(", ", place));
    }
    return lines;
  }
}
