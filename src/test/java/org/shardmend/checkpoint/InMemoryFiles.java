package org.shardmend.checkpoint;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** A checkpoint that exists only in a test's memory, and counts what is read of it. */
public final class InMemoryFiles implements CheckpointFiles {
  private static final long MODIFIED = 1_700_000_000_000L;

  private final String location;
  private final TreeMap<String, FileEntry> entries = new TreeMap<>();
  private final TreeMap<String, byte[]> contents = new TreeMap<>();
  private final Set<String> unreadable = new TreeSet<>();
  private final List<String> reads = new ArrayList<>();
  private FileEntry.Kind root = FileEntry.Kind.DIRECTORY;

  InMemoryFiles(String location) {
    this.location = location;
  }

  public InMemoryFiles() {
    this("file:/ckpt");
  }

  /** A path that names a file. */
  static InMemoryFiles aFile() {
    InMemoryFiles files = new InMemoryFiles();
    files.root = FileEntry.Kind.FILE;
    return files;
  }

  /** A path that names nothing. */
  static InMemoryFiles nothing() {
    InMemoryFiles files = new InMemoryFiles();
    files.root = FileEntry.Kind.OTHER;
    return files;
  }

  /** A copy of one of the sample directories. */
  public static InMemoryFiles ofSample(String name) {
    InMemoryFiles files = new InMemoryFiles("file:/samples/" + name);
    Path root = Samples.directory(name);
    try (Stream<Path> paths = Files.walk(root)) {
      for (Path path : paths.filter(Files::isRegularFile).toList()) {
        files.file(root.relativize(path).toString(), Files.readAllBytes(path));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files;
  }

  public InMemoryFiles file(String name, byte[] content) {
    contents.put(name, content);
    return entry(name, FileEntry.Kind.FILE, content.length);
  }

  public InMemoryFiles file(String name, String content) {
    return file(name, content.getBytes(StandardCharsets.UTF_8));
  }

  /** Files that discovery never opens. */
  public InMemoryFiles empty(String... names) {
    for (String name : names) {
      file(name, "");
    }
    return this;
  }

  /** A file that claims a length without having it. */
  InMemoryFiles huge(String name, long bytes) {
    return entry(name, FileEntry.Kind.FILE, bytes);
  }

  InMemoryFiles directory(String name) {
    return entry(name, FileEntry.Kind.DIRECTORY, 0);
  }

  InMemoryFiles linkTo(String name, byte[] content) {
    contents.put(name, content);
    return entry(name, FileEntry.Kind.SYMLINK, content.length);
  }

  InMemoryFiles danglingLink(String name) {
    return entry(name, FileEntry.Kind.SYMLINK, FileEntry.UNKNOWN_BYTES);
  }

  InMemoryFiles pipe(String name) {
    return entry(name, FileEntry.Kind.OTHER, 0);
  }

  InMemoryFiles without(String... names) {
    for (String name : names) {
      entries.remove(name);
      contents.remove(name);
    }
    return this;
  }

  InMemoryFiles unreadable(String name) {
    unreadable.add(name);
    return this;
  }

  public byte[] content(String name) {
    return contents.get(name);
  }

  String text(String name) {
    return new String(content(name), StandardCharsets.UTF_8);
  }

  /** The names of what was read, in order. */
  List<String> reads() {
    return reads;
  }

  @Override
  public String location() {
    return location;
  }

  @Override
  public List<FileEntry> list(String directory) throws IOException {
    if (directory.isEmpty() && unreadable.contains("")) {
      throw new IOException("Permission denied");
    }
    if (root == FileEntry.Kind.OTHER) {
      throw new NoSuchFileException(location);
    }
    if (root == FileEntry.Kind.FILE) {
      throw new NotDirectoryException(location);
    }
    FileEntry own = entries.get(directory);
    if (own != null && own.kind() != FileEntry.Kind.DIRECTORY) {
      throw new NotDirectoryException(directory);
    }
    if (own == null && !directory.isEmpty()) {
      throw new NoSuchFileException(directory);
    }
    String prefix = directory.isEmpty() ? "" : directory + "/";
    return entries.values().stream()
        .filter(entry -> entry.name().startsWith(prefix))
        .filter(entry -> entry.name().indexOf('/', prefix.length()) < 0)
        .toList();
  }

  @Override
  public byte[] readPrefix(String name, int maxBytes) throws IOException {
    byte[] content = open(name);
    return Arrays.copyOf(content, Math.min(maxBytes, content.length));
  }

  @Override
  public byte[] read(String name, long offset, int bytes) throws IOException {
    byte[] content = open(name);
    if (offset + bytes > content.length) {
      throw new EOFException(name);
    }
    return Arrays.copyOfRange(content, (int) offset, (int) offset + bytes);
  }

  private byte[] open(String name) throws IOException {
    reads.add(name);
    if (unreadable.contains(name)) {
      throw new IOException("Cannot open " + location + "/" + name + ": Input/output error.");
    }
    if (!contents.containsKey(name)) {
      throw new NoSuchFileException(name);
    }
    return contents.get(name);
  }

  private InMemoryFiles entry(String name, FileEntry.Kind kind, long bytes) {
    for (int slash = name.indexOf('/'); slash > 0; slash = name.indexOf('/', slash + 1)) {
      String parent = name.substring(0, slash);
      entries.putIfAbsent(parent, new FileEntry(parent, FileEntry.Kind.DIRECTORY, 0, MODIFIED));
    }
    entries.put(name, new FileEntry(name, kind, bytes, MODIFIED));
    return this;
  }
}
