package org.shardmend.job.plan;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.modules.ModuleConfig;
import org.shardmend.checkpoint.modules.ModuleEntry;
import org.shardmend.checkpoint.modules.ModuleNames;
import org.shardmend.checkpoint.modules.PatternEffect;

/**
 * The patterns in configs that match other modules after a repair than before.
 *
 * @param all each with its file
 */
record ConfigPatterns(List<One> all) {
  static final ConfigPatterns NONE = new ConfigPatterns(List.of());

  /** Copies the list, so that the value can't change. */
  ConfigPatterns {
    all = List.copyOf(all);
  }

  /**
   * One pattern.
   *
   * @param file the config that holds it
   * @param replacement what matches the same modules under their new names, where that was found
   */
  record One(String file, PatternEffect effect, Optional<ModuleEntry> replacement) {
    Finding finding() {
      return ModuleNames.finding(file, effect, replacement);
    }

    boolean isUntried() {
      return !effect.trouble().isEmpty();
    }
  }

  /** A finding of each. */
  List<Finding> findings() {
    return findings(one -> true);
  }

  /** A finding of each that nobody can tell anything of. */
  List<Finding> untried() {
    return findings(One::isUntried);
  }

  /** A finding of each that nothing could be found for, though it was looked for. */
  List<Finding> withoutReplacement() {
    return findings(one -> !one.isUntried() && one.replacement().isEmpty());
  }

  private List<Finding> findings(Predicate<One> which) {
    return all.stream().filter(which).map(One::finding).toList();
  }

  /** Whether a pattern of that file gets another text. */
  boolean changes(String file) {
    return all.stream().anyMatch(one -> one.file().equals(file) && one.replacement().isPresent());
  }

  /**
   * An entry's new text, or its own.
   *
   * @param modules a module's new name, or the name itself
   */
  String rewritten(String file, ModuleEntry entry, UnaryOperator<String> modules) {
    return all.stream()
        .filter(one -> one.file().equals(file) && one.effect().entry().equals(entry))
        .flatMap(one -> one.replacement().stream())
        .map(ModuleEntry::text)
        .findFirst()
        .orElseGet(() -> ModuleConfig.renamed(entry, modules));
  }
}
