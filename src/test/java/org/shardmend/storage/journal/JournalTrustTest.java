package org.shardmend.storage.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.Store;
import org.shardmend.storage.bytes.InPlaceScenario;
import org.shardmend.storage.protocol.JournalRefusedException;
import org.shardmend.storage.protocol.JournalRefusedException.Reason;
import org.shardmend.storage.protocol.OwnDirectory;
import org.shardmend.storage.protocol.StepListener;
import org.shardmend.storage.publish.Manifest;
import org.shardmend.storage.publish.RepairScenario;

/** A journal that came with a checkpoint, or that somebody else wrote. */
class JournalTrustTest {
  private static final int ITERATIONS = Integer.getInteger("shardmend.fuzz.iterations", 2_000);
  private static final long SEED = Long.getLong("shardmend.fuzz.seed", 20261130);

  @TempDir private Path directory;

  private final Store store = new LocalStore();
  private Path checkpoint;
  private InPlaceScenario scenario;

  @BeforeEach
  void prepareAJournal() throws IOException {
    checkpoint = directory.resolve("model");
    scenario = new InPlaceScenario(store, checkpoint.toString());
    scenario.create();
    scenario.prepare(StepListener.NONE);
  }

  private Path ours(String name) {
    return checkpoint.resolve(".shardmend").resolve(name);
  }

  private Path ready() {
    return ours("journal/READY");
  }

  private Journal ofSomebodyElse() {
    return Journal.of(
        store,
        checkpoint.toString(),
        StepListener.NONE,
        new JournalKey(directory.resolve("another-users-state")));
  }

  private Map<String, String> outsideAndInside() throws IOException {
    Map<String, byte[]> files = new TreeMap<>();
    try (Stream<Path> entries = Files.walk(directory)) {
      for (Path entry : entries.filter(Files::isRegularFile).toList()) {
        if (!entry.startsWith(ours(""))) {
          files.put(directory.relativize(entry).toString(), Files.readAllBytes(entry));
        }
      }
    }
    return InPlaceScenario.digests(files);
  }

  @Test
  void t1_aJournalOfAnotherKeyIsShownAndNeedsAYes() throws IOException {
    Map<String, String> before = outsideAndInside();
    for (ThrowingCall call :
        List.<ThrowingCall>of(
            () -> ofSomebodyElse().finish(1), () -> ofSomebodyElse().rollback(1))) {
      assertThat(catchThrowableOfType(JournalRefusedException.class, call::run))
          .hasMessageContaining("--adopt-journal")
          .hasMessageContaining("Run r1")
          .hasMessageContaining("overwrites the headers of 2 shards")
          .hasMessageContaining("shardmend.json")
          .returns(Reason.FOREIGN, JournalRefusedException::reason);
    }
    assertThat(outsideAndInside()).isEqualTo(before);
  }

  private interface ThrowingCall {
    void run() throws IOException;
  }

  @Test
  void t1_aReadyThatWasChangedIsNotOurs() throws IOException {
    Files.writeString(ready(), Files.readString(ready()).replace("\"r1\"", "\"r2\""));
    assertThatThrownBy(() -> scenario.journal().finish(1))
        .isInstanceOf(JournalRefusedException.class)
        .hasMessageContaining("nothing proves");
  }

  @Test
  void t3_withoutTheSealAJournalIsRefused() throws IOException {
    Files.delete(ours("journal/SEAL"));
    assertThatThrownBy(() -> scenario.journal().rollback(1))
        .isInstanceOf(JournalRefusedException.class)
        .hasMessageContaining("nothing proves");
  }

  @Test
  void t3_whatTheUserVouchesForIsFinishedAndUndone() throws IOException {
    ofSomebodyElse().adopting().finish(1);
    assertThat(Files.readAllBytes(checkpoint.resolve(InPlaceScenario.REPLACED)))
        .isEqualTo(InPlaceScenario.after().get(InPlaceScenario.REPLACED));
    ofSomebodyElse().adopting().rollback(1);
    assertThat(Files.readAllBytes(checkpoint.resolve(InPlaceScenario.REPLACED)))
        .isEqualTo(InPlaceScenario.before().get(InPlaceScenario.REPLACED));
    assertThat(ours("")).doesNotExist();
  }

  @Test
  void t4_aNameThatIsNoFileOfTheCheckpointIsRefusedAlsoWhereTheUserVouchesForIt()
      throws IOException {
    Path victim = Files.writeString(directory.resolve("victim"), "precious");
    String honest = Files.readString(ready());
    for (String name :
        List.of(
            "../victim", "/etc/passwd", "a/../../victim", "./x", "a//b", ".shardmend/lock", "")) {
      Files.writeString(
          ready(), honest.replace("\"" + InPlaceScenario.LONG_HEADER + "\"", "\"" + name + "\""));
      assertRefused(name, Reason.MALFORMED);
    }
    assertThat(victim).hasContent("precious");
  }

  private void assertRefused(String what, Reason reason) {
    for (ThrowingCall call :
        List.<ThrowingCall>of(
            () -> ofSomebodyElse().adopting().finish(1),
            () -> ofSomebodyElse().adopting().rollback(1))) {
      assertThat(catchThrowableOfType(JournalRefusedException.class, call::run))
          .as(what)
          .returns(reason, JournalRefusedException::reason);
    }
  }

