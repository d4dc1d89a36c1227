package org.shardmend.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.Store;
import org.shardmend.storage.lock.LockedException;
import org.shardmend.storage.lock.TargetLock;

@Tag("smoke")
class AuditCompactionTest {
  private static final RunId FIRST = new RunId("r20261129T081500Z-00000001");
  private static final RunId SECOND = new RunId("r20261130T081500Z-00000002");
  private static final RunId DECEMBER = new RunId("r20261201T081500Z-00000003");
  private static final RunId THIRD = new RunId("r20261130T091500Z-00000004");

  @TempDir private Path root;

  private final Store store = new LocalStore();
  private final SparkSession spark = LocalSpark.session();

  @BeforeEach
  void makeAnAudit() throws IOException {
    SampleRun.done(FIRST.value(), "/models/a", 2, 2).appendTo(root);
    SampleRun.refused(SECOND.value(), "/models/b", "A part is missing.").appendTo(root);
  }

  private List<AuditCompaction.Result> compact() throws IOException {
    return new AuditCompaction(spark, store, root.toString()).compact();
  }

  private List<String> rows(AuditTable<?> table) throws IOException {
    return AuditTables.open(spark, store, root.toString()).read(table).collectAsList().stream()
        .map(Row::toString)
        .sorted()
        .toList();
  }

  private List<String> tensors() throws IOException {
    return rows(AuditTable.TENSORS);
  }

  @Test
  void makesOneFilePerTableAndMonthOfTheSameRows() throws IOException {
    SampleRun.done(DECEMBER.value(), "/models/c", 1, 1).appendTo(root);
    List<String> tensors = tensors();
    List<String> shards = rows(AuditTable.SHARDS);
    List<String> runs = rows(AuditTable.RUNS);

    assertThat(compact())
        .containsExactly(
            new AuditCompaction.Result("2026-11", 2, 8, 3),
            new AuditCompaction.Result("2026-12", 1, 4, 3));

    assertThat(tensors()).isEqualTo(tensors).hasSize(20);
    assertThat(rows(AuditTable.SHARDS)).isEqualTo(shards);
    assertThat(rows(AuditTable.RUNS)).isEqualTo(runs);
    assertThat(filesOfTables()).hasSize(6).allMatch(file -> file.contains("compacted-00000001-"));
  }

  @Test
  void thereIsNothingToDoASecondTime() throws IOException {
    compact();
    List<String> files = filesOfTables();

    assertThat(compact()).isEmpty();
    assertThat(filesOfTables()).isEqualTo(files);
  }

  @Test
  void aRunThatIsAppendedLaterCountsAndIsTakenInTheNextTime() throws IOException {
    compact();
    SampleRun.done(THIRD.value(), "/models/d", 1, 1).appendTo(root);
    List<String> tensors = tensors();
    assertThat(tensors).hasSize(20);

    assertThat(compact()).containsExactly(new AuditCompaction.Result("2026-11", 3, 7, 3));

    assertThat(tensors()).isEqualTo(tensors);
    assertThat(AuditTables.open(spark, store, root.toString()).only(THIRD).tensors().count())
        .isEqualTo(4);
  }

  @Test
  void appendingACompactedRunAgainChangesNothing() throws IOException {
    compact();

    assertThat(SampleRun.done(FIRST.value(), "/models/a", 2, 2).appendTo(root)).isFalse();
    assertThat(tensors()).hasSize(16);
  }

  @Test
  void whatACrashBeforeTheManifestLeavesDoesNotCountAndIsRemoved() throws IOException {
    Path own = root.resolve(AuditLayout.file(AuditTable.TENSORS, FIRST, 0));
    Path left = root.resolve(AuditLayout.compactedFile(AuditTable.TENSORS, "2026-11", 7, 0));
    Files.copy(own, left);
    assertThat(tensors()).hasSize(16);

    compact();

    assertThat(left).doesNotExist();
    assertThat(tensors()).hasSize(16);
  }

  @Test
  void whatACrashAfterTheManifestLeavesDoesNotCountAndIsRemoved() throws IOException {
    Path own = root.resolve(AuditLayout.file(AuditTable.TENSORS, FIRST, 0));
    Path kept = root.resolve("kept");
    Files.copy(own, kept);
    compact();
    Files.move(kept, own);
    assertThat(tensors()).hasSize(16);

    compact();

    assertThat(own).doesNotExist();
    assertThat(tensors()).hasSize(16);
  }

  @Test
  void onlyOneRunsAtATime() throws IOException {
    String lock = root + "/" + AuditLayout.compactionLock();
    try (TargetLock other = TargetLock.acquire(store, lock, "another")) {
      assertThatThrownBy(this::compact).isInstanceOf(LockedException.class);
      other.requireHeld();
    }
  }

  private List<String> filesOfTables() throws IOException {
    try (Stream<Path> below = Files.walk(root)) {
      return below
          .filter(Files::isRegularFile)
          .map(file -> root.relativize(file).toString())
          .filter(file -> !file.startsWith("_"))
          .sorted()
          .toList();
    }
  }
}
