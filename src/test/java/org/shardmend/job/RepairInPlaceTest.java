package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.shardmend.job.repair.RepairRequest;
import org.shardmend.job.repair.RepairResult;
import org.shardmend.job.repair.RollbackAction;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.job.verify.VerifyResult;
import org.shardmend.plan.Strategy;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.Store;
import org.shardmend.storage.journal.JournalResult;
import org.shardmend.storage.lock.TargetLock;
import org.shardmend.testing.DirectoryContent;
import org.shardmend.testing.SharedSparkJob;
import org.shardmend.trial.Fault;
import org.shardmend.trial.SavedCheckpoint;
import org.shardmend.trial.Trial;

/** Repairs in place: what is touched, what is not, and that all of it can be undone. */
@Tag("smoke")
@ExtendWith(SharedSparkJob.class)
class RepairInPlaceTest {
  private static final String OWN = ".shardmend";

  @TempDir private Path scratch;
  private Path checkpoint;
  private Actions actions;

  @BeforeEach
  void useDefaultRules(SparkJob job) throws JobException {
    actions = Actions.withDefaultRules(job);
    checkpoint = scratch.resolve("checkpoint");
  }

  /** A checkpoint's content, without what lies in Shardmend's own directory. */
  static SortedMap<String, String> withoutOwn(Path checkpoint) {
    SortedMap<String, String> content = DirectoryContent.of(checkpoint);
    content.keySet().removeIf(name -> name.equals(OWN) || name.startsWith(OWN + "/"));
    return content;
  }

  @Test
  void aRenamePatchesHeadersAndTouchesNoByteOfData() throws Exception {
    Trial trial = Actions.generate(checkpoint, Fault.ALIAS_ONLY);
    Path copy = DirectoryContent.copy(checkpoint, scratch.resolve("copy"));

    RepairResult result = actions.repairInPlace(checkpoint);

    assertThat(result.strategies().keySet()).isSubsetOf(Strategy.PATCH, Strategy.NONE);
    for (Map.Entry<String, SavedCheckpoint.ShardFile> shard :
        SavedCheckpoint.read(copy).files().entrySet()) {
      long dataBegin = shard.getValue().header().dataBegin();
      assertThat(data(checkpoint.resolve(shard.getKey()), dataBegin))
          .isEqualTo(data(shard.getValue().path(), dataBegin));
    }
    VerifyResult loads = actions.verifyExpected(checkpoint, trial.expected());
    assertThat(loads.faults()).isEmpty();
    VerifyResult same = actions.verifyAgainst(checkpoint, copy);
    assertThat(same.faults()).isEmpty();
  }

  private static byte[] data(Path shard, long dataBegin) throws IOException {
    byte[] bytes = Files.readAllBytes(shard);
    return Arrays.copyOfRange(bytes, Math.toIntExact(dataBegin), bytes.length);
  }

  @ParameterizedTest
  @EnumSource(names = {"ALIAS_ONLY", "BOTH_SAME", "MIXED", "OTHER_PART"})
  void aRollbackBringsEveryByteBack(Fault fault) throws Exception {
    Trial trial = Actions.generate(checkpoint, fault);
    SortedMap<String, String> before = DirectoryContent.of(checkpoint);
    actions.repairInPlace(checkpoint);
    VerifyResult loads = actions.verifyExpected(checkpoint, trial.expected());
    assertThat(loads.faults()).isEmpty();

    JournalResult undone = actions.rollback(checkpoint);
    JournalResult again = actions.rollback(checkpoint);

    assertThat(undone.outcome()).isEqualTo(JournalResult.Outcome.ROLLED_BACK);
    assertThat(again.outcome()).isEqualTo(JournalResult.Outcome.NOTHING);
    assertThat(withoutOwn(checkpoint)).isEqualTo(before);
  }

