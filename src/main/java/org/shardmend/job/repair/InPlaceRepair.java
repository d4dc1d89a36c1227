package org.shardmend.job.repair;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.shardmend.audit.RunId;
import org.shardmend.audit.RunOutcome;
import org.shardmend.audit.RunRow;
import org.shardmend.audit.ShardRow;
import org.shardmend.audit.Verification;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.Listing;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.job.audit.AuditTrail;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.files.Discoveries;
import org.shardmend.job.files.Locations;
import org.shardmend.job.files.Release;
import org.shardmend.job.plan.PlannedCheckpoint;
import org.shardmend.job.plan.Planner;
import org.shardmend.job.plan.SideFileChange;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.job.spark.StorageFailures;
import org.shardmend.plan.Plan;
import org.shardmend.plan.ShardPlan;
import org.shardmend.plan.Strategy;
import org.shardmend.plan.StrategyChoice;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.Location;
import org.shardmend.storage.NotReplaceableException;
import org.shardmend.storage.Store;
import org.shardmend.storage.bytes.CheckpointStamps;
import org.shardmend.storage.journal.EnclosingJournal;
import org.shardmend.storage.journal.InPlaceCandidate;
import org.shardmend.storage.journal.InPlaceGuards;
import org.shardmend.storage.journal.Journal;
import org.shardmend.storage.journal.JournalBuilder;
import org.shardmend.storage.journal.JournalResult;
import org.shardmend.storage.journal.JournalState;
import org.shardmend.storage.journal.StagedEntry;
import org.shardmend.storage.lock.Nonce;
import org.shardmend.storage.protocol.OwnDirectory;
import org.shardmend.storage.protocol.StepListener;
import org.shardmend.storage.publish.Manifest;
import org.shardmend.storage.publish.ManifestShard;

/**
 * Repairs a checkpoint in its place, through a journal: executors plan and stage; when all of it is
 * durable, the driver alone patches, reads back, and closes the run.
 */
final class InPlaceRepair {
  /** How many files the driver patches at once. */
  static final int PATCH_THREADS = 8;

  /** So many groups of shards a task slot gets, so that a slow one does not hold up the rest. */
  private static final int GROUPS_PER_SLOT = 2;

  private static final String AUDIT = Listing.OWN_DIRECTORY + "/audit";
  private static final String JOURNAL = Listing.OWN_DIRECTORY + "/journal";

  private final SparkJob job;
  private final RepairRequest request;
  private final Location location;
  private final CheckpointAccess access;
  private final RunRecord run;
  private final Store store;
  private final HeldLocks locks;
  private final Journal journal;

  private InPlaceRepair(
      SparkJob job, RepairRequest request, RunRecord run, Store store, HeldLocks locks) {
    this.job = job;
    this.request = request;
    this.location = request.plan().checkpoint();
    this.access = new CheckpointAccess(location, job.hadoop());
    this.run = run;
    this.store = store;
    this.locks = locks;
    Journal ofCheckpoint = Journal.of(store, location.path(), request.listener()).under(locks);
    this.journal = request.adoptsJournal() ? ofCheckpoint.adopting() : ofCheckpoint;
  }

  /** Takes the checkpoint's lock and repairs it. */
  static RepairResult run(SparkJob job, RepairRequest request, RunRecord run) throws JobException {
    Location location = request.plan().checkpoint();
    requireStrategy(request);
    try (Store store = new CheckpointAccess(location, job.hadoop()).open()) {
      requireDirectory(store, location);
      OwnDirectory.requirePlain(store, location.path());
      Optional<Finding> impossible = InPlaceGuards.ofStore(store.traits(), location);
      if (impossible.isPresent()) {
        throw JobException.usage(impossible.get().code(), impossible.get().message());
      }
      return LockedRepair.run(
          HeldLocks.of(store, location.path(), run, request.breaksLock(), job.progress()),
          job.progress(),
          locks -> new InPlaceRepair(job, request, run, store, locks).repair());
    } catch (IOException e) {
      throw StorageFailures.toJobException(e);
    }
  }

