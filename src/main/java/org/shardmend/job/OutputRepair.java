package org.shardmend.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.shardmend.audit.Outcome;
import org.shardmend.audit.RunRow;
import org.shardmend.audit.ShardRow;
import org.shardmend.audit.Verification;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.OneLine;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.plan.Plan;
import org.shardmend.plan.ShardPlan;
import org.shardmend.plan.Strategy;
import org.shardmend.storage.Location;
import org.shardmend.storage.Manifest;
import org.shardmend.storage.ManifestShard;
import org.shardmend.storage.Nonce;
import org.shardmend.storage.Publish;
import org.shardmend.storage.ShardReceipt;
import org.shardmend.storage.SmallFiles;
import org.shardmend.storage.Staging;
import org.shardmend.storage.Store;
import org.shardmend.storage.TargetExistsException;
import org.shardmend.storage.TargetLock;

/**
 * Repairs a checkpoint into another directory. Everything is built in a staging directory beside it
 * and becomes visible in one step; a run that was stopped is continued by the same command.
 */
final class OutputRepair {
  private static final String AUDIT = ".shardmend/audit";

  private final SparkJob job;
  private final RepairRequest request;
  private final RunRecord run;
  private final PlannedCheckpoint planned;
  private final Location output;
  private final CheckpointAccess source;
  private final CheckpointAccess target;
  private final Store store;
  private final RewriteTask.Settings settings;
  private final Staging staging;

  private OutputRepair(
      SparkJob job,
      RepairRequest request,
      RunRecord run,
      PlannedCheckpoint planned,
      Location output,
      Store store) {
    this.job = job;
    this.request = request;
    this.run = run;
    this.planned = planned;
    this.output = output;
    this.store = store;
    this.source = new CheckpointAccess(planned.location(), job.hadoop());
    this.target = new CheckpointAccess(output, job.hadoop());
    RewriteSettings rewrite =
        new RewriteSettings(
            source,
            new Nonce("", ""),
            request.digest(),
            request.plan().dtypes(),
            request.maxBytesPerSecondPerProcess());
    this.settings =
        new RewriteTask.Settings(rewrite, target, arguments(), planned.plan().fingerprint());
    this.staging = settings.staging(store);
  }

  /** Plans, and repairs when there is something to repair. */
  static RepairResult run(SparkJob job, RepairRequest request, RunRecord run, Location output)
      throws JobException {
    try (Store store = new CheckpointAccess(output, job.hadoop()).open()) {
      OutputPlaces.require(job, request.plan().checkpoint(), output, store);
      PlannedCheckpoint planned = new Planner(job, request.plan()).plan();
      Repairs.requireDecided(planned);
      OutputRepair repair = new OutputRepair(job, request, run, planned, output, store);
      if (planned.plan().nothingToDo()) {
        return repair.nothingToDo();
      }
      return repair.underLock();
    } catch (TargetExistsException e) {
      throw JobException.usage("output-exists", e.getMessage(), e);
    } catch (IOException e) {
      throw StorageFailures.toJobException(e);
    }
  }

  /** What makes two repairs to one output the same: all that changes a byte of the result. */
  private String arguments() {
    Map<String, String> said = new LinkedHashMap<>();
    said.put("source", planned.location().toString());
    said.put("strategy", request.strategy().map(Strategy::name).orElse("AUTO"));
    said.put("digest", request.digest());
    said.put("link-unchanged", String.valueOf(request.linksUnchanged()));
    said.put("rewrite-config", String.valueOf(request.plan().rewritesConfig()));
    return said.entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .collect(Collectors.joining(", "));
  }

  private RepairResult underLock() throws JobException, IOException {
    String lockPath = TargetLock.beside(output.path());
    if (request.breaksLock()) {
      TargetLock.breakLock(store, lockPath);
    }
    try (TargetLock lock = TargetLock.acquire(store, lockPath, run.id().value())) {
      lock.predecessor()
          .ifPresent(
              holder ->
                  job.progress().message("Took over the lock of a run that is gone: " + holder));
      Publish publish = new Publish(store, staging, lock, request.listener());
      if (publish.recover() || recoverAudit()) {
        recoverAudit();
        job.progress().message("An earlier run had published this repair; nothing was left to do");
        return result(RepairResult.Outcome.DONE, List.of(), 0, 0);
      }
      if (store.stat(output.path()).isPresent()) {
        throw new TargetExistsException(output);
      }
      return repairOrDiscard(publish);
    }
  }