  @Test
  void t4_entriesThatNoRunWritesAreRefused() throws IOException {
    String honest = Files.readString(ready());
    Map<String, String> changes =
        Map.of(
            "\"kind\" : \"ADD\"", "\"kind\" : \"REPLACE\"",
            "\"name\" : \"shardmend.json\"", "\"name\" : \"modeling.py\"",
            "\"name\" : \"model.safetensors.index.json\"", "\"name\" : \"tokenizer.json\"",
            "\"number\" : 1,", "\"number\" : 0,",
            "\"number\" : 3,", "\"number\" : -3,",
            "\"leading_bytes\" : 110", "\"leading_bytes\" : 0",
            "\"leading_bytes\" : 400", "\"leading_bytes\" : 4",
            "\"content\" : \"xxh3", "\"content\" : \"crc0");
    for (Map.Entry<String, String> change : changes.entrySet()) {
      String hostile = honest.replace(change.getKey(), change.getValue());
      assertThat(hostile).as(change.getKey()).isNotEqualTo(honest);
      Files.writeString(ready(), hostile);
      assertRefused(change.toString(), Reason.MALFORMED);
    }
  }

  @Test
  void t4_aLinkBelowOurDirectoryIsNotFollowed() throws IOException {
    Path outside = Files.createDirectory(directory.resolve("outside"));
    Path precious = Files.writeString(outside.resolve("2"), "precious");
    for (String name : List.of("journal/new", "journal/old", "journal/entries", "journal/spare")) {
      Path moved = directory.resolve("moved");
      Files.move(ours(name), moved);
      Files.createSymbolicLink(ours(name), outside);
      assertRefused(name, Reason.LINK);
      Files.delete(ours(name));
      Files.move(moved, ours(name));
    }
    Files.move(ours(""), directory.resolve("elsewhere"));
    Files.createSymbolicLink(ours(""), directory.resolve("elsewhere"));
    assertThatThrownBy(() -> scenario.journal().state())
        .isInstanceOf(JournalRefusedException.class);
    assertThatThrownBy(() -> OwnDirectory.requirePlain(store, checkpoint.toString()))
        .isInstanceOf(JournalRefusedException.class)
        .hasMessageContaining("was not followed");
    assertThat(precious).hasContent("precious");
  }

  @Test
  void t4_aShardThatBecameALinkIsNotPatched() throws IOException {
    Path victim = directory.resolve("victim");
    Path shard = checkpoint.resolve(InPlaceScenario.LONG_HEADER);
    Files.move(shard, victim);
    Files.createSymbolicLink(shard, victim);
    assertThatThrownBy(() -> scenario.journal().finish(1))
        .isInstanceOf(ForeignChangeException.class);
    assertThat(Files.readAllBytes(victim))
        .isEqualTo(InPlaceScenario.before().get(InPlaceScenario.LONG_HEADER));
  }

  /** Whatever comes of a damaged READY or header pair is a journal, or one of three refusals. */
  @Test
  void damagedJournalsAreReadOrRefused() throws IOException {
    byte[] honest = Files.readAllBytes(ready());
    byte[] pair = Files.readAllBytes(ours("journal/entries/1"));
    byte[] manifest = RepairScenario.expected().get("shardmend.json");
    int read = 0;
    for (int i = 0; i < ITERATIONS; i++) {
      Random random = new Random(SEED + i);
      try {
        JournalIndexReader.read(damaged(honest, random), store.locate("/READY"));
        read++;
      } catch (JournalException | JournalRefusedException refused) {
        assertThat(refused).hasMessageContaining("/READY");
      } catch (RuntimeException | Error e) {
        throw new AssertionError("-Dshardmend.fuzz.seed=" + (SEED + i), e);
      }
      readPair(damaged(pair, random), i);
      ExchangedFileStamps.stampsOf(damaged(honest, random));
      readManifest(damaged(manifest, random), i);
    }
    assertThat(read).as("some damage is harmless").isPositive();
  }

  private void readPair(byte[] damaged, int i) throws IOException {
    Path file = directory.resolve("pair");
    Files.write(file, damaged);
    try (HeaderPairs.Reader pairs = HeaderPairs.open(store, file.toString(), 400)) {
      while (pairs.next()) {
        assertThat(pairs.block().length()).isPositive();
      }
    } catch (JournalException refused) {
      assertThat(refused).hasMessageContaining("pair");
    } catch (RuntimeException | Error e) {
      throw new AssertionError("-Dshardmend.fuzz.seed=" + (SEED + i), e);
    }
  }

  private static void readManifest(byte[] damaged, int i) {
    try {
      Manifest.parse(damaged);
    } catch (IOException refused) {
      assertThat(refused).isNotNull();
    } catch (RuntimeException | Error e) {
      throw new AssertionError("-Dshardmend.fuzz.seed=" + (SEED + i), e);
    }
  }

  private static byte[] damaged(byte[] honest, Random random) {
    byte[] bytes = honest.clone();
    for (int times = 1 + random.nextInt(3); times > 0; times--) {
      int at = random.nextInt(bytes.length);
      switch (random.nextInt(4)) {
        case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
        case 1 -> bytes = java.util.Arrays.copyOf(bytes, 1 + at);
        case 2 -> bytes[at] = (byte) "0-9.,:{}[]\"nte".charAt(random.nextInt(14));
        default -> {
          int from = random.nextInt(bytes.length);
          int length = Math.min(random.nextInt(40), bytes.length - Math.max(at, from));
          System.arraycopy(bytes.clone(), from, bytes, at, length);
        }
      }
    }
    return bytes;
  }
}
