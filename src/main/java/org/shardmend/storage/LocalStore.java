package org.shardmend.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.shardmend.checkpoint.FileEntry;

/**
 * What is mounted, by the JDK's channels. No checksum files appear beside what is written, and
 * names may hold whatever the system allows, as long as it is valid in the encoding of the locale.
 */
public final class LocalStore implements Store {
  private static final int PERMISSION_BITS = 07777;
  private static final int STICKY_BIT = 01000;
  private static final int ROOT = 0;
  private static final int TYPE_BITS = 0170000;
  private static final int REGULAR = 0100000;
  private static final int DIRECTORY = 0040000;
  private static final int SYMLINK = 0120000;

  @Override
  public StoreTraits traits() {
    return StoreTraits.POSIX;
  }

  @Override
  public Location locate(String path) {
    return Location.ofFile(path);
  }

  @Override
  public Optional<FileStatus> stat(String path) throws IOException {
    try {
      return Optional.of(statusOf(toPath(path), path, LinkOption.NOFOLLOW_LINKS));
    } catch (NoSuchFileException absent) {
      return Optional.empty();
    } catch (FileSystemException failure) {
      if (isBelowAFile(failure)) {
        return Optional.empty();
      }
      throw StorageFailure.of("look at", locate(path), failure);
    }
  }

  /** Whether a part of the path is a file, so that nothing can be below it. */
  private static boolean isBelowAFile(FileSystemException failure) {
    return "Not a directory".equals(failure.getReason());
  }

  private static FileStatus statusOf(Path file, String path, LinkOption... options)
      throws IOException {
    Map<String, Object> attributes =
        Files.readAttributes(file, "unix:mode,nlink,ino,size,lastModifiedTime,ctime", options);
    int mode = (Integer) attributes.get("mode");
    return new FileStatus(
        path,
        kindOf(mode),
        (Long) attributes.get("size"),
        ((FileTime) attributes.get("lastModifiedTime")).toMillis(),
        (Integer) attributes.get("nlink"),
        Long.toUnsignedString((Long) attributes.get("ino")),
        mode & PERMISSION_BITS,
        ((FileTime) attributes.get("ctime")).to(TimeUnit.NANOSECONDS));
  }

  @Override
  public Optional<String> owner(String path) throws IOException {
    try {
      return Optional.of(
          Files.getAttribute(toPath(path), "unix:uid", LinkOption.NOFOLLOW_LINKS).toString());
    } catch (NoSuchFileException absent) {
      return Optional.empty();
    } catch (IOException failure) {
      throw StorageFailure.of("look at", locate(path), failure);
    }
  }

  @Override
  public FileStamp stamp(String path) throws IOException {
    try {
      Map<String, Object> attributes =
          Files.readAttributes(
              toPath(path), "unix:ino,size,lastModifiedTime,ctime", LinkOption.NOFOLLOW_LINKS);
      return new FileStamp(
          Long.toUnsignedString((Long) attributes.get("ino")),
          (Long) attributes.get("size"),
          ((FileTime) attributes.get("lastModifiedTime")).to(TimeUnit.NANOSECONDS),
          ((FileTime) attributes.get("ctime")).to(TimeUnit.NANOSECONDS));
    } catch (IOException failure) {
      throw StorageFailure.of("look at", locate(path), failure);
    }
  }

  @Override
  public OptionalLong userNumber(String path) throws IOException {
    try {
      return OptionalLong.of(ProcessUser.ownerOf(toPath(path)));
    } catch (IOException failure) {
      throw StorageFailure.of("look at", locate(path), failure);
    }
  }

  private static FileEntry.Kind kindOf(int mode) {
    return switch (mode & TYPE_BITS) {
      case REGULAR -> FileEntry.Kind.FILE;
      case DIRECTORY -> FileEntry.Kind.DIRECTORY;
      case SYMLINK -> FileEntry.Kind.SYMLINK;
      default -> FileEntry.Kind.OTHER;
    };
  }