  /** A link to a directory is one, too. */
  private static void requireDirectory(Store store, Location location)
      throws JobException, IOException {
    Optional<FileStatus> status = store.stat(location.path());
    if (status.isEmpty()) {
      throw Locations.missing(location);
    }
    if (status.get().isFile()) {
      throw JobException.usage(
          "not-a-directory",
          "%s is not a directory. Name the directory that holds the checkpoint's shards."
              .formatted(location));
    }
  }

  private static void requireStrategy(RepairRequest request) throws JobException {
    Optional<Strategy> forced = request.strategy();
    if (forced.isPresent() && forced.get() != Strategy.PATCH && forced.get() != Strategy.COPY) {
      throw JobException.usage(
          "strategy-impossible",
          "%s makes a second checkpoint, so it needs --output; in place there are patch and copy"
              .formatted(forced.get()));
    }
  }

  private RepairResult repair() throws JobException, IOException {
    boolean finished = finishOpenJournal();
    journal.removeRemains();
    recoverAudit();
    if (request.forgets() && journal.state() == JournalState.APPLIED) {
      journal.forget();
    }
    CheckpointStamps stamps = CheckpointStamps.take(store, location.path());
    PlannedCheckpoint planned = new Planner(job, request.plan()).plan();
    RepairChecks.requireDecided(planned);
    if (planned.nothingToDo()) {
      return result(
          planned,
          finished ? RepairResult.Outcome.DONE : RepairResult.Outcome.NOTHING_TO_DO,
          List.of(),
          0);
    }
    Optional<Location> inner = Discoveries.inner(location, planned.checkpoint());
    if (inner.isPresent()) {
      locks.alsoOf(inner.get().name());
    }
    return change(planned, stamps);
  }

  private RepairResult change(PlannedCheckpoint planned, CheckpointStamps stamps)
      throws JobException, IOException {
    requireUndoable(planned);
    requireWritable(planned);
    long needed = planned.costs().get(Strategy.PATCH).extraSpace();
    RepairChecks.requireSpace(store, location.path(), needed, location);
    return patch(planned, stamps);
  }

  /** Finishes what a stopped run has begun; its result is then what is planned on. */
  private boolean finishOpenJournal() throws IOException {
    if (!journal.state().isOpen()) {
      return false;
    }
    job.progress()
        .message(
            "Finishing the repair in place that run %s has begun"
                .formatted(journal.runId().orElse("?")));
    locks.alsoOf(journal);
    job.countRead(journal.finish(PATCH_THREADS).bytesRead());
    return true;
  }

  /** Appends the audit of a run that was stopped after it had repaired. */
  private void recoverAudit() throws IOException {
    Optional<RunId> repaired =
        journal.state() == JournalState.APPLIED
            ? journal.runId().filter(RunId::isRunId).map(RunId::new)
            : Optional.empty();
    if (repaired.isPresent()) {
      AuditTrail.recover(auditRoot(), repaired.get(), location, job.hadoop());
    }
  }

  /** Of two repairs of one file, made at two places, the first could never be undone. */
  private void requireUndoable(PlannedCheckpoint planned) throws IOException {
    EnclosingJournal.requireNoneKept(store, location.path());
    Optional<Location> inner = Discoveries.inner(location, planned.checkpoint());
    if (inner.isPresent()) {
      Journal.of(store, inner.get().path(), StepListener.NONE).requireNone();
    }
  }

  private StrategyChoice choice() {
    return request.strategy().map(StrategyChoice::inPlaceBy).orElseGet(StrategyChoice::inPlace);
  }

  private Strategy strategyOf(ShardPlan shard) throws JobException {
    Optional<Strategy> strategy = choice().of(shard);
    if (strategy.isEmpty()) {
      throw JobException.usage(
          "strategy-impossible",
          "%s can't be patched: its new header does not fit, or a tensor is dropped; use --strategy auto"
              .formatted(shard.name()));
    }
    return strategy.get();
  }

