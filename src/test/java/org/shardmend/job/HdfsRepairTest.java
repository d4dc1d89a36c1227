package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.Job;
import org.apache.spark.Partition;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.job.audit.AuditQuery;
import org.shardmend.job.plan.PlanAction;
import org.shardmend.job.plan.PlanRequest;
import org.shardmend.job.plan.PlannedCheckpoint;
import org.shardmend.job.repair.NumberedShard;
import org.shardmend.job.repair.RepairAction;
import org.shardmend.job.repair.RepairRequest;
import org.shardmend.job.repair.RepairResult;
import org.shardmend.job.repair.RewriteTask;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.PreferredLocationsInput;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.job.verify.VerifyAction;
import org.shardmend.job.verify.VerifyRequest;
import org.shardmend.job.verify.VerifyResult;
import org.shardmend.plan.ShardPlan;
import org.shardmend.plan.Strategy;
import org.shardmend.rules.BuiltinRules;
import org.shardmend.rules.RuleFamily;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.Stores;
import org.shardmend.storage.protocol.SmallFiles;
import org.shardmend.storage.protocol.StepListener;
import org.shardmend.testing.SharedSparkJob;
import org.shardmend.trial.CheckpointGenerator;
import org.shardmend.trial.Fault;
import org.shardmend.trial.TrialSettings;

/** Repairs on HDFS, by Spark in this process, on a cluster of three data nodes in this process. */
@Tag("smoke")
class HdfsRepairTest {
  private static final String[] HOSTS = {"alpha.test", "beta.test", "gamma.test"};
  private static final int SHARDS = 4;

  @TempDir private static Path directory;
  private static MiniDFSCluster cluster;
  private static SparkJob job;

  private Store hdfs;

