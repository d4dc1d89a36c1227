package org.shardmend.storage.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.PlainStore;
import org.shardmend.storage.Store;
import org.shardmend.storage.StoreTraits;
import org.shardmend.storage.lock.HolderProbe.Presence;
import org.shardmend.storage.protocol.SiblingName;

/** The sentences L1 to L7 of {@code publish.md}. */
class TargetLockTest {
  /** A host with its processes, seen by one of them. */
  private record Host(
      String host, String bootId, String pidNamespace, long pid, Map<Long, String> processes)
      implements HolderProbe {
    @Override
    public LockHolder self(String runId) {
      return new LockHolder(
          host,
          bootId,
          pidNamespace,
          pid,
          processes.get(pid),
          "anna",
          runId,
          "2026-11-30T08:00:00Z");
    }

    /** A process without a start is one that the system does not show. */
    @Override
    public Presence presenceOf(long asked) {
      if (!processes.containsKey(asked)) {
        return Presence.absent();
      }
      String started = processes.get(asked);
      return started.isEmpty() ? Presence.hidden() : Presence.of(started);
    }
  }

  private static final Host ALIVE =
      new Host("node1", "boot1", "pid:[1]", 10, Map.of(10L, "100", 20L, "200"));
  private static final Host OTHER_PROCESS =
      new Host("node1", "boot1", "pid:[1]", 20, Map.of(10L, "100", 20L, "200"));
  private static final Host AFTER_ITS_DEATH =
      new Host("node1", "boot1", "pid:[1]", 20, Map.of(20L, "200"));

  @TempDir private Path directory;

  private final Store store = new LocalStore();
  private String path;

  @BeforeEach
  void nameLock() {
    path = TargetLock.beside(directory.resolve("model").toString());
  }

  private TargetLock acquire(String runId, HolderProbe probe) throws IOException {
    return TargetLock.acquire(store, path, runId, probe);
  }

  private List<String> names() throws IOException {
    return store.list(directory.toString()).stream().map(FileStatus::name).toList();
  }

  @Test
  void theLockLiesBesideTheTargetOrInsideTheCheckpoint() {
    assertThat(TargetLock.beside("/data/model")).isEqualTo("/data/.model.shardmend-lock");
    assertThat(TargetLock.inside("/data/model")).isEqualTo("/data/model/.shardmend/lock");
    String longName = "/data/" + "模".repeat(85);
    assertThat(TargetLock.beside(longName))
        .startsWith("/data/.模")
        .endsWith(".shardmend-lock")
        .isNotEqualTo(TargetLock.beside("/data/" + "模".repeat(84) + "型"));
    assertThat(
            SiblingName.of(longName, "-x")
                .substring(6)
                .getBytes(java.nio.charset.StandardCharsets.UTF_8)
                .length)
        .isLessThan(256);
  }

  @Test
  void l1_theLockSaysWhoHoldsItAndIsGoneAfterwards() throws IOException {
    try (TargetLock lock = acquire("r1", ALIVE)) {
      lock.requireHeld();
      assertThat(names()).containsExactly(".model.shardmend-lock");
      assertThat(Files.readString(Path.of(path)))
          .contains("\"host\" : \"node1\"", "\"boot_id\" : \"boot1\"", "\"pid\" : 10", "\"r1\"");
      assertThat(lock.predecessor()).isEmpty();
    }
    assertThat(names()).isEmpty();
  }

  @Test
  void l2_aLockIsTakenOverWhenTheProcessIsGone() throws IOException {
    acquire("r1", ALIVE);
    TargetLock second = acquire("r2", AFTER_ITS_DEATH);
    assertThat(second.predecessor()).get().extracting(LockHolder::runId).isEqualTo("r1");
    second.requireHeld();
    assertThat(names()).containsExactly(".model.shardmend-lock");
  }

  @Test
  void l2_aLockIsTakenOverWhenTheNumberIsAnotherProcess() throws IOException {
    acquire("r1", ALIVE);
    Host reused = new Host("node1", "boot1", "pid:[1]", 20, Map.of(10L, "999", 20L, "200"));
    acquire("r2", reused).requireHeld();
  }

