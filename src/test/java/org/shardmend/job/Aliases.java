package org.shardmend.job;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.trial.SavedCheckpoint;
import org.shardmend.trial.SavedCheckpoint.Found;
import org.shardmend.trial.SavedCheckpoint.ShardFile;

/** The aliases of {@code kv_b_proj} in a checkpoint, found without rules or planner. */
record Aliases(Map<String, Map<String, Found>> units) {
  private static final String ALIAS = ".attn_mha.kv_b_proj.";
  private static final String CANONICAL = ".kv_b_proj.";
  private static final Pattern SHARD = Pattern.compile("(?<unit>.+)-part-[0-9]+\\.safetensors");

  static Aliases in(SavedCheckpoint checkpoint) {
    Map<String, Map<String, ShardFile>> files = new LinkedHashMap<>();
    checkpoint
        .files()
        .forEach(
            (name, file) ->
                files.computeIfAbsent(unitOf(name), u -> new LinkedHashMap<>()).put(name, file));
    Map<String, Map<String, Found>> units = new LinkedHashMap<>();
    files.forEach((unit, parts) -> units.put(unit, SavedCheckpoint.tensorsOf(parts.values())));
    return new Aliases(units);
  }

  /** A shard's name without its part. */
  static String unitOf(String shard) {
    Matcher matcher = SHARD.matcher(shard);
    if (!matcher.matches()) {
      throw new AssertionError(shard + " is no shard's name");
    }
    return matcher.group("unit");
  }

  static boolean isAlias(String tensor) {
    return tensor.contains(ALIAS);
  }

  static String canonical(String tensor) {
    return tensor.replace(ALIAS, CANONICAL);
  }

  /** Every alias without its canonical twin in the same load unit, as {@code shard/tensor}. */
  SortedSet<String> alone() {
    return select(Aliases::isAlone);
  }

  /** Every alias whose canonical twin has the same bytes. */
  SortedSet<String> besideEqualTwin() {
    return select((unit, alias) -> !isAlone(unit, alias) && isEqual(unit, alias));
  }

  /** Every alias whose canonical twin has other bytes. */
  SortedSet<String> besideOtherTwin() {
    return select((unit, alias) -> !isAlone(unit, alias) && !isEqual(unit, alias));
  }

  private SortedSet<String> select(BiPredicate<Map<String, Found>, TensorEntry> wanted) {
    SortedSet<String> selected = new TreeSet<>();
    for (Map<String, Found> unit : units.values()) {
      unit.values().stream()
          .filter(found -> isAlias(found.tensor().name()) && wanted.test(unit, found.tensor()))
          .forEach(found -> selected.add(found.fileName() + "/" + found.tensor().name()));
    }
    return selected;
  }

  private static boolean isAlone(Map<String, Found> unit, TensorEntry alias) {
    return !unit.containsKey(canonical(alias.name()));
  }

  private static boolean isEqual(Map<String, Found> unit, TensorEntry alias) {
    return Arrays.equals(unit.get(alias.name()).data(), unit.get(canonical(alias.name())).data());
  }
}
