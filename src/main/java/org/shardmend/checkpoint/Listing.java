package org.shardmend.checkpoint;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The entries of a checkpoint's directory, and the side files among them. */
public final class Listing {

  /** The directory in which Shardmend keeps its journal and audit. */
  public static final String OWN_DIRECTORY = ".shardmend";

  /** The note that Shardmend leaves in a repaired checkpoint. */
  public static final String OWN_NOTE = "shardmend.json";

  /** The longest JSON side file that is read, in bytes. */
  public static final int MAX_JSON_BYTES = 64 << 20;

  private static final int MAX_DEPTH = 64;

  private final CheckpointFiles files;
  private final Map<String, FileEntry> topLevel;

  private Listing(CheckpointFiles files, Map<String, FileEntry> topLevel) {
    this.files = files;
    this.topLevel = Collections.unmodifiableMap(topLevel);
  }

  /**
   * Lists the checkpoint's own directory.
   *
   * @throws CheckpointException (usage) if it is not there or no directory, (failed) if it cannot
   *     be listed
   */
  public static Listing of(CheckpointFiles files) throws CheckpointException {
    Map<String, FileEntry> topLevel = new LinkedHashMap<>();
    for (FileEntry entry : list(files, "")) {
      topLevel.put(entry.name(), entry);
    }
    return new Listing(files, topLevel);
  }

  /** Where the checkpoint is, as shown to people. */
  public String location() {
    return files.location();
  }

  /** The entries of the checkpoint's own directory, by name, without what Shardmend left there. */
  public Collection<FileEntry> topLevel() {
    return topLevel.values();
  }

  /** The entry of that name in the checkpoint's own directory. */
  public Optional<FileEntry> entry(String name) {
    return Optional.ofNullable(topLevel.get(name));
  }

  /** The entries of a directory below, by name. */
  public List<FileEntry> entriesOf(String directory) throws CheckpointException {
    return list(files, directory);
  }

  /**
   * Everything, at any depth, that is none of {@code shards} and was not left by Shardmend; links
   * are not followed.
   */
  public List<SideFile> sideFiles(Set<String> shards) throws CheckpointException {
    List<SideFile> sideFiles = new ArrayList<>();
    collect(topLevel.values(), shards, sideFiles, 0);
    return sideFiles;
  }

  /**
   * The content of a JSON side file.
   *
   * @throws CheckpointException (refused) if it is no regular file or longer than {@code maxBytes},
   *     (failed) if it cannot be read
   */
  public byte[] readJson(FileEntry entry, int maxBytes) throws CheckpointException {
    if (!entry.isReadable()) {
      throw CheckpointException.refusedFile(
          FindingCode.NOT_A_REGULAR_FILE,
          files.location(),
          entry.name(),
          "",
          " is no regular file, and was not opened. Put the file itself in its place.",
          null);
    }
    if (entry.bytes() > maxBytes) {
      throw tooLong(entry, maxBytes);
    }
    byte[] bytes;
    try {
      bytes = files.readPrefix(entry.name(), (int) entry.bytes() + 1);
    } catch (IOException e) {
      throw unreadable(files, entry.name(), e);
    }
    if (bytes.length > entry.bytes()) {
      throw CheckpointException.failed(
          "file-changed",
          entry.name(),
          files.location()
              + "/"
              + entry.name()
              + " grew while it was read. Try again when nothing writes to the checkpoint.",
          new IOException("longer than the " + entry.bytes() + " bytes that were listed"));
    }
    return bytes;
  }

  /** The error for a file that could not be read. */
  static CheckpointException unreadable(CheckpointFiles files, String name, IOException cause) {
    return CheckpointException.failed(
        "read-failed",
        name,
        failed(files.location() + "/" + name, "read", cause)
            + " Nothing was changed; run again when it can be read.",
        cause);
  }

  private void collect(
      Collection<FileEntry> entries, Set<String> shards, List<SideFile> into, int depth)
      throws CheckpointException {
    for (FileEntry entry : entries) {
      if (shards.contains(entry.name())) {
        continue;
      }
      into.add(SideFile.of(entry));
      if (entry.kind() == FileEntry.Kind.DIRECTORY) {
        if (depth == MAX_DEPTH) {
          throw CheckpointException.usage(
              "too-deep",
              files.location()
                  + "/"
                  + entry.name()
                  + " lies deeper than "
                  + MAX_DEPTH
                  + " directories. Is this a checkpoint? Name the directory that holds its"
                  + " shards.");
        }
        collect(list(files, entry.name()), shards, into, depth + 1);
      }
    }
  }

  private static List<FileEntry> list(CheckpointFiles files, String directory)
      throws CheckpointException {
    String shown = directory.isEmpty() ? files.location() : files.location() + "/" + directory;
    try {
      return files.list(directory).stream().filter(entry -> !isOwn(entry)).toList();
    } catch (NoSuchFileException | FileNotFoundException e) {
      throw CheckpointException.usage("no-such-path", shown + " does not exist; check the path");
    } catch (NotDirectoryException e) {
      throw CheckpointException.usage(
          "not-a-directory",
          shown + " is not a directory. Name the directory that holds the checkpoint's shards.");
    } catch (IOException e) {
      throw CheckpointException.failed("list-failed", directory, failed(shown, "listed", e), e);
    }
  }

  private static boolean isOwn(FileEntry entry) {
    return entry.fileName().equals(OWN_DIRECTORY) || entry.fileName().equals(OWN_NOTE);
  }

  private CheckpointException tooLong(FileEntry entry, int maxBytes) {
    return CheckpointException.refusedFile(
        FindingCode.MALFORMED_SIDE_FILE,
        files.location(),
        entry.name(),
        "",
        " has "
            + entry.bytes()
            + " bytes; none of its kind is longer than "
            + maxBytes
            + ". Put the right file in its place.",
        null);
  }

  /** What the cause says, behind the place, unless it names that itself. */
  private static String failed(String place, String operation, IOException cause) {
    String reason =
        cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    String said =
        reason.contains(place) ? reason : place + " could not be " + operation + ": " + reason;
    return said.endsWith(".") ? said : said + ".";
  }
}
