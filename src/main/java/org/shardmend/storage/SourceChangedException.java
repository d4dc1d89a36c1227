package org.shardmend.storage;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;

/** A file that was written, cut or replaced by somebody else while it was read. */
public final class SourceChangedException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param location the file
   * @param what what differs, as a half-sentence: {@code "had 10 bytes and now has 8"}
   */
  public SourceChangedException(Location location, String what) {
    super(
        "%s changed while it was read: it %s. Make sure that nothing writes there, then run again."
            .formatted(location, what));
  }

  /** The file ended at {@code position}, before what its header or status says. */
  public static SourceChangedException ended(RangeReader source, long position) {
    return new SourceChangedException(
        source.location(),
        "had %d bytes and now ends at byte %d".formatted(source.size(), position));
  }

  /** Looks at a file, links followed. */
  @FunctionalInterface
  interface Look {
    FileStatus at(String path) throws IOException;
  }

  /**
   * Compares what a file was when it was opened with what it is now.
   *
   * @throws SourceChangedException when they differ, or the file is gone
   * @throws IOException when the store can't tell
   */
  static void check(Location location, FileStatus opened, Look look) throws IOException {
    try {
      check(location, opened, look.at(opened.path()));
    } catch (NoSuchFileException gone) {
      SourceChangedException failure = new SourceChangedException(location, "is gone");
      failure.initCause(gone);
      throw failure;
    }
  }

  private static void check(Location location, FileStatus opened, FileStatus now)
      throws SourceChangedException {
    if (opened.bytes() != now.bytes()) {
      throw new SourceChangedException(
          location, "had %d bytes and now has %d".formatted(opened.bytes(), now.bytes()));
    }
    if (opened.modifiedMillis() != now.modifiedMillis()) {
      throw new SourceChangedException(
          location,
          "was last written at %s and now at %s"
              .formatted(
                  Instant.ofEpochMilli(opened.modifiedMillis()),
                  Instant.ofEpochMilli(now.modifiedMillis())));
    }
    if (!opened.fileKey().isEmpty()
        && !now.fileKey().isEmpty()
        && !opened.fileKey().equals(now.fileKey())) {
      throw new SourceChangedException(location, "was replaced by another file");
    }
    if (opened.changedNanos() != now.changedNanos()) {
      throw new SourceChangedException(
          location,
          "was last changed at %s and now at %s, by whoever wrote it and put its time back, or gave it another name, link or mode"
              .formatted(instant(opened.changedNanos()), instant(now.changedNanos())));
    }
  }

  private static Instant instant(long nanos) {
    return Instant.ofEpochSecond(0, nanos);
  }
}
