package org.shardmend.storage.publish;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.PowerCutStore;
import org.shardmend.storage.Store;
import org.shardmend.storage.bytes.InPlaceScenario;
import org.shardmend.storage.lock.TargetLock;
import org.shardmend.storage.protocol.StepListener;

/**
 * The sentences of {@code publish.md} under power cuts: in every image that one could leave at any
 * moment, the target is absent or wholly right, and running again makes it so.
 */
class PublishPowerCutTest {
  private static final String TARGET = "/data/model";
  private static final int SAMPLES = 24;
  private static final int FEW_SAMPLES = 8;

  private PowerCutStore store;

  @BeforeEach
  void createParent() throws IOException {
    store = new PowerCutStore(20261130);
    store.makeDirectories("/data");
    store.settle();
  }

  private static Map<String, String> expected() {
    Map<String, String> files = new TreeMap<>(InPlaceScenario.digests(RepairScenario.expected()));
    return files;
  }

  private static RepairScenario repair(Store store) {
    return new RepairScenario(store, TARGET, StepListener.NONE);
  }

  private static void assertAbsentOrRight(PowerCutStore image) throws IOException {
    if (image.stat(TARGET).isPresent()) {
      assertRight(image);
    }
  }

  private static void assertRight(PowerCutStore image) throws IOException {
    assertThat(image.tree(TARGET)).isEqualTo(expected());
    assertThat(image.content(TARGET + "/.shardmend/audit/rows")).containsExactly(7);
  }

  /** Runs again; a target that is there and right may be refused once nothing else is left. */
  private static void assertResumes(PowerCutStore image) throws IOException {
    // The boot that held the lock is over.
    TargetLock.breakLock(image, TargetLock.beside(TARGET));
    try {
      repair(image).run();
    } catch (TargetExistsException published) {
      assertThat(image.stat(repair(image).staging().path())).isEmpty();
    }
    assertRight(image);
    assertThat(image.list("/data")).extracting(FileStatus::name).containsExactly("model");
  }

  private static List<PowerCutStore> everyNth(List<PowerCutStore> images, int n) {
    return java.util.stream.IntStream.range(0, images.size())
        .filter(index -> index % n == 0)
        .mapToObj(images::get)
        .toList();
  }

  @Test
  void p5_afterAPowerCutTheTargetIsAbsentOrWhollyRightAndRunningAgainResumes() throws IOException {
    store.record(SAMPLES);
    repair(store).run();
    List<PowerCutStore> images = store.recorded();
    assertThat(images.size()).isGreaterThan(100);
    for (PowerCutStore image : images) {
      assertAbsentOrRight(image);
    }
    for (PowerCutStore image : everyNth(images, 3)) {
      assertResumes(image);
    }
  }

  @Test
  void p6_afterTheRunNothingIsLost() throws IOException {
    repair(store).run();
    for (PowerCutStore image : store.images(SAMPLES)) {
      assertRight(image);
      assertResumes(image);
    }
  }

  @Test
  void p6_whatIsStagedStaysUntilTheTargetIsOnTheMedium() throws IOException {
    RepairScenario publishing =
        new RepairScenario(
            store,
            TARGET,
            step -> {
              if (step.equals("publish: move to the target")) {
                store.record(SAMPLES);
              }
            });
    publishing.run();
    long moved = 0;
    for (PowerCutStore image : store.recorded()) {
      if (image.stat(TARGET).isPresent()) {
        moved++;
      } else {
        assertThat(repair(image).staging().completed()).hasSize(3);
      }
    }
    assertThat(moved).isPositive();
  }

  @Test
  void s4_aReceiptNeverVouchesForLostBytes() throws IOException {
    store.record(SAMPLES);
    repair(store).run();
    long complete = 0;
    for (PowerCutStore image : store.recorded()) {
      Staging staging = repair(image).staging();
      for (ShardReceipt receipt : staging.completed().values()) {
        assertThat(image.content(staging.outPath(receipt.name())))
            .isEqualTo(RepairScenario.shards().get(receipt.name()));
        complete++;
      }
    }
    assertThat(complete).isPositive();
  }

  @Test
  void p7_aKillAndLaterAPowerCutLeaveNothingHalf() throws IOException {
    store.record(1);
    repair(store).run();
    List<PowerCutStore> killed = store.killed();
    for (PowerCutStore image : everyNth(killed, 5)) {
      image.record(FEW_SAMPLES);
      assertResumes(image);
      for (PowerCutStore later : everyNth(image.recorded(), 7)) {
        assertAbsentOrRight(later);
        assertResumes(later);
      }
    }
  }
}
