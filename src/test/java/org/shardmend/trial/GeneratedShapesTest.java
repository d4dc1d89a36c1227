package org.shardmend.trial;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Builders;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.expected.ExpectedTensor;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.Location;

/** What holds for every model, however it is divided. */
class GeneratedShapesTest {
  private static final Pattern LAYER = Pattern.compile("\\.layers\\.(?<layer>\\d+)\\.");

  @Property(tries = 40)
  void aHealthyCheckpointOfAnyShapeIsExactlyWhatALoaderExpects(
      @ForAll("shapes") TrialSettings settings) throws IOException {
    Path directory = Files.createTempDirectory("shapes");
    LocalStore store = new LocalStore();
    try {
      Trial trial =
          CheckpointGenerator.generate(settings, store, Location.ofFile(directory.toString()));
      SavedCheckpoint saved = SavedCheckpoint.read(directory);
      Set<Integer> layers = new HashSet<>();
      for (int pp = 0; pp < settings.pp(); pp++) {
        for (int tp = 0; tp < settings.tp(); tp++) {
          Map<String, ExpectedTensor> held = new TreeMap<>();
          SavedCheckpoint.tensorsOf(saved.partsOf(pp, tp))
              .forEach(
                  (name, found) ->
                      held.put(
                          name, ExpectedTensor.of(found.tensor().dtype(), found.tensor().shape())));
          assertThat(held).isEqualTo(trial.expected().forUnit(new UnitId(pp, tp)).orElseThrow());
          held.keySet().stream()
              .filter(name -> name.contains(".layers."))
              .forEach(name -> layers.add(layerOf(name)));
        }
      }
      assertThat(layers).hasSize(settings.layers());
    } finally {
      store.deleteTree(directory.toString());
    }
  }

  private static int layerOf(String name) {
    Matcher layer = LAYER.matcher(name);
    assertThat(layer.find()).isTrue();
    return Integer.parseInt(layer.group("layer"));
  }

  @Provide
  Arbitrary<TrialSettings> shapes() {
    return Builders.withBuilder(
            () -> TrialSettings.builder().fault(Fault.CLEAN).bytes(1).maxShardBytes(20_000))
        .use(Arbitraries.of(1, 2, 3, 4, 8, 16))
        .in((settings, tp) -> settings.tp(tp).ep(tp % 2 == 0 ? 2 : 1))
        .use(Arbitraries.integers().between(1, 16))
        .in((settings, pp) -> settings.pp(pp))
        .use(Arbitraries.integers().between(1, 20))
        .in((settings, layers) -> settings.layers(layers))
        .use(Arbitraries.of(true, false))
        .in((settings, fp8) -> settings.fp8(fp8))
        .use(Arbitraries.of(true, false))
        .in((settings, tied) -> settings.tiedEmbeddings(tied))
        .use(Arbitraries.of(true, false))
        .in((settings, hybrid) -> settings.hybrid(hybrid))
        .use(Arbitraries.of(NameStyle.class))
        .in((settings, style) -> settings.linearAttention(style))
        .use(Arbitraries.of(Engine.class))
        .in((settings, engine) -> settings.engine(engine))
        .build(TrialSettings.Builder::build);
  }
}
