package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.Samples;
import org.shardmend.checkpoint.expected.ExpectedState;
import org.shardmend.job.repair.RepairResult;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.job.verify.VerifyResult;
import org.shardmend.plan.Action;
import org.shardmend.plan.Decision;
import org.shardmend.plan.Plan;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.testing.DirectoryContent;
import org.shardmend.testing.SharedSparkJob;
import org.shardmend.trial.SavedCheckpoint;
import org.shardmend.trial.SavedCheckpoint.ShardFile;

/** The sample checkpoints, broken as in the field, from the loader's error to a sound output. */
@ExtendWith(SharedSparkJob.class)
class RepairSamplesTest {
  @TempDir private Path scratch;
  private Actions actions;

  @BeforeEach
  void useDefaultRules(SparkJob job) throws JobException {
    actions = Actions.withDefaultRules(job);
  }

  private static ExpectedState expected(String sample) throws CheckpointException {
    String file = sample + ".expected.json";
    return ExpectedState.read(Samples.read(file), file);
  }

  @ParameterizedTest
  @ValueSource(strings = {"mla-tp2-pp2", "mla-fp8-tp4"})
  void verifyGivesTheEnginesKeyErrorForEveryRank(String sample) throws Exception {
    Path source = Samples.directory(sample);
    Aliases aliases = Aliases.in(SavedCheckpoint.read(source));

    VerifyResult result = actions.verifyExpected(source, expected(sample));

    assertThat(result.ok()).isFalse();
    Set<String> named = new HashSet<>();
    Set<String> ranks = new HashSet<>();
    for (Finding fault : result.faults()) {
      if (fault.message().contains("KeyError: '" + fault.tensor() + "'")) {
        named.add(fault.shard() + "/" + fault.tensor());
        ranks.add(Aliases.unitOf(fault.shard()));
      }
    }
    assertThat(named).isEqualTo(aliases.alone());
    assertThat(ranks).isEqualTo(aliases.units().keySet());
  }

  @ParameterizedTest
  @ValueSource(strings = {"mla-tp2-pp2", "mla-fp8-tp4"})
  void planRenamesExactlyTheTensorsOfKvBProj(String sample) throws Exception {
    Path source = Samples.directory(sample);

    Plan plan = actions.plan(source);

    assertThat(plan.changes()).allMatch(change -> change.action() == Action.RENAME);
    assertThat(plan.changes().map(change -> change.shard() + "/" + change.tensor()))
        .containsExactlyInAnyOrderElementsOf(Aliases.in(SavedCheckpoint.read(source)).alone());
    assertThat(plan.changes())
        .allMatch(change -> change.target().equals(Aliases.canonical(change.tensor())));
    assertThat(plan.counts().rename()).isEqualTo(plan.changes().count());
  }

