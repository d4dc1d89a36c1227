package org.shardmend.storage;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * One file system. Everything that touches storage goes through here, so that an implementation
 * that records the calls can replay a power cut between any two of them.
 *
 * <p>Paths are absolute within the file system and literal: nothing is decoded or globbed. A
 * missing file is a {@link NoSuchFileException}, an existing one where none may be a {@link
 * java.nio.file.FileAlreadyExistsException}, a full store a {@link NoSpaceException}, on every
 * store; any other failure is an {@link IOException} that names operation and location, never a
 * credential. An operation that the {@linkplain #traits() traits} exclude throws {@link
 * UnsupportedOperationException}.
 */
public interface Store extends Closeable {

  /** What this store can do. */
  StoreTraits traits();

  /** The location of {@code path} in this store. */
  Location locate(String path);

  /** What is at {@code path}, a symbolic link not followed; empty when nothing is. */
  Optional<FileStatus> stat(String path) throws IOException;

  /**
   * What tells whether a file was written to since; a symbolic link is not followed.
   *
   * @throws NoSuchFileException when nothing is there
   */
  default FileStamp stamp(String path) throws IOException {
    FileStatus file =
        stat(path).orElseThrow(() -> new NoSuchFileException(locate(path).toString()));
    long modified = TimeUnit.MILLISECONDS.toNanos(file.modifiedMillis());
    return new FileStamp(file.fileKey(), file.bytes(), modified, modified);
  }

  /** The number of the user who owns what is at a path; empty where a store has no such numbers. */
  default OptionalLong userNumber(String path) throws IOException {
    return OptionalLong.empty();
  }

  /**
   * The entries of a directory, sorted by name, links not followed.
   *
   * @throws java.nio.file.NotDirectoryException when {@code directory} is something else
   */
  List<FileStatus> list(String directory) throws IOException;

  /**
   * The path without symbolic links, as far as it exists; what does not exist yet is kept as it is.
   */
  String realPath(String path) throws IOException;

  /** Opens a file of which {@link #stat} or {@link #list} gave the status; links are followed. */
  RangeReader openForRead(FileStatus file, ReadPattern pattern) throws IOException;

  /** Opens the file at {@code path} to be read from end to end; links are followed. */
  default RangeReader openForRead(String path) throws IOException {
    FileStatus file =
        stat(path).orElseThrow(() -> new NoSuchFileException(locate(path).toString()));
    return openForRead(file, ReadPattern.SEQUENTIAL);
  }

  /**
   * Opens a file of which a listing gave length and time, to read pieces of it; links are followed.
   * Where asking for a file's status costs a request, it is not asked for again.
   *
   * @param bytes its length
   * @param modifiedMillis when it was last written, as in {@link FileStatus#modifiedMillis()}
   */
  default RangeReader openListed(String path, long bytes, long modifiedMillis) throws IOException {
    FileStatus file =
        stat(path).orElseThrow(() -> new NoSuchFileException(locate(path).toString()));
    return openForRead(file, ReadPattern.RANDOM);
  }

  /**
   * Starts a new file; fails when the path is taken, by whatever. Its directory must exist, where a
   * store has such.
   */
  ShardWriter create(String path) throws IOException;

  /**
   * As {@link #create(String)}, for what may be large: a store can then write it in another way.
   *
   * @param bytes how long the file is going to be
   */
  default ShardWriter create(String path, long bytes) throws IOException {
    return create(path);
  }

  /**
   * Starts a file that takes the place of whatever is at the path, at once, when it is completed;
   * on stores where a file appears whole.
   */
  default ShardWriter createReplacing(String path) throws IOException {
    throw new UnsupportedOperationException(
        "A file in %s is written beside and moved.".formatted(locate(path)));
  }

  /**
   * The multipart uploads into a directory, where the store has such.
   *
   * @throws IOException when the store can't be asked
   */
  default Optional<MultipartUploads> uploads(String directory) throws IOException {
    return Optional.empty();
  }

  /**
   * Overwrites bytes of a file that exists; neither creates, nor extends, nor truncates it. Not
   * durable before {@link #sync}.
   *
   * @param offset bytes from the start of the file
   */
  void writeAt(String path, long offset, ByteBuffer bytes) throws IOException;

