package org.shardmend.storage.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.SyncFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.shardmend.storage.PowerCutStore;
import org.shardmend.storage.bytes.InPlaceScenario;
import org.shardmend.storage.protocol.StepListener;

/**
 * The sentences of {@code journal.md} under power cuts: every image that one could leave at any
 * moment is brought back, in both directions.
 */
class JournalPowerCutTest {
  private static final String CHECKPOINT = "/data/model";
  private static final Map<String, String> OLD = InPlaceScenario.digests(InPlaceScenario.before());
  private static final Map<String, String> NEW = InPlaceScenario.digests(InPlaceScenario.after());

  /** Images kept per change; up to six units are enumerated. */
  private static final int SAMPLES = 64;

  /** Images kept per change of a recovery that itself is one of many. */
  private static final int FEW_SAMPLES = 8;

  private static final int VERY_FEW_SAMPLES = 4;

  private PowerCutStore store;
  private InPlaceScenario scenario;

  @BeforeEach
  void createCheckpoint() throws IOException {
    store = new PowerCutStore(20261130);
    scenario = new InPlaceScenario(store, CHECKPOINT);
    scenario.create();
    store.settle();
  }

  private static Journal journal(PowerCutStore image) {
    return new InPlaceScenario(image, CHECKPOINT).journal();
  }

  private static PowerCutStore again(PowerCutStore image) {
    return image.images(1).get(0);
  }

  private static void assertFinishes(PowerCutStore image) throws IOException {
    journal(image).finish(1);
    assertThat(image.tree(CHECKPOINT)).isEqualTo(NEW);
    assertThat(journal(image).state()).isEqualTo(JournalState.APPLIED);
    for (PowerCutStore later : image.images(FEW_SAMPLES)) {
      assertThat(later.tree(CHECKPOINT)).isEqualTo(NEW);
      assertThat(journal(later).state()).isEqualTo(JournalState.APPLIED);
    }
  }

  private static void assertRollsBack(PowerCutStore image) throws IOException {
    journal(image).rollback(1);
    assertThat(image.tree(CHECKPOINT)).isEqualTo(OLD);
    assertThat(image.stat(CHECKPOINT + "/.shardmend")).isEmpty();
    for (PowerCutStore later : image.images(FEW_SAMPLES)) {
      assertThat(later.tree(CHECKPOINT)).isEqualTo(OLD);
      assertThat(journal(later).state()).isEqualTo(JournalState.NONE);
    }
  }

  private static void assertRecoversBothWays(List<PowerCutStore> images) throws IOException {
    assertThat(images).isNotEmpty();
    for (PowerCutStore image : images) {
      if (journal(image).state().isOpen() || journal(image).state() == JournalState.APPLIED) {
        assertFinishes(again(image));
      }
      assertRollsBack(image);
    }
  }

  @Test
  void j1_aCrashBeforeReadyLeavesTheCheckpointAsItWas() throws IOException {
    store.record(SAMPLES / 2);
    scenario.prepare(StepListener.NONE);
    List<PowerCutStore> images = store.recorded();
    long prepared = 0;
    for (PowerCutStore image : images) {
      assertThat(image.tree(CHECKPOINT)).isEqualTo(OLD);
      if (!journal(image).state().isOpen()) {
        PowerCutStore finished = again(image);
        journal(finished).finish(1);
        assertThat(finished.tree(CHECKPOINT)).isEqualTo(OLD);
        assertThat(journal(finished).state()).isEqualTo(JournalState.NONE);
      } else {
        prepared++;
      }
    }
    assertRecoversBothWays(everyNth(images, 4));
    assertThat(prepared).isPositive().isLessThan(images.size());
  }

  @Test
  void j4_whenPreparingHasEndedReadyIsOnTheMediumWithAllItSpeaksOf() throws IOException {
    scenario.prepare(StepListener.NONE);
    for (PowerCutStore image : store.images(SAMPLES)) {
      assertThat(journal(image).state()).isEqualTo(JournalState.APPLYING);
      assertFinishes(again(image));
      assertRollsBack(image);
    }
  }

  @Test
  void j12_whateverWasAppliedFinishingMakesAllNewAndRollingBackAllOld() throws IOException {
    scenario.prepare(StepListener.NONE);
    store.record(SAMPLES);
    scenario.journal().finish(1);
    List<PowerCutStore> images = store.recorded();
    assertThat(images.stream().map(image -> image.tree(CHECKPOINT)).distinct().count())
        .as("mixtures of old and new")
        .isGreaterThanOrEqualTo(9);
    for (PowerCutStore image : images) {
      assertThat(journal(image).state()).isIn(JournalState.APPLYING, JournalState.APPLIED);
      if (journal(image).state() == JournalState.APPLIED) {
        assertThat(image.tree(CHECKPOINT)).isEqualTo(NEW);
      }
    }
    assertRecoversBothWays(images);
  }

  @Test
  void j13_whateverWasUndoneFinishingMakesAllNewAndRollingBackAllOld() throws IOException {
    scenario.prepare(StepListener.NONE);
    scenario.journal().finish(1);
    store.settle();
    store.record(SAMPLES);
    scenario.journal().rollback(1);
    List<PowerCutStore> images = store.recorded();
    for (PowerCutStore image : images) {
      if (journal(image).state() == JournalState.NONE) {
        assertThat(image.tree(CHECKPOINT)).isEqualTo(OLD);
      }
      if (journal(image).state() == JournalState.APPLIED) {
        assertThat(image.tree(CHECKPOINT)).isEqualTo(NEW);
      }
    }
    assertRecoversBothWays(images);
  }

