package org.shardmend.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Builders;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.shardmend.safetensors.Header;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.Location;
import org.shardmend.storage.StoreCheckpointFiles;
import org.shardmend.trial.CheckpointGenerator;
import org.shardmend.trial.Engine;
import org.shardmend.trial.Fault;
import org.shardmend.trial.NameStyle;
import org.shardmend.trial.TrialSettings;

/** A healthy checkpoint has no finding, of whatever shape and layout it is. */
class NoFalseAlarmTest {

  @Property(tries = 60)
  void aHealthyShardedStateCheckpointHasNoFinding(@ForAll("shapes") TrialSettings.Builder shape)
      throws Exception {
    assertThat(findings(shape.layout(Layout.SHARDED_STATE).build())).isEmpty();
  }

  @Property(tries = 20)
  void aHealthyDumpHasNoFinding(
      @ForAll("shapes") TrialSettings.Builder shape, @ForAll HashKind hash) throws Exception {
    assertThat(findings(shape.layout(Layout.PRESHARDED).engine(Engine.SGLANG).hash(hash).build()))
        .isEmpty();
  }

  @Property(tries = 20)
  void aHealthyModelHasNoFinding(@ForAll("shapes") TrialSettings.Builder shape) throws Exception {
    assertThat(findings(shape.layout(Layout.HUGGINGFACE).ep(1).tp(1).pp(1).build())).isEmpty();
  }

  private static List<Finding> findings(TrialSettings settings)
      throws IOException, CheckpointException {
    Path directory = Files.createTempDirectory("healthy");
    LocalStore store = new LocalStore();
    try {
      Location location = Location.ofFile(directory.toString());
      CheckpointGenerator.generate(settings, store, location);
      return findings(new StoreCheckpointFiles(store, location));
    } finally {
      store.deleteTree(directory.toString());
    }
  }

  private static List<Finding> findings(CheckpointFiles files)
      throws IOException, CheckpointException {
    Checkpoint checkpoint = Discovery.discover(files, DiscoveryOptions.defaults());
    List<Finding> findings = new ArrayList<>(checkpoint.findings());
    Map<String, ScannedShard> scanned = new HashMap<>();
    for (Shard shard : checkpoint.shards()) {
      scanned.put(shard.name(), HeaderScan.read(files, UnitId.NONE, shard, UnknownDtypes.REFUSE));
    }
    List<UnitSummary> units = new ArrayList<>();
    int world = 0;
    for (LoadUnit unit : checkpoint.units()) {
      units.add(UnitSummary.of(unit.id(), tensors(checkpoint, unit, world++, scanned)));
    }
    findings.addAll(HeaderFindings.of(checkpoint, units));
    for (UnitCheck check : checkpoint.checks()) {
      findings.addAll(
          check.check(
              List.copyOf(scanned.values()),
              (shard, offset, bytes) -> files.read(shard.name(), offset, bytes)));
    }
    if (checkpoint.index().isPresent()) {
      IndexCheck.checkTotal(checkpoint.index().get(), units.get(0).bytes())
          .ifPresent(findings::add);
    }
    return findings;
  }

  private static List<TensorEntry> tensors(
      Checkpoint checkpoint, LoadUnit unit, int world, Map<String, ScannedShard> scanned)
      throws CheckpointException {
    if (checkpoint.checksums().isEmpty()) {
      return unit.shards().stream()
          .flatMap(shard -> scanned.get(shard.name()).header().tensors().stream())
          .toList();
    }
    Map<String, Header> headers = new HashMap<>();
    scanned.forEach(
        (name, shard) ->
            headers.put(name.substring(checkpoint.directory().length()), shard.header()));
    return PreshardedTensors.locate(checkpoint.checksums().get().reads().get(world), headers)
        .stream()
        .filter(located -> !located.read().extra())
        .map(located -> located.entry().withName(located.read().name()))
        .toList();
  }

  /** Without vLLM's FP8, which is known not to survive and gets a finding that is true. */
  @Provide
  Arbitrary<TrialSettings.Builder> shapes() {
    return Builders.withBuilder(
            () -> TrialSettings.builder().fault(Fault.CLEAN).bytes(1).maxShardBytes(20_000))
        .use(Arbitraries.of(1, 2, 3, 4, 8, 16))
        .in((settings, tp) -> settings.tp(tp).ep(tp % 2 == 0 ? 2 : 1))
        .use(Arbitraries.of(1, 2, 3, 4, 7, 16))
        .in((settings, pp) -> settings.pp(pp))
        .use(Arbitraries.integers().between(1, 20))
        .in((settings, layers) -> settings.layers(layers))
        .use(Arbitraries.of(true, false))
        .in((settings, fp8) -> settings.fp8(fp8).engine(fp8 ? Engine.SGLANG : Engine.VLLM))
        .use(Arbitraries.of(true, false))
        .in((settings, tied) -> settings.tiedEmbeddings(tied))
        .use(Arbitraries.of(true, false))
        .in((settings, hybrid) -> settings.hybrid(hybrid))
        .use(Arbitraries.of(NameStyle.class))
        .in((settings, style) -> settings.linearAttention(style))
        .build();
  }
}
