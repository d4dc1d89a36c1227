package org.shardmend.job.sweep;

import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.ShellWord;
import org.shardmend.job.audit.AuditCatalog;
import org.shardmend.job.audit.StagedRuns;
import org.shardmend.job.files.Locations;
import org.shardmend.job.plan.Rewrites;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.Stores;

/**
 * Finds every checkpoint below some roots and repairs what needs it, several at once in one Spark
 * application: one's failure never stops the others. What was refused is remembered in the audit,
 * and not tried again while neither its files nor the rules have changed.
 */
public final class SweepAction {
  /** Fewer than so many are not worth a stage of their own. */
  private static final int FEWEST_TOGETHER = 4;

  private final SparkJob job;
  private final SweepRequest request;
  private final Clock clock;

  /** A sweep on {@code job}'s executors. */
  public SweepAction(SparkJob job, SweepRequest request) {
    this.job = job;
    this.request = request;
    this.clock = Clock.systemUTC();
  }

  /**
   * Sweeps.
   *
   * @return every checkpoint that was found, and what was not looked at
   * @throws JobException USAGE when a setting is wrong or a root is missing, FAILED when the audit
   *     can't be read; what happens to a single checkpoint is returned
   */
  public SweepResult execute() throws JobException {
    request.requireMeaningful();
    if (request.auditTable().isPresent() && !request.isDryRun()) {
      new AuditCatalog(job, request.auditTable().get()).create();
    }
    Map<Location, SweptCheckpoint> unreadable = new LinkedHashMap<>();
    Map<Location, HiddenCheckpoints> hidden = new LinkedHashMap<>();
    List<SweepTree.Candidate> candidates = candidates(unreadable, hidden);
    RefusedBefore memory =
        request.retriesRefused()
            ? RefusedBefore.nothing(request.template())
            : RefusedBefore.read(job, request.audit(), request.template());
    SettleCheck settling = new SettleCheck(Instant.now(clock), request.settle());
    List<SweptCheckpoint> swept = new ArrayList<>(sweep(candidates, settling, memory));
    swept.addAll(unreadable.values());
    if (!request.isDryRun()) {
      settleDeadRuns(candidates);
    }
    List<Finding> findings = new ArrayList<>();
    hidden.values().forEach(one -> findings.add(one.finding()));
    candidates.forEach(candidate -> settling.impossibleTimes(candidate).ifPresent(findings::add));
    return new SweepResult(swept, List.copyOf(hidden.values()), findings);
  }

  /**
   * A checkpoint whose repair was killed when it was done is right, so that nobody else appends its
   * rows. What fails here is no fault of any checkpoint, and the next sweep tries again.
   */
  private void settleDeadRuns(List<SweepTree.Candidate> candidates) {
    Set<Location> targets = new HashSet<>();
    for (SweepTree.Candidate candidate : candidates) {
      targets.add(request.output(candidate).orElse(candidate.location()));
    }
    try {
      StagedRuns.Result staged = StagedRuns.settleDead(request.audit(), targets, job.hadoop());
      if (request.auditTable().isPresent() && !staged.appended().isEmpty()) {
        new AuditCatalog(job, request.auditTable().get())
            .append(request.audit(), Set.copyOf(staged.appended()));
      }
      if (!staged.left().isEmpty()) {
        job.progress()
            .message(
                "%,d other runs have staged rows in the audit, and may need them or not: 'shardmend audit %s --compact' says which"
                    .formatted(staged.left().size(), ShellWord.of(request.audit().toString())));
      }
    } catch (IOException | JobException e) {
      job.progress()
          .message("What earlier runs have left in the audit stays there: " + e.getMessage());
    }
  }

  private List<SweepTree.Candidate> candidates(
      Map<Location, SweptCheckpoint> unreadable, Map<Location, HiddenCheckpoints> hidden)
      throws JobException {
    List<SweepTree.Candidate> candidates = new ArrayList<>();
    Set<Location> found = new HashSet<>();
    Set<Location> real = new HashSet<>();
    for (Location root : request.roots()) {
      SweepTree tree = look(root);
      tree.unreadable()
          .forEach(
              (directory, reason) ->
                  unreadable.put(
                      directory,
                      SweptCheckpoint.without(directory, SweptCheckpoint.Outcome.FAILED, reason)));
      tree.candidates().stream()
          .filter(candidate -> found.add(candidate.location()) && real.add(candidate.real()))
          .filter(candidate -> candidate.modifiedMillis() >= request.modifiedSince().toEpochMilli())
          .forEach(candidates::add);
      tree.hidden().forEach(one -> hidden.merge(one.by(), one, HiddenCheckpoints::larger));
    }
    hidden.replaceAll((by, one) -> one.without(found));
    hidden.values().removeIf(one -> one.hidden().isEmpty());
    return candidates;
  }

  private SweepTree look(Location root) throws JobException {
    try (Store store = Stores.open(root, job.hadoop())) {
      if (store.stat(root.path()).isEmpty()) {
        throw Locations.missing(root);
      }
      if (store.stat(store.realPath(root.path())).filter(FileStatus::isFile).isPresent()) {
        throw JobException.usage(
            "not-a-directory",
            "%s is a file. Name the directory that holds the checkpoints.".formatted(root));
      }
      return SweepTree.below(root, request, store);
    } catch (IOException e) {
      throw JobException.failed(
          "unreadable", "Cannot look at %s: %s".formatted(root, e.getMessage()), e);
    }
  }

