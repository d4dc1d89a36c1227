package org.shardmend.storage;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.QuotaUsage;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.UnsupportedFileSystemException;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.fs.viewfs.ViewFileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.util.functional.FutureIO;
import org.shardmend.checkpoint.FileEntry;

/**
 * HDFS and the object stores, by Hadoop's {@link FileSystem}. Hadoop shares its file systems within
 * a process, so closing this store closes none.
 *
 * <p>Whatever is not HDFS is taken for an object store: what can't be relied on everywhere, such as
 * renaming, is relied on nowhere. HDFS by another client than its own is only read.
 */
public final class HadoopStore implements Store {
  /** Hadoop reads single files from these, and takes any path for one. */
  private static final Set<String> WITHOUT_DIRECTORIES = Set.of("http", "https");

  /** Sticky bit and the nine of owner, group and others: all that Hadoop knows. */
  private static final int PERMISSION_BITS = 01777;

  private static final int PREFERRED_HOSTS = 3;

  private final FileSystem fileSystem;
  private final Location root;
  private final StoreTraits traits;

  private HadoopStore(FileSystem fileSystem, Location root, StoreTraits traits) {
    this.fileSystem = fileSystem;
    this.root = root;
    this.traits = traits;
  }

  /**
   * By what it says that it can do: snapshots are kept by the tree of a name node, whose files grow
   * in everybody's sight, but only HDFS's own client syncs them and moves them safely.
   */
  private static StoreTraits traitsOf(FileSystem fileSystem, Location root) throws IOException {
    if (fileSystem instanceof DistributedFileSystem) {
      return StoreTraits.HDFS;
    }
    if (fileSystem instanceof ViewFileSystem) {
      throw new UnsupportedFileSystemException(
          "it is a mount table, not a file system; name the place in the file system behind it");
    }
    return fileSystem.hasPathCapability(toHadoop(root, "/"), CommonPathCapabilities.FS_SNAPSHOTS)
        ? StoreTraits.READ_ONLY
        : StoreTraits.OBJECT_STORE;
  }

  /**
   * The store that {@code location} lies in.
   *
   * @throws IOException when Hadoop has no file system for the scheme, or can't reach it
   */
  public static HadoopStore open(Location location, Configuration configuration)
      throws IOException {
    Location root = new Location(location.scheme(), location.authority(), "/");
    if (location.scheme().equals("s3a") && location.authority().contains("@")) {
      throw new IOException(
          "Keys do not belong into a location (%s). Set fs.s3a.access.key and fs.s3a.secret.key, or a credentials provider."
              .formatted(root));
    }
    try {
      FileSystem fileSystem = fileSystem(root, configuration);
      return new HadoopStore(fileSystem, root, traitsOf(fileSystem, root));
    } catch (IOException | IllegalArgumentException failure) {
      throw new IOException(
          "Cannot open the file system %s: %s. Check the name, and that Hadoop's module for %s: is on the class path (for s3a: that is hadoop-aws)."
              .formatted(root, StorageFailure.reason(root, failure), root.scheme()),
          failure);
    }
  }

  /** Hadoop's file system for a location's scheme and authority. */
  static FileSystem fileSystem(Location root, Configuration configuration) throws IOException {
    if (WITHOUT_DIRECTORIES.contains(root.scheme())) {
      throw new UnsupportedFileSystemException("a web server lists no directories");
    }
    try {
      return FileSystem.get(toHadoop(root, "/").toUri(), configuration);
    } catch (RuntimeException | LinkageError failure) {
      Optional<String> missing = missingClass(failure);
      if (missing.isEmpty()) {
        throw failure;
      }
      IOException unsupported = new UnsupportedFileSystemException(missing.get() + " is missing");
      unsupported.initCause(failure);
      throw unsupported;
    }
  }

  /** Hadoop knows the name of a class for each scheme, and looks for it when it is used. */
  private static Optional<String> missingClass(Throwable failure) {
    for (Throwable link = failure; link != null; link = link.getCause()) {
      if (link instanceof ClassNotFoundException || link instanceof NoClassDefFoundError) {
        return Optional.of(
            link.getMessage().replaceAll("^Class | not found$", "").replace('/', '.'));
      }
    }
    return Optional.empty();
  }

  /**
   * By its parts, because a path in one string would be parsed: a {@code #} in it, for instance.
   */
  private static Path toHadoop(Location root, String path) {
    return new Path(root.scheme(), root.authority(), path);
  }

  private Path toHadoop(String path) {
    return toHadoop(root, path);
  }

  private boolean isHdfs() {
    return traits.atomicRename();
  }

