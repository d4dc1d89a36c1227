package org.shardmend.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeSet;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.trial.CheckpointGenerator;
import org.shardmend.trial.Fault;
import org.shardmend.trial.SavedCheckpoint;
import org.shardmend.trial.SavedCheckpoint.Found;
import org.shardmend.trial.TrialSettings;

/**
 * A checkpoint of several ranks and shards whose names are wrong, and what must become of it.
 *
 * @param directory where it lies
 */
public record BrokenCheckpoint(Path directory) {
  private static final int RANKS = 4;

  /** Writes one of 8 MiB, in 4 ranks and several parts each. */
  public static BrokenCheckpoint generate(Path directory, Fault fault) throws IOException {
    TrialSettings settings =
        TrialSettings.builder()
            .tp(RANKS)
            .layers(8)
            .bytes(8 << 20)
            .maxShardBytes(1 << 20)
            .fault(fault)
            .build();
    try (Store store = new LocalStore()) {
      CheckpointGenerator.generate(settings, store, Location.ofFile(directory.toString()));
    }
    return new BrokenCheckpoint(directory);
  }

  /**
   * Each rank of {@code output} has each tensor of this one's, once, under its canonical name, with
   * the same type, shape and bytes; and the same shards.
   */
  public void requireRepairedIn(Path output) {
    SavedCheckpoint before = SavedCheckpoint.read(directory);
    SavedCheckpoint after = SavedCheckpoint.read(output);
    assertThat(after.files().keySet()).hasSizeGreaterThan(RANKS).isEqualTo(before.files().keySet());
    for (int rank = 0; rank < RANKS; rank++) {
      Map<String, Found> broken = SavedCheckpoint.tensorsOf(before.partsOf(0, rank));
      Map<String, Found> repaired = SavedCheckpoint.tensorsOf(after.partsOf(0, rank));
      TreeSet<String> names = new TreeSet<>();
      broken.forEach(
          (name, tensor) -> {
            names.add(canonical(name));
            assertThat(repaired).containsKey(canonical(name));
            requireSame(tensor, repaired.get(canonical(name)));
          });
      assertThat(names).isNotEqualTo(broken.keySet());
      assertThat(repaired.keySet()).isEqualTo(names);
    }
  }

  private static String canonical(String name) {
    return name.replace(".attn_mha.kv_b_proj.", ".kv_b_proj.");
  }

  private static void requireSame(Found before, Found after) {
    assertThat(after.tensor().dtype()).isEqualTo(before.tensor().dtype());
    assertThat(after.tensor().shape()).isEqualTo(before.tensor().shape());
    assertThat(after.data()).as(before.tensor().name()).isEqualTo(before.data());
  }
}