  @Test
  void l2_anotherBootMayBeAnotherMachineOfThatNameAndProvesNothing() throws IOException {
    acquire("r1", ALIVE);
    Host twin = new Host("node1", "boot2", "pid:[1]", 20, Map.of(20L, "100"));
    assertThatThrownBy(() -> acquire("r2", twin))
        .isInstanceOf(LockedException.class)
        .hasMessageContaining("started again since, or is another machine of the same name");
  }

  @Test
  void l2_aHostWithoutABootIdProvesNothing() throws IOException {
    acquire("r1", new Host("node1", "", "", 10, Map.of(10L, "100")));
    Host same = new Host("node1", "", "", 20, Map.of(20L, "200"));
    assertThatThrownBy(() -> acquire("r2", same)).isInstanceOf(LockedException.class);
  }

  @Test
  void l2_aProcessThatTheSystemHidesMayBeAlive() throws IOException {
    acquire("r1", ALIVE);
    Host otherUser = new Host("node1", "boot1", "pid:[1]", 20, Map.of(10L, "", 20L, "200"));
    assertThatThrownBy(() -> acquire("r2", otherUser))
        .isInstanceOf(LockedException.class)
        .hasMessageContaining("does not show it to this user")
        .hasMessageContaining("ps -p 10");
  }

  @Test
  void l2_aProcessInAnotherNamespaceProvesNothing() throws IOException {
    acquire("r1", ALIVE);
    Host container = new Host("node1", "boot1", "pid:[2]", 1, Map.of(1L, "500"));
    assertThatThrownBy(() -> acquire("r2", container)).isInstanceOf(LockedException.class);
  }

  @Test
  void l2_theSystemKnowsItsProcessesAndForgetsDeadOnes() throws Exception {
    HolderProbe system = HolderProbe.system();
    LockHolder self = system.self("r1");
    assertThat(self.pid()).isEqualTo(ProcessHandle.current().pid());
    assertThat(system.presenceOf(self.pid())).isEqualTo(Presence.of(self.started()));
    assertThat(system.stateOf(self, self)).isEqualTo(HolderState.RUNNING);
    Process child = new ProcessBuilder("sleep", "100").start();
    LockHolder holder =
        new LockHolder(
            self.host(),
            self.bootId(),
            self.pidNamespace(),
            child.pid(),
            system.presenceOf(child.pid()).started(),
            self.user(),
            "r0",
            "then");
    assertThat(system.stateOf(holder, self)).isEqualTo(HolderState.RUNNING);
    child.destroyForcibly().waitFor();
    assertThat(system.stateOf(holder, self)).isEqualTo(HolderState.GONE);
  }

  /** A lock may have come with the checkpoint, to be read on a terminal or in a log. */
  @Test
  void l4_whatALockSaysIsShownInOneLine() throws IOException {
    Files.writeString(
        Path.of(path),
        """
        {"host": "node\\u001b[2J", "boot_id": "boot1", "pid_namespace": "pid:[1]", "pid": 10,
         "started": "100", "user": "anna\\nDone", "run_id": "r1", "since": "2026-11-30T08:00:00Z"}
        """);
    assertThatThrownBy(() -> TargetLock.acquire(store, path, "r2"))
        .isInstanceOf(LockedException.class)
        .hasMessageContaining("user anna\\u000aDone on host node")
        .message()
        .doesNotContain("\n", "\u001b");
  }

  @Test
  void l2_aLockOfAVersionThatDidNotWriteTheUserIsReadToo() throws IOException {
    Files.writeString(
        Path.of(path),
        """
        {"host": "node1", "boot_id": "boot1", "pid_namespace": "pid:[1]", "pid": 10,
         "started": "100", "run_id": "r1", "since": "2026-11-30T08:00:00Z"}
        """);
    TargetLock second = acquire("r2", AFTER_ITS_DEATH);
    assertThat(second.predecessor()).get().extracting(LockHolder::runId).isEqualTo("r1");
  }