  @Override
  public List<FileStatus> list(String directory) throws IOException {
    List<FileStatus> entries = new ArrayList<>();
    try (DirectoryStream<Path> names = Files.newDirectoryStream(toPath(directory))) {
      for (Path entry : names) {
        // What was removed since the name was read is no entry.
        stat(textOf(entry)).ifPresent(entries::add);
      }
    } catch (DirectoryIteratorException failure) {
      throw StorageFailure.of("list", locate(directory), failure.getCause());
    } catch (IOException failure) {
      throw StorageFailure.of("list", locate(directory), failure);
    }
    entries.sort(Comparator.comparing(FileStatus::name));
    return entries;
  }

  @Override
  public String realPath(String path) throws IOException {
    Path file = toPath(path);
    try {
      return textOf(file.toRealPath());
    } catch (NoSuchFileException absent) {
      Path parent = file.getParent();
      if (parent == null || Files.isSymbolicLink(file)) {
        throw StorageFailure.of("resolve", locate(path), absent);
      }
      return textOf(Path.of(realPath(textOf(parent))).resolve(file.getFileName()));
    } catch (FileSystemException failure) {
      throw StorageFailure.of(
          "resolve", locate(path), leadsNowhere(failure) ? absent(failure) : failure);
    } catch (IOException failure) {
      throw StorageFailure.of("resolve", locate(path), failure);
    }
  }

  private static boolean leadsNowhere(FileSystemException failure) {
    return isBelowAFile(failure)
        || Objects.toString(failure.getReason(), "")
            .startsWith("Too many levels of symbolic links");
  }

  private static NoSuchFileException absent(FileSystemException cause) {
    NoSuchFileException absent = new NoSuchFileException(cause.getFile(), null, cause.getReason());
    absent.initCause(cause);
    return absent;
  }

  @Override
  public RangeReader openForRead(FileStatus file, ReadPattern pattern) throws IOException {
    FileStatus followed = file.isFile() ? file : followed(file.path());
    try {
      if (!followed.isFile()) {
        throw new FileSystemException(
            file.path(), null, "it is not a regular file, and only such are read");
      }
      return new LocalRangeReader(
          this, followed, FileChannel.open(toPath(file.path()), StandardOpenOption.READ));
    } catch (IOException failure) {
      throw StorageFailure.of("open", locate(file.path()), failure);
    }
  }

  /** The status of what {@code path} leads to. */
  FileStatus followed(String path) throws IOException {
    try {
      return statusOf(toPath(path), path);
    } catch (IOException failure) {
      throw StorageFailure.of("look at", locate(path), failure);
    }
  }

  @Override
  public ShardWriter create(String path) throws IOException {
    return create(path, 0);
  }

  @Override
  public ShardWriter create(String path, long bytes) throws IOException {
    Location location = locate(path);
    Path file = toPath(path);
    try {
      FileChannel channel =
          FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      Optional<DirectOutput> direct =
          bytes < DirectOutput.WORTHWHILE_BYTES ? Optional.empty() : DirectOutput.open(file);
      return new LocalShardWriter(location, file, channel, direct, () -> freeBytes(path));
    } catch (IOException failure) {
      throw StorageFailure.ofWrite("create", location, 0, () -> freeBytes(path), failure);
    }
  }

  @Override
  public void writeAt(String path, long offset, ByteBuffer bytes) throws IOException {
    Location location = locate(path);
    Path file = toPath(path);
    try (FileChannel channel = openExisting(file)) {
      if (offset < 0 || bytes.remaining() > channel.size() - offset) {
        throw new IOException(
            "bytes %d to %d are not all inside the file's %d"
                .formatted(offset, offset + bytes.remaining(), channel.size()));
      }
      long at = offset;
      while (bytes.hasRemaining()) {
        at += channel.write(bytes, at);
      }
    } catch (IOException failure) {
      throw StorageFailure.ofWrite(
          "write into", location, bytes.remaining(), () -> freeBytes(path), failure);
    }
  }

