package org.shardmend.job.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.HeaderScan;
import org.shardmend.checkpoint.InMemoryFiles;
import org.shardmend.checkpoint.ScannedShard;
import org.shardmend.checkpoint.Shard;
import org.shardmend.checkpoint.SideFile;
import org.shardmend.checkpoint.TestShard;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.checkpoint.layout.Discovery;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.checkpoint.sidefile.ChecksumJson;
import org.shardmend.checkpoint.sidefile.IndexJson;
import org.shardmend.checkpoint.sidefile.PreshardedRead;
import org.shardmend.job.spark.JobException;
import org.shardmend.plan.ComparisonResult;
import org.shardmend.plan.ComparisonResults;
import org.shardmend.plan.Plan;
import org.shardmend.plan.UnitPlan;
import org.shardmend.plan.contract.NamedUnit;
import org.shardmend.rules.RuleException;
import org.shardmend.rules.RuleFamily;
import org.shardmend.rules.RuleReader;
import org.shardmend.rules.RuleSet;
import org.shardmend.safetensors.SafetensorsException;
import org.shardmend.safetensors.UnknownDtypes;

/** A plan's decisions, carried over into the documents that name tensors, too. */
class SideFileChangesTest {
  private static final String FIRST = "model-00001-of-00002.safetensors";
  private static final String SECOND = "model-00002-of-00002.safetensors";
  private static final String DUMP_INDEX = "TP-2-sig-49c4b287720e2996/checksum.json";

  /** Two tensors in the first file, the alias of one of them in the second. */
  private static InMemoryFiles model(String index) {
    return new InMemoryFiles()
        .file("config.json", "{\"quantization_config\": {\"ignore\": [\"old.a\"]}}")
        .file(IndexJson.FILE_NAME, index)
        .file(FIRST, new TestShard().bf16("old.a.w", 2).bf16("b.w", 3).bytes())
        .file(SECOND, new TestShard().bf16("old.b.w", 3).bytes());
  }

  private static String index(String total, String last) {
    return """
    {
      "metadata": {
        "total_size": %s
      },
      "weight_map": {
        "b.w": "%s",
        "old.a.w": "%s"%s
      }
    }
    """
        .formatted(total, FIRST, FIRST, last);
  }

  private static String index() {
    return index("16", ",\n    \"old.b.w\": \"" + SECOND + "\"");
  }

  private static RuleFamily removing(String prefix) {
    String json =
        """
        {"name": "test-rules", "about": "A prefix that must go.",
         "layouts": ["huggingface", "presharded", "sharded_state"], "default": false,
         "rules": [{"from": "%1$s\\\\.(?<rest>.+)", "to": "${rest}",
                    "examples": [["%1$s.x", "x"]]}]}
        """
            .formatted(prefix);
    try {
      return RuleReader.read(json.getBytes(StandardCharsets.UTF_8), "test-rules.json");
    } catch (RuleException e) {
      throw new AssertionError(e);
    }
  }

  /** A checkpoint with its plan; where bytes would be compared, they are taken to be equal. */
  private record Planned(InMemoryFiles files, Checkpoint checkpoint, Plan plan) {
    static Planned of(InMemoryFiles files, String prefix) {
      return of(files, prefix, DiscoveryOptions.defaults());
    }

    static Planned of(InMemoryFiles files, String prefix, DiscoveryOptions options) {
      try {
        Checkpoint checkpoint = Discovery.discover(files, options);
        RuleSet rules = RuleSet.of(List.of(removing(prefix)), checkpoint.layout().kind().id());
        List<UnitPlan> units = new ArrayList<>();
        List<ComparisonResult> equal = new ArrayList<>();
        for (NamedUnit unit : NamedUnit.of(checkpoint)) {
          List<ScannedShard> scanned = new ArrayList<>();
          for (Shard shard : unit.unit().shards()) {
            scanned.add(HeaderScan.read(files, unit.id(), shard, UnknownDtypes.REFUSE));
          }
          UnitPlan plan = unit.names().plan(unit.id(), scanned, rules, UnknownDtypes.REFUSE);
          plan.open().stream().map(ComparisonResult::equal).forEach(equal::add);
          units.add(plan);
        }
        Plan plan =
            Plan.of(
                checkpoint.layout().kind().id(),
                units,
                ComparisonResults.of(equal),
                Map.of(),
                rules.canonicalJson());
        return new Planned(files, checkpoint, plan);
      } catch (CheckpointException | SafetensorsException e) {
        throw new AssertionError(e);
      }
    }

    SideFileChanges sideFiles(Rewrites rewrites) {
      TreeMap<String, byte[]> indexes = new TreeMap<>();
      checkpoint.sideFiles().stream()
          .filter(file -> file.role() == SideFile.Role.INDEX)
          .forEach(file -> indexes.put(file.name(), files.content(file.name())));
      return new SideFileChanges(checkpoint, indexes, rewrites);
    }

