package org.shardmend.report;

import com.samskivert.mustache.Mustache;
import com.samskivert.mustache.Template;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/**
 * Makes one HTML page of a run: readable without scripts, on paper, on a phone, by day and by
 * night. It needs no network, and its content security policy allows none: only the page's own
 * style and script run, whatever a tensor's name may hold.
 */
public final class ReportPage {
  private static final String STYLE = resource("report.css");
  private static final String SCRIPT = resource("report.js");
  private static final Template TEMPLATE =
      Mustache.compiler()
          .escapeHTML(true)
          .emptyStringIsFalse(true)
          .withLoader(ReportPage::partial)
          .compile(resource("report.mustache"));

  private ReportPage() {}

  /** The page, as one HTML document. */
  public static String render(ReportData data) {
    return TEMPLATE.execute(new Page(PageModel.of(data), STYLE, hash(STYLE), SCRIPT, hash(SCRIPT)));
  }

  /** The page with what it carries along. */
  record Page(PageModel page, String style, String styleHash, String script, String scriptHash) {}

  private static Reader partial(String name) {
    return new StringReader(resource(name + ".mustache"));
  }

  private static String resource(String name) {
    try (InputStream in = ReportPage.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("The jar lacks org/shardmend/report/" + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** As a content security policy names a style or a script that is allowed. */
  private static String hash(String content) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(content.getBytes(StandardCharsets.UTF_8));
      return "sha256-" + Base64.getEncoder().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }
}
