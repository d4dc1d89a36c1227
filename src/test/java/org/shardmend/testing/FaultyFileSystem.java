package org.shardmend.testing;

import java.io.EOFException;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.spark.TaskContext;
import scala.Option;

/**
 * This machine's files under {@code faulty://disk/}, of which some can't be read as they should:
 * what is to happen to a file stands in a file of the same name in the directory that {@link
 * #FAULTS} names. Works in any process that has it on its class path.
 */
public final class FaultyFileSystem extends RawLocalFileSystem {
  /** The setting with the directory of the faults. */
  public static final String FAULTS = "fs.faulty.faults";

  /** What can happen to a file. */
  public enum Fault {
    /** Its data can't be read, ever. */
    FAILS,
    /** Its data can't be read by the first who tries. */
    FAILS_ONCE,
    /** The first who reads its data waits until interrupted. */
    STUCK_ONCE,
    /** The first who reads its data does not hear that it is to stop, and goes on when told to. */
    DEAF_ONCE
  }

  private static final URI ROOT = URI.create("faulty://disk/");

  /** Headers are read well, by reads that start before this byte; the data's first start behind. */
  private static final long HEADER_READS = 1 << 10;

  private Path faults = Path.of("/nowhere");

  /** Makes {@code file} faulty. */
  public static void make(Path faults, String file, Fault fault) throws IOException {
    Files.writeString(Files.createDirectories(faults).resolve(file), fault.name());
  }

  /** Lets whoever is deaf go on. */
  public static void wake(Path faults, String file) throws IOException {
    Files.createFile(faults.resolve(file + ".awake"));
  }

  /** Whether somebody has met the fault of {@code file}. */
  public static boolean wasMet(Path faults, String file) {
    return Files.exists(faults.resolve(file + ".met"));
  }

  @Override
  public String getScheme() {
    return ROOT.getScheme();
  }

  @Override
  public URI getUri() {
    return ROOT;
  }

  @Override
  public void initialize(URI uri, Configuration configuration) throws IOException {
    super.initialize(uri, configuration);
    faults = Path.of(configuration.get(FAULTS));
  }

  @Override
  public FSDataInputStream open(org.apache.hadoop.fs.Path file, int bufferSize) throws IOException {
    FSDataInputStream in = super.open(file, bufferSize);
    Path fault = faults.resolve(file.getName());
    return Files.exists(fault)
        ? new FSDataInputStream(new FaultyStream(in, fault, Fault.valueOf(Files.readString(fault))))
        : in;
  }

  /** Meets its fault with the first byte of data. */
  private static final class FaultyStream extends FSInputStream {
    private final FSDataInputStream in;
    private final Path place;
    private final Fault fault;
    private boolean met;

    FaultyStream(FSDataInputStream in, Path place, Fault fault) {
      this.in = in;
      this.place = place;
      this.fault = fault;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int off, int len) throws IOException {
      if (!met && in.getPos() >= HEADER_READS) {
        met = true;
        meet();
      }
      return in.read(bytes, off, len);
    }

    private void meet() throws IOException {
      switch (fault) {
        case FAILS -> throw new IOException("Input/output error");
        case FAILS_ONCE -> {
          if (isFirst()) {
            throw new IOException("Input/output error");
          }
        }
        case STUCK_ONCE -> {
          if (isFirst()) {
            waitUntilInterrupted();
          }
        }
        case DEAF_ONCE -> {
          if (isFirst()) {
            waitUntilAwake();
          }
        }
      }
    }

    private boolean isFirst() throws IOException {
      try {
        Files.createFile(place.resolveSibling(place.getFileName() + ".met"));
        return true;
      } catch (FileAlreadyExistsException another) {
        return false;
      }
    }

    private static void waitUntilInterrupted() throws IOException {
      try {
        TimeUnit.HOURS.sleep(1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new ClosedByInterruptException();
      }
      throw new EOFException("Nobody interrupted the reader");
    }

    private void waitUntilAwake() {
      Path awake = place.resolveSibling(place.getFileName() + ".awake");
      while (!Files.exists(awake)) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        Thread.interrupted();
      }
      forgetToStop();
    }

    /** What the driver has said meanwhile is not heard, as on an executor that was cut off. */
    private static void forgetToStop() {
      try {
        Method reason =
            TaskContext.get().getClass().getDeclaredMethod("reasonIfKilled_$eq", Option.class);
        reason.setAccessible(true);
        reason.invoke(TaskContext.get(), Option.empty());
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException("This version of Spark keeps it elsewhere", e);
      }
    }

    @Override
    public void seek(long position) throws IOException {
      in.seek(position);
    }

    @Override
    public long getPos() throws IOException {
      return in.getPos();
    }

    @Override
    public boolean seekToNewSource(long position) {
      return false;
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}