  /** All that can be known to stand against the changes, before the first of them. */
  private void requireWritable(PlannedCheckpoint planned) throws JobException, IOException {
    List<InPlaceCandidate> candidates = new ArrayList<>();
    for (ShardPlan shard : planned.plan().shards()) {
      switch (strategyOf(shard)) {
        case PATCH ->
            candidates.add(InPlaceCandidate.overwritten(store, location.path(), shard.name()));
        case COPY ->
            candidates.add(InPlaceCandidate.replaced(store, location.path(), shard.name()));
        case NONE, CLONE, LINK -> {}
      }
    }
    List<String> sideFiles = new ArrayList<>(List.of(Manifest.NAME));
    planned.sideFileChanges().forEach(change -> sideFiles.add(change.name()));
    for (String name : sideFiles) {
      if (store.stat(location.child(name).path()).isPresent()) {
        candidates.add(InPlaceCandidate.replaced(store, location.path(), name));
      } else {
        requireAddable(name);
      }
    }
    List<Finding> refused = InPlaceGuards.ofFiles(candidates, request.hardLinksAllowed());
    if (!refused.isEmpty()) {
      throw JobException.refused(location, refused);
    }
  }

  private void requireAddable(String name) throws JobException, IOException {
    try {
      InPlaceCandidate.requireAddable(store, location.path(), name);
    } catch (NotReplaceableException refused) {
      throw JobException.refused(
          "not-writable",
          "%s is refused, nothing was changed: %s can't be added to it: %s"
              .formatted(location, name, refused.getMessage()),
          List.of());
    }
  }

  private RepairResult patch(PlannedCheckpoint planned, CheckpointStamps stamps)
      throws JobException, IOException {
    Plan plan = planned.plan();
    JournalBuilder builder = journal.begin(run.id().value(), stamps);
    Nonce nonce = Nonce.write(store, location.child(JOURNAL).path());
    try (AuditTrail audit = AuditTrail.open(auditRoot(), run.id(), location, job.hadoop())) {
      List<InPlaceTask.Receipt> receipts = stage(planned, nonce, audit);
      nonce.remove(store);
      for (InPlaceTask.Receipt receipt : receipts) {
        for (StagedEntry entry : receipt.entries()) {
          builder.adopt(entry);
        }
        audit.add(receipt.tensorRows(), receipt.shardRows());
      }
      for (String shard : compared(plan)) {
        builder.compared(shard);
      }
      for (SideFileChange change : planned.sideFileChanges()) {
        builder.put(change.name(), change.content());
      }
      builder.put(Manifest.NAME, manifest(plan, receipts).toJson());
      long staged = bytesStaged(receipts, planned);
      audit.prepare(row(planned, staged));
      job.progress().begin("Write the journal", 0);
      job.countRead(builder.ready(PATCH_THREADS));
      job.progress().begin("Patch headers", 0);
      JournalResult patched = journal.finish(PATCH_THREADS);
      job.countRead(patched.bytesRead());
      job.progress().end();
      requireRepaired(plan);
      long written = staged + patched.bytesWritten();
      AfterPublication after = new AfterPublication(job.progress(), location.toString());
      after.run(() -> audit.append(row(planned, written)));
      if (request.forgets()) {
        after.run(journal::forget);
      }
      return result(planned, RepairResult.Outcome.DONE, receipts, written).with(after.warnings());
    }
  }

  /** The shards of every load unit that loses a tensor: one of them has its twin. */
  private static List<String> compared(Plan plan) {
    Set<UnitId> losing =
        plan.shards().stream()
            .filter(shard -> !shard.namesElsewhere() && shard.counts().drop() > 0)
            .map(ShardPlan::unit)
            .collect(Collectors.toSet());
    return plan.shards().stream()
        .filter(shard -> losing.contains(shard.unit()))
        .map(ShardPlan::name)
        .toList();
  }

  private Location auditRoot() {
    return request.audit().orElseGet(() -> location.child(AUDIT));
  }