  @ParameterizedTest
  @ValueSource(strings = "mla-fp8-tp4")
  void planRenamesTheScalesOfAQuantizedModelToo(String sample) throws Exception {
    Plan plan = actions.plan(Samples.directory(sample));

    assertThat(plan.changes().map(Decision::tensor))
        .anyMatch(tensor -> tensor.endsWith(".weight"))
        .anyMatch(tensor -> tensor.contains("scale"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"mla-tp2-pp2", "mla-fp8-tp4"})
  void aRepairedCopyLoadsAndHoldsTheSameBytes(String sample) throws Exception {
    Path source = DirectoryContent.copy(Samples.directory(sample), scratch.resolve("source"));
    SortedMap<String, String> before = DirectoryContent.of(source);
    Path output = scratch.resolve("repaired");

    RepairResult result = actions.repair(source, output);

    assertThat(result.outcome()).isEqualTo(RepairResult.Outcome.DONE);
    assertThat(DirectoryContent.of(source)).isEqualTo(before);
    VerifyResult loads = actions.verifyExpected(output, expected(sample));
    assertThat(loads.faults()).isEmpty();
    VerifyResult same = actions.verifyAgainst(output, source);
    assertThat(same.faults()).isEmpty();
    requireSameTensors(SavedCheckpoint.read(source), SavedCheckpoint.read(output));
  }

  /** The comparison that verify makes, made once more without it. */
  private static void requireSameTensors(SavedCheckpoint source, SavedCheckpoint output) {
    assertThat(output.files().keySet()).isEqualTo(source.files().keySet());
    source
        .files()
        .forEach(
            (name, before) -> {
              ShardFile after = output.files().get(name);
              assertThat(after.header().tensors()).hasSameSizeAs(before.header().tensors());
              for (TensorEntry tensor : before.header().tensors()) {
                TensorEntry kept =
                    after.header().find(Aliases.canonical(tensor.name())).orElseThrow();
                assertThat(kept).isEqualTo(tensor.withName(kept.name()));
                assertThat(after.data(kept)).isEqualTo(before.data(tensor));
              }
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"mla-tp2-pp2", "mla-fp8-tp4"})
  void allElseIsCopiedAndNothingIsAddedButTheManifestAndTheAudit(String sample) throws Exception {
    Path source = DirectoryContent.copy(Samples.directory(sample), scratch.resolve("source"));
    Path below = Files.createDirectories(source.resolve("servekit-caches/inner"));
    Files.writeString(below.resolve("kernel.bin"), "a kernel");
    Path output = scratch.resolve("repaired");

    actions.repair(source, output);

    SortedMap<String, String> expected = DirectoryContent.of(source);
    SortedMap<String, String> written = DirectoryContent.of(output);
    expected.keySet().removeIf(name -> name.endsWith(".safetensors"));
    assertThat(written).containsAllEntriesOf(expected);
    Set<String> added =
        written.keySet().stream()
            .filter(name -> !expected.containsKey(name) && !name.endsWith(".safetensors"))
            .filter(name -> !name.startsWith(".shardmend"))
            .collect(Collectors.toSet());
    assertThat(added).containsExactly("shardmend.json");
    assertThat(written.keySet())
        .noneMatch(name -> name.endsWith(".crc"))
        .noneMatch(name -> name.contains("_temporary") || name.contains("_staging/"));
    assertThat(scratch).isDirectoryNotContaining(path -> isNeither(path, source, output));
  }

  @ParameterizedTest
  @ValueSource(strings = {"mla-tp2-pp2", "mla-fp8-tp4"})
  void aSecondRepairOfTheOutputDoesNothing(String sample) throws Exception {
    Path first = scratch.resolve("repaired");
    actions.repair(Samples.directory(sample), first);
    SortedMap<String, String> before = DirectoryContent.of(first);

    RepairResult second = actions.repair(first, scratch.resolve("again"));
    RepairResult inPlace = actions.repairInPlace(first);

    assertThat(second.outcome()).isEqualTo(RepairResult.Outcome.NOTHING_TO_DO);
    assertThat(inPlace.outcome()).isEqualTo(RepairResult.Outcome.NOTHING_TO_DO);
    assertThat(DirectoryContent.of(first)).isEqualTo(before);
    assertThat(scratch).isDirectoryNotContaining(path -> isNeither(path, first, first));
  }

  @ParameterizedTest
  @ValueSource(strings = {"mla-tp2-pp2", "mla-fp8-tp4"})
  void aCopyOfAnotherNameHasTheSameFingerprintAndIsRepairedAlike(String sample) throws Exception {
    Path copy =
        DirectoryContent.copy(Samples.directory(sample), scratch.resolve("a näme/[x] {y} %20 *"));
    Path output = scratch.resolve("a näme/out put");

    assertThat(actions.plan(copy).fingerprint())
        .isEqualTo(actions.plan(Samples.directory(sample)).fingerprint());
    actions.repair(copy, output);

    VerifyResult loads = actions.verifyExpected(output, expected(sample));
    assertThat(loads.faults()).isEmpty();
  }

  private static boolean isNeither(Path path, Path source, Path output) {
    return !path.equals(source) && !path.equals(output);
  }
}
