package org.shardmend.storage.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.SourceChangedException;
import org.shardmend.storage.Store;
import org.shardmend.storage.bytes.CheckpointStamps;
import org.shardmend.storage.bytes.InPlaceScenario;
import org.shardmend.storage.protocol.JournalRefusedException;
import org.shardmend.storage.protocol.StepListener;

/** The sentences of {@code journal.md}, on a real file system. */
class JournalTest {
  @TempDir private Path directory;

  private final Store store = new LocalStore();
  private Path checkpoint;
  private InPlaceScenario scenario;

  @BeforeEach
  void createCheckpoint() throws IOException {
    checkpoint = directory.resolve("model");
    scenario = new InPlaceScenario(store, checkpoint.toString());
    scenario.create();
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

  private void assertOld() throws IOException {
    assertThat(tree(checkpoint)).isEqualTo(InPlaceScenario.digests(InPlaceScenario.before()));
  }

  private void assertNew() throws IOException {
    assertThat(tree(checkpoint)).isEqualTo(InPlaceScenario.digests(InPlaceScenario.after()));
  }

  private CheckpointStamps stamps() throws IOException {
    return CheckpointStamps.take(store, checkpoint.toString());
  }

  private Path shard(String name) {
    return checkpoint.resolve(name);
  }

  private static void overwrite(Path file, int offset, int length) throws IOException {
    byte[] content = Files.readAllBytes(file);
    Arrays.fill(content, offset, offset + length, (byte) '!');
    Files.write(file, content);
  }

  @Test
  void j12_finishingMakesAllNewAsOftenAsOneLikes() throws IOException {
    scenario.prepare(StepListener.NONE);
    assertOld();
    JournalResult first = scenario.journal().finish(4);
    assertNew();
    assertThat(first.outcome()).isEqualTo(JournalResult.Outcome.APPLIED);
    assertThat(first.files()).isEqualTo(5);
    JournalResult second = scenario.journal().finish(4);
    assertNew();
    assertThat(second.bytesWritten()).isZero();
    assertThat(scenario.journal().state()).isEqualTo(JournalState.APPLIED);
  }

  @Test
  void j13_rollingBackMakesAllOldAndLeavesNothingOfOurs() throws IOException {
    scenario.prepare(StepListener.NONE);
    scenario.journal().finish(2);
    assertThat(scenario.journal().rollback(2).outcome())
        .isEqualTo(JournalResult.Outcome.ROLLED_BACK);
    assertOld();
    assertThat(checkpoint.resolve(".shardmend")).doesNotExist();
    assertThat(scenario.journal().rollback(2).outcome()).isEqualTo(JournalResult.Outcome.NOTHING);
    assertOld();
  }

  @Test
  void j13_theOriginalFileComesBackNotACopy() throws IOException {
    Object key = Files.getAttribute(shard(InPlaceScenario.REPLACED), "unix:ino");
    scenario.prepare(StepListener.NONE);
    scenario.journal().finish(1);
    assertThat(Files.getAttribute(shard(InPlaceScenario.REPLACED), "unix:ino")).isNotEqualTo(key);
    scenario.journal().rollback(1);
    assertThat(Files.getAttribute(shard(InPlaceScenario.REPLACED), "unix:ino")).isEqualTo(key);
    assertThat(Files.getAttribute(shard(InPlaceScenario.REPLACED), "unix:nlink")).isEqualTo(1);
  }

  @Test
  void j7_theNewFileHasThePermissionsOfTheOld() throws IOException {
    store.setMode(shard(InPlaceScenario.REPLACED).toString(), 0640);
    store.setMode(shard(InPlaceScenario.INDEX).toString(), 0604);
    scenario.prepare(StepListener.NONE);
    scenario.journal().finish(1);
    assertThat(store.stat(shard(InPlaceScenario.REPLACED).toString()).orElseThrow().mode())
        .isEqualTo(0640);
    assertThat(store.stat(shard(InPlaceScenario.INDEX).toString()).orElseThrow().mode())
        .isEqualTo(0604);
  }

  @Test
  void j2_onlyTheAdoptedAttemptCounts() throws IOException {
    JournalBuilder builder = scenario.journal().begin("r1", stamps());
    EntryPreparation stage = EntryPreparation.of(store, checkpoint.toString());
    byte[] before = Arrays.copyOf(InPlaceScenario.before().get(InPlaceScenario.LONG_HEADER), 1300);
    byte[] wrong = before.clone();
    wrong[9]++;
    byte[] right = before.clone();
    right[10]++;
    stage.patch(0, 1, InPlaceScenario.LONG_HEADER, before, wrong);
    builder.adopt(stage.patch(0, 2, InPlaceScenario.LONG_HEADER, before, right));
    builder.ready(1);
    scenario.journal().finish(1);
    assertThat(Arrays.copyOf(Files.readAllBytes(shard(InPlaceScenario.LONG_HEADER)), 1300))
        .isEqualTo(right);
    assertThat(checkpoint.resolve(".shardmend/journal/work")).isEmptyDirectory();
  }

  @Test
  void j3_whatChangedSinceItWasStagedIsRefusedBeforeReady() throws IOException {
    assertThatThrownBy(
            () ->
                scenario.prepare(
                    step -> {
                      if (step.equals("journal: sync directories")) {
                        append(shard(InPlaceScenario.REPLACED));
                      }
                    }))
        .isInstanceOf(ForeignChangeException.class)
        .hasMessageContaining(InPlaceScenario.REPLACED);
    assertThat(scenario.journal().state()).isEqualTo(JournalState.PREPARING);
    scenario.journal().removeRemains();
    assertThat(checkpoint.resolve(".shardmend")).doesNotExist();
  }

  private static void append(Path file) {
    try {
      Files.write(file, new byte[] {1}, java.nio.file.StandardOpenOption.APPEND);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Test
  void j9_aTornHeaderIsOurs() throws IOException {
    scenario.prepare(StepListener.NONE);
    byte[] torn = InPlaceScenario.before().get(InPlaceScenario.LONG_HEADER);
    System.arraycopy(
        InPlaceScenario.after().get(InPlaceScenario.LONG_HEADER), 1024, torn, 1024, 276);
    Files.write(shard(InPlaceScenario.LONG_HEADER), torn);
    scenario.journal().finish(1);
    assertNew();
    scenario.journal().rollback(1);
    assertOld();
  }

  @Test
  void j9_aForeignSectorIsRefusedByNameAndOffsetAndNothingIsWritten() throws IOException {
    scenario.prepare(StepListener.NONE);
    overwrite(shard(InPlaceScenario.LONG_HEADER), 1030, 4);
    Map<String, String> foreign = tree(checkpoint);
    for (ThrowingCall call :
        List.<ThrowingCall>of(
            () -> scenario.journal().finish(2), () -> scenario.journal().rollback(2))) {
      ForeignChangeException refusal =
          catchThrowableOfType(ForeignChangeException.class, call::run);
      assertThat(refusal)
          .hasMessageContaining(InPlaceScenario.LONG_HEADER)
          .hasMessageContaining("sector at byte 1024");
      assertThat(refusal.changes())
          .singleElement()
          .returns(InPlaceScenario.LONG_HEADER, ForeignChange::file)
          .returns(1024L, ForeignChange::offset);
      assertThat(tree(checkpoint)).isEqualTo(foreign);
    }
  }

  private interface ThrowingCall {
    void run() throws IOException;
  }

  @Test
  void j9_aByteBehindTheHeaderIsNotLookedAtAndNotWritten() throws IOException {
    scenario.prepare(StepListener.NONE);
    overwrite(shard(InPlaceScenario.LONG_HEADER), InPlaceScenario.LONG_HEADER_BYTES, 3);
    scenario.journal().finish(1);
    byte[] now = Files.readAllBytes(shard(InPlaceScenario.LONG_HEADER));
    byte[] expected = InPlaceScenario.after().get(InPlaceScenario.LONG_HEADER);
    Arrays.fill(
        expected,
        InPlaceScenario.LONG_HEADER_BYTES,
        InPlaceScenario.LONG_HEADER_BYTES + 3,
        (byte) '!');
    assertThat(now).isEqualTo(expected);
  }

  @Test
  void j9_anotherLengthAnotherFileOrNoneIsForeign() throws IOException {
    scenario.prepare(StepListener.NONE);
    append(shard(InPlaceScenario.SHORT_HEADER));
    Files.delete(shard(InPlaceScenario.REPLACED));
    Path copy = directory.resolve("copy");
    Files.copy(shard(InPlaceScenario.LONG_HEADER), copy);
    Files.move(
        copy,
        shard(InPlaceScenario.LONG_HEADER),
        java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    assertThat(
            catchThrowableOfType(ForeignChangeException.class, () -> scenario.journal().rollback(1))
                .changes())
        .extracting(ForeignChange::file)
        .containsExactly(
            InPlaceScenario.LONG_HEADER, InPlaceScenario.SHORT_HEADER, InPlaceScenario.REPLACED);
  }

  @Test
  void j10_aCheckpointThatWasCopiedWithItsJournalRecoversByContent() throws IOException {
    scenario.prepare(StepListener.NONE);
    byte[] torn = InPlaceScenario.before().get(InPlaceScenario.LONG_HEADER);
    System.arraycopy(InPlaceScenario.after().get(InPlaceScenario.LONG_HEADER), 0, torn, 0, 512);
    Files.write(shard(InPlaceScenario.LONG_HEADER), torn);
    Path finished = copyTo("finished");
    Path undone = copyTo("undone");
    new InPlaceScenario(store, finished.toString()).journal().finish(1);
    assertThat(tree(finished)).isEqualTo(InPlaceScenario.digests(InPlaceScenario.after()));
    new InPlaceScenario(store, finished.toString()).journal().rollback(1);
    assertThat(tree(finished)).isEqualTo(InPlaceScenario.digests(InPlaceScenario.before()));
    new InPlaceScenario(store, undone.toString()).journal().rollback(1);
    assertThat(tree(undone)).isEqualTo(InPlaceScenario.digests(InPlaceScenario.before()));
  }

  private Path copyTo(String name) throws IOException {
    Path target = directory.resolve(name);
    try (Stream<Path> entries = Files.walk(checkpoint)) {
      for (Path entry : entries.toList()) {
        Files.copy(entry, target.resolve(checkpoint.relativize(entry)));
      }
    }
    return target;
  }

  @Test
  void aDamagedEntryOfTheJournalIsToldAndNothingIsWritten() throws IOException {
    scenario.prepare(StepListener.NONE);
    overwrite(checkpoint.resolve(".shardmend/journal/entries/1"), 40, 1);
    assertThatThrownBy(() -> scenario.journal().finish(1))
        .isInstanceOf(JournalException.class)
        .hasMessageContaining("entries/1");
    assertOld();
  }

  @Test
  void j16_forgettingIsForAppliedJournalsOnly() throws IOException {
    scenario.prepare(StepListener.NONE);
    assertThatThrownBy(() -> scenario.journal().forget())
        .isInstanceOf(JournalException.class)
        .hasMessageContaining("--in-place; to undo it: shardmend rollback");
    scenario.journal().finish(1);
    scenario.journal().forget();
    assertNew();
    assertThat(scenario.journal().state()).isEqualTo(JournalState.NONE);
    assertThat(Files.getAttribute(shard(InPlaceScenario.REPLACED), "unix:nlink")).isEqualTo(1);
  }

  @Test
  void j17_anOpenJournalIsInEverybodysWay() throws IOException {
    scenario.journal().requireClosed();
    scenario.prepare(StepListener.NONE);
    assertThatThrownBy(() -> scenario.journal().requireClosed())
        .isInstanceOf(JournalException.class)
        .hasMessageContaining("rollback");
    scenario.journal().finish(1);
    scenario.journal().requireClosed();
    assertThatThrownBy(() -> scenario.journal().begin("r2", stamps()))
        .isInstanceOf(JournalException.class)
        .hasMessageContaining("--forget");
    assertThat(scenario.journal().runId()).contains("r1");
  }

  @Test
  void noNameOfTheJournalEndsLikeAShard() throws IOException {
    scenario.prepare(StepListener.NONE);
    scenario.journal().finish(1);
    try (Stream<Path> entries = Files.walk(checkpoint.resolve(".shardmend"))) {
      assertThat(entries)
          .noneMatch(entry -> entry.toString().matches(".*\\.safetensors?(\\.index\\.json)?"));
    }
  }

  @Test
  void theJournalCostsAFractionOfTheHeaders() throws IOException {
    StringBuilder json = new StringBuilder();
    for (int tensor = 0; tensor < 2000; tensor++) {
      json.append(
          "\"model.layers.%d.self_attn.attn_mha.kv_b_proj.weight\":{\"dtype\":\"BF16\",\"shape\":[512,512],\"data_offsets\":[%d,%d]},"
              .formatted(tensor, tensor * 524288L, (tensor + 1) * 524288L));
    }
    byte[] before = json.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8);
    byte[] after =
        Arrays.copyOf(
            json.toString()
                .replace("attn_mha.", "")
                .getBytes(java.nio.charset.StandardCharsets.UTF_8),
            before.length);
    Path pair = directory.resolve("pair");
    HeaderPairs.write(store, pair.toString(), before, after);
    assertThat(Files.size(pair)).isLessThan(before.length / 2);
  }

  @Test
  void g4_twoNamesOfOneFileAreRefused() throws IOException {
    Files.createLink(checkpoint.resolve("twin"), shard(InPlaceScenario.LONG_HEADER));
    JournalBuilder builder = scenario.journal().begin("r1", stamps());
    EntryPreparation stage = EntryPreparation.of(store, checkpoint.toString());
    byte[] before = Arrays.copyOf(InPlaceScenario.before().get(InPlaceScenario.LONG_HEADER), 1300);
    byte[] after = before.clone();
    after[9]++;
    builder.adopt(stage.patch(0, 1, InPlaceScenario.LONG_HEADER, before, after));
    builder.adopt(stage.patch(1, 2, "twin", before, after));
    assertThatThrownBy(() -> builder.ready(1))
        .isInstanceOf(JournalException.class)
        .hasMessageContaining("twin");
  }

  @Test
  void g2_aLinkInsideTheCheckpointIsFollowedOnce() throws IOException {
    Path real = checkpoint.resolve("real");
    Files.move(shard(InPlaceScenario.LONG_HEADER), real);
    Files.createSymbolicLink(shard(InPlaceScenario.LONG_HEADER), Path.of("real"));
    scenario.prepare(StepListener.NONE);
    scenario.journal().finish(1);
    assertThat(shard(InPlaceScenario.LONG_HEADER)).isSymbolicLink();
    assertThat(Files.readAllBytes(real))
        .isEqualTo(InPlaceScenario.after().get(InPlaceScenario.LONG_HEADER));
    scenario.journal().rollback(1);
    assertThat(Files.readAllBytes(real))
        .isEqualTo(InPlaceScenario.before().get(InPlaceScenario.LONG_HEADER));
  }

  @Test
  void j3_aShardThatWasWrittenToAfterItWasReadIsRefusedBeforeReady() throws IOException {
    assertThatThrownBy(
            () ->
                scenario.prepare(
                    step -> {
                      if (step.equals("journal: adopt " + InPlaceScenario.REPLACED)) {
                        touchData(shard(InPlaceScenario.REPLACED));
                      }
                    }))
        .isInstanceOf(SourceChangedException.class)
        .hasMessageContaining("no longer what was read");
    assertThat(scenario.journal().state()).isEqualTo(JournalState.PREPARING);
  }

  /** Same inode, same length, same header: only the last byte of the data. */
  private static void touchData(Path file) {
    try {
      byte[] content = Files.readAllBytes(file);
      content[content.length - 1] ^= 1;
      Files.write(file, content);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Test
  void j9_weightsThatWereSavedAgainBeforeTheyWereExchangedStay() throws IOException {
    scenario.prepare(StepListener.NONE);
    touchData(shard(InPlaceScenario.REPLACED));
    Map<String, String> newer = tree(checkpoint);
    assertThatThrownBy(() -> scenario.journal().finish(1))
        .isInstanceOf(ForeignChangeException.class)
        .hasMessageContaining(InPlaceScenario.REPLACED);
    assertThat(tree(checkpoint)).isEqualTo(newer);
    scenario.journal().rollback(1);
    assertThat(tree(checkpoint)).isEqualTo(newer);
  }

  @Test
  void j13_noOriginalIsPutOverAShardThatWasSavedAgainAfterTheRepair() throws IOException {
    scenario.prepare(StepListener.NONE);
    scenario.journal().finish(1);
    touchData(shard(InPlaceScenario.REPLACED));
    Map<String, String> newer = tree(checkpoint);
    assertThatThrownBy(() -> scenario.journal().rollback(1))
        .isInstanceOf(ForeignChangeException.class)
        .hasMessageContaining(InPlaceScenario.REPLACED);
    assertThat(tree(checkpoint)).isEqualTo(newer);
  }

  @Test
  void j9_bytesThatAProgramWritesIntoTheOriginalWhileItIsExchangedAreNotForgotten()
      throws IOException {
    scenario.prepare(StepListener.NONE);
    Journal journal =
        Journal.of(
            store,
            checkpoint.toString(),
            step -> {
              if (step.equals("journal: take the new files out of the journal")) {
                touchData(checkpoint.resolve(".shardmend/journal/old/2"));
              }
            });
    assertThatThrownBy(() -> journal.finish(1))
        .isInstanceOf(ForeignChangeException.class)
        .hasMessageContaining("journal/old/2, and rollback brings it back");
    scenario.journal().rollback(1);
    byte[] written = InPlaceScenario.before().get(InPlaceScenario.REPLACED);
    written[written.length - 1] ^= 1;
    assertThat(Files.readAllBytes(shard(InPlaceScenario.REPLACED))).isEqualTo(written);
  }

  @Test
  void j9_nothingIsDroppedWhenWhatItWasComparedWithHasChanged() throws IOException {
    JournalBuilder builder = scenario.journal().begin("r1", stamps());
    scenario.stageReplacement(builder);
    builder.compared(InPlaceScenario.REPLACED);
    builder.compared(InPlaceScenario.UNTOUCHED);
    builder.ready(1);
    touchData(shard(InPlaceScenario.UNTOUCHED));
    assertThatThrownBy(() -> scenario.journal().finish(1))
        .isInstanceOf(ForeignChangeException.class)
        .hasMessageContaining(InPlaceScenario.UNTOUCHED);
    assertThat(Files.readAllBytes(shard(InPlaceScenario.REPLACED)))
        .isEqualTo(InPlaceScenario.before().get(InPlaceScenario.REPLACED));
  }

  @Test
  void j13_aSideFileThatWasEditedAndPutBackByteForByteIsRolledBack() throws IOException {
    scenario.prepare(StepListener.NONE);
    scenario.journal().finish(1);
    for (String name : List.of(InPlaceScenario.INDEX, "shardmend.json")) {
      byte[] repaired = Files.readAllBytes(shard(name));
      Files.write(shard(name), new byte[] {'x'});
      Files.delete(shard(name));
      Files.write(shard(name), repaired);
    }
    scenario.journal().rollback(1);
    assertOld();
  }

  @Test
  void j7_aFileThatHasItsNameSharesItWithNoneInTheJournal() throws IOException {
    scenario.prepare(StepListener.NONE);
    scenario.journal().finish(1);
    for (String name : List.of(InPlaceScenario.REPLACED, InPlaceScenario.INDEX, "shardmend.json")) {
      assertThat(Files.getAttribute(shard(name), "unix:nlink")).as(name).isEqualTo(1);
    }
  }

  /** Writes into a file at one step of the journal. */
  private Journal journalWith(String step, Path written) {
    return Journal.of(
        store,
        checkpoint.toString(),
        reached -> {
          if (reached.equals(step)) {
            touchData(written);
          }
        });
  }

  @Test
  void j13_noOriginalIsPutOverWhatWasWrittenIntoTheNewFileWhileTheRepairWasApplied()
      throws IOException {
    scenario.prepare(StepListener.NONE);
    journalWith("journal: take the new files out of the journal", shard(InPlaceScenario.REPLACED))
        .finish(1);
    Map<String, String> newer = tree(checkpoint);
    assertThatThrownBy(() -> scenario.journal().rollback(1))
        .isInstanceOf(ForeignChangeException.class)
        .hasMessageContaining(InPlaceScenario.REPLACED);
    assertThat(tree(checkpoint)).isEqualTo(newer);
  }

  @Test
  void j13_whatIsWrittenIntoTheNewFileWhileItIsExchangedBackIsNotRemoved() throws IOException {
    scenario.prepare(StepListener.NONE);
    scenario.journal().finish(1);
    Path kept = checkpoint.resolve(".shardmend/journal/new/2");
    assertThatThrownBy(() -> journalWith("journal: look at what was exchanged", kept).rollback(1))
        .isInstanceOf(ForeignChangeException.class)
        .hasMessageContaining("journal/new/2");
    assertThatThrownBy(() -> scenario.journal().rollback(1))
        .isInstanceOf(ForeignChangeException.class)
        .hasMessageContaining("journal/new/2");
    Files.move(kept, directory.resolve("newer"));
    scenario.journal().rollback(1);
    assertOld();
  }

  @Test
  void j16_forgettingKeepsAnOriginalThatWasWrittenToAfterItWasExchanged() throws IOException {
    scenario.prepare(StepListener.NONE);
    scenario.journal().finish(1);
    Path original = checkpoint.resolve(".shardmend/journal/old/2");
    touchData(original);
    assertThatThrownBy(() -> scenario.journal().forget())
        .isInstanceOf(ForeignChangeException.class)
        .hasMessageContaining("journal/old/2");
    Files.move(original, directory.resolve("newer"));
    scenario.journal().forget();
    assertNew();
  }

  @Test
  void g2_aLinkIntoOurOwnDirectoryIsRefusedBeforeReady() throws IOException {
    JournalBuilder builder = scenario.journal().begin("r1", stamps());
    Path hidden = checkpoint.resolve(".shardmend").resolve(InPlaceScenario.REPLACED);
    Files.move(shard(InPlaceScenario.REPLACED), hidden);
    Files.createSymbolicLink(shard(InPlaceScenario.REPLACED), hidden);
    assertThatThrownBy(() -> scenario.stageReplacement(builder))
        .isInstanceOf(JournalRefusedException.class)
        .hasMessageContaining("lies in our own directory");
    assertThat(scenario.journal().state()).isEqualTo(JournalState.PREPARING);
  }
}
