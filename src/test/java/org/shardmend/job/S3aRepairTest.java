package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.job.audit.AuditQuery;
import org.shardmend.job.files.RuleSources;
import org.shardmend.job.plan.PlanAction;
import org.shardmend.job.plan.PlanRequest;
import org.shardmend.job.repair.RepairAction;
import org.shardmend.job.repair.RepairRequest;
import org.shardmend.job.repair.RepairResult;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.job.verify.VerifyAction;
import org.shardmend.job.verify.VerifyRequest;
import org.shardmend.job.verify.VerifyResult;
import org.shardmend.plan.Strategy;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.Stores;
import org.shardmend.storage.lock.TargetLock;
import org.shardmend.storage.protocol.SmallFiles;
import org.shardmend.storage.protocol.StepListener;
import org.shardmend.storage.publish.ObjectStorePublish;
import org.shardmend.testing.S3Answer;
import org.shardmend.testing.S3Request;
import org.shardmend.testing.S3Server;
import org.shardmend.testing.SharedSparkJob;
import org.shardmend.trial.CheckpointGenerator;
import org.shardmend.trial.Fault;
import org.shardmend.trial.TrialSettings;

/** Repairs in an object store: by S3A, against an S3 server in this process. */
class S3aRepairTest {
  private static final String BUCKET = "s3a-repairs";
  private static final String SOURCE = "data/broken/";
  private static final String OUTPUT = "data/fixed/";
  private static final String MARKER = OUTPUT + ObjectStorePublish.MARKER;
  private static final int SHARDS = 3;
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** A run that ends here and now, without any cleaning up, as one does that is killed. */
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1L;
  }

  @TempDir private static Path directory;
  private static S3Server server;
  private static SparkJob job;
  private static Map<String, byte[]> repaired;

  @BeforeAll
  static void start() throws Exception {
    server = S3Server.start();
    SparkJob shared = SharedSparkJob.withProgress(Progress.SILENT);
    server.settings(BUCKET).forEach(shared.spark().hadoopConfiguration()::set);
    job = SharedSparkJob.withProgress(Progress.SILENT);
    Location onDisk = local("broken");
    generate(onDisk, settings());
    new RepairAction(job, repair(onDisk, local("reference"))).execute();
    repaired = files(local("reference"));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @BeforeEach
  void putSource() throws IOException {
    server.stopIntercepting();
    server.clear("");
    files(local("broken")).forEach((name, content) -> server.put(SOURCE + name, content));
    server.forgetRequests();
  }

  private static TrialSettings settings() {
    return TrialSettings.builder().tp(SHARDS).layers(4).bytes(100_000).fault(Fault.MIXED).build();
  }

  private static void generate(Location place, TrialSettings settings) throws IOException {
    try (Store store = open(place)) {
      CheckpointGenerator.generate(settings, store, place);
    }
  }

  private static Store open(Location place) throws IOException {
    return Stores.open(place, job.hadoop());
  }

  private static Location local(String name) {
    return Location.ofFile(directory.resolve(name).toString());
  }

  private static Location s3a(String key) {
    return Location.parse("s3a://" + BUCKET + "/" + key, "file:///");
  }

  private static Location source() {
    return s3a(SOURCE);
  }

  private static Location output() {
    return s3a(OUTPUT);
  }

  /** Content by name, of the top level, without what tells one run from another. */
  private static Map<String, byte[]> files(Location place) throws IOException {
    Map<String, byte[]> files = new TreeMap<>();
    try (Store store = open(place)) {
      for (FileStatus file : store.list(place.path())) {
        if (file.isFile() && !file.name().equals("shardmend.json")) {
          files.put(file.name(), SmallFiles.read(store, file.path(), 1 << 30));
        }
      }
    }
    return files;
  }

  private static PlanRequest request(Location checkpoint) throws JobException {
    return new PlanRequest(
        checkpoint,
        DiscoveryOptions.defaults(),
        RuleSources.defaultsAnd(List.of()),
        UnknownDtypes.REFUSE);
  }

  private static RepairRequest repair(Location from, Location to) throws JobException {
    return RepairRequest.toOutput(request(from), to);
  }

  private static RepairResult run(RepairRequest request) throws JobException {
    return new RepairAction(job, request).execute();
  }

  private static RepairResult run() throws JobException {
    return run(repair(source(), output()));
  }

  private static JobException failureOf(RepairRequest request) {
    return catchThrowableOfType(JobException.class, () -> run(request));
  }

  /** What is below the output at one moment, as any client can list and read it. */
  private static Map<String, byte[]> visible() {
    Map<String, byte[]> visible = new TreeMap<>();
    server
        .objects()
        .forEach(
            (key, content) -> {
              if (key.startsWith(OUTPUT)) {
                visible.put(key.substring(OUTPUT.length()), content);
              }
            });
    return visible;
  }

  private static Set<String> published() {
    return visible().keySet();
  }

  private static boolean isShard(String name) {
    return name.endsWith(".safetensors");
  }

  private static void assertWhole() {
    Map<String, byte[]> visible = visible();
    assertThat(visible).containsAllEntriesOf(repaired).containsKey("shardmend.json");
    assertThat(visible).doesNotContainKey(ObjectStorePublish.MARKER);
    assertThat(server.uploads()).isEmpty();
    assertThat(server.objects().keySet())
        .allMatch(
            key -> key.startsWith(SOURCE) || key.startsWith(OUTPUT) || key.equals("data/"),
            "nothing is left beside the result");
  }

  /** What holds for whoever lists the output, at any moment. */
  private static void assertNoLoaderIsMisled() {
    Map<String, byte[]> visible = visible();
    Set<String> names = visible.keySet();
    boolean whole = names.containsAll(repaired.keySet()) && names.contains("shardmend.json");
    if (!names.isEmpty() && !whole) {
      assertThat(names).contains(ObjectStorePublish.MARKER);
    }
    if (names.contains("config.json")) {
      assertThat(names).as("what is there beside config.json").containsAll(repaired.keySet());
    }
    for (String name : names) {
      if (isShard(name)) {
        assertThat(names).as("what is there beside a shard").contains("servekit.json");
        assertThat(visible.get(name)).as(name).isEqualTo(repaired.get(name));
      }
    }
  }

  private static void assertRepaired(Location from, Location to, RepairResult result)
      throws JobException {
    assertThat(result.outcome()).isEqualTo(RepairResult.Outcome.DONE);
    assertThat(result.strategies()).isEqualTo(Map.of(Strategy.COPY, SHARDS));
    VerifyResult verified =
        new VerifyAction(
                job, new VerifyRequest(request(to), VerifyRequest.Depth.FULL).against(from))
            .execute();
    assertThat(verified.faults()).isEmpty();
    assertThat(verified.shards()).isEqualTo(SHARDS);
    assertThat(new PlanAction(job, request(to)).execute().plan().nothingToDo()).isTrue();
    List<Row> runs = new ArrayList<>();
    List<Row> tensors = new ArrayList<>();
    new AuditQuery(job, to).read(runs::add, tensors::add);
    assertThat(runs).hasSize(1);
    assertThat(tensors)
        .hasSize((int) result.counts().tensors())
        .allSatisfy(row -> assertThat(row.<String>getAs("verified")).isEqualTo("full"));
  }

  @Test
  void aCheckpointInAStoreIsRepairedBesideItself() throws Exception {
    Map<String, byte[]> before = files(source());

    RepairResult result = run(repair(source(), output()).verify(RepairRequest.Verify.FULL));

    assertWhole();
    assertRepaired(source(), output(), result);
    assertThat(files(source())).containsExactlyInAnyOrderEntriesOf(before);
  }

  @Test
  void aCheckpointOnDiskIsRepairedIntoAStore() throws Exception {
    RepairResult result = run(repair(local("broken"), output()).verify(RepairRequest.Verify.FULL));

    assertWhole();
    assertRepaired(local("broken"), output(), result);
  }

  @Test
  void aCheckpointInAStoreIsRepairedOntoDisk() throws Exception {
    Location onDisk = local("from-store");

    RepairResult result = run(repair(source(), onDisk).verify(RepairRequest.Verify.FULL));

    assertThat(files(onDisk)).containsExactlyInAnyOrderEntriesOf(repaired);
    assertRepaired(source(), onDisk, result);
  }

  @Test
  void anAuditElsewhereInTheStoreTellsOfTheRepair() throws Exception {
    Location audit = s3a("data/audits");

    RepairResult result = run(repair(source(), output()).audit(audit));

    List<Row> runs = new ArrayList<>();
    new AuditQuery(job, audit).read(runs::add, tensor -> {});
    assertThat(runs).hasSize(1);
    assertThat(runs.get(0).<String>getAs("run_id")).isEqualTo(result.runId());
    assertThat(published()).noneMatch(name -> name.startsWith(".shardmend/audit/"));
  }

  @Test
  void planningAsksOnceForEachHeaderAndListsOnce() throws Exception {
    Location renames = local("renames");
    generate(renames, TrialSettings.builder().tp(SHARDS).fault(Fault.ALIAS_ONLY).build());
    server.clear("");
    files(renames).forEach((name, content) -> server.put(SOURCE + name, content));

    new PlanAction(job, request(source())).execute();

    List<S3Request> ofShards =
        server.requests().stream().filter(request -> isShard(request.key())).toList();
    assertThat(ofShards)
        .hasSize(SHARDS)
        .allSatisfy(
            request -> {
              assertThat(request.method()).isEqualTo("GET");
              assertThat(request.headers()).containsKey("range");
            });
    assertThat(ofShards.stream().map(S3Request::key).distinct()).hasSize(SHARDS);
    assertThat(server.requests())
        .filteredOn(request -> request.query().getOrDefault("prefix", "").equals(SOURCE))
        .filteredOn(request -> request.query().getOrDefault("delimiter", "").equals("/"))
        .hasSize(1);
    assertThat(server.requests()).noneMatch(S3Request::changes);
  }

  @Test
  void o1ToO11_atEachMomentAlsoOfARestartedRunNoLoaderIsMisled() throws Exception {
    List<String> steps = new ArrayList<>();
    run(
        repair(source(), output())
            .listener(
                step -> {
                  steps.add(step);
                  assertNoLoaderIsMisled();
                }));
    assertWhole();
    assertThat(steps).hasSizeGreaterThan(12);
    for (int stop = 0; stop < steps.size() - 1; stop++) {
      server.clear(OUTPUT);
      int at = stop;
      AtomicInteger reached = new AtomicInteger();
      StepListener killer =
          step -> {
            if (reached.getAndIncrement() == at) {
              throw new Killed();
            }
          };
      assertThatThrownBy(() -> run(repair(source(), output()).listener(killer)))
          .as(steps.get(stop))
          .isInstanceOf(Killed.class);
      assertNoLoaderIsMisled();
      run(repair(source(), output()).listener(step -> assertNoLoaderIsMisled()));
      assertWhole();
    }
  }

  /** From then on the store answers nothing that would change it, as if the network were gone. */
  private static List<AssertionError> cutOffAfter(int changes) {
    AtomicInteger seen = new AtomicInteger();
    List<AssertionError> misled = new CopyOnWriteArrayList<>();
    server.intercept(
        request -> {
          try {
            assertNoLoaderIsMisled();
          } catch (AssertionError e) {
            misled.add(e);
          }
          return request.changes() && seen.incrementAndGet() > changes
              ? Optional.of(S3Answer.error(403, "AccessDenied"))
              : Optional.empty();
        });
    return misled;
  }

  @Test
  void aRunThatIsCutOffAtAnyRequestMisleadsNobodyAndIsFinishedByTheNext() throws Exception {
    run();
    int changes = (int) server.requests().stream().filter(S3Request::changes).count();
    assertThat(changes).isGreaterThan(20);
    for (int allowed = 1; allowed < changes; allowed += 4) {
      putSource();
      List<AssertionError> misled = cutOffAfter(allowed);
      try {
        run();
      } catch (JobException cutOff) {
        assertThat(cutOff.kind()).isEqualTo(JobException.Kind.FAILED);
      }
      assertThat(misled).isEmpty();
      assertNoLoaderIsMisled();
      server.stopIntercepting();
      try {
        run(repair(source(), output()).breakLock());
      } catch (JobException published) {
        assertThat(published.code()).isEqualTo("output-exists");
      }
      assertWhole();
    }
  }

  @Test
  void o4_aShardThatIsCompleteByReceiptIsNotUploadedAgain() throws Exception {
    String slow = "model-rank-1-part-0.safetensors";
    failPartsOf(slow);
    assertThat(failureOf(repair(source(), output())).kind()).isEqualTo(JobException.Kind.FAILED);
    Set<String> before = published();
    assertThat(before).contains(ObjectStorePublish.MARKER).doesNotContain("config.json", slow);
    long done = before.stream().filter(S3aRepairTest::isShard).count();
    assertThat(done).isPositive();
    server.stopIntercepting();
    server.forgetRequests();

    RepairResult resumed = run();

    assertWhole();
    List<String> uploaded =
        server.requests().stream()
            .filter(request -> request.method().equals("POST") && isShard(request.key()))
            .filter(request -> request.query().containsKey("uploads"))
            .map(request -> request.key().substring(OUTPUT.length()))
            .toList();
    assertThat(uploaded).hasSize((int) (SHARDS - done)).contains(slow).doesNotHaveDuplicates();
    long shardBytes = uploaded.stream().mapToLong(name -> repaired.get(name).length).sum();
    long sideBytes =
        repaired.entrySet().stream()
            .filter(file -> !isShard(file.getKey()))
            .mapToLong(file -> file.getValue().length)
            .sum();
    assertThat(resumed.bytesWritten()).isEqualTo(shardBytes + sideBytes);
  }

  /** The task of that shard fails when it uploads; tasks of others are let through before it. */
  private static void failPartsOf(String shard) {
    server.intercept(
        request -> {
          if (!request.query().containsKey("partNumber") || !request.key().endsWith(shard)) {
            return Optional.empty();
          }
          awaitAnotherShard();
          return Optional.of(S3Answer.error(403, "AccessDenied"));
        });
  }

  private static void awaitAnotherShard() {
    await(() -> published().stream().anyMatch(S3aRepairTest::isShard));
  }

  private static void await(BooleanSupplier condition) {
    Instant end = Instant.now().plus(PATIENCE);
    while (!condition.getAsBoolean() && Instant.now().isBefore(end)) {
      try {
        Thread.sleep(10);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  @Test
  void o5_aTaskThatFailsLeavesNoUploadBehindAndTheErrorNamesTheShard() throws Exception {
    String shard = "model-rank-2-part-0.safetensors";
    failPartsOf(shard);

    JobException failure = failureOf(repair(source(), output()));

    assertThat(failure.kind()).isEqualTo(JobException.Kind.FAILED);
    assertThat(failure).hasMessageContaining(output().child(shard).toString());
    await(() -> server.uploads().isEmpty());
    assertThat(server.uploads()).isEmpty();
    assertThat(published()).doesNotContain("config.json", shard);
  }

  @Test
  void o5_uploadsOfAKilledRunAreGivenUpAndThoseOfOthersAreNot() throws Exception {
    server.beginUpload(OUTPUT + "model-rank-0-part-0.safetensors");
    server.beginUpload("data/fixed-2/model-rank-0-part-0.safetensors");

    run();

    assertThat(server.uploads()).containsExactly("data/fixed-2/model-rank-0-part-0.safetensors");
  }

  @Test
  void o4_withoutMultipartUploadsTheShardsAreStreamedAndAStreamThatFailedLeavesNothing()
      throws Exception {
    SparkJob streaming = withSetting("multipart.uploads.enabled", "false");
    server.intercept(
        request ->
            request.isOf("PUT", "model-rank-1-part-0.safetensors")
                ? Optional.of(S3Answer.error(403, "AccessDenied"))
                : Optional.empty());
    Location target = Location.parse("s3a://s3a-streams/" + OUTPUT, "file:///");
    RepairRequest request = repair(local("broken"), target);
    assertThatThrownBy(() -> new RepairAction(streaming, request).execute())
        .isInstanceOf(JobException.class)
        .hasMessageContaining("model-rank-1-part-0.safetensors");
    assertNoLoaderIsMisled();
    server.stopIntercepting();

    new RepairAction(streaming, repair(local("broken"), target)).execute();

    assertWhole();
    assertThat(server.requests()).noneMatch(sent -> sent.query().containsKey("uploadId"));
  }

  private static SparkJob withSetting(String key, String value) throws JobException {
    SparkJob shared = SharedSparkJob.withProgress(Progress.SILENT);
    server.settings("s3a-streams").forEach(shared.spark().hadoopConfiguration()::set);
    shared.spark().hadoopConfiguration().set("fs.s3a.bucket.s3a-streams." + key, value);
    return SharedSparkJob.withProgress(Progress.SILENT);
  }

  @Test
  void o1_otherArgumentsAreToldSoAndRestartBeginsAnew() throws Exception {
    failPartsOf("model-rank-1-part-0.safetensors");
    assertThat(failureOf(repair(source(), output()))).isNotNull();
    server.stopIntercepting();

    RepairRequest other = repair(source(), output()).digest(RepairRequest.NO_DIGEST);
    JobException conflict = failureOf(other);
    assertThat(conflict.code()).isEqualTo("unfinished-repair");
    assertThat(conflict).hasMessageContaining("--restart");

    RepairResult result = run(other.restart());
    assertWhole();
    assertThat(result.strategies()).isEqualTo(Map.of(Strategy.COPY, SHARDS));
  }

  @Test
  void o1_anOutputThatExistsIsRefusedAndKept() throws Exception {
    server.put(OUTPUT + "foreign", new byte[] {1});

    JobException refused = failureOf(repair(source(), output()).restart());

    assertThat(refused.code()).isEqualTo("output-exists");
    assertThat(published()).containsExactly("foreign");
  }

  @Test
  void aRunThatSavesTheNextOneNoWorkLeavesNothing() throws Exception {
    server.intercept(
        request ->
            request.query().containsKey("partNumber")
                ? Optional.of(S3Answer.error(403, "AccessDenied"))
                : Optional.empty());

    assertThat(failureOf(repair(source(), output())).kind()).isEqualTo(JobException.Kind.FAILED);

    assertThat(published()).isEmpty();
    assertThat(server.objects().keySet())
        .allMatch(key -> key.startsWith(SOURCE) || key.equals("data/"));
  }

  @Test
  void anUnfinishedOutputIsNoCheckpoint() throws Exception {
    AtomicReference<byte[]> marker = new AtomicReference<>();
    RepairResult result =
        run(
            repair(source(), output())
                .listener(step -> marker.compareAndSet(null, server.objects().get(MARKER))));
    server.put(MARKER, marker.get());

    assertThatThrownBy(() -> new PlanAction(job, request(output())).execute())
        .isInstanceOfSatisfying(
            JobException.class,
            refused -> {
              assertThat(refused.kind()).isEqualTo(JobException.Kind.REFUSED);
              assertThat(refused.code()).isEqualTo("unfinished-output");
            })
        .hasMessageContaining(result.runId());
    assertThatThrownBy(
            () ->
                new VerifyAction(
                        job, new VerifyRequest(request(output()), VerifyRequest.Depth.HEADERS))
                    .execute())
        .hasMessageContaining(result.runId());
  }

  @Test
  void inPlaceIsRefusedWithTheWayThatWorks() throws Exception {
    JobException refused = failureOf(RepairRequest.inPlace(request(source())));

    assertThat(refused.kind()).isEqualTo(JobException.Kind.USAGE);
    assertThat(refused).hasMessageContaining("--output");
    assertThat(server.requests()).noneMatch(S3Request::changes);
  }

  @Test
  void l1_theLockIsAConditionalWriteAndTheSecondRunIsToldWhoHoldsIt() throws Exception {
    StepListener second =
        step -> {
          if (step.equals("publish: write weights")) {
            JobException locked = failureOf(quietly());
            assertThat(locked.code()).isEqualTo("locked");
            assertThat(locked).hasMessageContaining(Long.toString(ProcessHandle.current().pid()));
          }
        };

    run(repair(source(), output()).listener(second));

    assertWhole();
    String lock = TargetLock.beside("/data/fixed").substring(1);
    assertThat(server.requests())
        .filteredOn(request -> request.isOf("PUT", lock))
        .isNotEmpty()
        .allSatisfy(request -> assertThat(request.headers()).containsEntry("if-none-match", "*"));
  }

  private static RepairRequest quietly() {
    try {
      return repair(source(), output());
    } catch (JobException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void linksAreRefusedWhereThereAreNone() throws Exception {
    JobException refused = failureOf(repair(source(), output()).linkUnchanged());

    assertThat(refused.code()).isEqualTo("strategy-impossible");
    assertThat(published()).isEmpty();
  }

  @Test
  void o9_theSealOfADumpIsItsReadyFile() throws Exception {
    Path dump = LayoutActions.copyOfSample("presharded-tp2-pp2-xxh3", directory);
    Location from = Location.ofFile(dump.toString());

    run(repair(from, output()).verify(RepairRequest.Verify.FULL));

    List<String> written =
        server.requests().stream()
            .filter(request -> request.method().equals("PUT") || isCompletion(request))
            .map(S3Request::key)
            .filter(key -> key.startsWith(OUTPUT) && !key.contains("/.shardmend"))
            .filter(key -> !key.endsWith("/"))
            .toList();
    assertThat(written.get(0)).isEqualTo(MARKER);
    assertThat(written.get(written.size() - 1)).endsWith("/READY");
    assertThat(
            new VerifyAction(job, new VerifyRequest(request(output()), VerifyRequest.Depth.FULL))
                .execute()
                .faults())
        .isEmpty();
  }

  private static boolean isCompletion(S3Request request) {
    return request.method().equals("POST") && request.query().containsKey("uploadId");
  }

  @Test
  void o6_theIndexComesAfterTheWeightsAndBeforeConfigJson() throws Exception {
    Location from = local("hugging-face");
    generate(
        from,
        TrialSettings.builder()
            .layout(Layout.HUGGINGFACE)
            .layers(4)
            .bytes(100_000)
            .maxShardBytes(40_000)
            .fault(Fault.ALIAS_ONLY)
            .build());

    run(repair(from, output()));

    List<String> written =
        server.requests().stream()
            .filter(request -> request.method().equals("PUT") || isCompletion(request))
            .map(S3Request::key)
            .filter(key -> key.startsWith(OUTPUT) && key.indexOf('/', OUTPUT.length()) < 0)
            .toList();
    int lastShard = -1;
    for (int i = 0; i < written.size(); i++) {
      lastShard = isShard(written.get(i)) ? i : lastShard;
    }
    int index = written.indexOf(OUTPUT + "model.safetensors.index.json");
    assertThat(lastShard).isPositive().isLessThan(index);
    assertThat(written.get(written.size() - 1)).isEqualTo(OUTPUT + "config.json");
  }
}
