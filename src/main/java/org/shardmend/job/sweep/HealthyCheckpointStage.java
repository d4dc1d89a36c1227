package org.shardmend.job.sweep;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.files.Discoveries;
import org.shardmend.job.files.SharedHeaderStage;
import org.shardmend.job.plan.PlanRequest;
import org.shardmend.job.plan.ScanStage;
import org.shardmend.job.plan.SideFileChanges;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.plan.ActionCounts;
import org.shardmend.plan.ShardPlan;
import org.shardmend.plan.contract.NamedUnit;
import org.shardmend.rules.RuleSet;
import org.shardmend.storage.HadoopSettings;

/**
 * A first look at many small checkpoints in one stage, which finds those that need no repair: most
 * of them, in a tree that is swept every night. A Spark job for each would take longer than reading
 * its headers. Of all others it says nothing; they are looked at one by one.
 */
final class HealthyCheckpointStage {
  /** What has more files than this has headers enough to be read in tasks of its own. */
  private static final int MOST_FILES = 64;

  /** So many checkpoints share a task, at most: what one of them costs does not hold up many. */
  private static final int MOST_IN_TASK = 32;

  /** So many tasks a slot gets, so that a slow one does not hold up the rest. */
  private static final int TASKS_PER_SLOT = 4;

  private HealthyCheckpointStage() {}

  /**
   * What the look came to.
   *
   * @param right whether nothing is to be done; else it is not known
   * @param counts tensors, all kept; none when it is not known
   * @param shards how many there are; 0 when it is not known
   * @param bytesRead what was read of it
   * @param seconds how long it took
   */
  record Seen(boolean right, ActionCounts counts, int shards, long bytesRead, double seconds)
      implements Serializable {
    SweptCheckpoint swept(SweepTree.Candidate candidate) {
      return new SweptCheckpoint(
          candidate.location(),
          SweptCheckpoint.Outcome.NOTHING_TO_DO,
          "",
          "",
          counts,
          shards,
          bytesRead,
          0,
          seconds,
          "",
          "");
    }
  }

  private record Group(ArrayList<PlanRequest> looks) implements Serializable {}

  private record Receipt(ArrayList<Seen> seen) implements Serializable {}

  /**
   * Looks at those that are small enough.
   *
   * @param template how each is read
   * @return what was seen, of each that was looked at
   * @throws JobException FAILED when the stage as a whole has failed
   */
  static Map<SweepTree.Candidate, Seen> look(
      SparkJob job, List<SweepTree.Candidate> candidates, PlanRequest template)
      throws JobException {
    List<SweepTree.Candidate> small =
        candidates.stream().filter(candidate -> candidate.entries().size() <= MOST_FILES).toList();
    HadoopSettings hadoop = job.hadoop();
    List<Receipt> receipts =
        job.run(
            "Look at many checkpoints",
            0,
            groups(small, template, job.spark().defaultParallelism() * TASKS_PER_SLOT),
            (group, meter) -> look(group, hadoop, meter));
    List<Seen> seen = receipts.stream().flatMap(receipt -> receipt.seen().stream()).toList();
    Map<SweepTree.Candidate, Seen> found = new HashMap<>();
    for (int i = 0; i < small.size(); i++) {
      found.put(small.get(i), seen.get(i));
    }
    return found;
  }

  /** In order, so that the results are, too. */
  private static List<Group> groups(
      List<SweepTree.Candidate> small, PlanRequest template, int wanted) {
    int size = Math.min(MOST_IN_TASK, Math.max(1, small.size() / wanted));
    List<Group> groups = new ArrayList<>();
    for (int from = 0; from < small.size(); from += size) {
      ArrayList<PlanRequest> looks = new ArrayList<>();
      small
          .subList(from, Math.min(small.size(), from + size))
          .forEach(candidate -> looks.add(template.at(candidate.location())));
      groups.add(new Group(looks));
    }
    return groups;
  }

  private static Receipt look(Group group, HadoopSettings hadoop, LongConsumer meter)
      throws InterruptedIOException {
    Map<Layout, RuleSet> rules = new EnumMap<>(Layout.class);
    ArrayList<Seen> seen = new ArrayList<>();
    for (PlanRequest look : group.looks()) {
      long began = System.nanoTime();
      AtomicLong read = new AtomicLong();
      LongConsumer both =
          bytes -> {
            read.addAndGet(bytes);
            meter.accept(bytes);
          };
      Set<String> shards = new HashSet<>();
      ActionCounts counts = ActionCounts.NONE;
      try {
        for (ShardPlan shard : unchanged(look, hadoop, rules, both)) {
          shards.add(shard.name());
          counts = counts.plus(shard.counts());
        }
      } catch (InterruptedIOException e) {
        throw e;
      } catch (JobException | IOException | RuntimeException | StackOverflowError e) {
        // Whatever is wrong with it is told when it is looked at alone.
        shards.clear();
        counts = ActionCounts.NONE;
      }
      seen.add(
          new Seen(
              !shards.isEmpty(),
              counts,
              shards.size(),
              read.get(),
              (System.nanoTime() - began) / 1e9));
    }
    return new Receipt(seen);
  }

  /** The shards of a checkpoint that needs no repair, per load unit; none of any other. */
  private static List<ShardPlan> unchanged(
      PlanRequest look,
      HadoopSettings hadoop,
      Map<Layout, RuleSet> rulesOfLayout,
      LongConsumer meter)
      throws JobException, IOException {
    CheckpointAccess access = new CheckpointAccess(look.checkpoint(), hadoop);
    Checkpoint checkpoint = Discoveries.discover(meter, access, look.discovery());
    if (!checkpoint.layout().wrongSums().isEmpty()) {
      return List.of();
    }
    SideFileChanges.read(access, checkpoint, look.rewrites(), meter);
    if (!rulesOfLayout.containsKey(checkpoint.layout().kind())) {
      rulesOfLayout.put(checkpoint.layout().kind(), look.rulesFor(checkpoint.layout().kind()));
    }
    RuleSet rules = rulesOfLayout.get(checkpoint.layout().kind());
    List<ShardPlan> shards = new ArrayList<>();
    for (NamedUnit unit : NamedUnit.of(checkpoint)) {
      ScanStage.Receipt scanned =
          ScanStage.scan(access, unit, rules, look.dtypes(), SharedHeaderStage.none(), meter);
      boolean changes =
          scanned.plan().shards().stream().anyMatch(shard -> !shard.counts().nothingToDo());
      if (changes || !scanned.problems().isEmpty()) {
        return List.of();
      }
      shards.addAll(scanned.plan().shards());
    }
    return shards;
  }
}
