package org.shardmend.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.shardmend.checkpoint.CheckpointFiles;
import org.shardmend.checkpoint.FileEntry;
import org.shardmend.checkpoint.Shard;

/**
 * A checkpoint's files in a store. What a listing said of a file is kept, and the start of a file
 * is read in one piece that most headers fit in, so that reading a header asks an object store
 * once. Not for several threads at once.
 */
public final class StoreCheckpointFiles implements CheckpointFiles {
  /**
   * How much of an object is read at first, in bytes: less takes as long, and a header that has
   * more takes a second request.
   */
  private static final int OBJECT_PREFIX_BYTES = 1 << 20;

  private final Store store;
  private final Location root;
  private final Map<String, FileStatus> listed = new HashMap<>();
  private final Map<String, Shard> known = new HashMap<>();

  /** The object whose start was read last, and that start. */
  private String lastName = "";

  private byte[] lastStart = {};

  /**
   * Files of which nothing is known yet.
   *
   * @param store the store that {@code root} lies in; the caller closes it
   * @param root the checkpoint's directory
   */
  public StoreCheckpointFiles(Store store, Location root) {
    this(store, root, List.of());
  }

  /**
   * Files of which the shards were listed elsewhere.
   *
   * @param shards with their lengths and times
   */
  public StoreCheckpointFiles(Store store, Location root, List<Shard> shards) {
    this.store = store;
    this.root = root;
    shards.forEach(shard -> known.put(shard.name(), shard));
  }

  @Override
  public String location() {
    return root.toString();
  }

  @Override
  public List<FileEntry> list(String directory) throws IOException {
    List<FileEntry> entries = new ArrayList<>();
    for (FileStatus status : store.list(pathOf(directory))) {
      String name = directory.isEmpty() ? status.name() : directory + "/" + status.name();
      listed.put(name, status);
      entries.add(entryOf(name, status));
    }
    return entries;
  }

  private FileEntry entryOf(String name, FileStatus status) throws IOException {
    return switch (status.kind()) {
      case FILE -> new FileEntry(name, status.kind(), status.bytes(), status.stamp());
      case SYMLINK ->
          behind(status)
              .map(file -> new FileEntry(name, status.kind(), file.bytes(), file.stamp()))
              .orElseGet(
                  () ->
                      new FileEntry(name, status.kind(), FileEntry.UNKNOWN_BYTES, status.stamp()));
      case DIRECTORY, OTHER -> new FileEntry(name, status.kind(), 0, status.stamp());
    };
  }

  /** The regular file that a link leads to. */
  private Optional<FileStatus> behind(FileStatus link) throws IOException {
    try {
      return store.stat(store.realPath(link.path())).filter(FileStatus::isFile);
    } catch (NoSuchFileException leadsNowhere) {
      return Optional.empty();
    }
  }

  @Override
  public byte[] readPrefix(String name, int maxBytes) throws IOException {
    if (store.traits().atomicRename()) {
      return start(name, maxBytes);
    }
    lastStart = start(name, Math.max(maxBytes, OBJECT_PREFIX_BYTES));
    lastName = name;
    return Arrays.copyOf(lastStart, Math.min(maxBytes, lastStart.length));
  }

  private byte[] start(String name, int maxBytes) throws IOException {
    try (RangeReader reader = open(name)) {
      byte[] prefix = new byte[(int) Math.min(maxBytes, reader.size())];
      ByteBuffer buffer = ByteBuffer.wrap(prefix);
      while (buffer.hasRemaining() && reader.read(buffer.position(), buffer) >= 0) {}
      return buffer.hasRemaining() ? Arrays.copyOf(prefix, buffer.position()) : prefix;
    }
  }

  @Override
  public byte[] read(String name, long offset, int bytes) throws IOException {
    if (lastName.equals(name) && offset + bytes <= lastStart.length) {
      return Arrays.copyOfRange(lastStart, (int) offset, (int) offset + bytes);
    }
    byte[] range = new byte[bytes];
    try (RangeReader reader = open(name)) {
      reader.readFully(offset, ByteBuffer.wrap(range));
    }
    return range;
  }

  private RangeReader open(String name) throws IOException {
    Shard shard = known.get(name);
    if (shard != null) {
      return store.openListed(pathOf(name), shard.bytes(), shard.modifiedMillis());
    }
    FileStatus status = listed.get(name);
    if (status == null) {
      String path = pathOf(name);
      status =
          store
              .stat(path)
              .orElseThrow(() -> new NoSuchFileException(store.locate(path).toString()));
    }
    return store.openForRead(status, ReadPattern.RANDOM);
  }

  private String pathOf(String name) {
    return name.isEmpty() ? root.path() : root.child(name).path();
  }
}
