package org.shardmend.checkpoint.modules;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.shardmend.rules.NameEdit;
import org.shardmend.rules.RuleLimitException;

/**
 * What a change of module names does to a pattern: it may match other modules under their new names
 * than it did under the old ones.
 *
 * @param entry the pattern
 * @param lost new names of a few modules that it no longer matches
 * @param gained new names of a few that it matches only now
 * @param edits how the names of such modules change
 * @param trouble why it could not be tried; empty when it could
 */
public record PatternEffect(
    ModuleEntry entry, List<String> lost, List<String> gained, List<NameEdit> edits, String trouble)
    implements Serializable {
  private static final int EXAMPLES = 5;
  private static final int MOST_EDITS = 16;

  /** Copies the lists, so that the value can't change. */
  public PatternEffect {
    lost = List.copyOf(lost);
    gained = List.copyOf(gained);
    edits = List.copyOf(edits);
  }

  /** What these changes do to the pattern; empty when it still matches the same modules. */
  public static Optional<PatternEffect> of(
      ModuleEntry entry, Collection<ModuleRenaming> renamings) {
    Set<String> lost = new LinkedHashSet<>();
    Set<String> gained = new LinkedHashSet<>();
    Set<NameEdit> edits = new LinkedHashSet<>();
    try {
      ModuleMatcher matcher = ModuleMatcher.of(entry);
      for (ModuleRenaming renaming : renamings) {
        if (renaming.before().equals(renaming.after())) {
          continue;
        }
        boolean before = matcher.matches(renaming.before());
        if (before != matcher.matches(renaming.after())) {
          add(before ? lost : gained, renaming.after(), EXAMPLES);
          add(
              edits,
              NameEdit.between(renaming.before(), renaming.after()).generalised(),
              MOST_EDITS);
        }
      }
    } catch (RuleLimitException | IllegalArgumentException e) {
      return Optional.of(untried(entry, e.getMessage()));
    }
    return lost.isEmpty() && gained.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new PatternEffect(
                entry, List.copyOf(lost), List.copyOf(gained), List.copyOf(edits), ""));
  }

  /** Nothing is known of what these changes do to the pattern. */
  public static PatternEffect untried(ModuleEntry entry, String why) {
    return new PatternEffect(entry, List.of(), List.of(), List.of(), why);
  }

  private static <T> void add(Set<T> set, T value, int most) {
    if (set.size() < most) {
      set.add(value);
    }
  }

  /** What both say of one pattern, of different load units. */
  public PatternEffect and(PatternEffect other) {
    return new PatternEffect(
        entry,
        together(lost, other.lost, EXAMPLES),
        together(gained, other.gained, EXAMPLES),
        together(edits, other.edits, MOST_EDITS),
        trouble.isEmpty() ? other.trouble : trouble);
  }

  private static <T> List<T> together(List<T> one, List<T> other, int most) {
    Set<T> both = new LinkedHashSet<>(one);
    both.addAll(other);
    return both.stream().limit(most).toList();
  }

  /**
   * Whether {@code other} matches just those modules under their new names that {@code entry}
   * matches under the old ones.
   */
  public static boolean isReplacedBy(
      ModuleEntry entry, ModuleEntry other, Collection<ModuleRenaming> renamings) {
    try {
      ModuleMatcher before = ModuleMatcher.of(entry);
      ModuleMatcher after = ModuleMatcher.of(other);
      for (ModuleRenaming renaming : renamings) {
        if (before.matches(renaming.before()) != after.matches(renaming.after())) {
          return false;
        }
      }
      return true;
    } catch (RuleLimitException | IllegalArgumentException e) {
      return false;
    }
  }

  /**
   * Patterns in which what changes in the names was changed, where it stands in so many words: each
   * may be the right one, and must be tried.
   */
  public List<ModuleEntry> replacements() {
    Set<ModuleEntry> replacements = new LinkedHashSet<>();
    for (NameEdit edit : edits) {
      for (String dot : List.of("\\.", ".")) {
        for (Change change : changes(edit, dot)) {
          replacements.add(entry.withPattern(entry.pattern().replace(change.from, change.to)));
          int first = entry.pattern().indexOf(change.from);
          if (first >= 0) {
            replacements.add(
                entry.withPattern(
                    entry.pattern().substring(0, first)
                        + change.to
                        + entry.pattern().substring(first + change.from.length())));
          }
        }
      }
    }
    replacements.remove(entry);
    return List.copyOf(replacements);
  }

  private record Change(String from, String to) {}

  /** The changed segments with their neighbours, as far as these are no numbers, then without. */
  private static List<Change> changes(NameEdit edit, String dot) {
    String left = edit.before().isEmpty() ? "" : edit.before().get(edit.before().size() - 1);
    String right = edit.after().isEmpty() ? "" : edit.after().get(0);
    List<Change> changes = new ArrayList<>();
    for (List<String> around :
        List.of(List.of(left, right), List.of("", right), List.of(left, ""), List.of("", ""))) {
      String from = joined(around.get(0), edit.from(), around.get(1), dot);
      String to = joined(around.get(0), edit.to(), around.get(1), dot);
      if (!around.contains(NameEdit.ANY_NUMBER) && !from.isEmpty()) {
        changes.add(new Change(from, to));
        changes.add(new Change(from + dot, to.isEmpty() ? "" : to + dot));
      }
    }
    return changes;
  }

  private static String joined(String left, List<String> middle, String right, String dot) {
    List<String> all = new ArrayList<>();
    if (!left.isEmpty()) {
      all.add(left);
    }
    all.addAll(middle);
    if (!right.isEmpty()) {
      all.add(right);
    }
    return String.join(dot, all);
  }
}
