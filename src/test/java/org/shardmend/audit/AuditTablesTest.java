package org.shardmend.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.plan.Action;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.Store;

class AuditTablesTest {
  private static final String FIRST = "r20261130T081500Z-1a2b3c4d";
  private static final String SECOND = "r20261201T081500Z-00000001";

  @TempDir private Path root;

  private final Store store = new LocalStore();

  private AuditTables open() throws IOException {
    return AuditTables.open(LocalSpark.session(), store, root.toString());
  }

  @Test
  void anAuditThatDoesNotExistHasNoRunsAndEmptyTables() throws IOException {
    AuditTables audit =
        AuditTables.open(LocalSpark.session(), store, root.resolve("absent").toString());

    assertThat(audit.runIds()).isEmpty();
    assertThat(audit.tensors().count()).isZero();
    assertThat(audit.runs().columns()).contains("run_id", "month");
  }

  @Test
  void rowsCountOnlyWhenTheRowOfTheirRunIsThere() throws IOException {
    SampleRun.done(FIRST, "/ckpt", 2, 2).appendTo(root);
    SampleRun.done(SECOND, "/ckpt", 1, 1).appendTo(root);
    Files.delete(root.resolve(AuditLayout.file(AuditTable.RUNS, new RunId(SECOND), 0)));

    assertThat(open().runIds()).containsExactly(new RunId(FIRST));
    assertThat(open().tensors().count()).isEqualTo(16);
    assertThat(open().shards().count()).isEqualTo(4);
  }

  @Test
  void appendingARunTwiceChangesNothing() throws IOException {
    SampleRun run = SampleRun.done(FIRST, "/ckpt", 2, 2);

    assertThat(run.appendTo(root)).isTrue();
    List<Path> before = filesBelow(root);
    assertThat(run.appendTo(root)).isFalse();

    assertThat(filesBelow(root)).isEqualTo(before);
    assertThat(open().tensors().count()).isEqualTo(16);
  }

  @Test
  void anAppendLooksAtItsOwnPlacesHoweverManyRunsTheAuditHas() throws IOException {
    for (int run = 0; run < 20; run++) {
      SampleRun.done("r2026%02d30T081500Z-1a2b3c%02d".formatted(run % 2 + 10, run), "/ckpt", 1, 1)
          .appendTo(root);
    }
    List<String> listed = new ArrayList<>();
    SampleRun next = SampleRun.done(FIRST, "/ckpt", 2, 2);
    Map<AuditTable<?>, List<String>> staged = next.stage(store, root);

    new AuditAppend(tellingOfLists(listed), root.toString()).append(next.run().runId(), staged);

    assertThat(listed).containsExactly(root + "/" + AuditLayout.manifests("2026-11"));
    assertThat(open().runIds()).hasSize(21);
  }