  /**
   * Appends the audit of a run that was stopped after it had published.
   *
   * @return whether the target is the published result of this very plan
   */
  private boolean recoverAudit() throws IOException {
    Optional<Location> root = request.audit();
    Optional<Manifest> manifest =
        store.stat(output.path()).isPresent()
            ? Manifest.read(store, output.path())
            : Optional.empty();
    if (root.isEmpty() || manifest.isEmpty()) {
      return false;
    }
    return AuditTrail.recover(
        root.get(), job.hadoop(), staged -> manifest.get().runId().equals(staged.value()));
  }

  /** What a failed run leaves is worth keeping only if it saves the next one work. */
  private RepairResult repairOrDiscard(Publish publish) throws JobException, IOException {
    try {
      return repair(publish);
    } catch (JobException | IOException e) {
      if (staging.completed().isEmpty()) {
        store.deleteTree(staging.path());
      }
      throw e;
    }
  }

  private RepairResult repair(Publish publish) throws JobException, IOException {
    if (request.restarts()) {
      staging.removeAll();
    }
    staging.open();
    Nonce nonce = Nonce.write(store, staging.path());
    Map<Integer, ShardReceipt> done = new TreeMap<>(complete());
    List<RewriteTask.Task> tasks = tasks(done);
    requireSpace(tasks);
    Rewritten rewritten = rewrite(nonce, tasks, done);
    nonce.remove(store);
    SideFileCopy sideFiles = new SideFileCopy(job, planned, source, store, staging);
    long sideBytes = sideFiles.run();
    boolean readBack = request.verify() == RepairRequest.Verify.FULL;
    if (readBack) {
      readBack(rewritten.receipts());
    }
    // A run that wrote its rows and then could not publish has not done what they say.
    store.deleteTree(staging.outPath(AUDIT));
    Location auditRoot = request.audit().orElseGet(() -> locate(staging.outPath(AUDIT)));
    try (AuditTrail audit = AuditTrail.open(auditRoot, run.id(), job.hadoop())) {
      List<ShardRow> shards = verify(rewritten.receipts(), audit, readBack);
      writeManifest(rewritten.receipts());
      long read = rewritten.bytesRead() + sideBytes;
      long written = rewritten.bytesWritten() + sideBytes;
      audit.prepare(row(read, written));
      requireSourceUnchanged();
      job.progress().begin("Publish", 0);
      publish.run(run.id().value(), () -> placeInside(audit, row(read, written)));
      job.progress().end();
      if (request.audit().isPresent()) {
        audit.append(row(read, written));
      }
      return result(RepairResult.Outcome.DONE, shards, read, written);
    }
  }

  /** An audit that lies in the result becomes visible with it. */
  private void placeInside(AuditTrail audit, RunRow row) throws IOException {
    if (request.audit().isEmpty()) {
      audit.append(row);
    }
  }

  private Location locate(String path) {
    return new Location(output.scheme(), output.authority(), path);
  }

  /** The shards that an earlier run has completed, as far as their receipts are whole. */
  private Map<Integer, ShardReceipt> complete() throws IOException {
    Map<Integer, ShardReceipt> complete = new TreeMap<>();
    for (ShardReceipt receipt : staging.completed().values()) {
      String tensors = ReceiptFile.path(staging, receipt.number(), receipt.attempt());
      if (store.stat(tensors).isPresent()) {
        complete.put(receipt.number(), receipt);
      }
    }
    if (!complete.isEmpty()) {
      job.progress()
          .message("Resuming: %,d shards are complete already".formatted(complete.size()));
    }
    return complete;
  }

