package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.shardmend.checkpoint.Finding;
import org.shardmend.job.repair.RepairResult;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.job.verify.VerifyResult;
import org.shardmend.plan.Action;
import org.shardmend.plan.Plan;
import org.shardmend.safetensors.Dtype;
import org.shardmend.safetensors.Header;
import org.shardmend.safetensors.HeaderWriter;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.testing.DirectoryContent;
import org.shardmend.testing.SharedSparkJob;
import org.shardmend.trial.Fault;
import org.shardmend.trial.SavedCheckpoint;
import org.shardmend.trial.Trial;

/** Generated checkpoints with every fault: what is renamed, dropped and refused. */
@ExtendWith(SharedSparkJob.class)
class RepairGeneratedTest {
  @TempDir private Path scratch;
  private Path source;
  private Path output;
  private Actions actions;

  @BeforeEach
  void useDefaultRules(SparkJob job) throws JobException {
    actions = Actions.withDefaultRules(job);
    source = scratch.resolve("source");
    output = scratch.resolve("repaired");
  }

  @ParameterizedTest
  @EnumSource(names = {"ALIAS_ONLY", "BOTH_SAME", "MIXED", "OTHER_PART"})
  void theFaultIsRepairedAndItsPlanIsWhatTheBytesSay(Fault fault) throws Exception {
    Trial trial = Actions.generate(source, fault);
    Aliases aliases = Aliases.in(SavedCheckpoint.read(source));

    Plan plan = actions.plan(source);
    RepairResult result = actions.repair(source, output);

    assertThat(changes(plan, Action.RENAME)).containsExactlyInAnyOrderElementsOf(aliases.alone());
    assertThat(changes(plan, Action.DROP))
        .containsExactlyInAnyOrderElementsOf(aliases.besideEqualTwin());
    assertThat(result.fingerprint()).isEqualTo(plan.fingerprint());
    assertThat(result.counts()).isEqualTo(plan.counts());
    VerifyResult loads = actions.verifyExpected(output, trial.expected());
    assertThat(loads.faults()).isEmpty();
    VerifyResult same = actions.verifyAgainst(output, source);
    assertThat(same.faults()).isEmpty();
    VerifyResult ranks = actions.verify(output);
    assertThat(ranks.faults()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"BOTH_SAME", "OTHER_PART"})
  void aDropLeavesOutItsBytesAndItsEntryAndNothingElse(Fault fault) throws Exception {
    Actions.generate(source, fault);

    actions.repair(source, output);

    SavedCheckpoint before = SavedCheckpoint.read(source);
    SavedCheckpoint after = SavedCheckpoint.read(output); // valid by the codec, or this throws
    assertThat(after.files().keySet()).isEqualTo(before.files().keySet());
    for (String shard : before.files().keySet()) {
      Header old = before.files().get(shard).header();
      Header now = after.files().get(shard).header();
      List<String> keptNames =
          old.tensors().stream()
              .map(TensorEntry::name)
              .filter(name -> !Aliases.isAlias(name))
              .toList();
      assertThat(now.tensors()).extracting(TensorEntry::name).isEqualTo(keptNames);
      assertThat(now.metadata()).isEqualTo(old.metadata());
      assertThat(old.dataBytes() - now.dataBytes()).isEqualTo(aliasBytes(old));
      assertThat(now.dataBegin())
          .isEqualTo(HeaderWriter.encode(now).length)
          .isLessThanOrEqualTo(old.dataBegin());
      assertThat(now.tensors()).allMatch(tensor -> isAligned(now, tensor));
      for (TensorEntry tensor : now.tensors()) {
        assertThat(after.files().get(shard).data(tensor))
            .isEqualTo(before.files().get(shard).data(old.find(tensor.name()).orElseThrow()));
      }
    }
  }

  private static long aliasBytes(Header header) {
    return header.tensors().stream()
        .filter(tensor -> Aliases.isAlias(tensor.name()))
        .mapToLong(TensorEntry::bytes)
        .sum();
  }

  private static boolean isAligned(Header header, TensorEntry tensor) {
    int alignment = Dtype.of(tensor.dtype()).orElseThrow().alignment();
    return (header.dataBegin() + tensor.begin()) % alignment == 0;
  }

  @Test
  void contradictingBytesAreRefusedTensorByTensorAndNothingIsWritten() throws Exception {
    Actions.generate(source, Fault.BOTH_DIFFER);
    SortedMap<String, String> before = DirectoryContent.of(source);
    SortedSet<String> conflicts = Aliases.in(SavedCheckpoint.read(source)).besideOtherTwin();

    JobException refusal =
        catchThrowableOfType(JobException.class, () -> actions.repair(source, output));

    assertThat(conflicts).isNotEmpty();
    assertThat(changes(actions.plan(source), Action.REFUSE)).containsAll(conflicts);
    assertThat(refusal.kind()).isEqualTo(JobException.Kind.REFUSED);
    for (String conflict : conflicts) {
      String tensor = conflict.substring(conflict.indexOf('/') + 1);
      assertThat(refusal.problems())
          .extracting(Finding::message)
          .anyMatch(message -> message.contains("'" + tensor + "'"));
      assertThat(refusal).hasMessageContaining("'" + tensor + "'");
    }
    assertThat(DirectoryContent.of(source)).isEqualTo(before);
    assertThat(DirectoryContent.of(scratch).keySet()).allMatch(name -> name.startsWith("source"));
  }

  @Test
  void contradictingBytesAreRefusedInPlaceToo() throws Exception {
    Actions.generate(source, Fault.BOTH_DIFFER);
    SortedMap<String, String> before = DirectoryContent.of(source);

    JobException refusal =
        catchThrowableOfType(JobException.class, () -> actions.repairInPlace(source));

    assertThat(refusal.kind()).isEqualTo(JobException.Kind.REFUSED);
    assertThat(RepairInPlaceTest.withoutOwn(source)).isEqualTo(before);
  }

  @Test
  void aHealthyCheckpointIsLeftAlone() throws Exception {
    Trial trial = Actions.generate(source, Fault.CLEAN);

    RepairResult result = actions.repair(source, output);

    assertThat(result.outcome()).isEqualTo(RepairResult.Outcome.NOTHING_TO_DO);
    assertThat(output).doesNotExist();
    VerifyResult loads = actions.verifyExpected(source, trial.expected());
    assertThat(loads.faults()).isEmpty();
    VerifyResult ranks = actions.verify(source);
    assertThat(ranks.faults()).isEmpty();
  }

  @Test
  void aHealthyCheckpointIsGivenLongerNamesWhenTheLoadingBuildWantsThem(SparkJob job)
      throws Exception {
    Actions.generate(source, Fault.CLEAN);
    Actions longer = Actions.withOnlyRules(job, "mla-kv-b-proj-alias");

    RepairResult result = longer.repair(source, output);

    assertThat(result.counts().rename()).isPositive();
    assertThat(Aliases.in(SavedCheckpoint.read(output)).alone())
        .hasSize(Math.toIntExact(result.counts().rename()));
    VerifyResult same = longer.verifyAgainst(output, source);
    assertThat(same.faults()).isEmpty();
    assertThat(longer.repair(output, scratch.resolve("again")).outcome())
        .isEqualTo(RepairResult.Outcome.NOTHING_TO_DO);
  }

  private static Stream<String> changes(Plan plan, Action action) {
    return plan.changes()
        .filter(change -> change.action() == action)
        .map(change -> change.shard() + "/" + change.tensor());
  }
}
