package org.shardmend.testing;

import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;

/** The local files as {@code counted://local/…}; counts how often each is opened. */
public final class CountedFileSystem extends RawLocalFileSystem {
  private static final Map<String, Integer> OPENED = new ConcurrentHashMap<>();
  private static final String SCHEME = "counted";

  @Override
  public String getScheme() {
    return SCHEME;
  }

  @Override
  public URI getUri() {
    return URI.create(SCHEME + "://local");
  }

  @Override
  public FSDataInputStream open(Path path, int bufferBytes) throws IOException {
    OPENED.merge(path.toUri().getPath(), 1, Integer::sum);
    return super.open(path, bufferBytes);
  }

  /** How often the file at this path was opened in this process. */
  public static int opened(java.nio.file.Path file) {
    return OPENED.getOrDefault(file.toString(), 0);
  }
}
