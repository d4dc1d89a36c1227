package org.shardmend.job.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.checkpoint.Samples;
import org.shardmend.job.Actions;
import org.shardmend.job.repair.RepairRequest;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.sweep.SweptCheckpoint.Outcome;
import org.shardmend.testing.DirectoryContent;
import org.shardmend.testing.SharedSparkJob;

/** A tree in which somebody put what he downloaded, with a journal that came along. */
class SweepHostileTest {
  private static final String SAMPLE = "mla-tp2-pp2";

  @TempDir private Path scratch;
  private Path root;
  private Path home;
  private Actions actions;

  @BeforeEach
  void makeATreeAndAHome() throws Exception {
    root = scratch.resolve("tree");
    home = Files.createDirectories(scratch.resolve("home"));
    Files.createDirectory(home.resolve(".ssh"));
    Files.writeString(home.resolve(".bashrc"), "original line of victim\n");
    actions = Actions.withDefaultRules(SharedSparkJob.withProgress(Progress.SILENT));
  }

  @Test
  void journalsThatCameWithCheckpointsAreRefusedAndTheOthersAreSwept() throws Exception {
    Path good = checkpoint("good");
    Path outside = checkpoint("names-files-outside");
    bringAJournal(outside.resolve(".shardmend/journal"), "../../home/");
    Path linked = checkpoint("linked");
    bringAJournal(home.resolve("journal"), "../../home/");
    Files.createDirectory(linked.resolve(".shardmend"));
    Files.createSymbolicLink(linked.resolve(".shardmend/journal"), home.resolve("journal"));
    Path foreign = checkpoint("of-another-user");
    stopARepairOfSomebodyElse(foreign);
    SortedMap<String, String> before = untouchable(good);

    List<SweptCheckpoint> swept = sweep();

    SortedMap<String, String> ends = new TreeMap<>();
    swept.forEach(
        one ->
            ends.put(
                root.relativize(Path.of(one.checkpoint().path())).toString(),
                one.outcome().id() + " " + one.code()));
    assertThat(ends)
        .containsEntry("good", "done ")
        .containsEntry("names-files-outside", "refused malformed-journal")
        .containsEntry("linked", "refused own-directory")
        .containsEntry("of-another-user", "refused foreign-journal")
        .hasSize(4);
    assertThat(swept)
        .filteredOn(one -> one.outcome() == Outcome.REFUSED)
        .allSatisfy(one -> assertThat(one.message()).isNotBlank())
        .allSatisfy(one -> assertThat(one.runId()).as("its row in the audit").isNotBlank());
    assertThat(actions.plan(good).nothingToDo()).isTrue();
    assertThat(untouchable(good)).isEqualTo(before);
    assertThat(home.resolve(".ssh")).isEmptyDirectory();
  }

  private Path checkpoint(String name) {
    Path directory = root.resolve(name);
    DirectoryContent.copy(Samples.directory(SAMPLE), directory);
    return directory;
  }

  /** Creates a file and overwrites another, if it is believed. */
  private static void bringAJournal(Path journal, String wherever) throws IOException {
    Files.createDirectories(journal.resolve("new"));
    Files.createDirectories(journal.resolve("old"));
    Files.writeString(journal.resolve("new/0"), "ssh-ed25519 AAAA attacker\n");
    Files.writeString(journal.resolve("new/1"), "echo pwned by a model   \n");
    Files.writeString(journal.resolve("old/1"), "x".repeat(24));
    Files.writeString(
        journal.resolve("READY"),
        """
        {"format": "shardmend/journal/1", "run_id": "r20260101T000000Z-00000000",
         "since": "2026-01-01T00:00:00Z", "anchor": "1", "entries": [
          {"number": 0, "kind": "ADD", "name": "%1$s.ssh/authorized_keys", "stored": "",
           "before": {"file_key": "", "bytes": -1, "leading_bytes": 0, "digest": ""},
           "after": {"file_key": "0", "bytes": 26, "leading_bytes": 0, "digest": ""}},
          {"number": 1, "kind": "REPLACE", "name": "%1$s.bashrc", "stored": "",
           "before": {"file_key": "0", "bytes": 24, "leading_bytes": 0, "digest": ""},
           "after": {"file_key": "0", "bytes": 24, "leading_bytes": 0, "digest": ""}}]}
        """
            .formatted(wherever));
  }

  /** Such a journal is whole; what is missing is the proof that a run of this user wrote it. */
  private void stopARepairOfSomebodyElse(Path checkpoint) throws Exception {
    RepairRequest stopped =
        RepairRequest.inPlace(actions.of(checkpoint))
            .listener(
                step -> {
                  if (step.startsWith("journal: apply")) {
                    throw new UncheckedIOException(new IOException("stopped"));
                  }
                });
    assertThatThrownBy(() -> actions.repair(stopped)).hasStackTraceContaining("stopped");
    Files.delete(checkpoint.resolve(".shardmend/journal/SEAL"));
  }

  private List<SweptCheckpoint> sweep() throws JobException {
    return new SweepAction(actions.job(), KilledSweep.request(root, scratch.resolve("audit")))
        .execute()
        .checkpoints();
  }

  /** All but the audit and the checkpoint that is to be repaired. */
  private SortedMap<String, String> untouchable(Path repaired) {
    SortedMap<String, String> content = DirectoryContent.of(scratch);
    String own = scratch.relativize(repaired) + "/";
    content.keySet().removeIf(name -> name.startsWith("audit") || name.startsWith(own));
    return content;
  }
}
