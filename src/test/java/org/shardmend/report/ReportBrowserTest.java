package org.shardmend.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The page in a real browser, if there is one: nothing sticks out of the window, no label covers
 * another, and only the page's own script runs.
 */
class ReportBrowserTest {
  private static final List<String> BROWSERS =
      List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
  private static final long TIMEOUT_SECONDS = 120;

  /**
   * Writes what it measures into the document around the frame, where {@link #measure} reads it.
   */
  private static final String RULER =
      """
      <script>
      const wide = [...document.querySelectorAll('body *')].filter(e =>
          !e.closest('.scroll') && e.getBoundingClientRect().right > window.innerWidth + 1);
      const covered = [];
      for (const svg of document.querySelectorAll('main svg')) {
        const labels = [...svg.querySelectorAll('text')].map(t => [t, t.getBoundingClientRect()]);
        for (let i = 0; i < labels.length; i++) {
          for (let j = i + 1; j < Math.min(labels.length, i + 60); j++) {
            const [a, b] = [labels[i][1], labels[j][1]];
            if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 2 && b.top < a.bottom - 2) {
              covered.push(labels[i][0].textContent + '/' + labels[j][0].textContent);
            }
          }
        }
      }
      const small = [...document.querySelectorAll('main, main *')].filter(e =>
          e.childNodes.length && parseFloat(getComputedStyle(e).fontSize) < 11);
      const ruler = window.parent.document.createElement('output');
      window.parent.document.body.append(ruler);
      ruler.textContent = 'width=' + document.documentElement.scrollWidth
          + ' window=' + window.innerWidth + ' wide=' + wide.length + ' covered=' + covered.length
          + ' small=' + small.length + ' ' + covered.slice(0, 3).join(' ');
      </script>
      """;

  @TempDir private static Path directory;

  private static String browser;

  @BeforeAll
  static void findABrowser() {
    Optional<String> found =
        Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
            .flatMap(path -> BROWSERS.stream().map(name -> Path.of(path, name)))
            .filter(Files::isExecutable)
            .map(Path::toString)
            .findFirst();
    assumeTrue(
        found.isPresent(),
        "The report was NOT looked at in a browser: none of " + BROWSERS + " is on the PATH.");
    browser = found.orElseThrow();
  }

  @ParameterizedTest
  @CsvSource({
    "8,4,1,1280",
    "8,4,1,390",
    "8,4,10,1280",
    "8,4,10,360",
    "8,4,100,1280",
    "100,32,1,1280",
    "100,32,1,390",
    "57,57,1,390"
  })
  void nothingSticksOutAndEveryLabelCanBeRead(int pp, int tp, int parts, int width)
      throws Exception {
    String page = ReportPage.render(SampleReport.repaired(pp, tp, parts));

    assertThat(measure(page, width))
        .startsWith("width=%d window=%d wide=0 covered=0 small=0".formatted(width, width));
  }

  @Test
  void longNamesWithoutAnyBreakDoNotStickOut() throws Exception {
    String page = ReportPage.render(SampleReport.hostile("x".repeat(3000)));

    assertThat(measure(page, 390)).startsWith("width=390 window=390 wide=0");
  }

  @Test
  void thePagesOwnScriptRunsAndNoOther() throws Exception {
    String page =
        ReportPage.render(
            SampleReport.hostile(
                "</script><script>document.title='owned'</script><img src=x"
                    + " onerror=\"document.title='owned'\">"));
    String other = page.replace("</body>", "<script>document.title='owned'</script></body>");

    String document = open(other);

    assertThat(document).contains("<p class=\"search\">").doesNotContain("<title>owned</title>");
  }

  /**
   * Opens the page in a frame of this width, because browsers refuse windows as narrow as a phone;
   * without its security policy, which would not let the ruler run.
   */
  private static String measure(String page, int width) throws Exception {
    String measured =
        page.replaceFirst("<meta http-equiv=\"Content-Security-Policy\"[^>]*>", "")
            .replace("</body>", RULER + "</body>");
    String framed =
        "<!DOCTYPE html><meta charset=utf-8><iframe width=\"%d\" height=\"800\" srcdoc=\"%s\"></iframe>"
            .formatted(width, measured.replace("&", "&amp;").replace("\"", "&quot;"));
    Matcher ruler = Pattern.compile("<output>(width[^<]*)</output>").matcher(open(framed));
    assertThat(ruler.find()).as("the ruler ran").isTrue();
    return ruler.group(1);
  }

  /** The document as it is after the browser has opened the page. */
  private static String open(String page) throws IOException, InterruptedException {
    Path file = Files.createTempFile(directory, "report", ".html");
    Path dom = Files.createTempFile(directory, "dom", ".html");
    Files.writeString(file, page);
    List<String> command = new ArrayList<>();
    command.add(browser);
    command.addAll(
        List.of(
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--user-data-dir=" + directory.resolve("profile"),
            "--window-size=1400,1000",
            "--dump-dom",
            file.toUri().toString()));
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(dom.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      assertThat(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS))
          .as("the browser ended")
          .isTrue();
    } finally {
      process.destroyForcibly();
    }
    return Files.readString(dom);
  }
}