  private List<RewriteTask.Task> tasks(Map<Integer, ShardReceipt> done)
      throws JobException, IOException {
    StrategyChoice choice = new StrategyChoice(request, planned, source, output, store, staging);
    List<RewriteTask.Task> tasks = new ArrayList<>();
    try (Store from = source.open()) {
      for (NumberedShard shard : NumberedShard.of(planned)) {
        if (!done.containsKey(shard.number())) {
          List<String> hosts = from.preferredHosts(source.path(shard.plan().name()));
          tasks.add(choice.task(shard, hosts));
        }
      }
    }
    tasks.sort(
        Comparator.comparingLong((RewriteTask.Task task) -> task.shard().plan().shard().bytes())
            .reversed());
    return tasks;
  }

  private static long copied(List<RewriteTask.Task> tasks) {
    return tasks.stream()
        .filter(task -> task.strategy() == Strategy.COPY)
        .mapToLong(task -> task.shard().plan().targetBytes())
        .sum();
  }

  private void requireSpace(List<RewriteTask.Task> tasks) throws JobException, IOException {
    long needed = copied(tasks) + SideFileCopy.bytes(planned);
    Repairs.requireSpace(store, staging.path(), needed, output);
  }

  /** All receipts of the result, and what this run has moved. */
  private record Rewritten(
      Map<Integer, ShardReceipt> receipts, long bytesRead, long bytesWritten) {}

  private Rewritten rewrite(
      Nonce nonce, List<RewriteTask.Task> tasks, Map<Integer, ShardReceipt> done)
      throws JobException {
    RewriteSettings rewrite = settings.rewrite();
    RewriteTask.Settings shared =
        new RewriteTask.Settings(
            new RewriteSettings(
                rewrite.source(),
                nonce,
                rewrite.digest(),
                rewrite.dtypes(),
                rewrite.maxBytesPerSecond()),
            settings.target(),
            settings.arguments(),
            settings.fingerprint());
    List<ShardReceipt> written =
        job.run(
            "Rewrite shards",
            copied(tasks),
            tasks,
            (task, meter) -> RewriteTask.run(shared, task, meter),
            staging::promote);
    Map<Integer, ShardReceipt> all = new TreeMap<>(done);
    written.forEach(receipt -> all.put(receipt.number(), receipt));
    return new Rewritten(
        all,
        written.stream().mapToLong(ShardReceipt::bytesRead).sum(),
        written.stream().mapToLong(ShardReceipt::bytesWritten).sum());
  }

  private void readBack(Map<Integer, ShardReceipt> receipts) throws JobException, IOException {
    RewriteTask.Settings shared = settings;
    List<ReadBackTask.Task> tasks = new ArrayList<>();
    for (ShardReceipt receipt : receipts.values()) {
      tasks.add(
          new ReadBackTask.Task(
              planned.plan().shards().get(receipt.number()),
              receipt,
              store.preferredHosts(staging.outPath(receipt.name()))));
    }
    tasks.sort(
        Comparator.comparingLong((ReadBackTask.Task task) -> task.receipt().bytes()).reversed());
    List<Finding> problems = new ArrayList<>();
    job.run(
            "Read back what storage holds",
            receipts.values().stream().mapToLong(ShardReceipt::bytes).sum(),
            tasks,
            (task, meter) -> ReadBackTask.run(shared, task, meter))
        .forEach(problems::addAll);
    requireNone(problems);
  }

  private List<ShardRow> verify(
      Map<Integer, ShardReceipt> receipts, AuditTrail audit, boolean readBack) throws JobException {
    VerifyWrittenTask.Settings shared =
        new VerifyWrittenTask.Settings(
            settings,
            audit.context(
                planned.location().toString(),
                planned.checkpoint().layout(),
                request.digest(),
                readBack ? Verification.FULL : Verification.HEADER),
            planned.rules(),
            request.plan().dtypes());
    List<ShardRow> rows = new ArrayList<>();
    List<Finding> problems = new ArrayList<>();
    for (VerifyWrittenTask.Receipt receipt :
        job.run(
            "Verify what was written",
            0,
            groups(receipts, readBack),
            (group, meter) -> VerifyWrittenTask.run(shared, group))) {
      problems.addAll(receipt.problems());
      audit.add(receipt.tensorRows(), receipt.shardRows());
      rows.addAll(receipt.shardRows());
    }
    requireNone(problems);
    return rows;
  }

