package org.shardmend.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructField;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.shardmend.audit.AuditPage.Question;
import org.shardmend.storage.LocalStore;
import org.shardmend.testing.IcebergCatalog;

/** The page on the audit tells the truth: its columns are the tables', and its queries run. */
@Tag("smoke")
class AuditQuestionsTest {
  private static final SparkSession SPARK = LocalSpark.session();
  private static final CatalogName CATALOG = CatalogName.parse("questions.shardmend");

  /** Where the rows are that the page's views show. */
  private enum Rows {
    /** In the audit's own files. */
    IN_FILES,
    /** In the tables of a catalog. */
    IN_A_CATALOG;

    void show() throws IOException {
      AuditPage page = AuditPage.read();
      List<String> views =
          switch (this) {
            case IN_FILES -> page.views(root);
            case IN_A_CATALOG -> page.views(CATALOG);
          };
      assertThat(views).hasSize(3);
      views.forEach(SPARK::sql);
    }
  }

  @TempDir private static Path root;
  @TempDir private static Path warehouse;

  @BeforeAll
  static void makeAnAudit() throws Exception {
    SampleRun.done("r20261130T081500Z-1a2b3c4d", "/models/kimi", 2, 2).appendTo(root);
    SampleRun.done("r20261130T101500Z-00000002", "/models/other", 1, 2).appendTo(root);
    SampleRun.refused("r20261130T111500Z-00000003", "/models/torn", "A part is missing.")
        .appendTo(root);
    new IcebergCatalog(CATALOG.catalog(), warehouse).addTo(SPARK);
    CatalogTables tables = new CatalogTables(SPARK, CATALOG);
    tables.create();
    tables.append(AuditTables.open(SPARK, new LocalStore(), root.toString()));
  }

  private static List<Question> questions() throws IOException {
    return AuditPage.read().questions();
  }

  static Stream<Arguments> questionsOfRows() throws IOException {
    List<Question> questions = questions();
    return Stream.of(Rows.values())
        .flatMap(rows -> questions.stream().map(question -> Arguments.of(rows, question)));
  }

  @Test
  void thePageAsksTenQuestions() throws IOException {
    assertThat(questions()).hasSize(10);
    for (int index = 0; index < 10; index++) {
      assertThat(questions().get(index).title()).startsWith((index + 1) + ". ");
    }
  }

  @Tag("nightly")
  @ParameterizedTest
  @MethodSource("questionsOfRows")
  void everyQuestionHasAnAnswer(Rows rows, Question question) throws IOException {
    rows.show();

    assertThat(SPARK.sql(question.sql()).collectAsList()).isNotEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void theAnswersAreThoseOfTheRuns(Rows rows) throws IOException {
    rows.show();

    assertThat(answer(1)).hasSize(3);
    assertThat(answer(2)).hasSize(8);
    assertThat(answer(3))
        .extracting(Row::toString)
        .containsExactly("[DROP,4,4]", "[KEEP,8,8]", "[RENAME,4,4]");
    assertThat(answer(4)).allMatch(row -> row.<Long>getAs("other_bytes") == 0);
    assertThat(answer(5))
        .hasSize(6)
        .extracting(row -> row.getAs("kept_as"))
        .containsOnly("layers.1.kv_b_proj.weight");
    assertThat(answer(6)).hasSize(4).allMatch(row -> row.<Long>getAs("changes") == 2);
    assertThat(answer(7)).isNotEmpty();
    assertThat(answer(8).get(0).<Long>getAs("bytes_saved")).isEqualTo(6 * SampleRun.TENSOR_BYTES);
    assertThat(answer(9))
        .extracting(Row::toString)
        .containsExactly("[/models/torn,r20261130T111500Z-00000003,A part is missing.]");
    assertThat(answer(10)).allMatch(row -> row.<Long>getAs("checkpoints") == 2);
  }

  private static List<Row> answer(int number) throws IOException {
    return SPARK.sql(questions().get(number - 1).sql()).collectAsList();
  }

  @Test
  void thePageListsEveryColumnWithItsTypeAndMeaning() throws IOException {
    String page = AuditPage.read().text();
    for (AuditTable<?> table : AuditTable.inAppendOrder()) {
      for (StructField column : table.schema().fields()) {
        assertThat(page)
            .contains("| `%s` | ".formatted(column.name()))
            .contains(" | " + column.getComment().get() + " |");
      }
    }
  }
}
