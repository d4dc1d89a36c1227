package org.shardmend.storage.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.PlainStore;
import org.shardmend.storage.Store;
import org.shardmend.storage.StoreTraits;
import org.shardmend.storage.lock.TargetLock;
import org.shardmend.storage.protocol.StepListener;

/** The sentences O1 to O11 of {@code publish.md}, on a store without rename. */
class ObjectStorePublishTest {
  private static final class Stop extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  @TempDir private Path directory;

  private Store store;
  private Path target;
  private final List<String> written = new ArrayList<>();

  @BeforeEach
  void nameTarget() {
    store = PlainStore.over(new LocalStore(), StoreTraits.OBJECT_STORE);
    target = directory.resolve("model");
  }

  private Staging staging(String arguments) {
    return Staging.of(store, target.toString(), arguments, "f1");
  }

  private void run(StepListener listener) throws IOException {
    run("a", listener);
  }

  private void run(String arguments, StepListener listener) throws IOException {
    String lockPath = TargetLock.beside(target.toString());
    try (TargetLock lock = TargetLock.acquire(store, lockPath, "r1")) {
      Staging staging = staging(arguments);
      ObjectStorePublish publish = new ObjectStorePublish(store, staging, lock, listener);
      if (publish.recover()) {
        return;
      }
      publish.requireFree();
      staging.open();
      publish.run("r1", new Work(publish, staging, listener));
    }
  }

  private final class Work implements ResultWork<IOException> {
    private final ObjectStorePublish publish;
    private final Staging staging;
    private final StepListener listener;

    Work(ObjectStorePublish publish, Staging staging, StepListener listener) {
      this.publish = publish;
      this.staging = staging;
      this.listener = listener;
    }

    @Override
    public List<String> seals() {
      return List.of("config.json");
    }

    @Override
    public void writeServekit() throws IOException {
      put("servekit.json");
    }

    @Override
    public void writeWeights() throws IOException {
      Map<Integer, ShardReceipt> completed = staging.completed();
      int number = 0;
      for (Map.Entry<String, byte[]> shard : RepairScenario.shards().entrySet()) {
        if (!completed.containsKey(number)) {
          listener.reached("job: complete " + shard.getKey());
          publish.put(shard.getKey(), shard.getValue());
          written.add(shard.getKey());
          listener.reached("job: keep the receipt of " + shard.getKey());
          staging.keep(RepairScenario.receipt(number, shard.getKey(), shard.getValue()));
        }
        number++;
      }
    }

    @Override
    public void writeSideFiles() throws IOException {
      put("tokenizer.json");
    }

    @Override
    public void writeIndex() throws IOException {
      put("model.safetensors.index.json");
    }

    @Override
    public void verify() {}

    @Override
    public void writeManifest() throws IOException {
      put("shardmend.json");
    }

    @Override
    public void writeSeals() throws IOException {
      put("config.json");
    }

    @Override
    public void placeAudit() {}

    private void put(String name) throws IOException {
      publish.put(name, name.getBytes(StandardCharsets.UTF_8));
    }
  }

  private SortedSet<String> names() throws IOException {
    if (Files.notExists(target)) {
      return new TreeSet<>();
    }
    try (Stream<Path> entries = Files.list(target)) {
      return entries
          .map(entry -> entry.getFileName().toString())
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static SortedSet<String> all() {
    TreeSet<String> names = new TreeSet<>(RepairScenario.shards().keySet());
    names.addAll(
        List.of(
            "config.json",
            "servekit.json",
            "tokenizer.json",
            "model.safetensors.index.json",
            "shardmend.json"));
    return names;
  }

  /** What holds for whoever lists the target at any moment. */
  private void assertNoLoaderIsMisled() throws IOException {
    SortedSet<String> names = names();
    boolean whole = names.containsAll(all());
    if (!names.isEmpty() && !whole) {
      assertThat(names).contains(ObjectStorePublish.MARKER);
    }
    if (names.contains("config.json") && !names.contains(ObjectStorePublish.MARKER)) {
      assertThat(whole).isTrue();
    }
    if (names.stream().anyMatch(name -> name.endsWith(".safetensors"))) {
      assertThat(names).contains("servekit.json");
    }
  }

  @Test
  void o11_atTheEndAllIsThereAndTheMarkerIsNot() throws IOException {
    run(StepListener.NONE);
    assertThat(names()).isEqualTo(all());
    try (Stream<Path> siblings = Files.list(directory)) {
      assertThat(siblings).containsExactly(target);
    }
  }

  @Test
  void o1ToO11_atEachMomentAlsoOfARestartedRunNoLoaderIsMisled() throws IOException {
    List<String> steps = new ArrayList<>();
    run(
        step -> {
          steps.add(step);
          assertNoLoaderIsMisledUnchecked();
        });
    for (int stop = 0; stop < steps.size() - 1; stop++) {
      new LocalStore().deleteTree(target.toString());
      int at = stop;
      List<String> reached = new ArrayList<>();
      assertThatThrownBy(
              () ->
                  run(
                      step -> {
                        if (reached.size() == at) {
                          throw new Stop();
                        }
                        reached.add(step);
                      }))
          .isInstanceOf(Stop.class);
      assertNoLoaderIsMisled();
      written.clear();
      run(step -> assertNoLoaderIsMisledUnchecked());
      assertThat(names()).isEqualTo(all());
      long kept = reached.stream().filter(step -> step.startsWith("job: keep")).count();
      assertThat(written).hasSize((int) (3 - kept));
    }
  }

  private void assertNoLoaderIsMisledUnchecked() {
    try {
      assertNoLoaderIsMisled();
    } catch (IOException failure) {
      throw new java.io.UncheckedIOException(failure);
    }
  }

  @Test
  void o1_aTargetWithoutMarkerIsAnExistingOutput() throws IOException {
    run(StepListener.NONE);
    assertThatThrownBy(() -> run(StepListener.NONE)).isInstanceOf(TargetExistsException.class);
    staging("a").removeAll();
    assertThat(names()).isEqualTo(all());
  }

  @Test
  void o1_anotherRepairsUnfinishedTargetIsRefusedUntilRestart() throws IOException {
    assertThatThrownBy(() -> run("a", stopAt("publish: write index"))).isInstanceOf(Stop.class);
    assertThatThrownBy(() -> run("b", StepListener.NONE))
        .isInstanceOf(StagingConflictException.class)
        .hasMessageContaining("--restart");
    try (TargetLock lock = TargetLock.acquire(store, TargetLock.beside(target.toString()), "r2")) {
      new ObjectStorePublish(store, staging("b"), lock, StepListener.NONE).restart();
    }
    run("b", StepListener.NONE);
    assertThat(names()).isEqualTo(all());
  }

  private static StepListener stopAt(String where) {
    return step -> {
      if (step.equals(where)) {
        throw new Stop();
      }
    };
  }

  @Test
  void o2_aStaleSealGoesBeforeAnythingElseIsWritten() throws IOException {
    assertThatThrownBy(() -> run(stopAt("publish: remove the marker"))).isInstanceOf(Stop.class);
    assertThat(names()).contains("config.json", ObjectStorePublish.MARKER);
    assertThatThrownBy(() -> run(stopAt("publish: write servekit.json"))).isInstanceOf(Stop.class);
    assertThat(names()).doesNotContain("config.json").contains(ObjectStorePublish.MARKER);
  }
}
