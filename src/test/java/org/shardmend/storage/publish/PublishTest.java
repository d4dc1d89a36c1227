package org.shardmend.storage.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.Store;
import org.shardmend.storage.bytes.InPlaceScenario;
import org.shardmend.storage.bytes.Sha256;
import org.shardmend.storage.lock.LockedException;
import org.shardmend.storage.lock.TargetLock;
import org.shardmend.storage.protocol.StepListener;

/** The sentences P1 to P7 of {@code publish.md}, on a real file system. */
class PublishTest {
  private static final class Stop extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  @TempDir private Path directory;

  private final Store store = new LocalStore();
  private Path target;

  @BeforeEach
  void nameTarget() {
    target = directory.resolve("model");
  }

  private RepairScenario repair(StepListener listener) {
    return new RepairScenario(store, target.toString(), listener);
  }

  private void assertPublished() throws IOException {
    Map<String, String> files = new TreeMap<>();
    try (Stream<Path> entries = Files.walk(target)) {
      for (Path entry : entries.filter(Files::isRegularFile).toList()) {
        files.put(target.relativize(entry).toString(), Sha256.hex(Files.readAllBytes(entry)));
      }
    }
    assertThat(files.remove(".shardmend/audit/rows")).isEqualTo(Sha256.hex(new byte[] {7}));
    assertThat(files).isEqualTo(InPlaceScenario.digests(RepairScenario.expected()));
    try (Stream<Path> siblings = Files.list(directory)) {
      assertThat(siblings).containsExactly(target);
    }
  }

  @Test
  void p7_whatIsPublishedIsWholeAndNothingElseStays() throws IOException {
    assertThat(repair(StepListener.NONE).run()).hasSize(3);
    assertPublished();
  }

  @Test
  void aRunThatStopsAtAnyStepIsResumedAndWritesNoCompleteShardAgain() throws IOException {
    List<String> steps = new ArrayList<>();
    repair(steps::add).run();
    store.deleteTree(target.toString());
    assertThat(steps).hasSizeGreaterThan(14);
    for (int stop = 0; stop < steps.size(); stop++) {
      int at = stop;
      List<String> reached = new ArrayList<>();
      assertThatThrownBy(
              () ->
                  repair(
                          step -> {
                            if (reached.size() == at) {
                              throw new Stop();
                            }
                            reached.add(step);
                          })
                      .run())
          .isInstanceOf(Stop.class);
      if (Files.exists(target)) {
        assertThat(reached).contains("publish: move to the target");
      }
      long promoted = reached.stream().filter(step -> step.startsWith("job: promote")).count();
      if (steps.get(stop).equals("publish: done")) {
        assertThatThrownBy(() -> repair(StepListener.NONE).run())
            .isInstanceOf(TargetExistsException.class);
      } else {
        List<String> written = repair(StepListener.NONE).run();
        assertThat(written)
            .hasSize(reached.contains("publish: move to the target") ? 0 : (int) (3 - promoted));
      }
      assertPublished();
      store.deleteTree(target.toString());
    }
  }

  @Test
  void p5_anythingAtTheTargetIsRefusedAlsoAnEmptyDirectory() throws IOException {
    assertThatThrownBy(
            () ->
                repair(
                        step -> {
                          if (step.equals("publish: note")) {
                            assertThat(target.toFile().mkdir()).isTrue();
                          }
                        })
                    .run())
        .isInstanceOf(TargetExistsException.class)
        .hasMessageContaining("--output");
    assertThat(target).isEmptyDirectory();
    Files.delete(target);
    assertThat(repair(StepListener.NONE).run()).isEmpty();
    assertPublished();
  }

  @Test
  void p5_whatAppearsBetweenTheLookAndTheMoveIsRefusedToo() {
    assertThatThrownBy(
            () ->
                repair(
                        step -> {
                          if (step.equals("publish: move to the target")) {
                            assertThat(target.toFile().mkdir()).isTrue();
                          }
                        })
                    .run())
        .isInstanceOf(TargetExistsException.class);
    assertThat(target).isEmptyDirectory();
  }

  @Test
  void p5_aRunWhoseLockWasBrokenPublishesNothing() {
    assertThatThrownBy(
            () ->
                repair(
                        step -> {
                          if (step.equals("publish: note")) {
                            breakLock();
                          }
                        })
                    .run())
        .isInstanceOf(LockedException.class);
    assertThat(target).doesNotExist();
  }

  private void breakLock() {
    try {
      TargetLock.breakLock(store, TargetLock.beside(target.toString()));
    } catch (IOException failure) {
      throw new java.io.UncheckedIOException(failure);
    }
  }

  @Test
  void p7_aTargetThatIsNotOursIsNotTakenForPublished() throws IOException {
    assertThatThrownBy(
            () ->
                repair(
                        step -> {
                          if (step.equals("publish: move to the target")) {
                            throw new Stop();
                          }
                        })
                    .run())
        .isInstanceOf(Stop.class);
    Files.createDirectory(target);
    assertThatThrownBy(() -> repair(StepListener.NONE).run())
        .isInstanceOf(TargetExistsException.class);
    store.deleteTree(repair(StepListener.NONE).staging().outDirectory());
    assertThatThrownBy(() -> repair(StepListener.NONE).run())
        .isInstanceOf(TargetExistsException.class);
  }
}