  private void requireNone(List<Finding> problems) throws JobException {
    if (!problems.isEmpty()) {
      throw JobException.failed(
          "verify-failed",
          problems.get(0).shard(),
          "What was written is not what was planned, and nothing was published:%s%nThe medium or the network is not to be trusted; run again with --restart once that is mended."
              .formatted(
                  problems.stream()
                      .map(problem -> "\n  " + OneLine.of(problem.message()))
                      .collect(Collectors.joining())),
          null);
    }
  }

  /** Whole load units in groups, a few for each task slot. */
  private List<VerifyWrittenTask.Group> groups(
      Map<Integer, ShardReceipt> receipts, boolean readBack) {
    Map<UnitId, List<VerifyWrittenTask.Written>> byUnit = new TreeMap<>();
    List<ShardPlan> shards = planned.plan().shards();
    receipts.forEach(
        (number, receipt) ->
            byUnit
                .computeIfAbsent(shards.get(number).unit(), unit -> new ArrayList<>())
                .add(new VerifyWrittenTask.Written(shards.get(number), receipt, readBack)));
    int count = Math.min(byUnit.size(), job.spark().defaultParallelism() * 2);
    List<VerifyWrittenTask.Group> groups = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      groups.add(new VerifyWrittenTask.Group(i, new ArrayList<>()));
    }
    int next = 0;
    for (List<VerifyWrittenTask.Written> unit : byUnit.values()) {
      groups.get(next++ % count).shards().addAll(unit);
    }
    return groups;
  }

  private void writeManifest(Map<Integer, ShardReceipt> receipts) throws IOException {
    List<ManifestShard> shards =
        receipts.values().stream()
            .map(
                receipt ->
                    new ManifestShard(
                        receipt.name(), receipt.bytes(), receipt.headerDigest(), receipt.digest()))
            .sorted(Comparator.comparing(ManifestShard::name))
            .toList();
    Manifest manifest =
        new Manifest(
            run.id().value(),
            Release.version(),
            planned.location().toString(),
            planned.plan().fingerprint(),
            run.ruleNames(),
            request.digest(),
            shards);
    String path = staging.outPath(Manifest.NAME);
    if (store.stat(path).isPresent()) {
      store.delete(path);
    }
    SmallFiles.create(store, path, manifest.toJson());
  }

  /** The last look at the source: what was read must still be what is there. */
  private void requireSourceUnchanged() throws JobException {
    Plan now = new Planner(job, request.plan()).plan().plan();
    if (!now.fingerprint().equals(planned.plan().fingerprint())) {
      throw JobException.refused(
          "source-changed",
          "%s changed while it was read: its files or headers are not what was planned. Nothing was published; make sure that nothing writes there, then run again with --restart."
              .formatted(planned.location()),
          List.of());
    }
  }

  private RunRow row(long read, long written) {
    return run.row(
        Outcome.DONE,
        output.toString(),
        planned.plan().fingerprint(),
        planned.plan().counts(),
        read,
        written,
        planned.findings());
  }

  private RepairResult nothingToDo() {
    return new RepairResult(
        run.id().value(),
        RepairResult.Outcome.NOTHING_TO_DO,
        planned.location().toString(),
        "",
        planned.plan().fingerprint(),
        planned.plan().counts(),
        Map.of(),
        headerBytes(),
        0,
        run.seconds(),
        job.stageSeconds(),
        "",
        planned.findings());
  }

  private long headerBytes() {
    return planned.plan().shards().stream().mapToLong(ShardPlan::headerBytes).sum();
  }

  private RepairResult result(
      RepairResult.Outcome outcome, List<ShardRow> shards, long read, long written) {
    return new RepairResult(
        run.id().value(),
        outcome,
        planned.location().toString(),
        output.toString(),
        planned.plan().fingerprint(),
        planned.plan().counts(),
        Repairs.strategies(shards.stream().map(ShardRow::strategy)),
        headerBytes() + read,
        written,
        run.seconds(),
        job.stageSeconds(),
        request.audit().orElseGet(() -> output.child(AUDIT)).toString(),
        planned.findings());
  }
}
