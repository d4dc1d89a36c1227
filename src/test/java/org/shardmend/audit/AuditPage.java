package org.shardmend.audit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** The page on the audit, as tests read it. */
final class AuditPage {
  private static final Path FILE = Path.of("src/site/markdown/audit.md");
  private static final Pattern QUESTION =
      Pattern.compile(
          "### (?<title>\\d+\\. [^\\n]+)\\n(?:(?!\\n###).)*?```sql\\n(?<sql>.*?)```",
          Pattern.DOTALL);
  private static final Pattern VIEWS =
      Pattern.compile("## As SQL\\n.*?```sql\\n(.*?)```", Pattern.DOTALL);

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
    String statements =
        VIEWS.matcher(text).results().map(match -> match.group(1)).findFirst().orElseThrow();
    return Arrays.stream(statements.replace("/data/audit", root.toString()).split(";"))
        .filter(statement -> !statement.isBlank())
        .toList();
  }
}