  @Override
  public StoreTraits traits() {
    return traits;
  }

  @Override
  public Location locate(String path) {
    return new Location(root.scheme(), root.authority(), path);
  }

  @Override
  public Optional<FileStatus> stat(String path) throws IOException {
    try {
      return Optional.of(statusOf(path, fileSystem.getFileLinkStatus(toHadoop(path))));
    } catch (FileNotFoundException absent) {
      return Optional.empty();
    } catch (IOException failure) {
      if (isBelowAFile(failure)) {
        return Optional.empty();
      }
      throw StorageFailure.of("look at", locate(path), failure);
    }
  }

  /** Whether a part of the path is a file, so that nothing can be below it. */
  private static boolean isBelowAFile(IOException failure) {
    return failure instanceof ParentNotDirectoryException
        || (failure instanceof RemoteException remote
            && remote.getClassName().equals(ParentNotDirectoryException.class.getName()))
        || (failure instanceof AccessControlException
            && String.valueOf(failure.getMessage()).contains("(is not a directory)"));
  }

  private FileStatus statusOf(String path, org.apache.hadoop.fs.FileStatus status) {
    return new FileStatus(
        path,
        kindOf(status),
        status.getLen(),
        modifiedMillis(status),
        1,
        keyOf(status),
        isHdfs() ? status.getPermission().toShort() : FileStatus.NO_MODE);
  }

  /** An object's time comes in seconds when it is asked for, and may come finer in a listing. */
  private long modifiedMillis(org.apache.hadoop.fs.FileStatus status) {
    long millis = status.getModificationTime();
    return isHdfs() ? millis : millis - Math.floorMod(millis, 1000);
  }

  private static FileEntry.Kind kindOf(org.apache.hadoop.fs.FileStatus status) {
    if (status.isSymlink()) {
      return FileEntry.Kind.SYMLINK;
    }
    return status.isDirectory() ? FileEntry.Kind.DIRECTORY : FileEntry.Kind.FILE;
  }

  private static String keyOf(org.apache.hadoop.fs.FileStatus status) {
    if (status instanceof HdfsFileStatus hdfs) {
      return Long.toString(hdfs.getFileId());
    }
    return status instanceof EtagSource tagged && tagged.getEtag() != null ? tagged.getEtag() : "";
  }

  @Override
  public List<FileStatus> list(String directory) throws IOException {
    Path parent = toHadoop(directory);
    List<FileStatus> entries = new ArrayList<>();
    try {
      RemoteIterator<org.apache.hadoop.fs.FileStatus> statuses =
          fileSystem.listStatusIterator(parent);
      while (statuses.hasNext()) {
        org.apache.hadoop.fs.FileStatus status = statuses.next();
        if (status.getPath().equals(fileSystem.makeQualified(parent)) && status.isFile()) {
          throw new NotDirectoryException(directory);
        }
        entries.add(statusOf(locate(directory).child(status.getPath().getName()).path(), status));
      }
    } catch (IOException failure) {
      throw StorageFailure.of("list", locate(directory), failure);
    }
    entries.sort(Comparator.comparing(FileStatus::name));
    return entries;
  }

  @Override
  public String realPath(String path) throws IOException {
    return path;
  }

  @Override
  public RangeReader openForRead(FileStatus file, ReadPattern pattern) throws IOException {
    Location location = locate(file.path());
    if (file.isDirectory()) {
      throw new IOException("Cannot open %s: it is a directory.".formatted(location));
    }
    FileStatus followed = file.isFile() ? file : followed(file.path());
    try {
      // With the length given, an object store is not asked for it again.
      FSDataInputStream in =
          FutureIO.awaitFuture(
              fileSystem
                  .openFile(toHadoop(file.path()))
                  .opt(HadoopOptions.READ_POLICY, policy(pattern))
                  .opt(HadoopOptions.LENGTH, Long.toString(followed.bytes()))
                  .build());
      return new HadoopRangeReader(location, in, followed, this);
    } catch (IOException failure) {
      throw StorageFailure.of("open", location, failure);
    }
  }

  @Override
  public RangeReader openListed(String path, long bytes, long modifiedMillis) throws IOException {
    if (isHdfs()) {
      return Store.super.openListed(path, bytes, modifiedMillis);
    }
    return openForRead(
        new FileStatus(path, FileEntry.Kind.FILE, bytes, modifiedMillis, 1, "", FileStatus.NO_MODE),
        ReadPattern.RANDOM);
  }

  /** The status of what {@code path} leads to. */
  FileStatus followed(String path) throws IOException {
    try {
      return statusOf(path, fileSystem.getFileStatus(toHadoop(path)));
    } catch (IOException failure) {
      throw StorageFailure.of("look at", locate(path), failure);
    }
  }

