package org.shardmend.job;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.Row;
import org.shardmend.plan.ActionCounts;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.Location;
import org.shardmend.storage.Manifest;
import org.shardmend.storage.Store;
import org.shardmend.storage.Stores;

/**
 * Finds every checkpoint below some roots and repairs what needs it, one after the other in one
 * Spark application: one's failure never stops the others. What was refused is remembered in the
 * audit, and not tried again while the listing of its files is the same.
 */
public final class SweepAction {
  private static final String LISTING = "listing-";

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
   * @return every checkpoint that was found, in the order of roots and paths
   * @throws JobException USAGE when a root is missing, FAILED when it or the audit can't be read;
   *     what happens to a single checkpoint is returned
   */
  public List<SweptCheckpoint> execute() throws JobException {
    if (request.auditTable().isPresent() && !request.isDryRun()) {
      new AuditCatalog(job, request.auditTable().get()).create();
    }
    Set<String> refused = request.retriesRefused() ? Set.of() : refusedBefore();
    List<SweptCheckpoint> swept = new ArrayList<>();
    for (Location root : request.roots()) {
      for (SweepTree.Candidate candidate : candidates(root)) {
        swept.add(sweep(candidate, refused));
      }
    }
    return swept;
  }

  private List<SweepTree.Candidate> candidates(Location root) throws JobException {
    try (Store store = Stores.open(root, job.hadoop().configuration())) {
      if (store.stat(root.path()).isEmpty()) {
        throw Locations.missing(root);
      }
      return SweepTree.candidates(request, store, root).stream()
          .filter(candidate -> candidate.modifiedMillis() >= request.modifiedSince().toEpochMilli())
          .toList();
    } catch (IOException e) {
      throw JobException.failed(
          "unreadable", "Cannot list %s: %s".formatted(root, e.getMessage()), e);
    }
  }

  private SweptCheckpoint sweep(SweepTree.Candidate candidate, Set<String> refused) {
    long began = System.nanoTime();
    Location location = candidate.location();
    Instant settled = Instant.now(clock).minus(request.settle());
    if (candidate.modifiedMillis() > settled.toEpochMilli()) {
      return swept(location, SweptCheckpoint.Outcome.UNSETTLED, began, "written to lately");
    }
    String listing = listing(candidate);
    if (refused.contains(location + listing)) {
      return swept(
          location,
          SweptCheckpoint.Outcome.REFUSED_BEFORE,
          began,
          "refused before, and no file has changed since; --retry-refused tries again");
    }
    job.progress().message("Checkpoint " + location);
    try {
      return request.isDryRun() ? plan(location, began) : repair(candidate, listing, began);
    } catch (JobException e) {
      SweptCheckpoint.Outcome outcome =
          e.kind() == JobException.Kind.REFUSED
              ? SweptCheckpoint.Outcome.REFUSED
              : SweptCheckpoint.Outcome.FAILED;
      return swept(location, outcome, began, e.getMessage());
    }
  }

  private SweptCheckpoint plan(Location location, long began) throws JobException {
    PlannedCheckpoint planned = new PlanAction(job, request.at(location)).execute();
    Repairs.requireDecided(planned);
    SweptCheckpoint.Outcome outcome =
        planned.plan().nothingToDo()
            ? SweptCheckpoint.Outcome.NOTHING_TO_DO
            : SweptCheckpoint.Outcome.FOUND;
    return new SweptCheckpoint(location, outcome, planned.plan().counts(), 0, seconds(began), "");
  }

  private SweptCheckpoint repair(SweepTree.Candidate candidate, String listing, long began)
      throws JobException {
    Location location = candidate.location();
    RepairRequest repair;
    if (request.outputRoot().isPresent()) {
      Location output = output(request.outputRoot().get(), candidate);
      if (isRepaired(output, location)) {
        return swept(
            location, SweptCheckpoint.Outcome.NOTHING_TO_DO, began, "repaired before: " + output);
      }
      repair = RepairRequest.toOutput(request.at(location), output);
    } else {
      repair = RepairRequest.inPlace(request.at(location));
    }
    request.auditTable().ifPresent(repair::auditTable);
    RepairResult result =
        new RepairAction(job, repair.audit(request.audit()).listing(listing)).execute();
    SweptCheckpoint.Outcome outcome =
        switch (result.outcome()) {
          case DONE -> SweptCheckpoint.Outcome.DONE;
          case NOTHING_TO_DO -> SweptCheckpoint.Outcome.NOTHING_TO_DO;
        };
    return new SweptCheckpoint(
        location, outcome, result.counts(), result.bytesWritten(), seconds(began), "");
  }

  private static Location output(Location outputRoot, SweepTree.Candidate candidate) {
    return candidate.relative().isEmpty()
        ? outputRoot.child(candidate.location().name())
        : outputRoot.child(candidate.relative());
  }

  /** Whether an earlier sweep has put the repaired form of this source there. */
  private boolean isRepaired(Location output, Location source) throws JobException {
    try (Store store = Stores.open(output, job.hadoop().configuration())) {
      Optional<Manifest> manifest =
          store.stat(output.path()).isPresent()
              ? Manifest.read(store, output.path())
              : Optional.empty();
      if (manifest.isEmpty()) {
        store.makeDirectories(output.parent().path());
      }
      return manifest.filter(m -> m.source().equals(source.toString())).isPresent();
    } catch (IOException e) {
      throw JobException.failed(
          "unreadable", "Cannot look at %s: %s".formatted(output, e.getMessage()), e);
    }
  }

  /** What was refused, by location and listing. */
  private Set<String> refusedBefore() throws JobException {
    Set<String> refused = new HashSet<>();
    try (Store store = Stores.open(request.audit(), job.hadoop().configuration())) {
      if (store.stat(request.audit().path()).isEmpty()) {
        return refused;
      }
    } catch (IOException e) {
      throw JobException.failed(
          "unreadable-audit",
          "Cannot read the audit %s: %s".formatted(request.audit(), e.getMessage()),
          e);
    }
    new AuditQuery(job, request.audit()).runs(row -> remember(row, refused));
    return refused;
  }

  private static void remember(Row row, Set<String> refused) {
    if ("refused".equals(row.<String>getAs("outcome"))) {
      refused.add(row.<String>getAs("checkpoint") + row.<String>getAs("fingerprint"));
    }
  }

  /** A fingerprint of names, sizes and times: what tells cheaply that nothing has changed. */
  private static String listing(SweepTree.Candidate candidate) {
    StringBuilder text = new StringBuilder();
    for (FileStatus entry : candidate.entries()) {
      if (!entry.name().equals(".shardmend")) {
        text.append(entry.name())
            .append('\0')
            .append(entry.bytes())
            .append('\0')
            .append(entry.modifiedMillis())
            .append('\n');
      }
    }
    return LISTING + SourceHeader.digest(text.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static SweptCheckpoint swept(
      Location location, SweptCheckpoint.Outcome outcome, long began, String message) {
    return new SweptCheckpoint(location, outcome, ActionCounts.NONE, 0, seconds(began), message);
  }

  private static double seconds(long began) {
    return (System.nanoTime() - began) / 1e9;
  }
}