  @Override
  public void extend(String path, long bytes) throws IOException {
    try (FileChannel channel = openExisting(toPath(path))) {
      if (bytes <= channel.size()) {
        throw new IOException(
            "it has %d bytes and can't be extended to %d".formatted(channel.size(), bytes));
      }
      // The JDK has no call that lengthens a file; a byte at its new end does the same.
      channel.write(ByteBuffer.allocate(1), bytes - 1);
    } catch (IOException failure) {
      throw StorageFailure.ofWrite("extend", locate(path), 1, () -> freeBytes(path), failure);
    }
  }

  /** Opens for writing what exists; opening a pipe would wait for a reader. */
  private static FileChannel openExisting(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      Files.readAttributes(file, BasicFileAttributes.class);
      throw new FileSystemException(file.toString(), null, "it is not a regular file");
    }
    // What is written in place was looked at before: a link that took its name is not followed.
    return FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
  }

  @Override
  public void sync(String path) throws IOException {
    force(path);
  }

  @Override
  public void syncDirectory(String directory) throws IOException {
    force(directory);
  }

  /** Opened for reading, because a directory can't be opened otherwise, nor a read-only file. */
  private void force(String path) throws IOException {
    Path file = toPath(path);
    if (!Files.isRegularFile(file) && !Files.isDirectory(file)) {
      throw new NoSuchFileException(
          locate(path).toString(), null, "there is no file or directory to sync");
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (ClosedByInterruptException interrupted) {
      throw interrupted;
    } catch (IOException failure) {
      throw StorageFailure.sync(locate(path), failure);
    }
  }

  @Override
  public void makeDirectories(String path) throws IOException {
    try {
      Files.createDirectories(toPath(path));
    } catch (IOException failure) {
      throw StorageFailure.ofWrite(
          "make the directory", locate(path), 0, () -> freeBytes(path), failure);
    }
  }

  @Override
  public void rename(String from, String to) throws IOException {
    String key = requirePresent(from).fileKey();
    String operation = "move " + locate(from) + " to";
    try {
      // The system's own call would silently replace a file or an empty directory.
      if (Files.exists(toPath(to), LinkOption.NOFOLLOW_LINKS)) {
        throw new FileAlreadyExistsException(to);
      }
      Files.move(toPath(from), toPath(to), StandardCopyOption.ATOMIC_MOVE);
      if (!requirePresent(to).fileKey().equals(key)) {
        throw new IOException("another process put something else there at the same moment");
      }
    } catch (DirectoryNotEmptyException taken) {
      throw StorageFailure.exists(operation, locate(to), taken);
    } catch (IOException failure) {
      throw StorageFailure.ofWrite(operation, locate(to), 0, () -> freeBytes(to), failure);
    }
  }

  private FileStatus requirePresent(String path) throws IOException {
    return stat(path).orElseThrow(() -> new NoSuchFileException(locate(path).toString()));
  }

  @Override
  public void replace(String from, String to) throws IOException {
    requirePresent(from);
    try {
      Files.move(toPath(from), toPath(to), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException failure) {
      throw StorageFailure.ofWrite(
          "move " + locate(from) + " over", locate(to), 0, () -> freeBytes(to), failure);
    }
  }

  @Override
  public void link(String existing, String newName) throws IOException {
    requirePresent(existing);
    try {
      Files.createLink(toPath(newName), toPath(existing));
    } catch (IOException failure) {
      throw StorageFailure.ofWrite(
          "link " + locate(existing) + " to",
          locate(newName),
          0,
          () -> freeBytes(newName),
          failure);
    }
  }

  @Override
  public void cloneFile(String from, String to) throws IOException {
    if (Files.exists(toPath(to), LinkOption.NOFOLLOW_LINKS)) {
      throw StorageFailure.exists("clone " + locate(from) + " to", locate(to));
    }
    // --no-clobber would make a taken name a silent success; --update=none-fail is too new. Without
    // a target there, cp itself makes it exclusively.
    Exit cp;
    try {
      cp = run("cp", "--reflink=always", "--no-target-directory", "--", from, to);
    } catch (ClosedByInterruptException interrupted) {
      throw interrupted;
    } catch (IOException absent) {
      CloneUnsupportedException failure =
          new CloneUnsupportedException(locate(from), absent.getMessage());
      failure.initCause(absent);
      throw failure;
    }
    if (cp.exit() != 0) {
      Files.deleteIfExists(toPath(to));
      throw new CloneUnsupportedException(locate(from), cp.said());
    }
  }

  /**
   * A program that has ended.
   *
   * @param said what it printed, or that it printed nothing
   */
  private record Exit(int exit, String said) {}

  /** Runs a program of the system, for what the JDK has no call for. */
  private static Exit run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    int exit = awaitExit(process);
    return new Exit(exit, said.isEmpty() ? command[0] + " ended with " + exit : said);
  }

  private static int awaitExit(Process process) throws IOException {
    try {
      return process.waitFor();
    } catch (InterruptedException interrupted) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new ClosedByInterruptException();
    }
  }

  @Override
  public void createExclusive(String path, byte[] content) throws IOException {
    try (ShardWriter writer = create(path)) {
      writer.write(ByteBuffer.wrap(content));
      writer.sync();
      writer.complete();
    }
  }

  @Override
  public void delete(String path) throws IOException {
    try {
      Files.delete(toPath(path));
    } catch (IOException failure) {
      throw StorageFailure.of("remove", locate(path), failure);
    }
  }

  @Override
  public void deleteTree(String path) throws IOException {
    Path top = toPath(path);
    if (top.getParent() == null) {
      throw new IllegalArgumentException("The root directory is not to be removed.");
    }
    if (!Files.exists(top, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try {
      Files.walkFileTree(top, new Remover());
    } catch (IOException failure) {
      throw StorageFailure.of("remove all of", locate(path), failure);
    }
  }

  /** Removes every entry, each directory after what it holds. */
  private static final class Remover extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, IOException failure)
        throws IOException {
      if (failure != null) {
        throw failure;
      }
      Files.deleteIfExists(directory);
      return FileVisitResult.CONTINUE;
    }
  }

  @Override
  public void setMode(String path, int mode) throws IOException {
    try {
      Files.setAttribute(toPath(path), "unix:mode", mode & PERMISSION_BITS);
    } catch (IOException failure) {
      throw StorageFailure.of("set the permissions of", locate(path), failure);
    }
  }

  /**
   * By {@code cp}, because the JDK has no call for access lists, nor for extended attributes other
   * than a user's own. Asked for them by name, it fails where it can't give an access list or an
   * extended attribute; an owner that it may not give it passes over, so that is looked at.
   */
  @Override
  public void copyAttributes(String from, String to) throws IOException {
    Exit cp =
        run(
            "cp",
            "--attributes-only",
            "--preserve=mode,ownership,xattr",
            "--no-target-directory",
            "--",
            from,
            to);
    if (cp.exit() != 0) {
      throw new NotReplaceableException(
          "Cannot give %s the owner, access list and extended attributes of %s: %s"
              .formatted(locate(to), locate(from), cp.said()));
    }
    Map<String, Object> wanted = rightsOf(from);
    Map<String, Object> given = rightsOf(to);
    if (!rights(given).equals(rights(wanted))) {
      throw new NotReplaceableException(
          "Cannot give %s the rights of %s: this user may make it %s, but not %s."
              .formatted(locate(to), locate(from), rights(given), rights(wanted)));
    }
  }

  @Override
  public void requireReplaceable(String path, String probe) throws IOException {
    deleteTree(probe);
    try {
      createProbe(probe);
      requireMovable(path, probe);
      if (stat(path).isPresent()) {
        copyAttributes(path, probe);
      }
    } finally {
      deleteTree(probe);
    }
  }

  private void createProbe(String probe) throws IOException {
    try {
      createExclusive(probe, new byte[0]);
    } catch (IOException failure) {
      throw StorageFailure.isForbidden(failure)
          ? new NotReplaceableException(failure.getMessage(), failure)
          : failure;
    }
  }

  /** See rename(2) for EACCES, EPERM and EXDEV. */
  private void requireMovable(String path, String probe) throws IOException {
    String directory = path.substring(0, Math.max(1, path.lastIndexOf('/')));
    if (!Files.isWritable(toPath(directory))) {
      throw new NotReplaceableException(
          "This user may not change names in %s.".formatted(locate(directory)));
    }
    Map<String, Object> rights = rightsOf(directory);
    Map<String, Object> ours = rightsOf(probe);
    if (!rights.get("dev").equals(ours.get("dev"))) {
      throw new NotReplaceableException(
          "%s lies on another volume than the journal.".formatted(locate(directory)));
    }
    int mode = (Integer) rights.get("mode");
    int user = (Integer) ours.get("uid");
    if (stat(path).isPresent()
        && !mayMoveOver(
            mode, (Integer) rights.get("uid"), (Integer) rightsOf(path).get("uid"), user)) {
      throw new NotReplaceableException(
          "%s is sticky (mode %04o): only the owners of it and of the file may replace the file."
              .formatted(locate(directory), mode & PERMISSION_BITS));
    }
  }

  /**
   * Whether a user may move a file over another one's in a directory, names there his to change.
   */
  public static boolean mayMoveOver(
      int directoryMode, int directoryOwner, int fileOwner, int user) {
    return (directoryMode & STICKY_BIT) == 0
        || user == ROOT
        || user == directoryOwner
        || user == fileOwner;
  }

  private Map<String, Object> rightsOf(String path) throws IOException {
    try {
      return Files.readAttributes(toPath(path), "unix:uid,gid,mode,dev", LinkOption.NOFOLLOW_LINKS);
    } catch (IOException failure) {
      throw StorageFailure.of("look at", locate(path), failure);
    }
  }

  private static String rights(Map<String, Object> rights) {
    return "%s:%s %04o"
        .formatted(
            rights.get("uid"), rights.get("gid"), (Integer) rights.get("mode") & PERMISSION_BITS);
  }

  @Override
  public OptionalLong freeBytes(String path) throws IOException {
    Path existing = toPath(path);
    while (existing.getParent() != null && !Files.exists(existing)) {
      existing = existing.getParent();
    }
    try {
      return OptionalLong.of(Files.getFileStore(existing).getUsableSpace());
    } catch (IOException failure) {
      throw StorageFailure.of("ask for the free space at", locate(path), failure);
    }
  }

  @Override
  public List<String> preferredHosts(String path) {
    return List.of();
  }

  @Override
  public void close() {}

  private Path toPath(String path) throws IOException {
    try {
      Path result = Path.of(path);
      if (!result.isAbsolute()) {
        throw new IllegalArgumentException("Not an absolute path: '%s'".formatted(path));
      }
      return result;
    } catch (InvalidPathException invalid) {
      throw new IOException(
          "The name '%s' cannot be expressed in this process's encoding (%s). Start it with LC_ALL=C.UTF-8."
              .formatted(path, System.getProperty("sun.jnu.encoding")),
          invalid);
    }
  }

  /** The name as text, if text can express it: a name is bytes to the system. */
  private static String textOf(Path path) throws IOException {
    String text = path.toString();
    if (!isExpressible(path, text)) {
      throw new IOException(
          "The name '%s' is not valid in this process's encoding (%s). Start it with LC_ALL=C.UTF-8, or rename the file."
              .formatted(text, System.getProperty("sun.jnu.encoding")));
    }
    return text;
  }

  /** Whether a path is just what its text says. */
  static boolean isExpressible(Path path, String text) {
    try {
      return Path.of(text).equals(path);
    } catch (InvalidPathException invalid) {
      return false;
    }
  }
}
