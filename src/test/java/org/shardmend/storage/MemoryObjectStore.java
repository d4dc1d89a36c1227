package org.shardmend.storage;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Abortable;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PositionedReadable;
import org.apache.hadoop.fs.Seekable;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * An object store as Hadoop shows it: what is written appears at the close, all at once, unless the
 * stream is aborted; a conditional write fails there. A rename is a mistake.
 */
public final class MemoryObjectStore extends FileSystem {
  /** Named as S3A's, by which it is recognised. */
  static final class RemoteFileChangedException extends IOException {
    private static final long serialVersionUID = 1L;
  }

  private final Map<Path, byte[]> objects = new TreeMap<>();
  private URI uri;
  private int aborted;
  private Runnable beforeNextClose = () -> {};

  int aborted() {
    return aborted;
  }

  /** Puts an object there, as another client would. */
  void put(String path, byte[] content) {
    objects.put(qualified(new Path(path)), content);
  }

  /** What another client does just before the next object appears. */
  void beforeNextClose(Runnable step) {
    beforeNextClose = step;
  }

  @Override
  public void initialize(URI name, Configuration configuration) throws IOException {
    super.initialize(name, configuration);
    uri = URI.create(name.getScheme() + "://" + name.getAuthority());
  }

  @Override
  public String getScheme() {
    return "memory";
  }

  @Override
  public URI getUri() {
    return uri;
  }

  private Path qualified(Path path) {
    return makeQualified(path);
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    getFileStatus(path);
    return new FSDataInputStream(new ObjectInput(objects.get(qualified(path))));
  }

  private static final class ObjectInput extends ByteArrayInputStream
      implements Seekable, PositionedReadable {
    ObjectInput(byte[] content) {
      super(content);
    }

    @Override
    public void seek(long position) {
      pos = (int) position;
    }

    @Override
    public long getPos() {
      return pos;
    }

    @Override
    public boolean seekToNewSource(long position) {
      return false;
    }

    @Override
    public int read(long position, byte[] bytes, int offset, int length) {
      throw new UnsupportedOperationException("A positioned read opens a connection of its own.");
    }

    @Override
    public void readFully(long position, byte[] bytes, int offset, int length) {
      throw new UnsupportedOperationException("A positioned read opens a connection of its own.");
    }

    @Override
    public void readFully(long position, byte[] bytes) {
      throw new UnsupportedOperationException("A positioned read opens a connection of its own.");
    }
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress) {
    return new FSDataOutputStream(new ObjectOutput(qualified(path)), null);
  }

  private final class ObjectOutput extends ByteArrayOutputStream
      implements Abortable, StreamCapabilities {
    private final Path path;
    private boolean over;

    ObjectOutput(Path path) {
      this.path = path;
    }

    @Override
    public void close() throws IOException {
      if (over) {
        return;
      }
      beforeNextClose.run();
      beforeNextClose = () -> {};
      if (objects.putIfAbsent(path, toByteArray()) != null) {
        throw new RemoteFileChangedException();
      }
      over = true;
    }

    @Override
    public AbortableResult abort() {
      boolean wasOver = over;
      over = true;
      aborted++;
      return new AbortableResult() {
        @Override
        public boolean alreadyClosed() {
          return wasOver;
        }

        @Override
        public IOException anyCleanupException() {
          return null;
        }
      };
    }

    @Override
    public boolean hasCapability(String capability) {
      return capability.equals(StreamCapabilities.ABORTABLE_STREAM);
    }
  }

  @Override
  public FSDataOutputStream append(Path path, int bufferSize, Progressable progress) {
    throw new UnsupportedOperationException("An object store does not append.");
  }

  @Override
  public boolean rename(Path from, Path to) {
    throw new UnsupportedOperationException("An object store does not rename.");
  }

  @Override
  public boolean delete(Path path, boolean recursive) {
    return objects.remove(qualified(path)) != null;
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    List<FileStatus> found = new ArrayList<>();
    for (Path object : objects.keySet()) {
      if (object.getParent().equals(qualified(path))) {
        found.add(getFileStatus(object));
      }
    }
    if (found.isEmpty()) {
      throw new FileNotFoundException(path.toString());
    }
    return found.toArray(FileStatus[]::new);
  }

  @Override
  public void setWorkingDirectory(Path directory) {}

  @Override
  public Path getWorkingDirectory() {
    return new Path("/");
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) {
    return true;
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    byte[] content = objects.get(qualified(path));
    if (content == null) {
      throw new FileNotFoundException(path.toString());
    }
    return new FileStatus(content.length, false, 1, 1, 1_000_000_123, qualified(path));
  }
}
