package org.shardmend.rules;

import java.io.Serializable;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The rules that cure one fault of names: what one rule file holds. It cannot be built invalid.
 *
 * @param name words of lower-case letters and digits, joined by hyphens; the built-in families'
 *     files are named after it
 * @param about for people: what saves such names, what loads the new ones, when to use it, when not
 * @param layouts ids of the layouts in which the fault occurs; at least one of {@link #LAYOUTS}
 * @param byDefault whether it is active without being asked for
 * @param rules at least one, each with a pattern of its own; their order means nothing, since no
 *     two may match one name
 */
public record RuleFamily(
    String name, String about, List<String> layouts, boolean byDefault, List<Rule> rules)
    implements Serializable {

  /** The ids of the layouts that a family can be for, in the order in which they are shown. */
  public static final List<String> LAYOUTS = List.of("sharded_state", "presharded", "huggingface");

  private static final Pattern NAME = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)*");

  /**
   * Checks what a family promises.
   *
   * @throws IllegalArgumentException if it does not hold; the message says what and what to do
   */
  public RuleFamily {
    layouts = List.copyOf(layouts);
    rules = List.copyOf(rules);
    checkName(name);
    checkAbout(about);
    checkLayouts(layouts);
    checkDistinct(rules);
  }

  private static void checkName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new InvalidRuleException(
          "name",
          String.format("%s is no name for a family.", Quoted.name(name)),
          "Use words of lower-case letters and digits, joined by hyphens: mla-kv-b-proj.");
    }
  }

  private static void checkAbout(String about) {
    if (about.isBlank()) {
      throw new InvalidRuleException(
          "about",
          "There is no description.",
          "Say what saves such names, what loads the new ones, and when to use this family.");
    }
  }

  private static void checkLayouts(List<String> layouts) {
    if (layouts.isEmpty()) {
      throw new InvalidRuleException(
          "layouts", "There is no layout.", "Name at least one of " + LAYOUTS + ".");
    }
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < layouts.size(); i++) {
      String layout = layouts.get(i);
      if (!LAYOUTS.contains(layout)) {
        throw new InvalidRuleException(
            "layouts[" + i + "]",
            String.format("%s is no layout.", Quoted.name(layout)),
            "Use one of " + LAYOUTS + ".");
      }
      if (!seen.add(layout)) {
        throw new InvalidRuleException(
            "layouts[" + i + "]", String.format("'%s' stands here twice.", layout), "Remove one.");
      }
    }
  }

  private static void checkDistinct(List<Rule> rules) {
    if (rules.isEmpty()) {
      throw new InvalidRuleException("rules", "There is no rule.", "Add at least one.");
    }
    for (int i = 0; i < rules.size(); i++) {
      for (int earlier = 0; earlier < i; earlier++) {
        if (rules.get(i).from().equals(rules.get(earlier).from())) {
          throw new InvalidRuleException(
              "rules[" + i + "].from",
              String.format("This is the pattern of rules[%d], too.", earlier),
              "Two rules must never match one name: remove one of them, or tell their patterns"
                  + " apart.");
        }
      }
    }
  }

  /** Whether the fault that this family cures occurs in the layout with that id. */
  public boolean isFor(String layoutId) {
    return layouts.contains(layoutId);
  }

  /** The id of a rule of this family, {@code mla-kv-b-proj#1}: its place, counted from 1. */
  public String ruleId(int index) {
    return name + "#" + (index + 1);
  }
}