  /**
   * Makes a file longer. What is added reads as zeros and takes no space where the volume allows.
   *
   * @param bytes the file's new length, more than it has
   * @throws UnsupportedOperationException unless the store overwrites in place
   */
  default void extend(String path, long bytes) throws IOException {
    throw new UnsupportedOperationException(
        "Files can't be extended in " + locate(path) + ": only a mounted file system can.");
  }

  /**
   * Makes a file's content durable.
   *
   * @throws java.io.SyncFailedException when the sync fails, which is final: what the medium holds
   *     is then unknown, and a second try would lie
   */
  void sync(String path) throws IOException;

  /**
   * Makes the names in a directory durable.
   *
   * @throws java.io.SyncFailedException as in {@link #sync}
   */
  void syncDirectory(String directory) throws IOException;

  /** Makes a directory and those above it; one that exists is fine. */
  void makeDirectories(String path) throws IOException;

  /**
   * Moves a file or a directory to a name that is free, in one step. On {@code file:} the caller
   * holds the lock that keeps others of our kind away: the look at the target and the move are two
   * calls there.
   *
   * @throws java.nio.file.FileAlreadyExistsException when {@code to} exists, even as an empty
   *     directory; nothing was moved then
   */
  void rename(String from, String to) throws IOException;

  /** Moves a file onto another, which is gone then, in one step. */
  void replace(String from, String to) throws IOException;

  /** Gives a file a second name; fails when that is taken. */
  void link(String existing, String newName) throws IOException;

  /**
   * Makes a new file of the same blocks, to be written without changing the first.
   *
   * @throws CloneUnsupportedException when the volume can't; nothing remains then
   */
  void cloneFile(String from, String to) throws IOException;

  /**
   * Makes a small file with this content, durable where the store can, if the path is free: of any
   * number of callers, one succeeds.
   *
   * @param content tells this caller from any other, because an object store can't
   * @throws java.nio.file.FileAlreadyExistsException when the path is taken
   */
  void createExclusive(String path, byte[] content) throws IOException;

  /** Removes a file, a link or an empty directory. */
  void delete(String path) throws IOException;

  /** Removes a directory and all below, links not followed; nothing there is fine. */
  void deleteTree(String path) throws IOException;

  /**
   * Sets the permission bits, umask or not. A store without such does nothing.
   *
   * @param mode 12 bits
   */
  void setMode(String path, int mode) throws IOException;

  /**
   * Gives a file all that decides who may do what with it, as another file has it: owner, group,
   * permission bits, access list, extended attributes. A store without such does nothing.
   *
   * @param from the file that has it
   * @param to the file that gets it
   * @throws IOException when any of it can't be given; {@code to} has then some of it
   */
  default void copyAttributes(String from, String to) throws IOException {
    OptionalInt mode = stat(from).map(FileStatus::permissions).orElse(OptionalInt.empty());
    if (mode.isPresent()) {
      setMode(to, mode.getAsInt());
    }
  }

  /**
   * Tries whether the file may be overwritten: opens it for writing, and writes nothing.
   *
   * @throws NotReplaceableException when it may not; the message says why
   * @throws IOException when it can't be found out
   */
  default void requireOverwritable(String path) throws IOException {
    try {
      writeAt(path, 0, ByteBuffer.allocate(0));
    } catch (IOException failure) {
      throw StorageFailure.isForbidden(failure)
          ? new NotReplaceableException(failure.getMessage(), failure)
          : failure;
    }
  }

  /**
   * Tries whether this process may move a file to a name, over a file that has it, with the rights
   * of that; and changes nothing.
   *
   * @param path the name; a file has it, or none
   * @param probe a name on the same volume that is free or left by an earlier trial; nothing is
   *     there afterwards
   * @throws NotReplaceableException when it may not; the message says why
   * @throws IOException when it can't be found out
   */
  default void requireReplaceable(String path, String probe) throws IOException {}

  /**
   * What can still be written at or below {@code path}, in bytes, by space and quota; empty when
   * the store doesn't say. The path need not exist yet.
   */
  OptionalLong freeBytes(String path) throws IOException;

  /**
   * The user that an entry belongs to, links not followed; empty when nothing is there, or where a
   * store's names belong to nobody.
   */
  default Optional<String> owner(String path) throws IOException {
    return Optional.empty();
  }

  /** The hosts that hold the file, best first; empty where that makes no difference. */
  List<String> preferredHosts(String path) throws IOException;
}
