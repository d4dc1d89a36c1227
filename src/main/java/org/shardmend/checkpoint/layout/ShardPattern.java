package org.shardmend.checkpoint.layout;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.UnitId;

/**
 * The name of a sharded_state file, as the engines write it: a Python format string with {@code
 * {rank}}, {@code {part}} and, where there are pipeline stages, {@code {pp_rank}}.
 *
 * <p>A saver formats it with numbers. A loader formats it with {@code part="*"} and reads whatever
 * the file system finds under that pattern: also a name whose part is no number.
 */
public final class ShardPattern implements Serializable {
  private static final long serialVersionUID = 1L;

  /** What SGLang and vLLM use. */
  public static final String DEFAULT = "model-rank-{rank}-part-{part}.safetensors";

  /** What servekit uses where there are pipeline stages. */
  public static final String DEFAULT_WITH_STAGES =
      "model-pp-{pp_rank}-rank-{rank}-part-{part}.safetensors";

  private static final Pattern FORMAT = Pattern.compile("(0?)([1-9][0-9]?)?d?");
  private static final Pattern SEPARATOR = Pattern.compile(".*[^0-9 ].*", Pattern.DOTALL);

  /** Without {@code {part}} in the pattern, a rank has one file. */
  private static final String ONLY_PART = "0";

  private static final Pattern GLOB = Pattern.compile("[*?\\[\\]]");

  /** Which number stands in a place of the pattern. */
  private enum Variable {
    PP_RANK("pp_rank", "pp"),
    RANK("rank", "rank"),
    PART("part", "part");

    private final String field;
    private final String group;

    Variable(String field, String group) {
      this.field = field;
      this.group = group;
    }

    private static Optional<Variable> of(String field) {
      for (Variable variable : values()) {
        if (variable.field.equals(field)) {
          return Optional.of(variable);
        }
      }
      return Optional.empty();
    }
  }

  /** A stretch of the pattern: some text, and then perhaps a number. */
  private record Piece(String text, List<Field> fields) implements Serializable {}

  /** A number, padded on the left to {@code width}. */
  private record Field(Variable variable, int width, boolean zeroPadded) implements Serializable {
    String format(int value) {
      String digits = Integer.toString(value);
      return (zeroPadded ? "0" : " ").repeat(Math.max(0, width - digits.length())) + digits;
    }
  }

  /**
   * What a file name says.
   *
   * @param unit whose loader reads the file
   * @param part the part's number; negative where the name has something else in its place
   */
  public record Match(UnitId unit, int part) {
    private static final int NO_NUMBER = -1;

    /** Whether a loader would read the file although no saver writes such a name. */
    public boolean isStray() {
      return part == NO_NUMBER;
    }
  }

  private final String text;
  private final List<Piece> pieces;
  private final boolean staged;
  private final boolean divided;
  private final Pattern read;
  private final Pattern similar;

  private ShardPattern(String text, List<Piece> pieces, List<Variable> variables) {
    this.text = text;
    this.pieces = List.copyOf(pieces);
    this.staged = variables.contains(Variable.PP_RANK);
    this.divided = variables.contains(Variable.PART);
    this.read = regex(" *[0-9]+");
    this.similar = regex(".*");
  }