  @Test
  void theAuditTellsOfARollback(SparkJob job) throws Exception {
    Actions.generate(checkpoint, Fault.MIXED);
    RepairResult repaired = actions.repairInPlace(checkpoint);
    actions.rollback(checkpoint);

    SparkSession spark = SparkSession.builder().sparkContext(job.spark().sc()).getOrCreate();
    List<Row> runs =
        spark
            .read()
            .parquet(checkpoint.resolve(".shardmend/audit/runs").toString())
            .orderBy("started")
            .selectExpr("outcome", "fingerprint", "checkpoint", "bytes_written > 0")
            .collectAsList();

    String fingerprint = repaired.fingerprint();
    assertThat(runs)
        .containsExactly(
            RowFactory.create("done", fingerprint, "file:" + checkpoint, true),
            RowFactory.create("rolled-back", fingerprint, "file:" + checkpoint, true));
  }

  @Test
  void aRollbackTellsTheAuditThatTheRepairHad() throws Exception {
    Actions.generate(checkpoint, Fault.MIXED);
    Path audits = scratch.resolve("audits");
    actions.repair(RepairRequest.inPlace(actions.of(checkpoint)).audit(Actions.location(audits)));

    new RollbackAction(Actions.location(checkpoint), false, Progress.SILENT)
        .audit(Actions.location(audits))
        .execute();

    try (Stream<Path> files = Files.walk(audits.resolve("runs"))) {
      assertThat(files.filter(file -> file.toString().endsWith(".parquet"))).hasSize(2);
    }
    assertThat(checkpoint.resolve(".shardmend/audit")).doesNotExist();
  }

  @Test
  void aRollbackSaysWhoseLockItTakesOver() throws Exception {
    Actions.generate(checkpoint, Fault.MIXED);
    actions.repairInPlace(checkpoint);
    Path lock = Path.of(TargetLock.inside(checkpoint.toString()));
    String alive;
    try (Store store = new LocalStore();
        TargetLock held = TargetLock.acquire(store, lock.toString(), "r-before")) {
      alive = Files.readString(lock);
      held.requireHeld();
    }
    String dead = alive.replaceFirst("\"pid\"\\s*:\\s*[0-9]+", "\"pid\": 2147483646");
    Files.writeString(lock, dead);
    List<String> messages = new ArrayList<>();
    Progress progress =
        new DeafProgress() {
          @Override
          public void message(String text) {
            messages.add(text);
          }
        };

    JournalResult undone =
        new RollbackAction(Actions.location(checkpoint), false, progress).execute();

    assertThat(dead).isNotEqualTo(alive);
    assertThat(undone.outcome()).isEqualTo(JournalResult.Outcome.ROLLED_BACK);
    assertThat(messages)
        .singleElement()
        .asString()
        .contains("Took over the lock", "run r-before", "process 2147483646");
  }

  @Test
  void aDropInPlaceMakesTheShardSmaller() throws Exception {
    Actions.generate(checkpoint, Fault.BOTH_SAME);
    Path copy = DirectoryContent.copy(checkpoint, scratch.resolve("copy"));

    RepairResult result = actions.repairInPlace(checkpoint);

    assertThat(result.counts().drop()).isPositive();
    assertThat(bytes(checkpoint)).isLessThan(bytes(copy));
    VerifyResult same = actions.verifyAgainst(checkpoint, copy);
    assertThat(same.faults()).isEmpty();
    assertThat(actions.repairInPlace(checkpoint).outcome())
        .isEqualTo(RepairResult.Outcome.NOTHING_TO_DO);
  }

  private static long bytes(Path checkpoint) {
    return SavedCheckpoint.read(checkpoint).files().values().stream()
        .mapToLong(shard -> shard.header().fileBytes())
        .sum();
  }

  @Test
  void aLongerNameIsGivenInPlaceAndTakenBack(SparkJob job) throws Exception {
    Actions.generate(checkpoint, Fault.CLEAN);
    Path copy = DirectoryContent.copy(checkpoint, scratch.resolve("copy"));
    Actions longer = Actions.withOnlyRules(job, "mla-kv-b-proj-alias");

    RepairResult result = longer.repairInPlace(checkpoint);

    assertThat(result.counts().rename()).isPositive();
    VerifyResult same = longer.verifyAgainst(checkpoint, copy);
    assertThat(same.faults()).isEmpty();
    longer.rollback(checkpoint);
    assertThat(withoutOwn(checkpoint)).isEqualTo(DirectoryContent.of(copy));
  }
}