  @Test
  void j14_aCrashWhileTurningRoundRecoversBothWays() throws IOException {
    scenario.prepare(StepListener.NONE);
    store.record(SAMPLES);
    scenario.journal().finish(1);
    List<PowerCutStore> first = everyNth(store.recorded(), 23);
    for (PowerCutStore image : first) {
      image.record(6);
      journal(image).rollback(1);
      for (PowerCutStore second : everyNth(image.recorded(), 17)) {
        PowerCutStore turned = again(second);
        turned.record(4);
        journal(turned).finish(1);
        List<PowerCutStore> third = everyNth(turned.recorded(), 11);
        for (PowerCutStore last : third) {
          if (journal(last).state().isOpen() || journal(last).state() == JournalState.APPLIED) {
            assertFinishes(again(last));
          }
          assertRollsBack(last);
        }
      }
    }
  }

  private static List<PowerCutStore> everyNth(List<PowerCutStore> images, int n) {
    return java.util.stream.IntStream.range(0, images.size())
        .filter(index -> index % n == 0)
        .mapToObj(images::get)
        .toList();
  }

  /** A kill leaves what was not synced in the page cache, and the next run must not trust it. */
  @Test
  void j12_aKillAndLaterAPowerCutLeaveNothingHalf() throws IOException {
    store.record(1);
    scenario.prepare(StepListener.NONE);
    scenario.journal().finish(1);
    List<PowerCutStore> killed = store.killed();
    assertThat(killed.size()).isGreaterThan(50);
    for (PowerCutStore image : killed) {
      if (journal(image).state().isOpen()) {
        image.record(VERY_FEW_SAMPLES);
        journal(image).finish(1);
        List<PowerCutStore> later = image.recorded();
        for (PowerCutStore cut : later) {
          assertThat(cut.tree(CHECKPOINT).equals(OLD) || journal(cut).state() != JournalState.NONE)
              .as("a journal for whatever is not old")
              .isTrue();
          assertThat(
                  cut.tree(CHECKPOINT).equals(OLD)
                      || journal(cut).state() != JournalState.PREPARING)
              .as("READY before anything is written")
              .isTrue();
        }
        assertRecoversBothWays(everyNth(later, 7));
      }
    }
  }

  @Test
  void j15_aKillDuringARollbackAndLaterAPowerCutLeaveNothingHalf() throws IOException {
    scenario.prepare(StepListener.NONE);
    scenario.journal().finish(1);
    store.record(1);
    scenario.journal().rollback(1);
    List<PowerCutStore> killed = store.killed();
    for (PowerCutStore image : killed) {
      image.record(FEW_SAMPLES);
      journal(image).rollback(1);
      for (PowerCutStore later : everyNth(image.recorded(), 5)) {
        assertRollsBack(later);
      }
    }
  }

  private static final class Stop extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  @Test
  void aRunThatStopsAtAnyStepIsFinishedOrUndone() throws IOException {
    List<String> steps = new ArrayList<>();
    runAll(again(store), steps::add);
    assertThat(steps.size()).isGreaterThan(20);
    for (int stop = 0; stop < steps.size(); stop++) {
      PowerCutStore stopped = again(store);
      int at = stop;
      int[] reached = {0};
      assertThatThrownBy(
              () ->
                  runAll(
                      stopped,
                      step -> {
                        if (reached[0]++ == at) {
                          throw new Stop();
                        }
                      }))
          .isInstanceOf(Stop.class);
      stopped.settle();
      JournalState state = journal(stopped).state();
      if (steps.get(stop).startsWith("journal: undo")) {
        assertThat(state).isEqualTo(JournalState.ROLLING_BACK);
      }
      if (state.isOpen() || state == JournalState.APPLIED) {
        assertFinishes(again(stopped));
      }
      assertRollsBack(stopped);
    }
  }

  private static void runAll(PowerCutStore store, StepListener listener) throws IOException {
    new InPlaceScenario(store, CHECKPOINT).prepare(listener);
    Journal.of(store, CHECKPOINT, listener).finish(1);
    Journal.of(store, CHECKPOINT, listener).rollback(1);
  }

  @Test
  void j8_aSyncThatFailedIsNotTrustedByTheNextRun() throws IOException {
    scenario.prepare(StepListener.NONE);
    store.failNextSync(CHECKPOINT + "/" + InPlaceScenario.LONG_HEADER);
    assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> scenario.journal().finish(1)))
        .isInstanceOf(SyncFailedException.class);
    assertThat(scenario.journal().state()).isEqualTo(JournalState.APPLYING);
    // The header now reads as new, but the medium holds the old one.
    assertFinishes(store);
  }

  @Test
  void j16_forgettingKeepsTheCheckpointNewWhateverIsLost() throws IOException {
    scenario.prepare(StepListener.NONE);
    scenario.journal().finish(1);
    store.record(SAMPLES);
    scenario.journal().forget();
    for (PowerCutStore image : store.recorded()) {
      assertThat(image.tree(CHECKPOINT)).isEqualTo(NEW);
      assertThat(journal(image).state()).isIn(JournalState.APPLIED, JournalState.NONE);
      journal(image).forget();
      assertThat(image.stat(CHECKPOINT + "/.shardmend")).isEmpty();
    }
  }
}
