package org.shardmend.storage.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.storage.KilledRepair;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.Store;
import org.shardmend.storage.bytes.InPlaceScenario;
import org.shardmend.storage.protocol.StepListener;
import org.shardmend.testing.TestJvm;

/** A repair in place that is killed with SIGKILL at each step of its journal, and recovered. */
class JournalKillTest {
  private static final int KILLED = 137;
  private static final int FEWEST_STEPS = 20;

  @TempDir private Path directory;

  private final Store store = new LocalStore();

  @Test
  void aKilledRepairIsWhollyNewOrWhollyOldAfterRecovery() throws Exception {
    int step = 0;
    while (runAndKillAt(step)) {
      step++;
    }
    assertThat(step).isGreaterThan(FEWEST_STEPS);
  }

  /** Whether there is such a step. */
  private boolean runAndKillAt(int step) throws IOException, InterruptedException {
    Path checkpoint = directory.resolve("killed-" + step);
    new InPlaceScenario(store, checkpoint.toString()).create();
    int exit = run(checkpoint, step);
    if (exit == 0) {
      return false;
    }
    assertThat(exit).isEqualTo(KILLED);
    Journal journal = Journal.of(store, checkpoint.toString(), StepListener.NONE);
    boolean ready = journal.state().isOpen() || journal.state() == JournalState.APPLIED;
    journal.finish(2);
    assertThat(tree(checkpoint))
        .as("finished after step %d", step)
        .isEqualTo(
            InPlaceScenario.digests(ready ? InPlaceScenario.after() : InPlaceScenario.before()));
    journal.rollback(2);
    assertThat(tree(checkpoint))
        .as("rolled back after step %d", step)
        .isEqualTo(InPlaceScenario.digests(InPlaceScenario.before()));
    assertThat(checkpoint.resolve(".shardmend")).doesNotExist();
    return true;
  }

  private static int run(Path checkpoint, int step) throws IOException, InterruptedException {
    Process process =
        TestJvm.of(KilledRepair.class, List.of(), checkpoint.toString(), Integer.toString(step))
            .inheritIO()
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  private static Map<String, String> tree(Path checkpoint) throws IOException {
    Map<String, byte[]> files = new TreeMap<>();
    try (Stream<Path> entries = Files.list(checkpoint)) {
      for (Path entry : entries.filter(Files::isRegularFile).toList()) {
        files.put(entry.getFileName().toString(), Files.readAllBytes(entry));
      }
    }
    return InPlaceScenario.digests(files);
  }
}