  /** Begins in order, as both limits let it; the first that is too large waits, and with it all. */
  private List<SweptCheckpoint> sweep(
      List<SweepTree.Candidate> candidates, SettleCheck settling, RefusedBefore memory)
      throws JobException {
    Map<SweepTree.Candidate, SweptCheckpoint> leftAlone = new HashMap<>();
    for (SweepTree.Candidate candidate : candidates) {
      leftAlone(candidate, settling, memory).ifPresent(one -> leftAlone.put(candidate, one));
    }
    Map<SweepTree.Candidate, HealthyCheckpointStage.Seen> seen =
        firstLook(candidates.stream().filter(one -> !leftAlone.containsKey(one)).toList());
    SweepProgress progress =
        new SweepProgress(
            job.progress(),
            candidates.size(),
            candidates.stream().mapToLong(SweepTree.Candidate::bytes).sum());
    Semaphore slots = new Semaphore(request.parallel());
    BytesInFlight bytes = new BytesInFlight(request.maxBytesInFlight());
    ExecutorService threads = Executors.newFixedThreadPool(request.parallel());
    List<Future<SweptCheckpoint>> pending = new ArrayList<>();
    try {
      for (SweepTree.Candidate candidate : candidates) {
        Optional<SweptCheckpoint> known =
            Optional.ofNullable(leftAlone.get(candidate))
                .or(
                    () ->
                        Optional.ofNullable(seen.get(candidate))
                            .filter(HealthyCheckpointStage.Seen::right)
                            .map(right -> right.swept(candidate)));
        if (known.isPresent()) {
          progress.begin(candidate).finish(known.get());
          pending.add(CompletableFuture.completedFuture(known.get()));
          continue;
        }
        slots.acquire();
        bytes.enter(candidate.bytes());
        Callable<SweptCheckpoint> work =
            () -> {
              try {
                return sweep(
                    candidate,
                    memory,
                    Optional.ofNullable(seen.get(candidate)),
                    progress.begin(candidate));
              } finally {
                bytes.leave(candidate.bytes());
                slots.release();
              }
            };
        pending.add(threads.submit(work));
      }
      List<SweptCheckpoint> swept = new ArrayList<>();
      for (Future<SweptCheckpoint> one : pending) {
        swept.add(one.get());
      }
      return swept;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw JobException.failed("interrupted", "The sweep was interrupted; run it again", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(
          "The sweep of one checkpoint ended in an error", e.getCause());
    } finally {
      threads.shutdownNow();
      progress.end();
    }
  }

  /** In one stage; where that fails as a whole, each is looked at alone, and says why. */
  private Map<SweepTree.Candidate, HealthyCheckpointStage.Seen> firstLook(
      List<SweepTree.Candidate> candidates) {
    // Where more than names is written anew, right names alone don't say that nothing is to be
    // done.
    if (candidates.size() < FEWEST_TOGETHER
        || !request.template().rewrites().equals(Rewrites.NONE)) {
      return Map.of();
    }
    try {
      return HealthyCheckpointStage.look(job, candidates, request.template());
    } catch (JobException e) {
      job.progress().message("Looking at each checkpoint alone: " + e.getMessage());
      return Map.of();
    }
  }

  private SweptCheckpoint sweep(
      SweepTree.Candidate candidate,
      RefusedBefore memory,
      Optional<HealthyCheckpointStage.Seen> before,
      SweepProgress.Part progress) {
    long began = System.nanoTime();
    SweptCheckpoint swept;
    try {
      SparkJob own = job.beside("sweep " + Thread.currentThread().getName(), progress);
      swept = new CheckpointSweep(request, candidate, own, memory.listing(candidate)).sweep();
    } catch (RuntimeException | Error e) { // Not even the row in the audit could be written.
      JobException failure = CheckpointSweep.unexpected(e);
      swept =
          SweptCheckpoint.without(
              candidate.location(), SweptCheckpoint.Outcome.FAILED, failure.getMessage());
    }
    SweptCheckpoint whole =
        swept
            .alsoRead(before.map(HealthyCheckpointStage.Seen::bytesRead).orElse(0L))
            .took((System.nanoTime() - began) / 1e9);
    progress.finish(whole);
    return whole;
  }

  /** What becomes of one that is not even opened; empty when it is to be. */
  private static Optional<SweptCheckpoint> leftAlone(
      SweepTree.Candidate candidate, SettleCheck settling, RefusedBefore memory) {
    return settling
        .unsettled(candidate)
        .map(
            written ->
                SweptCheckpoint.without(
                    candidate.location(),
                    SweptCheckpoint.Outcome.UNSETTLED,
                    "written to at %s, which may be going on".formatted(written)))
        .or(
            () ->
                memory
                    .of(candidate.location(), memory.listing(candidate))
                    .map(refusal -> refusedBefore(candidate, refusal)));
  }

  private static SweptCheckpoint refusedBefore(
      SweepTree.Candidate candidate, RefusedBefore.Refusal refusal) {
    return new SweptCheckpoint(
        candidate.location(),
        SweptCheckpoint.Outcome.REFUSED_BEFORE,
        refusal.run(),
        "",
        refusal.counts(),
        0,
        0,
        0,
        0,
        "refused-before",
        "refused before, and neither files nor rules have changed since; --retry-refused tries"
            + " again");
  }
}
