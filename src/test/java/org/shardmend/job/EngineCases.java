package org.shardmend.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.shardmend.checkpoint.expected.ExpectedState;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.job.files.ExpectedStates;
import org.shardmend.job.spark.JobException;

/**
 * Checkpoints that an engine's own saver wrote (a toy model with MLA, TP=2, PP=2), each broken or
 * odd in one way, with the expected states of the fresh model, and what the engine's own loader did
 * with each. They are the test resource {@code engine/engine.tar.gz}.
 */
final class EngineCases {
  private static final Path ARCHIVE =
      Path.of("src", "test", "resources", "engine", "engine.tar.gz");

  private final Path directory;
  private final JsonNode says;

  private EngineCases(Path directory, JsonNode says) {
    this.directory = directory;
    this.says = says;
  }

  /**
   * What became of a case in the engine.
   *
   * @param name layout and case, as the directory is called
   * @param layout the layout
   * @param engine {@code loads} (every byte as saved), {@code stops}, {@code loads wrong bytes},
   *     {@code dumps anew}
   * @param first the engine's first message, where it was kept
   */
  record Case(String name, Layout layout, String engine, String first) {
    boolean loads() {
      return engine.equals("loads");
    }
  }

  /** Unpacks them into an empty directory. */
  static EngineCases unpack(Path directory) throws IOException {
    try (InputStream file = new BufferedInputStream(Files.newInputStream(ARCHIVE));
        TarArchiveInputStream tar = new TarArchiveInputStream(new GZIPInputStream(file))) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        Path target = directory.resolve(entry.getName());
        Files.createDirectories(target.getParent());
        if (entry.isSymbolicLink()) {
          Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
        } else {
          Files.copy(tar, target);
        }
      }
    }
    return new EngineCases(
        directory, new ObjectMapper().readTree(directory.resolve("engine-says.json").toFile()));
  }

  /** All, by layout and name. */
  List<Case> all() {
    List<Case> cases = new ArrayList<>();
    for (Map.Entry<String, JsonNode> entry : says.properties()) {
      String name = entry.getKey();
      Layout layout = Layout.valueOf(name.substring(0, name.indexOf('/')).toUpperCase(Locale.ROOT));
      JsonNode engine = entry.getValue();
      cases.add(
          new Case(name, layout, engine.path("engine").asText(), engine.path("first").asText("")));
    }
    return cases;
  }

  Path checkpoint(String name) {
    return directory.resolve(name);
  }

  /** What the fresh model of all ranks expects. */
  ExpectedState expected(Layout layout) throws JobException {
    Path expected = directory.resolve("expected");
    return ExpectedStates.read(
        (layout == Layout.HUGGINGFACE
                ? expected.resolve("huggingface.json")
                : expected.resolve(layout.id()))
            .toString());
  }
}