  private static String policy(ReadPattern pattern) {
    return switch (pattern) {
      case SEQUENTIAL -> HadoopOptions.WHOLE_FILE + ", " + HadoopOptions.SEQUENTIAL;
      case RANDOM -> HadoopOptions.RANDOM;
    };
  }

  @Override
  public ShardWriter create(String path) throws IOException {
    Location location = locate(path);
    try {
      if (!isHdfs() && stat(path).isPresent()) {
        throw StorageFailure.exists("create", location);
      }
      return writer(path, builder(toHadoop(path)));
    } catch (IOException failure) {
      throw StorageFailure.ofWrite("create", location, 0, () -> freeBytes(path), failure);
    }
  }

  private ShardWriter writer(String path, FSDataOutputStreamBuilder<?, ?> builder)
      throws IOException {
    return new HadoopShardWriter(
        locate(path), builder.build(), () -> deleteIfExists(path), () -> freeBytes(path));
  }

  @Override
  public ShardWriter createReplacing(String path) throws IOException {
    if (isHdfs()) {
      return Store.super.createReplacing(path);
    }
    try {
      FSDataOutputStreamBuilder<?, ?> builder = fileSystem.createFile(toHadoop(path));
      builder.create().overwrite(true).recursive();
      return writer(path, builder);
    } catch (IOException failure) {
      throw StorageFailure.ofWrite("create", locate(path), 0, () -> freeBytes(path), failure);
    }
  }

  /** HDFS has an uploader, too, which does no more than a rename. */
  @Override
  public Optional<MultipartUploads> uploads(String directory) throws IOException {
    return isHdfs() ? Optional.empty() : MultipartUploads.of(this, fileSystem, directory);
  }

  /**
   * HDFS: each block is synced when it is full or the file is closed, because a sync later on would
   * only reach the last one. Object stores: there are no directories that would have to exist, and
   * where conditional writes exist, a file that appeared meanwhile makes the completion fail.
   */
  private FSDataOutputStreamBuilder<?, ?> builder(Path path) {
    if (fileSystem instanceof DistributedFileSystem hdfs) {
      return hdfs.createFile(path).create().overwrite(false).syncBlock();
    }
    FSDataOutputStreamBuilder<?, ?> builder = fileSystem.createFile(path);
    builder.create().overwrite(false).recursive();
    builder.opt(HadoopOptions.CONDITIONAL_OVERWRITE, true);
    return builder;
  }

  private void deleteIfExists(String path) throws IOException {
    fileSystem.delete(toHadoop(path), false);
  }

  @Override
  public void writeAt(String path, long offset, ByteBuffer bytes) {
    throw unsupported("written in the middle");
  }

  /** Nothing to do: what a writer of this store completed is as durable as the store makes it. */
  @Override
  public void sync(String path) {}

  /** Nothing to do: HDFS has logged a name before the call that made it returns. */
  @Override
  public void syncDirectory(String directory) {}

  @Override
  public void makeDirectories(String path) throws IOException {
    try {
      if (!fileSystem.mkdirs(toHadoop(path))) {
        throw new IOException("the file system would not");
      }
    } catch (IOException failure) {
      throw StorageFailure.ofWrite(
          "make the directory", locate(path), 0, () -> freeBytes(path), failure);
    }
  }

  @Override
  public void rename(String from, String to) throws IOException {
    move(from, to, Options.Rename.NONE);
  }

  @Override
  public void replace(String from, String to) throws IOException {
    move(from, to, Options.Rename.OVERWRITE);
  }

  /** The rename of two arguments would move into an existing directory, and call that success. */
  private void move(String from, String to, Options.Rename option) throws IOException {
    if (!(fileSystem instanceof DistributedFileSystem hdfs)) {
      throw unsupported("renamed");
    }
    String operation = "move " + locate(from) + " to";
    try {
      if (stat(from).isEmpty()) {
        throw new NoSuchFileException(locate(from).toString());
      }
      hdfs.rename(toHadoop(from), toHadoop(to), option);
    } catch (NoSuchFileException absent) {
      throw absent;
    } catch (IOException failure) {
      // HDFS has several messages for a name that is taken, by what has it.
      if (option == Options.Rename.NONE && stat(to).isPresent()) {
        throw StorageFailure.exists(operation, locate(to), failure);
      }
      throw StorageFailure.ofWrite(operation, locate(to), 0, () -> freeBytes(to), failure);
    }
  }

  @Override
  public void link(String existing, String newName) {
    throw unsupported("linked");
  }

