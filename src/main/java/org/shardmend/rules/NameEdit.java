package org.shardmend.rules;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The change that turns one name into another: the segments that both begin with, those that only
 * one of them has, and those that both end with.
 *
 * @param before segments that both names begin with
 * @param from the segments that the first name has between
 * @param to the segments that the other name has in their place
 * @param after segments that both names end with
 */
public record NameEdit(List<String> before, List<String> from, List<String> to, List<String> after)
    implements Serializable {
  private static final Pattern NUMBER = Pattern.compile("[0-9]+");

  /** What stands for a number where names that differ in numbers only are one. */
  public static final String ANY_NUMBER = "*";

  /** Copies the lists, so that the value can't change. */
  public NameEdit {
    before = List.copyOf(before);
    from = List.copyOf(from);
    to = List.copyOf(to);
    after = List.copyOf(after);
  }

  /** The edit with the longest common beginning and, of what is left, the longest common end. */
  public static NameEdit between(String one, String other) {
    List<String> ones = segments(one);
    List<String> others = segments(other);
    int shorter = Math.min(ones.size(), others.size());
    int begin = 0;
    while (begin < shorter && ones.get(begin).equals(others.get(begin))) {
      begin++;
    }
    int end = 0;
    while (end < shorter - begin
        && ones.get(ones.size() - 1 - end).equals(others.get(others.size() - 1 - end))) {
      end++;
    }
    return new NameEdit(
        ones.subList(0, begin),
        ones.subList(begin, ones.size() - end),
        others.subList(begin, others.size() - end),
        ones.subList(ones.size() - end, ones.size()));
  }

  /** A name's parts between its dots. */
  public static List<String> segments(String name) {
    return Arrays.asList(name.split("\\.", -1));
  }

  /** The numbers among a name's segments, in order. */
  public static List<String> numbers(String name) {
    return segments(name).stream().filter(NameEdit::isNumber).toList();
  }

  /** The name with {@link #ANY_NUMBER} in place of each of its numbers. */
  public static String withoutNumbers(String name) {
    return String.join(".", general(segments(name)));
  }

  static boolean isNumber(String segment) {
    return NUMBER.matcher(segment).matches();
  }

  /** The same edit in layers of any number: those that it has in common are left open. */
  public NameEdit generalised() {
    return new NameEdit(general(before), from, to, general(after));
  }

  private static List<String> general(List<String> segments) {
    return segments.stream().map(s -> isNumber(s) ? ANY_NUMBER : s).toList();
  }

  /** How many segments it takes away and adds. */
  public int cost() {
    return from.size() + to.size();
  }

  /** Whether it only leaves segments out. */
  public boolean leavesOut() {
    return to.isEmpty() && !from.isEmpty();
  }

  /** Whether most of the longer name stays: otherwise the two have little to do with each other. */
  public boolean keepsMost() {
    int kept = before.size() + after.size();
    return 2 * kept >= kept + Math.max(from.size(), to.size());
  }

  /** The first name, or its general form. */
  public String source() {
    return joined(before, from, after);
  }

  /** The other name, or its general form. */
  public String target() {
    return joined(before, to, after);
  }

  private static String joined(List<String> before, List<String> middle, List<String> after) {
    List<String> all = new ArrayList<>(before);
    all.addAll(middle);
    all.addAll(after);
    return all.stream().collect(Collectors.joining("."));
  }
}