  @Test
  void l3_ofManyTakersOneTakesTheDeadLock() throws Exception {
    for (int round = 0; round < 20; round++) {
      TargetLock dead = acquire("r1", ALIVE);
      int takers = 4;
      CyclicBarrier together = new CyclicBarrier(takers);
      ExecutorService pool = Executors.newFixedThreadPool(takers);
      List<Future<Boolean>> results = new ArrayList<>();
      for (int taker = 0; taker < takers; taker++) {
        String runId = "r-" + taker;
        results.add(pool.submit(takes(runId, together)));
      }
      int winners = 0;
      for (Future<Boolean> result : results) {
        winners += result.get() ? 1 : 0;
      }
      pool.shutdown();
      assertThat(winners).isOne();
      assertThatThrownBy(dead::requireHeld).isInstanceOf(LockedException.class);
      assertThat(names()).containsExactly(".model.shardmend-lock");
      TargetLock.breakLock(store, path);
    }
  }

  private Callable<Boolean> takes(String runId, CyclicBarrier together) {
    return () -> {
      together.await();
      try {
        acquire(runId, AFTER_ITS_DEATH).requireHeld();
        return true;
      } catch (LockedException another) {
        return false;
      }
    };
  }

  @Test
  void l3_aTakerThatDiedInTheMiddleIsTakenOverToo() throws IOException {
    acquire("r1", ALIVE);
    TargetLock.acquire(store, path + ".takeover", "r2", ALIVE);
    acquire("r3", AFTER_ITS_DEATH).requireHeld();
    assertThat(names()).containsExactly(".model.shardmend-lock");
  }

  @Test
  void l4_aLivingHolderIsRespectedAndNamed() throws IOException {
    acquire("r1", ALIVE);
    assertThatThrownBy(() -> acquire("r2", OTHER_PROCESS))
        .isInstanceOf(LockedException.class)
        .hasMessageContaining("run r1 of user anna")
        .hasMessageContaining("host node1")
        .hasMessageContaining("process 10")
        .hasMessageContaining("2026-11-30T08:00:00Z")
        .hasMessageContaining("--break-lock");
  }

  @Test
  void l4_aHolderOnAnotherHostIsRespectedUntilTheLockIsBroken() throws IOException {
    acquire("r1", ALIVE);
    Host elsewhere = new Host("node2", "boot9", "pid:[1]", 20, Map.of(20L, "200"));
    assertThatThrownBy(() -> acquire("r2", elsewhere)).hasMessageContaining("node1");
    assertThat(TargetLock.breakLock(store, path)).isTrue();
    acquire("r2", elsewhere).requireHeld();
  }

  @Test
  void l5_anEmptyLockNamesNobodyAndIsRespected() throws IOException {
    Files.createFile(Path.of(path));
    assertThatThrownBy(() -> acquire("r1", ALIVE))
        .isInstanceOf(LockedException.class)
        .hasMessageContaining("empty or unreadable")
        .hasMessageContaining("--break-lock");
    assertThat(Path.of(path)).isEmptyFile();
  }

  @Test
  void l6_aRunWhoseLockWasBrokenStopsAndLeavesTheOthersLock() throws IOException {
    TargetLock broken = acquire("r1", ALIVE);
    TargetLock.breakLock(store, path);
    assertThatThrownBy(broken::requireHeld).hasMessageContaining("gone");
    TargetLock second = acquire("r2", OTHER_PROCESS);
    assertThatThrownBy(broken::requireHeld)
        .isInstanceOf(LockedException.class)
        .hasMessageContaining("run r2");
    broken.close();
    second.requireHeld();
  }

  @Test
  void l7_whatAKilledRunLeftHalfWrittenIsRemoved() throws IOException {
    Files.writeString(Path.of(path + ".new-0011223344556677"), "{\"host\"");
    try (TargetLock lock = acquire("r1", ALIVE)) {
      lock.requireHeld();
      assertThat(names()).containsExactly(".model.shardmend-lock");
    }
  }

