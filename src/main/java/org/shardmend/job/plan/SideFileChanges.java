package org.shardmend.job.plan;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.SideFile;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.checkpoint.layout.CheckpointLayout.NewNames;
import org.shardmend.checkpoint.modules.ModuleConfig;
import org.shardmend.checkpoint.sidefile.IndexJson;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.files.SourceHeader;
import org.shardmend.job.spark.JobException;
import org.shardmend.plan.Decision;
import org.shardmend.plan.Plan;
import org.shardmend.storage.Store;
import org.shardmend.storage.protocol.SmallFiles;

/**
 * The side files that name tensors, and so must change with them: indexes, those that belong to the
 * layout and, where that was asked for, configs. They are read once, so that what a plan's
 * fingerprint stands for is what is changed.
 */
public final class SideFileChanges {
  private final Checkpoint checkpoint;
  private final TreeMap<String, byte[]> indexes;
  private final Rewrites rewrites;

  /**
   * Changes of side files that were read.
   *
   * @param indexes the content of each index, by its name
   */
  SideFileChanges(Checkpoint checkpoint, TreeMap<String, byte[]> indexes, Rewrites rewrites) {
    this.checkpoint = checkpoint;
    this.indexes = indexes;
    this.rewrites = rewrites;
  }

  /**
   * Reads the side files concerned.
   *
   * @param rewrites what is written anew besides names in indexes
   * @param meter told how much is read
   */
  public static SideFileChanges read(
      CheckpointAccess access, Checkpoint checkpoint, Rewrites rewrites, LongConsumer meter)
      throws IOException {
    TreeMap<String, byte[]> indexes = new TreeMap<>();
    try (Store store = access.open()) {
      for (SideFile file : checkpoint.sideFiles()) {
        if (file.role() == SideFile.Role.INDEX) {
          byte[] index = SmallFiles.read(store, access.path(file.name()), IndexJson.MAX_BYTES);
          meter.accept(index.length);
          indexes.put(file.name(), index);
        }
      }
    }
    return new SideFileChanges(checkpoint, indexes, rewrites);
  }

  /** SHA-256 of each of them by name. */
  Map<String, String> digests() {
    Map<String, String> digests = new TreeMap<>();
    indexes.forEach((name, json) -> digests.put(name, SourceHeader.digest(json)));
    digests.putAll(checkpoint.layout().digests());
    if (rewrites.config()) {
      checkpoint.moduleConfigs().forEach(config -> digests.put(config.name(), config.digest()));
    }
    if (rewrites.index()) {
      digests.put("--rewrite-index", "");
    }
    if (!rewrites.format().isEmpty()) {
      digests.put("--set-format", rewrites.format());
    }
    return digests;
  }

  /**
   * What they must hold after the repair; none when it changes nothing or is refused.
   *
   * @param modules a module's new name, or the name itself
   * @param patterns what becomes of patterns of modules
   * @param tensors which file each tensor lies in, where the index is written anew; else none
   * @throws JobException REFUSED when an index can't be understood, or what would be written is not
   *     what a loader accepts
   */
  List<SideFileChange> of(
      Plan plan,
      UnaryOperator<String> modules,
      ConfigPatterns patterns,
      SortedMap<String, String> tensors)
      throws JobException {
    List<SideFileChange> changes = new ArrayList<>();
    if (plan.refused()) {
      return changes;
    }
    Optional<IndexJson> newIndex =
        rewrites.index()
            ? checkpoint.layout().newIndex(tensors, checkpoint.shards().size())
            : Optional.empty();
    Optional<String> replaced = newIndex.flatMap(index -> checkpoint.layout().indexFile());
    if (newIndex.isPresent() && !isRight(tensors, plan)) {
      changes.add(new SideFileChange(replaced.orElseThrow(), rewritten(newIndex.get(), plan)));
    }
    if (plan.nothingToDo()) {
      return changes;
    }
    try {
      for (Map.Entry<String, byte[]> index : indexes.entrySet()) {
        if (replaced.equals(Optional.of(index.getKey()))) {
          continue;
        }
        IndexJson json = IndexJson.read(index.getValue(), index.getKey());
        byte[] content = rewritten(json, plan);
        if (!Arrays.equals(content, index.getValue())) {
          changes.add(new SideFileChange(index.getKey(), content));
        }
      }
      checkpoint
          .layout()
          .renamed(newNames(plan))
          .forEach((name, content) -> changes.add(new SideFileChange(name, content)));
    } catch (CheckpointException e) {
      throw JobException.of(e);
    }
    if (rewrites.config()) {
      for (ModuleConfig config : checkpoint.moduleConfigs()) {
        if (!config.renamedModules(modules).isEmpty() || patterns.changes(config.name())) {
          changes.add(
              new SideFileChange(
                  config.name(),
                  config.rewritten(entry -> patterns.rewritten(config.name(), entry, modules))));
        }
      }
    }
    return changes;
  }

  /** Whether the index that is there says the same already, in whatever order. */
  private boolean isRight(SortedMap<String, String> tensors, Plan plan) {
    long bytes =
        plan.shards().stream()
            .mapToLong(shard -> shard.shard().bytes() - shard.headerBytes())
            .sum();
    return plan.nothingToDo()
        && checkpoint
            .layout()
            .index()
            .filter(IndexJson::hasMetadata)
            .filter(index -> index.weightMap().equals(tensors))
            .filter(index -> index.totalSize().orElse(bytes) == bytes)
            .isPresent();
  }

  private static NewNames newNames(Plan plan) {
    Map<Reading, Decision> changes = new HashMap<>();
    plan.changes().forEach(c -> changes.put(new Reading(c.unit(), c.tensor()), c));
    return (unit, name) -> target(name, Optional.ofNullable(changes.get(new Reading(unit, name))));
  }

  private static byte[] rewritten(IndexJson index, Plan plan) {
    Map<String, Decision> byName = new HashMap<>();
    Map<Entry, Decision> byPlace = new HashMap<>();
    plan.changes()
        .forEach(
            change -> {
              byName.put(change.tensor(), change);
              byPlace.put(new Entry(change.tensor(), change.shard()), change);
            });
    Set<String> shards = Set.copyOf(index.weightMap().values());
    Set<String> taken = new HashSet<>();
    return index.rewritten(
        tensor -> {
          // An index that places the tensor elsewhere is stale there, but its name changes alike.
          Decision change =
              byPlace.getOrDefault(
                  new Entry(tensor, index.weightMap().get(tensor)), byName.get(tensor));
          return target(tensor, Optional.ofNullable(change)).filter(taken::add);
        },
        plan.shards().stream()
            .filter(shard -> shards.contains(shard.name()))
            .mapToLong(shard -> shard.targetBytes() - shard.targetHeaderBytes())
            .sum());
  }

  private static Optional<String> target(String name, Optional<Decision> change) {
    if (change.isEmpty()) {
      return Optional.of(name);
    }
    return switch (change.get().action()) {
      case KEEP, REFUSE -> Optional.of(name);
      case RENAME -> Optional.of(change.get().target());
      case DROP -> Optional.empty();
    };
  }

  private record Entry(String tensor, String shard) {}

  private record Reading(UnitId unit, String name) {}
}
