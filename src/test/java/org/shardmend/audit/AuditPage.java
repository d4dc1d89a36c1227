package org.shardmend.audit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The page on the audit, as tests read it. */
final class AuditPage {
  private static final Path FILE = Path.of("src/site/markdown/audit.md");
  private static final Pattern QUESTION =
      Pattern.compile(
          "### (?<title>\\d+\\. [^\\n]+)\\n(?:(?!\\n###).)*?```sql\\n(?<sql>.*?)```",
          Pattern.DOTALL);
  private static final Pattern AS_SQL = Pattern.compile("## As SQL\\n(.*?)\\n## ", Pattern.DOTALL);
  private static final Pattern SQL = Pattern.compile("```sql\\n(.*?)```", Pattern.DOTALL);

  /** A heading and the query below it. */
  record Question(String title, String sql) {
    @Override
    public String toString() {
      return title;
    }
  }

  private final String text;

  private AuditPage(String text) {
    this.text = text;
  }

  static AuditPage read() throws IOException {
    return new AuditPage(Files.readString(FILE));
  }

  String text() {
    return text;
  }

  /** The numbered questions. */
  List<Question> questions() {
    return QUESTION
        .matcher(text)
        .results()
        .map(match -> new Question(match.group(1), match.group(2)))
        .toList();
  }

  /** The statements that make the views, for an audit at {@code root}. */
  List<String> views(Path root) {
    return statements("/data/audit", root.toString());
  }

  /** The statements that make the views, for the tables of a catalog. */
  List<String> views(CatalogName tables) {
    return statements("lake.shardmend", tables.toString());
  }

  /** Those with the page's example of a place in them, for another place. */
  private List<String> statements(String example, String place) {
    Matcher section = AS_SQL.matcher(text);
    if (!section.find()) {
      throw new IllegalStateException(FILE + " has no section on SQL");
    }
    return SQL.matcher(section.group(1))
        .results()
        .flatMap(block -> Arrays.stream(block.group(1).split(";", -1)))
        .filter(statement -> statement.contains(example))
        .map(statement -> statement.replace(example, place))
        .toList();
  }
}