  @Test
  void l7_whatATakerLeftHalfWrittenIsRemovedToo() throws IOException {
    Files.writeString(Path.of(path + ".takeover.new-0011223344556677"), "{\"host\"");
    Files.writeString(Path.of(path + ".takeover.takeover.new-8899aabbccddeeff"), "");
    acquire("r1", ALIVE).requireHeld();
    assertThat(names()).containsExactly(".model.shardmend-lock");
  }

  @Test
  void l7_theLockOfATakerThatDiedAfterItsWorkIsRemoved() throws IOException {
    TargetLock.acquire(store, path + ".takeover", "r1", ALIVE);
    acquire("r2", AFTER_ITS_DEATH).requireHeld();
    assertThat(names()).containsExactly(".model.shardmend-lock");
  }

  @Test
  void l7_theLockOfALivingTakerStays() throws IOException {
    TargetLock taker = TargetLock.acquire(store, path + ".takeover", "r1", ALIVE);
    acquire("r2", OTHER_PROCESS).requireHeld();
    taker.requireHeld();
  }

  @Test
  void aLockInsideACheckpointLeavesNoEmptyDirectory() throws IOException {
    String checkpoint = directory.resolve("checkpoint").toString();
    String inside = TargetLock.inside(checkpoint);
    TargetLock.acquire(store, inside, "r1").close();
    assertThat(directory.resolve("checkpoint")).isEmptyDirectory();
    TargetLock lock = TargetLock.acquire(store, inside, "r1");
    Path audit = Files.createFile(directory.resolve("checkpoint/.shardmend/audit"));
    lock.close();
    assertThat(audit).exists();
  }

  @Test
  void aDeadLockIsTakenOverWhereNothingElseIsInOurDirectory() throws IOException {
    String inside = TargetLock.inside(directory.resolve("checkpoint").toString());
    TargetLock.acquire(store, inside, "r1", ALIVE);
    try (TargetLock lock = TargetLock.acquire(store, inside, "r2", AFTER_ITS_DEATH)) {
      lock.requireHeld();
    }
    assertThat(directory.resolve("checkpoint")).isEmptyDirectory();
  }

  @Test
  void runsThatComeAndGoRemoveOurDirectoryFromUnderNobody() throws Exception {
    String inside = TargetLock.inside(directory.resolve("checkpoint").toString());
    int runs = 4;
    CyclicBarrier together = new CyclicBarrier(runs);
    ExecutorService pool = Executors.newFixedThreadPool(runs);
    List<Future<Integer>> held = new ArrayList<>();
    for (int run = 0; run < runs; run++) {
      String runId = "r-" + run;
      held.add(pool.submit(() -> timesHeld(inside, runId, together)));
    }
    int all = 0;
    for (Future<Integer> times : held) {
      all += times.get();
    }
    pool.shutdown();
    assertThat(all).isPositive();
    assertThat(directory.resolve("checkpoint")).isEmptyDirectory();
  }

  private int timesHeld(String inside, String runId, CyclicBarrier together) throws Exception {
    together.await();
    int times = 0;
    for (int round = 0; round < 50; round++) {
      try (TargetLock lock = TargetLock.acquire(store, inside, runId, ALIVE)) {
        lock.requireHeld();
        times++;
      } catch (LockedException another) {
        assertThat(another).hasMessageContaining("Locked");
      }
    }
    return times;
  }

  @Test
  void aStoreWithoutHardLinksLocksByExclusiveCreation() throws IOException {
    Store noLinks = PlainStore.over(store, StoreTraits.OBJECT_STORE);
    TargetLock first = TargetLock.acquire(noLinks, path, "r1", ALIVE);
    assertThatThrownBy(() -> TargetLock.acquire(noLinks, path, "r2", OTHER_PROCESS))
        .isInstanceOf(LockedException.class);
    first.close();
    TargetLock.acquire(noLinks, path, "r2", OTHER_PROCESS).close();
    assertThat(names()).isEmpty();
  }
}