  private Store tellingOfLists(List<String> listed) {
    return (Store)
        Proxy.newProxyInstance(
            Store.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("list")) {
                listed.add((String) arguments[0]);
              }
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void anAppendThatWasInterruptedGoesOnWhereItEnded() throws IOException {
    SampleRun run = SampleRun.done(FIRST, "/ckpt", 2, 2);
    Map<AuditTable<?>, List<String>> staged = run.stage(store, root);
    Path moved = root.resolve(AuditLayout.file(AuditTable.TENSORS, run.run().runId(), 0));
    Files.createDirectories(moved.getParent());
    Files.move(Path.of(staged.get(AuditTable.TENSORS).get(0)), moved);
    assertThat(open().tensors().count()).isZero();

    new AuditAppend(store, root.toString()).append(run.run().runId(), staged);

    assertThat(open().tensors().count()).isEqualTo(16);
  }

  @Test
  void whatAnEarlierTryLeftBehindDoesNotCount() throws IOException {
    SampleRun run = SampleRun.done(FIRST, "/ckpt", 2, 2);
    run.appendTo(root);
    Path asThird = root.resolve(AuditLayout.file(AuditTable.TENSORS, run.run().runId(), 2));
    Files.copy(root.resolve(AuditLayout.file(AuditTable.TENSORS, run.run().runId(), 0)), asThird);
    Files.delete(root.resolve(AuditLayout.file(AuditTable.RUNS, run.run().runId(), 0)));

    run.appendTo(root);

    assertThat(asThird).doesNotExist();
    assertThat(open().tensors().count()).isEqualTo(16);
  }

  @Test
  void anAppendWhoseFileIsGoneFailsAndDoesNotCount() throws IOException {
    SampleRun run = SampleRun.done(FIRST, "/ckpt", 1, 1);
    Map<AuditTable<?>, List<String>> staged = run.stage(store, root);
    Files.delete(Path.of(staged.get(AuditTable.SHARDS).get(0)));

    assertThatThrownBy(
            () -> new AuditAppend(store, root.toString()).append(run.run().runId(), staged))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining("shards-0");
    assertThat(open().runIds()).isEmpty();
  }

  @Test
  void oneRunCanBeReadAlone() throws IOException {
    SampleRun.done(FIRST, "/ckpt", 2, 2).appendTo(root);
    SampleRun.done(SECOND, "/other", 1, 1).appendTo(root);

    AuditTables second = open().only(new RunId(SECOND));

    assertThat(second.tensors(Set.of(Action.RENAME, Action.DROP)).count()).isEqualTo(2);
    assertThat(second.runs().first().<String>getAs("checkpoint")).isEqualTo("/other");
    assertThat(open().only(new RunId("r20200101T000000Z-00000000")).tensors().count()).isZero();
  }

  @Test
  void columnsHaveTheSchemasTypesAndOrder() throws IOException {
    SampleRun.done(FIRST, "/ckpt", 1, 1).appendTo(root);
    AuditTables audit = open();

    for (AuditTable<?> table : AuditTable.inAppendOrder()) {
      assertThat(namesAndTypes(audit.read(table).schema()))
          .isEqualTo(namesAndTypes(table.schema()));
    }
  }

  @Test
  void aChangedNameSaysItsProofAndRowsOfAnEarlierVersionHaveNone(@TempDir Path elsewhere)
      throws IOException {
    SampleRun.done(FIRST, "/ckpt", 1, 1).appendTo(root);
    SampleRun.done(SECOND, "/ckpt", 1, 1).appendTo(root);
    forget(
        "proof",
        root.resolve(AuditLayout.file(AuditTable.TENSORS, new RunId(FIRST), 0)),
        elsewhere);
    forget(
        "proof",
        root.resolve(AuditLayout.file(AuditTable.TENSORS, new RunId(FIRST), 1)),
        elsewhere);

    assertThat(proofs(FIRST)).containsOnlyNulls();
    assertThat(proofs(SECOND)).contains("family", "bytes", null);
  }

  private List<String> proofs(String run) throws IOException {
    return open().only(new RunId(run)).tensors().select("proof").collectAsList().stream()
        .map(row -> row.getString(0))
        .toList();
  }

  /** Writes a file again, without a column. */
  private static void forget(String column, Path file, Path elsewhere) throws IOException {
    Path written = elsewhere.resolve(file.getFileName());
    LocalSpark.session()
        .read()
        .parquet(file.toString())
        .drop(column)
        .coalesce(1)
        .write()
        .parquet(written.toString());
    try (Stream<Path> parts = Files.list(written)) {
      Path part = parts.filter(p -> p.toString().endsWith(".parquet")).findFirst().orElseThrow();
      Files.copy(part, file, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private static List<String> namesAndTypes(StructType schema) {
    return Stream.of(schema.fields())
        .map(field -> field.name() + " " + field.dataType().simpleString())
        .toList();
  }

  @Test
  void aDirectoryWithAnyNameIsReadLiterally() throws IOException {
    Path odd = root.resolve(".shardmend/a b [1]{x,y}%20*?é\\=1");
    SampleRun.done(FIRST, "/ckpt", 1, 1).appendTo(odd);

    AuditTables audit = AuditTables.open(LocalSpark.session(), store, odd.toString());

    assertThat(audit.tensors().count()).isEqualTo(4);
    assertThat(audit.tensors().first().<String>getAs("month")).isEqualTo("2026-11");
  }

  @Test
  void nothingButTheTablesFilesIsLeftInTheDirectory() throws IOException {
    SampleRun.done(FIRST, "/ckpt", 2, 2).appendTo(root);

    assertThat(filesBelow(root))
        .containsExactlyInAnyOrder(
            Path.of("tensors/month=2026-11/" + FIRST + "-00000.parquet"),
            Path.of("tensors/month=2026-11/" + FIRST + "-00001.parquet"),
            Path.of("shards/month=2026-11/" + FIRST + "-00000.parquet"),
            Path.of("runs/month=2026-11/" + FIRST + "-00000.parquet"));
  }

  @Test
  void aWriterThatIsNotCompletedLeavesNoFile() throws IOException {
    Path file = root.resolve("unfinished");
    try (AuditFileWriter<RunRow> writer =
        AuditFileWriter.open(AuditTable.RUNS, store.create(file.toString()))) {
      writer.write(SampleRun.refused(FIRST, "/ckpt", "No.").run());
      assertThat(writer.rows()).isEqualTo(1);
    }
    assertThat(file).doesNotExist();
  }

  private static List<Path> filesBelow(Path directory) throws IOException {
    try (Stream<Path> below = Files.walk(directory)) {
      return below.filter(Files::isRegularFile).map(directory::relativize).sorted().toList();
    }
  }
}