  /**
   * Reads a pattern.
   *
   * @throws CheckpointException (usage) if {@code {rank}} is missing, something else is in braces,
   *     two numbers could not be told apart, or a loader would not look for what the pattern says
   */
  public static ShardPattern parse(String text) throws CheckpointException {
    List<Piece> pieces = new ArrayList<>();
    List<Variable> seen = new ArrayList<>();
    StringBuilder literal = new StringBuilder();
    int at = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      boolean doubled = at + 1 < text.length() && text.charAt(at + 1) == c;
      if ((c == '{' || c == '}') && doubled) {
        literal.append(c);
        at += 2;
      } else if (c == '{') {
        int end = text.indexOf('}', at);
        if (end < 0) {
          throw bad(text, "a '{' at position " + at + " is never closed");
        }
        Field field = field(text, text.substring(at + 1, end));
        if (seen.contains(field.variable())) {
          throw bad(text, "{" + field.variable().field + "} stands in it twice");
        }
        if (!seen.isEmpty() && !SEPARATOR.matcher(literal).matches()) {
          throw bad(
              text, "nothing but digits separates two numbers, so that they cannot be told apart");
        }
        seen.add(field.variable());
        pieces.add(new Piece(literal.toString(), List.of(field)));
        literal.setLength(0);
        at = end + 1;
      } else if (c == '}') {
        throw bad(text, "a '}' at position " + at + " was never opened");
      } else {
        literal.append(c);
        at++;
      }
    }
    pieces.add(new Piece(literal.toString(), List.of()));
    checkLiterals(text, pieces);
    if (!seen.contains(Variable.RANK)) {
      throw bad(text, "{" + Variable.RANK.field + "} is missing");
    }
    return new ShardPattern(text, pieces, seen);
  }

  /** The pattern as it was given. */
  public String text() {
    return text;
  }

  /** Whether the names give a pipeline stage. */
  public boolean hasStages() {
    return staged;
  }

  /** Whose loader reads the file of that name, and which part it is; empty when none does. */
  public Optional<Match> match(String fileName) {
    Matcher matcher = read.matcher(fileName);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    int pp = staged ? number(matcher.group(Variable.PP_RANK.group)) : 0;
    int rank = number(matcher.group(Variable.RANK.group));
    if (pp < 0 || rank < 0) {
      return Optional.empty();
    }
    UnitId unit = staged ? new UnitId(pp, rank) : UnitId.ofTp(rank);
    String partText = divided ? matcher.group(Variable.PART.group) : ONLY_PART;
    if (!format(unit, partText).equals(fileName)) {
      return Optional.empty();
    }
    int part = number(partText);
    boolean canonical = part >= 0 && fileName(unit, part).equals(fileName);
    return Optional.of(new Match(unit, canonical ? part : Match.NO_NUMBER));
  }

  /** Whether the name looks like one of these, but no loader looks for it ({@code rank-01}). */
  public boolean isUnread(String fileName) {
    return similar.matcher(fileName).matches() && match(fileName).isEmpty();
  }

  /**
   * The name that a saver gives a part.
   *
   * @param part at least 0
   */
  public String fileName(UnitId unit, int part) {
    for (Piece piece : pieces) {
      for (Field field : piece.fields()) {
        if (field.variable() == Variable.PART) {
          return format(unit, field.format(part));
        }
      }
    }
    return format(unit, ONLY_PART);
  }

  /** The glob with which the loader of that unit looks for its files. */
  public String glob(UnitId unit) {
    return format(unit, "*");
  }

  @Override
  public String toString() {
    return text;
  }

  private String format(UnitId unit, String part) {
    StringBuilder name = new StringBuilder();
    for (Piece piece : pieces) {
      name.append(piece.text());
      for (Field field : piece.fields()) {
        name.append(
            switch (field.variable()) {
              case PP_RANK -> field.format(unit.stage());
              case RANK -> field.format(unit.tp());
              case PART -> part;
            });
      }
    }
    return name.toString();
  }

  private Pattern regex(String rank) {
    StringBuilder regex = new StringBuilder();
    for (Piece piece : pieces) {
      regex.append(Pattern.quote(piece.text()));
      for (Field field : piece.fields()) {
        String number = field.variable() == Variable.PART ? ".*" : rank;
        regex.append("(?<").append(field.variable().group).append('>').append(number).append(')');
      }
    }
    return Pattern.compile(regex.toString(), Pattern.DOTALL);
  }

  /** The number in {@code digits}, or -1 when it is none that a rank or a part can have. */
  private static int number(String digits) {
    String trimmed = digits.stripLeading();
    if (trimmed.isEmpty() || !trimmed.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return -1;
    }
    try {
      int number = Integer.parseInt(trimmed);
      return number < Integer.MAX_VALUE ? number : -1; // so that a count of them fits, too
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  private static Field field(String text, String inside) throws CheckpointException {
    int colon = inside.indexOf(':');
    String name = colon < 0 ? inside : inside.substring(0, colon);
    String format = colon < 0 ? "" : inside.substring(colon + 1);
    Optional<Variable> variable = Variable.of(name);
    if (variable.isEmpty()) {
      throw bad(text, "{" + name + "} is none of {rank}, {part} and {pp_rank}");
    }
    Matcher matcher = FORMAT.matcher(format);
    if (!matcher.matches()) {
      throw bad(text, "the format ':" + format + "' is no width, as in {part:05d}");
    }
    int width = matcher.group(2) == null ? 0 : Integer.parseInt(matcher.group(2));
    return new Field(variable.get(), width, !matcher.group(1).isEmpty());
  }

  private static void checkLiterals(String text, List<Piece> pieces) throws CheckpointException {
    for (Piece piece : pieces) {
      if (piece.text().indexOf('/') >= 0) {
        throw bad(text, "it names a directory; a loader's files lie in the checkpoint's own");
      }
      if (GLOB.matcher(piece.text()).find()) {
        throw bad(text, "a loader takes '*', '?', '[' and ']' for wildcards, not for themselves");
      }
    }
  }

  private static CheckpointException bad(String text, String why) {
    return CheckpointException.usage(
        "bad-pattern",
        "The pattern '"
            + text
            + "' cannot be used: "
            + why
            + ". Give one like '"
            + DEFAULT
            + "', as the saver was given it.");
  }
}
