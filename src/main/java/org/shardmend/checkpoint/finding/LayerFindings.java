package org.shardmend.checkpoint.finding;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.IntegerGaps;
import org.shardmend.checkpoint.UnitSummary;
import org.shardmend.checkpoint.Wording;
import org.shardmend.checkpoint.sidefile.ModelConfig;

/**
 * Looks at how the model's layers are divided among pipeline stages: each layer in one stage, in
 * the order of the stages, from 0 without a gap.
 */
public final class LayerFindings {
  private final List<Finding> findings = new ArrayList<>();

  private LayerFindings() {}

  /**
   * What is wrong with the division.
   *
   * @param hiddenLayers how many layers the model has, where its config says so
   */
  public static List<Finding> of(Collection<UnitSummary> units, OptionalInt hiddenLayers) {
    SortedMap<String, SortedMap<Integer, SortedSet<Integer>>> stacks = new TreeMap<>();
    for (UnitSummary unit : units) {
      unit.layers()
          .forEach(
              (stack, layers) -> {
                SortedSet<Integer> ofStage =
                    stacks
                        .computeIfAbsent(stack, s -> new TreeMap<>())
                        .computeIfAbsent(unit.unit().stage(), stage -> new TreeSet<>());
                ofStage.addAll(layers.stream().boxed().toList());
              });
    }
    LayerFindings check = new LayerFindings();
    stacks.forEach(check::checkStages);
    stacks.forEach(check::checkGaps);
    if (stacks.size() == 1 && hiddenLayers.isPresent()) {
      stacks.forEach(
          (stack, stages) -> check.checkLast(stack, union(stages), hiddenLayers.getAsInt()));
    }
    return check.findings;
  }

  private void checkStages(String stack, SortedMap<Integer, SortedSet<Integer>> stages) {
    List<Map.Entry<Integer, SortedSet<Integer>>> entries = List.copyOf(stages.entrySet());
    for (int i = 0; i < entries.size(); i++) {
      for (int j = i + 1; j < entries.size(); j++) {
        int first = entries.get(i).getKey();
        int second = entries.get(j).getKey();
        SortedSet<Integer> shared = new TreeSet<>(entries.get(i).getValue());
        shared.retainAll(entries.get(j).getValue());
        if (!shared.isEmpty()) {
          findings.add(
              FindingCode.STAGES_SHARE_LAYERS.finding(
                  "",
                  "pipeline stages "
                      + first
                      + " and "
                      + second
                      + " both hold "
                      + stack
                      + "."
                      + ranges(shared)
                      + ": one of them was saved with another division of the layers. Save the"
                      + " model again."));
        } else if (j == i + 1
            && entries.get(i).getValue().first() > entries.get(j).getValue().last()) {
          findings.add(
              FindingCode.STAGES_OUT_OF_ORDER.finding(
                  "",
                  "pipeline stage "
                      + first
                      + " holds later layers of "
                      + stack
                      + " ("
                      + ranges(entries.get(i).getValue())
                      + ") than stage "
                      + second
                      + " ("
                      + ranges(entries.get(j).getValue())
                      + "): the stages' files were exchanged. Put them back in their order."));
        }
      }
    }
  }

  private void checkGaps(String stack, SortedMap<Integer, SortedSet<Integer>> stages) {
    SortedSet<Integer> all = union(stages);
    for (IntegerGaps.Gap gap : IntegerGaps.in(all, all.last())) {
      OptionalInt before = holderOf(stages, gap.first() - 1);
      OptionalInt after = holderOf(stages, gap.last() + 1);
      String missing = stack + "." + gap;
      if (before.isPresent() && after.isPresent() && before.getAsInt() != after.getAsInt()) {
        findings.add(
            FindingCode.STAGES_SKIP_LAYERS.finding(
                "",
                missing
                    + " is in no pipeline stage: stage "
                    + before.getAsInt()
                    + " ends before it"
                    + " and stage "
                    + after.getAsInt()
                    + " begins after it. One of them was saved"
                    + " with another division of the layers; save the model again."));
      } else {
        findings.add(
            FindingCode.LAYER_GAP.finding(
                "",
                missing
                    + " is missing, though "
                    + stack
                    + "."
                    + all.last()
                    + " is there. Unless the model has no such layer, files are missing; save it"
                    + " again."));
      }
    }
  }

  private void checkLast(String stack, SortedSet<Integer> layers, int hiddenLayers) {
    if (layers.last() + 1 < hiddenLayers) {
      findings.add(
          FindingCode.LAYER_GAP.finding(
              ModelConfig.FILE_NAME,
              "config.json says that the model has "
                  + hiddenLayers
                  + " layers, but the last one is "
                  + stack
                  + "."
                  + layers.last()
                  + ". Files are missing, or the config is of another"
                  + " model."));
    }
  }

  private static SortedSet<Integer> union(SortedMap<Integer, SortedSet<Integer>> stages) {
    SortedSet<Integer> all = new TreeSet<>();
    for (SortedSet<Integer> layers : stages.values()) {
      all.addAll(layers);
    }
    return all;
  }

  private static OptionalInt holderOf(SortedMap<Integer, SortedSet<Integer>> stages, int layer) {
    return stages.entrySet().stream()
        .filter(stage -> stage.getValue().contains(layer))
        .mapToInt(Map.Entry::getKey)
        .findFirst();
  }

  /** The numbers as ranges: {@code 3, 5 to 7}. */
  private static String ranges(SortedSet<Integer> numbers) {
    List<String> ranges = new ArrayList<>();
    int first = numbers.first();
    int last = first;
    for (int number : numbers) {
      if (number > last + 1) {
        ranges.add(new IntegerGaps.Gap(first, last).toString());
        first = number;
      }
      last = number;
    }
    ranges.add(new IntegerGaps.Gap(first, last).toString());
    return Wording.examples(ranges);
  }
}
