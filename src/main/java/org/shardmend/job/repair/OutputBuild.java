package org.shardmend.job.repair;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.shardmend.audit.RunOutcome;
import org.shardmend.audit.RunRow;
import org.shardmend.audit.ShardRow;
import org.shardmend.audit.Verification;
import org.shardmend.checkpoint.FileStamp;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.OneLine;
import org.shardmend.checkpoint.Shard;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.job.audit.AuditPlaces;
import org.shardmend.job.audit.AuditTrail;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.files.Release;
import org.shardmend.job.plan.PlannedCheckpoint;
import org.shardmend.job.plan.Planner;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.plan.ShardPlan;
import org.shardmend.plan.Strategy;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.lock.Nonce;
import org.shardmend.storage.protocol.SmallFiles;
import org.shardmend.storage.publish.Manifest;
import org.shardmend.storage.publish.ManifestShard;
import org.shardmend.storage.publish.ResultWork;
import org.shardmend.storage.publish.ShardIntake;
import org.shardmend.storage.publish.ShardReceipt;
import org.shardmend.storage.publish.SourceState;
import org.shardmend.storage.publish.Staging;

/** Builds the result of a repair into another directory, step by step. */
final class OutputBuild implements ResultWork<JobException>, AutoCloseable {
  private final SparkJob job;
  private final RepairRequest request;
  private final RunRecord run;
  private final PlannedCheckpoint planned;
  private final Location output;
  private final Store store;
  private final RewriteTask.Settings settings;
  private final Staging staging;
  private final SideFileCopy sideFiles;
  private final AuditTrail audit;
  private final Map<Integer, ShardReceipt> receipts = new TreeMap<>();
  private final List<ShardRow> shardRows = new ArrayList<>();
  private long shardBytesWritten;

  /**
   * The build of one run.
   *
   * @param store the output's; the caller closes it
   */
  OutputBuild(
      SparkJob job,
      RepairRequest request,
      RunRecord run,
      PlannedCheckpoint planned,
      Store store,
      RewriteTask.Settings settings)
      throws IOException {
    this.job = job;
    this.request = request;
    this.run = run;
    this.planned = planned;
    this.output = settings.target().location();
    this.store = store;
    this.settings = settings;
    this.staging = settings.staging(store);
    this.sideFiles = new SideFileCopy(job, planned, settings.rewrite().source(), store, staging);
    Location inside =
        new Location(output.scheme(), output.authority(), staging.outPath(AuditPlaces.INSIDE));
    this.audit = AuditTrail.at(request.audit().orElse(inside), run.id(), output, job.hadoop());
  }

  @Override
  public List<String> seals() {
    return sideFiles.names(SideFileCopy.Group.SEALS);
  }

  @Override
  public void writeServekit() throws JobException, IOException {
    sideFiles.copy(SideFileCopy.Group.SERVEKIT);
  }

  @Override
  public void writeWeights() throws JobException, IOException {
    if (request.audit().isPresent()) {
      audit.requireWritable();
    }
    receipts.putAll(complete());
    List<RewriteTask.Task> tasks = tasks();
    requireSpace(tasks);
    Nonce nonce = Nonce.write(store, staging.path());
    try (ShardIntake intake = ShardIntake.of(store, staging)) {
      // A run that was killed has given up nothing, and neither has an executor that died.
      discardUnfinished(intake);
      try {
        rewrite(nonce, tasks, intake);
      } finally {
        discardUnfinished(intake);
      }
    }
    nonce.remove(store);
  }

  /** Nothing that comes later needs it, so that a user who may not list uploads can repair, too. */
  private void discardUnfinished(ShardIntake intake) {
    try {
      intake.discardUnfinished();
    } catch (IOException e) {
      job.progress()
          .message(
              "Uploads below %s that never came to an end could not be given up. Nobody sees them, but they take space: let a lifecycle rule of the bucket remove them. %s"
                  .formatted(output, e.getMessage()));
    }
  }

  @Override
  public void writeSideFiles() throws JobException, IOException {
    job.progress().begin("Copy side files", 0);
    sideFiles.copy(SideFileCopy.Group.REST);
    job.progress().end();
  }

  @Override
  public void writeIndex() throws JobException, IOException {
    sideFiles.copy(SideFileCopy.Group.INDEX);
  }

  @Override
  public void writeSeals() throws JobException, IOException {
    sideFiles.copy(SideFileCopy.Group.SEALS);
  }

  @Override
  public void verify() throws JobException, IOException {
    boolean readBack = request.verify() == RepairRequest.Verify.FULL;
    if (readBack) {
      readBack();
    }
    // A run that wrote its rows and then could not publish has not done what they say.
    store.deleteTree(staging.outPath(AuditPlaces.INSIDE));
    audit.begin();
    verifyWritten(readBack);
    requireSourceUnchanged();
  }

  @Override
  public void placeAudit() throws JobException, IOException {
    job.progress().begin("Publish", 0);
    audit.prepare(row());
    if (request.audit().isEmpty()) {
      audit.append(row());
    }
  }

  /** An audit that lies elsewhere tells of the repair when that is visible. */
  void endAudit() throws IOException {
    job.progress().end();
    if (request.audit().isPresent()) {
      audit.append(row());
    }
  }

  /** What became of each shard, when all were verified. */
  List<ShardRow> shardRows() {
    return shardRows;
  }

  /** The side files that are not in the result. */
  List<Finding> leftOut() {
    return sideFiles.leftOut();
  }

  /** Bytes that this run has written. */
  long bytesWritten() {
    return shardBytesWritten + sideFiles.written();
  }

