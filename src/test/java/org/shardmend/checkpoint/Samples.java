package org.shardmend.checkpoint;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** The sample checkpoints among the tests' resources. */
public final class Samples {
  private Samples() {}

  /** The directory of one sample. */
  public static Path directory(String name) {
    URL url = Samples.class.getResource("/samples/" + name);
    try {
      return Path.of(Objects.requireNonNull(url, name).toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A file of the samples. */
  public static byte[] read(String name) {
    try {
      return Files.readAllBytes(directory(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
