package org.shardmend.job.plan;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.checkpoint.modules.ModuleConfig;
import org.shardmend.checkpoint.modules.ModuleEntry;
import org.shardmend.checkpoint.modules.ModuleRenaming;
import org.shardmend.checkpoint.modules.PatternEffect;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.files.UnitHeaders;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.plan.NamedTensor;
import org.shardmend.plan.contract.NamedUnit;
import org.shardmend.rules.RuleSet;
import org.shardmend.safetensors.UnknownDtypes;

/**
 * Tries the patterns of configs on the names that modules have and will have, a task a load unit.
 * Headers are read again for it, and only where configs hold patterns.
 */
final class ConfigPatternStage {
  /** No honest config has so many; of the others it is said that they were not tried. */
  private static final int MOST_PATTERNS = 256;

  private final SparkJob job;
  private final List<NamedUnit> units;
  private final Names names;

  private ConfigPatternStage(SparkJob job, List<NamedUnit> units, Names names) {
    this.job = job;
    this.units = units;
    this.names = names;
  }

  /**
   * What a repair by {@code rules} does to the patterns.
   *
   * @param modules a module's new name, or the name itself; an entry that it changes is none
   */
  static ConfigPatterns run(
      SparkJob job,
      CheckpointAccess access,
      Checkpoint checkpoint,
      RuleSet rules,
      UnaryOperator<String> modules,
      UnknownDtypes dtypes)
      throws JobException {
    ConfigPatternStage stage =
        new ConfigPatternStage(job, NamedUnit.of(checkpoint), new Names(access, rules, dtypes));
    return stage.run(checkpoint.moduleConfigs(), modules);
  }

  private ConfigPatterns run(List<ModuleConfig> configs, UnaryOperator<String> modules)
      throws JobException {
    Set<ModuleEntry> patterns = new LinkedHashSet<>();
    configs.forEach(config -> patterns.addAll(patterns(config, modules)));
    if (patterns.isEmpty()) {
      return ConfigPatterns.NONE;
    }
    Map<ModuleEntry, PatternEffect> effects = effects(patterns);
    Map<ModuleEntry, ModuleEntry> replacements = replacements(effects);
    List<ConfigPatterns.One> all = new ArrayList<>();
    for (ModuleConfig config : configs) {
      for (ModuleEntry pattern : patterns(config, modules)) {
        if (effects.containsKey(pattern)) {
          all.add(
              new ConfigPatterns.One(
                  config.name(),
                  effects.get(pattern),
                  Optional.ofNullable(replacements.get(pattern))));
        }
      }
    }
    return new ConfigPatterns(all);
  }

  private static List<ModuleEntry> patterns(ModuleConfig config, UnaryOperator<String> modules) {
    return config.patterns().stream()
        .filter(entry -> ModuleConfig.renamed(entry, modules).equals(entry.text()))
        .toList();
  }

  private Map<ModuleEntry, PatternEffect> effects(Set<ModuleEntry> patterns) throws JobException {
    Map<ModuleEntry, PatternEffect> effects = new LinkedHashMap<>();
    ArrayList<ModuleEntry> tried = new ArrayList<>(patterns.stream().limit(MOST_PATTERNS).toList());
    Names shared = names;
    job.run(
            "Try the patterns of configs on the new names",
            0,
            units,
            (unit, meter) -> effects(shared.renamings(unit, meter), tried))
        .forEach(ofUnit -> ofUnit.forEach(e -> effects.merge(e.entry(), e, PatternEffect::and)));
    patterns.stream()
        .skip(MOST_PATTERNS)
        .forEach(
            untried ->
                effects.put(
                    untried,
                    PatternEffect.untried(
                        untried, "only " + MOST_PATTERNS + " patterns are tried")));
    return effects;
  }

  private static ArrayList<PatternEffect> effects(
      List<ModuleRenaming> renamings, List<ModuleEntry> patterns) {
    ArrayList<PatternEffect> effects = new ArrayList<>();
    patterns.forEach(pattern -> PatternEffect.of(pattern, renamings).ifPresent(effects::add));
    return effects;
  }

  /** For each pattern the first one that does for all load units what it did. */
  private Map<ModuleEntry, ModuleEntry> replacements(Map<ModuleEntry, PatternEffect> effects)
      throws JobException {
    ArrayList<Choice> choices = new ArrayList<>();
    effects.forEach(
        (pattern, effect) ->
            effect
                .replacements()
                .forEach(replacement -> choices.add(new Choice(pattern, replacement))));
    Map<ModuleEntry, ModuleEntry> found = new LinkedHashMap<>();
    if (choices.isEmpty()) {
      return found;
    }
    Names shared = names;
    Set<Choice> right = new LinkedHashSet<>(choices);
    job.run(
            "Try other patterns for the new names",
            0,
            units,
            (unit, meter) -> right(shared.renamings(unit, meter), choices))
        .forEach(right::retainAll);
    right.forEach(choice -> found.putIfAbsent(choice.pattern(), choice.replacement()));
    return found;
  }

  private static ArrayList<Choice> right(List<ModuleRenaming> renamings, List<Choice> choices) {
    ArrayList<Choice> right = new ArrayList<>();
    for (Choice choice : choices) {
      if (PatternEffect.isReplacedBy(choice.pattern(), choice.replacement(), renamings)) {
        right.add(choice);
      }
    }
    return right;
  }

  private record Choice(ModuleEntry pattern, ModuleEntry replacement) implements Serializable {}

  /** Where modules' names are found, on an executor. */
  private record Names(CheckpointAccess access, RuleSet rules, UnknownDtypes dtypes)
      implements Serializable {

    List<ModuleRenaming> renamings(NamedUnit unit, LongConsumer meter) throws IOException {
      Set<ModuleRenaming> renamings = new LinkedHashSet<>();
      for (NamedTensor tensor : UnitHeaders.read(access, unit, dtypes, meter).tensors()) {
        String target =
            rules
                .outcome(tensor.name())
                .fold(tensor::name, renamed -> renamed.target(), refused -> tensor.name());
        renamings.add(ModuleRenaming.ofTensor(tensor.name(), target));
      }
      return List.copyOf(renamings);
    }
  }
}