  /**
   * The shards that an earlier run has completed, as far as their receipts are whole and their
   * sources have not been written since.
   */
  private Map<Integer, ShardReceipt> complete() throws IOException {
    Map<Integer, ShardReceipt> complete = new TreeMap<>();
    for (ShardReceipt receipt : staging.completed().values()) {
      String tensors = ReceiptFile.path(staging, receipt.number(), receipt.attempt());
      if (isOfThisSource(receipt) && store.stat(tensors).isPresent()) {
        complete.put(receipt.number(), receipt);
      }
    }
    if (!complete.isEmpty()) {
      job.progress()
          .message("Resuming: %,d shards are complete already".formatted(complete.size()));
    }
    return complete;
  }

  private boolean isOfThisSource(ShardReceipt receipt) {
    Shard source = planned.plan().shards().get(receipt.number()).shard();
    return RewriteDetails.parse(receipt.details())
        .source()
        .equals(RewriteTask.sourceStamp(Strategy.valueOf(receipt.strategy()), source));
  }

  private List<RewriteTask.Task> tasks() throws JobException, IOException {
    CheckpointAccess source = settings.rewrite().source();
    OutputTasks shards = new OutputTasks(request, planned, source, output, store, staging);
    List<RewriteTask.Task> tasks = new ArrayList<>();
    try (Store from = source.open()) {
      for (NumberedShard shard : NumberedShard.of(planned)) {
        if (!receipts.containsKey(shard.number())) {
          List<String> hosts = from.preferredHosts(source.path(shard.plan().name()));
          tasks.add(shards.task(shard, hosts));
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
    RepairChecks.requireSpace(store, staging.path(), needed, output);
  }

  private void rewrite(Nonce nonce, List<RewriteTask.Task> tasks, ShardIntake intake)
      throws JobException {
    RewriteTask.Settings shared = settings.with(nonce);
    job.run(
        "Rewrite shards",
        copied(tasks),
        tasks,
        (task, meter) -> RewriteTask.run(shared, task, meter),
        receipt -> {
          request.listener().reached("weights: take in " + receipt.shard().name());
          intake.take(receipt.shard(), receipt.pending());
          take(receipt.shard());
        });
  }

  private void take(ShardReceipt shard) {
    receipts.put(shard.number(), shard);
    shardBytesWritten += shard.bytesWritten();
  }

  private void readBack() throws JobException, IOException {
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

  private void verifyWritten(boolean readBack) throws JobException {
    VerifyWrittenTask.Settings shared =
        new VerifyWrittenTask.Settings(
            settings,
            audit.context(
                planned.location().toString(),
                planned.checkpoint().layout().kind(),
                request.digest(),
                readBack ? Verification.FULL : Verification.HEADER),
            planned.rules(),
            request.plan().dtypes());
    List<Finding> problems = new ArrayList<>();
    for (VerifyWrittenTask.Receipt receipt :
        job.run(
            "Verify what was written",
            0,
            groups(readBack),
            (group, meter) -> VerifyWrittenTask.run(shared, group, meter))) {
      problems.addAll(receipt.problems());
      audit.add(receipt.tensorRows(), receipt.shardRows());
      shardRows.addAll(receipt.shardRows());
    }
    requireNone(problems);
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
  private List<VerifyWrittenTask.Group> groups(boolean readBack) {
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

  @Override
  public void writeManifest() throws IOException {
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
                shards)
            .ofRepair(settings.arguments(), sourceState());
    String path = staging.outPath(Manifest.NAME);
    if (store.stat(path).isPresent()) {
      store.delete(path);
    }
    SmallFiles.create(store, path, manifest.toJson());
  }

  private String sourceState() {
    return SourceState.digest(
        planned.checkpoint().shards(), planned.checkpoint().sideFiles(), linked());
  }

  /** The last look at the source: what was read must still be what is there. */
  private void requireSourceUnchanged() throws JobException {
    PlannedCheckpoint now = new Planner(job, request.plan()).plan();
    if (!now.plan().fingerprint().equals(planned.plan().fingerprint())) {
      throw sourceChanged("its files or headers are not what was planned", " with --restart");
    }
    Map<String, Shard> present = new HashMap<>();
    now.checkpoint().shards().forEach(shard -> present.put(shard.name(), shard));
    Set<String> linked = linked();
    for (Shard shard : planned.checkpoint().shards()) {
      if (!isUntouched(shard, present.get(shard.name()), linked.contains(shard.name()))) {
        throw sourceChanged(
            shard.name()
                + " was written since it was planned, or replaced, or given another mode or link",
            "");
      }
    }
  }

  private Set<String> linked() {
    return receipts.values().stream()
        .filter(receipt -> Strategy.valueOf(receipt.strategy()) == Strategy.LINK)
        .map(ShardReceipt::name)
        .collect(Collectors.toSet());
  }

  /** A shard that this repair has linked was changed by the link. */
  private static boolean isUntouched(Shard planned, Shard now, boolean linked) {
    FileStamp then = linked ? planned.stamp().butForLinks() : planned.stamp();
    return now.bytes() == planned.bytes()
        && then.equals(linked ? now.stamp().butForLinks() : now.stamp());
  }

  private JobException sourceChanged(String what, String option) {
    return JobException.refused(
        "source-changed",
        "%s changed while it was read: %s. Nothing was published; make sure that nothing writes there, then run again%s."
            .formatted(planned.location(), what, option),
        List.of());
  }

  private RunRow row() {
    return run.row(
        RunOutcome.DONE,
        output.toString(),
        planned.plan().fingerprint(),
        planned.plan().counts(),
        job.bytesRead(),
        bytesWritten(),
        planned.findings());
  }

  @Override
  public void close() throws IOException {
    audit.close();
  }
}