  private List<InPlaceTask.Receipt> stage(PlannedCheckpoint planned, Nonce nonce, AuditTrail audit)
      throws JobException {
    Plan plan = planned.plan();
    RewriteSettings rewrite =
        new RewriteSettings(
            access,
            nonce,
            request.digest(),
            request.plan().dtypes(),
            request.maxBytesPerSecondPerProcess());
    InPlaceTask.Settings settings =
        new InPlaceTask.Settings(
            rewrite,
            audit.context(
                location.toString(),
                planned.checkpoint().layout().kind(),
                request.digest(),
                Verification.HEADER),
            choice(),
            request.digestsEveryTensor()
                ? InPlaceTask.Reading.EVERY_TENSOR
                : InPlaceTask.Reading.WHAT_MOVES);
    long moved =
        plan.shards().stream().filter(this::readsWhole).mapToLong(ShardPlan::targetBytes).sum();
    return job.run(
        "Stage the new headers in the journal",
        moved,
        groups(planned),
        (group, meter) -> InPlaceTask.run(settings, group, meter));
  }

  /** The shards in groups of about equal cost, the ones that are copied first. */
  private List<InPlaceTask.Group> groups(PlannedCheckpoint planned) {
    List<NumberedShard> shards = NumberedShard.of(planned);
    shards.sort(Comparator.comparingLong(this::cost).reversed());
    int count = Math.min(shards.size(), job.spark().defaultParallelism() * GROUPS_PER_SLOT);
    List<InPlaceTask.Group> groups = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      groups.add(new InPlaceTask.Group(i, new ArrayList<>()));
    }
    for (int i = 0; i < shards.size(); i++) {
      groups.get(i % count).shards().add(shards.get(i));
    }
    return groups;
  }

  private long cost(NumberedShard shard) {
    ShardPlan plan = shard.plan();
    return readsWhole(plan) ? plan.shard().bytes() : plan.headerBytes();
  }

  private boolean readsWhole(ShardPlan shard) {
    return request.digestsEveryTensor() || choice().of(shard).equals(Optional.of(Strategy.COPY));
  }

  private Manifest manifest(Plan plan, List<InPlaceTask.Receipt> receipts) {
    List<ManifestShard> shards =
        receipts.stream()
            .flatMap(receipt -> receipt.manifest().stream())
            .sorted(Comparator.comparing(ManifestShard::name))
            .toList();
    return new Manifest(
        run.id().value(),
        Release.version(),
        location.toString(),
        plan.fingerprint(),
        run.ruleNames(),
        request.digest(),
        shards);
  }

  /** Plans once more, on what storage holds now: nothing may be left to do, and nothing missing. */
  private void requireRepaired(Plan before) throws JobException {
    Plan after = new Planner(job, request.plan()).plan().plan();
    long expected = before.counts().tensors() - before.counts().drop();
    if (!after.nothingToDo() || after.counts().tensors() != expected) {
      throw JobException.failed(
          "verify-failed",
          "%s is not what the plan says after the repair: %,d tensors instead of %,d, %s. The journal is kept: 'rollback' brings back what was there before."
              .formatted(location, after.counts().tensors(), expected, after.counts().byName()),
          null);
    }
  }

  private RunRow row(PlannedCheckpoint planned, long written) {
    return run.row(
        RunOutcome.DONE,
        location.toString(),
        planned.plan().fingerprint(),
        planned.plan().counts(),
        job.bytesRead(),
        written,
        planned.findings());
  }

  /** What went into the journal. */
  private static long bytesStaged(List<InPlaceTask.Receipt> receipts, PlannedCheckpoint planned) {
    long shards =
        receipts.stream()
            .flatMap(receipt -> receipt.entries().stream())
            .mapToLong(StagedEntry::bytesWritten)
            .sum();
    return shards
        + planned.sideFileChanges().stream().mapToLong(change -> change.content().length).sum();
  }

  private static Stream<ShardRow> rows(List<InPlaceTask.Receipt> receipts) {
    return receipts.stream().flatMap(receipt -> receipt.shardRows().stream());
  }

  private RepairResult result(
      PlannedCheckpoint planned,
      RepairResult.Outcome outcome,
      List<InPlaceTask.Receipt> receipts,
      long written) {
    return new RepairResult(
        run.id().value(),
        outcome,
        location.toString(),
        location.toString(),
        planned.plan().fingerprint(),
        planned.plan().counts(),
        RepairChecks.strategies(rows(receipts).map(ShardRow::strategy)),
        job.bytesRead(),
        written,
        run.seconds(),
        job.stageSeconds(),
        receipts.isEmpty() ? "" : auditRoot().toString(),
        planned.findings());
  }
}