    /** The changed files, by name. */
    Map<String, String> changes(Rewrites rewrites, SortedMap<String, String> tensors)
        throws JobException {
      Map<String, String> changes = new TreeMap<>();
      for (SideFileChange change :
          sideFiles(rewrites).of(plan, Planned::withoutOld, ConfigPatterns.NONE, tensors)) {
        changes.put(change.name(), new String(change.content(), StandardCharsets.UTF_8));
      }
      return changes;
    }

    Map<String, String> changes(Rewrites rewrites) throws JobException {
      return changes(rewrites, new TreeMap<>());
    }

    private static String withoutOld(String module) {
      return module.startsWith("old.") ? module.substring(4) : module;
    }
  }

  @Test
  void anIndexFollowsRenamedAndDroppedTensorsAndCountsWhatIsLeft() throws JobException {
    assertThat(Planned.of(model(index()), "old").changes(Rewrites.NONE))
        .containsExactly(Map.entry(IndexJson.FILE_NAME, index("10", "").replace("old.a.w", "a.w")));
  }

  @Test
  void nothingChangesWhereThePlanChangesNothing() throws JobException {
    assertThat(Planned.of(model(index()), "none").changes(Rewrites.NONE)).isEmpty();
  }

  @Test
  void configsFollowOnlyWhereThatIsAskedFor() throws JobException {
    assertThat(Planned.of(model(index()), "old").changes(Rewrites.NONE.withConfig()))
        .containsEntry("config.json", "{\"quantization_config\": {\"ignore\": [\"a\"]}}")
        .containsOnlyKeys("config.json", IndexJson.FILE_NAME);
  }

  @Test
  void anIndexThatCannotBeUnderstoodIsRefused() {
    Planned planned = Planned.of(model(index()), "old");
    TreeMap<String, byte[]> broken = new TreeMap<>(Map.of("other.index.json", new byte[] {'{'}));

    JobException refused =
        catchThrowableOfType(
            JobException.class,
            () ->
                new SideFileChanges(planned.checkpoint(), broken, Rewrites.NONE)
                    .of(
                        planned.plan(),
                        UnaryOperator.identity(),
                        ConfigPatterns.NONE,
                        new TreeMap<>()));

    assertThat(refused.kind()).isEqualTo(JobException.Kind.REFUSED);
  }

  private static final SortedMap<String, String> IN_HEADERS =
      new TreeMap<>(Map.of("b.w", FIRST, "old.a.w", FIRST, "old.b.w", SECOND));

  private static Planned replacing(String index) {
    return Planned.of(model(index), "none", DiscoveryOptions.defaults().withoutIndex());
  }

  @Test
  void anIndexThatSaysWhatTheHeadersSayIsNotWrittenAnew() throws JobException {
    assertThat(replacing(index()).changes(Rewrites.NONE.withIndex(), IN_HEADERS)).isEmpty();
  }

  @Test
  void anIndexThatLacksATensorOrHasTheWrongTotalIsWrittenAnew() throws JobException {
    for (String wrong : List.of(index("16", ""), index().replace("16", "17"))) {
      assertThat(replacing(wrong).changes(Rewrites.NONE.withIndex(), IN_HEADERS))
          .containsExactly(Map.entry(IndexJson.FILE_NAME, index()));
    }
  }

  @Test
  void aDumpsNamesChangeForTheRanksThatThePlanNames() throws Exception {
    Planned planned =
        Planned.of(InMemoryFiles.ofSample("presharded-tp2-pp2-sha1"), "language_model");

    Map<String, String> changes = planned.changes(Rewrites.NONE);

    assertThat(planned.plan().nothingToDo()).isFalse();
    assertThat(changes).containsOnlyKeys(DUMP_INDEX);
    ChecksumJson after =
        ChecksumJson.read(changes.get(DUMP_INDEX).getBytes(StandardCharsets.UTF_8), DUMP_INDEX);
    assertThat(after.reads().values().stream().flatMap(List::stream).map(PreshardedRead::name))
        .isNotEmpty()
        .noneMatch(name -> name.startsWith("language_model."));
  }

  @Test
  void theFingerprintStandsForWhatTheyHeld() {
    Planned planned = Planned.of(model(index()), "old");

    assertThat(planned.sideFiles(Rewrites.NONE).digests()).containsOnlyKeys(IndexJson.FILE_NAME);
    assertThat(planned.sideFiles(Rewrites.NONE.withConfig().withIndex().withFormat("pt")).digests())
        .containsOnlyKeys(IndexJson.FILE_NAME, "config.json", "--rewrite-index", "--set-format");
    assertThat(
            Planned.of(InMemoryFiles.ofSample("presharded-tp2-pp2-sha1"), "none")
                .sideFiles(Rewrites.NONE)
                .digests())
        .containsOnlyKeys(DUMP_INDEX);
  }
}