  @Override
  public void cloneFile(String from, String to) {
    throw unsupported("cloned");
  }

  private UnsupportedOperationException unsupported(String what) {
    return new UnsupportedOperationException("Files in %s can't be %s.".formatted(root, what));
  }

  @Override
  public void createExclusive(String path, byte[] content) throws IOException {
    try (ShardWriter writer = create(path)) {
      writer.write(ByteBuffer.wrap(content));
      writer.sync();
      completeExclusive(writer, path, content);
    }
  }

  /**
   * A client of an object store repeats a request whose answer was lost, and is then told that the
   * name is taken: by its own file.
   */
  private void completeExclusive(ShardWriter writer, String path, byte[] content)
      throws IOException {
    try {
      writer.complete();
    } catch (FileAlreadyExistsException taken) {
      if (isHdfs() || !holds(path, content)) {
        throw taken;
      }
    }
  }

  private boolean holds(String path, byte[] content) throws IOException {
    FileStatus file =
        stat(path).orElseThrow(() -> new NoSuchFileException(locate(path).toString()));
    if (file.bytes() != content.length) {
      return false;
    }
    ByteBuffer there = ByteBuffer.allocate(content.length);
    try (RangeReader reader = openForRead(file, ReadPattern.SEQUENTIAL)) {
      reader.readFully(0, there);
    }
    return Arrays.equals(there.array(), content);
  }

  @Override
  public void delete(String path) throws IOException {
    try {
      if (!fileSystem.delete(toHadoop(path), false)) {
        throw new FileNotFoundException(path);
      }
    } catch (IOException failure) {
      throw StorageFailure.of("remove", locate(path), failure);
    }
  }

  @Override
  public void deleteTree(String path) throws IOException {
    if (path.equals("/")) {
      throw new IllegalArgumentException("The root directory is not to be removed.");
    }
    try {
      fileSystem.delete(toHadoop(path), true);
    } catch (IOException failure) {
      throw StorageFailure.of("remove all of", locate(path), failure);
    }
  }

  @Override
  public void setMode(String path, int mode) throws IOException {
    if (!isHdfs()) {
      return;
    }
    try {
      fileSystem.setPermission(toHadoop(path), new FsPermission((short) (mode & PERMISSION_BITS)));
    } catch (IOException failure) {
      throw StorageFailure.of("set the permissions of", locate(path), failure);
    }
  }

  @Override
  public OptionalLong freeBytes(String path) throws IOException {
    if (!isHdfs()) {
      return OptionalLong.empty();
    }
    try {
      Path existing = toHadoop(path);
      while (!existing.isRoot() && !fileSystem.exists(existing)) {
        existing = existing.getParent();
      }
      long copies = Math.max(1, fileSystem.getDefaultReplication(existing));
      long free = fileSystem.getStatus(existing).getRemaining();
      for (Path above = existing; above != null; above = above.getParent()) {
        free = Math.min(free, freeByQuota(above));
      }
      return OptionalLong.of(Math.max(0, free / copies));
    } catch (IOException failure) {
      throw StorageFailure.of("ask for the free space at", locate(path), failure);
    }
  }

  /** Raw bytes, of all copies; a quota is set on a directory and holds for all below. */
  private long freeByQuota(Path directory) throws IOException {
    try {
      QuotaUsage usage = fileSystem.getQuotaUsage(directory);
      return usage.getSpaceQuota() < 0
          ? Long.MAX_VALUE
          : usage.getSpaceQuota() - usage.getSpaceConsumed();
    } catch (AccessControlException forbidden) {
      // A directory that this user may pass through, but not look into: its quota can't be known.
      return Long.MAX_VALUE;
    }
  }

  @Override
  public List<String> preferredHosts(String path) throws IOException {
    if (!isHdfs()) {
      return List.of();
    }
    Map<String, Long> bytesByHost = new HashMap<>();
    try {
      for (BlockLocation block :
          fileSystem.getFileBlockLocations(toHadoop(path), 0, Long.MAX_VALUE)) {
        for (String host : block.getHosts()) {
          bytesByHost.merge(host, block.getLength(), Long::sum);
        }
      }
    } catch (IOException failure) {
      throw StorageFailure.of("ask for the hosts of", locate(path), failure);
    }
    return bytesByHost.entrySet().stream()
        .sorted(
            Map.Entry.<String, Long>comparingByValue()
                .reversed()
                .thenComparing(Map.Entry.comparingByKey()))
        .limit(PREFERRED_HOSTS)
        .map(Map.Entry::getKey)
        .toList();
  }

  @Override
  public void close() {}
}