  @BeforeAll
  static void start() throws IOException, JobException {
    Configuration configuration = new Configuration();
    configuration.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, directory.resolve("cluster").toString());
    configuration.setInt("dfs.replication", 1);
    cluster =
        new MiniDFSCluster.Builder(configuration).numDataNodes(HOSTS.length).hosts(HOSTS).build();
    cluster.waitActive();
    // As HDFS wants it where there are no more nodes than replicas: a synced block whose node stops
    // would wait for another one.
    start(Progress.SILENT)
        .spark()
        .hadoopConfiguration()
        .set("dfs.client.block.write.replace-datanode-on-failure.policy", "NEVER");
    job = start(Progress.SILENT);
  }

  private static SparkJob start(Progress progress) throws JobException {
    return SharedSparkJob.withProgress(progress);
  }

  @AfterAll
  static void stop() {
    job.close();
    cluster.shutdown();
  }

  @BeforeEach
  void clear() throws IOException {
    hdfs = Stores.open(hdfs("/"), job.hadoop().configuration());
    hdfs.deleteTree("/data");
    hdfs.makeDirectories("/data");
  }

  private static Location hdfs(String path) {
    return Location.parse(cluster.getURI() + path, "file:///");
  }

  private static Location broken(Location place) throws IOException {
    TrialSettings settings =
        TrialSettings.builder().tp(SHARDS).layers(4).fault(Fault.MIXED).build();
    try (Store store = Stores.open(place, job.hadoop().configuration())) {
      return CheckpointGenerator.generate(settings, store, place).checkpoint();
    }
  }

  private static PlanRequest request(Location checkpoint) {
    List<RuleFamily> rules = BuiltinRules.all().stream().filter(RuleFamily::byDefault).toList();
    return new PlanRequest(checkpoint, DiscoveryOptions.defaults(), rules, UnknownDtypes.REFUSE);
  }

  private static RepairRequest repair(Location from, Location to) {
    return RepairRequest.toOutput(request(from), to).verify(RepairRequest.Verify.FULL);
  }

  private List<String> names(String path) throws IOException {
    return hdfs.list(path).stream().map(FileStatus::name).toList();
  }

  private static void assertRepaired(Location from, Location to, RepairResult result)
      throws JobException {
    assertThat(result.outcome()).isEqualTo(RepairResult.Outcome.DONE);
    assertThat(result.strategies()).containsOnlyKeys(Strategy.COPY);
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
  void aCheckpointOnHdfsIsRepairedBesideItself() throws IOException, JobException {
    Location source = broken(hdfs("/data/broken"));
    PlannedCheckpoint planned = new PlanAction(job, request(source)).execute();
    assertThat(planned.plan().counts().rename()).isPositive();
    assertThat(planned.plan().counts().drop()).isPositive();

    Location output = hdfs("/data/fixed");
    RepairResult result = new RepairAction(job, repair(source, output)).execute();

    assertRepaired(source, output, result);
    assertThat(names("/data")).containsExactly("broken", "fixed");
  }

  @Test
  void aCheckpointOnDiskIsRepairedIntoHdfs() throws IOException, JobException {
    Location source = broken(Location.ofFile(directory.resolve("on-disk").toString()));
    Location output = hdfs("/data/fixed");

    RepairResult result = new RepairAction(job, repair(source, output)).execute();

    assertRepaired(source, output, result);
    assertThat(names("/data")).containsExactly("fixed");
  }

  @Test
  void anOutputThatExistsIsRefusedBeforeAnythingIsWritten() throws IOException, JobException {
    Location source = broken(hdfs("/data/broken"));
    hdfs.makeDirectories("/data/fixed");

    assertThatThrownBy(() -> new RepairAction(job, repair(source, hdfs("/data/fixed"))).execute())
        .isInstanceOfSatisfying(
            JobException.class,
            refusal -> assertThat(refusal.kind()).isEqualTo(JobException.Kind.USAGE));
    assertThat(names("/data")).containsExactly("broken", "fixed");
    assertThat(names("/data/fixed")).isEmpty();
  }

  /** The move fails, and the same command goes on from the receipts once the way is free. */
  @Test
  void anOutputThatAppearsMeanwhileIsKeptAndTheRepairResumes() throws IOException, JobException {
    Location source = broken(hdfs("/data/broken"));
    Location output = hdfs("/data/fixed");
    StepListener intruder =
        step -> {
          if (step.equals("publish: move to the target")) {
            makeIntruder();
          }
        };

    assertThatThrownBy(
            () -> new RepairAction(job, repair(source, output).listener(intruder)).execute())
        .isInstanceOfSatisfying(
            JobException.class, refusal -> assertThat(refusal.code()).isEqualTo("output-exists"));
    assertThat(names("/data/fixed")).containsExactly("foreign");

    hdfs.deleteTree("/data/fixed");
    RepairResult result = new RepairAction(job, repair(source, output)).execute();
    assertRepaired(source, output, result);
    assertThat(result.bytesWritten()).isLessThan(shardBytes("/data/fixed"));
    assertThat(names("/data")).containsExactly("broken", "fixed");
  }

  private void makeIntruder() {
    try {
      hdfs.makeDirectories("/data/fixed");
      SmallFiles.create(hdfs, "/data/fixed/foreign", new byte[] {1});
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private long shardBytes(String path) throws IOException {
    return hdfs.list(path).stream()
        .filter(file -> file.name().endsWith(".safetensors"))
        .mapToLong(FileStatus::bytes)
        .sum();
  }

  /** Makes trouble when the first shard of a rewrite is complete. */
  private static final class Trouble extends DeafProgress {
    @FunctionalInterface
    private interface Maker {
      void make() throws IOException;
    }

    private final Maker maker;
    private boolean rewriting;
    private boolean made;

    Trouble(Maker maker) {
      this.maker = maker;
    }

    @Override
    public void begin(String stage, long totalBytes) {
      rewriting = stage.equals("Rewrite shards");
    }

    @Override
    public void update(long doneBytes) {
      if (rewriting && !made && doneBytes > 0) {
        made = true;
        try {
          maker.make();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  /** Slow enough that the rewrite is in the middle when trouble comes. */
  private static long aThirdOf(long bytes) {
    return Math.max(1, bytes / 3);
  }

  @Test
  void aDataNodeThatStopsInTheMiddleCostsNothing() throws Exception {
    Location source = broken(hdfs("/data/broken"));
    Location output = hdfs("/data/fixed");
    List<MiniDFSCluster.DataNodeProperties> stopped = new ArrayList<>();
    Trouble trouble = new Trouble(() -> stopped.add(cluster.stopDataNode(0)));

    RepairResult result =
        new RepairAction(
                start(trouble),
                repair(source, output).maxBytesPerSecond(aThirdOf(shardBytes("/data/broken"))))
            .execute();

    try {
      assertThat(stopped).hasSize(1);
      assertRepaired(source, output, result);
      assertThat(names("/data")).containsExactly("broken", "fixed");
    } finally {
      assertThat(cluster.restartDataNode(stopped.get(0), true)).isTrue();
      cluster.waitActive();
    }
  }

  /** There seems to be room enough, but a block that is begun counts as a whole one. */
  @Test
  void aSpaceQuotaThatIsUsedUpFailsARepairThatResumesWhenItIsRaised() throws Exception {
    Location source = broken(hdfs("/data/broken"));
    hdfs.makeDirectories("/data/below");
    Location output = hdfs("/data/below/fixed");
    DistributedFileSystem dfs = cluster.getFileSystem();
    org.apache.hadoop.fs.Path below = new org.apache.hadoop.fs.Path("/data/below");
    long copies = dfs.getDefaultReplication(below);
    long half = shardBytes("/data/broken") / 2;
    dfs.setQuota(
        below, HdfsConstants.QUOTA_DONT_SET, copies * (dfs.getDefaultBlockSize(below) + half));

    assertNoSpace(source, output);

    assertThat(names("/data/below")).doesNotContain("fixed");
    dfs.setQuota(below, HdfsConstants.QUOTA_DONT_SET, HdfsConstants.QUOTA_RESET);
    assertRepaired(source, output, new RepairAction(job, repair(source, output)).execute());
    assertThat(names("/data/below")).containsExactly("fixed");
  }

  @Test
  void aQuotaOfNamesThatIsUsedUpFailsARepairThatResumesWhenItIsRaised() throws Exception {
    Location source = broken(Location.ofFile(directory.resolve("for-names").toString()));
    Location output = hdfs("/data/fixed");
    DistributedFileSystem dfs = cluster.getFileSystem();
    org.apache.hadoop.fs.Path data = new org.apache.hadoop.fs.Path("/data");
    for (long names = 2; names < 12; names += 3) {
      dfs.setQuota(data, names, HdfsConstants.QUOTA_DONT_SET);
      assertNoSpace(source, output);
      assertThat(names("/data")).doesNotContain("fixed");
    }

    dfs.setQuota(data, HdfsConstants.QUOTA_RESET, HdfsConstants.QUOTA_DONT_SET);
    assertRepaired(source, output, new RepairAction(job, repair(source, output)).execute());
    assertThat(names("/data")).containsExactly("fixed");
  }

  private static void assertNoSpace(Location source, Location output) {
    JobException failure =
        catchThrowableOfType(
            JobException.class, () -> new RepairAction(job, repair(source, output)).execute());
    assertThat(failure.kind()).isEqualTo(JobException.Kind.FAILED);
    assertThat(failure.code()).isEqualTo("no-space");
    assertThat(failure)
        .hasMessageContaining("A quota is used up")
        .hasMessageContaining("is exceeded: quota");
  }

  @Test
  void everyTaskAsksForTheHostsOfItsShardsBlocks() throws Exception {
    Location source = broken(hdfs("/data/broken"));
    List<RewriteTask.Task> tasks = new ArrayList<>();
    List<List<String>> holders = new ArrayList<>();
    List<ShardPlan> shards = new PlanAction(job, request(source)).execute().plan().shards();
    for (int number = 0; number < shards.size(); number++) {
      String path = source.child(shards.get(number).name()).path();
      holders.add(blockHosts(path));
      tasks.add(
          new RewriteTask.Task(
              new NumberedShard(number, shards.get(number), new ArrayList<>()),
              Strategy.COPY,
              false,
              hdfs.preferredHosts(path)));
    }
    assertThat(holders).hasSize(SHARDS).allSatisfy(hosts -> assertThat(hosts).isSubsetOf(HOSTS));

    JavaRDD<RewriteTask.Task> spread = job.spread(tasks);

    List<List<String>> asked = new ArrayList<>();
    for (Partition partition : spread.partitions()) {
      // What the scheduler asks: it looks through the chain for the first that has a wish.
      List<String> hosts = new ArrayList<>();
      job.spark()
          .sc()
          .getPreferredLocs(spread.rdd(), partition.index())
          .foreach(place -> hosts.add(place.host()));
      asked.add(hosts);
    }
    // The name node gives a block's hosts in another order each time.
    assertThat(asked).hasSameSizeAs(holders);
    for (int number = 0; number < holders.size(); number++) {
      assertThat(asked.get(number)).containsExactlyInAnyOrderElementsOf(holders.get(number));
    }
    assertThat(spread.map(task -> task.shard().number()).collect()).containsExactly(0, 1, 2, 3);
  }

  private static List<String> blockHosts(String path) throws IOException {
    List<String> hosts = new ArrayList<>();
    for (BlockLocation block :
        cluster
            .getFileSystem()
            .getFileBlockLocations(new org.apache.hadoop.fs.Path(path), 0, Long.MAX_VALUE)) {
      hosts.addAll(List.of(block.getHosts()));
    }
    return hosts;
  }

  @Test
  void theSplitsOfAPlacedInputSayTheHostsTaskByTask() throws Exception {
    Configuration configuration =
        PreferredLocationsInput.configuration(
            new Configuration(false), List.of(List.of("a", "b"), List.of(), List.of("c")));

    List<InputSplit> splits =
        new PreferredLocationsInput().getSplits(Job.getInstance(configuration));

    List<List<String>> hosts = new ArrayList<>();
    for (InputSplit split : splits) {
      hosts.add(List.of(split.getLocations()));
    }
    assertThat(hosts).containsExactly(List.of("a", "b"), List.of(), List.of("c"));
  }
}
