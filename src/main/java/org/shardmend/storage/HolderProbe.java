package org.shardmend.storage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.regex.Pattern;

/** What this process can say of itself, and of processes on its own host. */
interface HolderProbe {

  /** This process, as holder of a lock for that run. */
  LockHolder self(String runId);

  /**
   * When that process started, in the terms of {@link LockHolder#started()}; empty when it is gone,
   * also when all that is left of it is its exit code.
   *
   * @throws IOException when the system can't say
   */
  Optional<String> startOf(long pid) throws IOException;

  /** Whether the holder is proven gone, seen from {@code self}. */
  default boolean isGone(LockHolder holder, LockHolder self) throws IOException {
    if (!holder.host().equals(self.host())) {
      return false;
    }
    if (!holder.bootId().equals(self.bootId())) {
      return !holder.bootId().isEmpty() && !self.bootId().isEmpty();
    }
    if (!holder.pidNamespace().equals(self.pidNamespace())) {
      return false;
    }
    Optional<String> started = startOf(holder.pid());
    return started.isEmpty() || !started.get().equals(holder.started());
  }

  /** The real one. */
  static HolderProbe system() {
    return new OfSystem(Clock.systemUTC());
  }

  /** Asks {@code /proc} where there is one, else the JDK. */
  final class OfSystem implements HolderProbe {
    private static final Path PROC = Path.of("/proc");
    private static final Pattern BLANK = Pattern.compile(" ");

    /** Fields of /proc/PID/stat behind the command's closing parenthesis; see proc(5). */
    private static final int STATE_FIELD = 0;

    private static final int START_FIELD = 19;

    private final Clock clock;

    OfSystem(Clock clock) {
      this.clock = clock;
    }

    @Override
    public LockHolder self(String runId) {
      long pid = ProcessHandle.current().pid();
      return new LockHolder(
          hostName(),
          bootId(),
          pidNamespace(),
          pid,
          ownStart(pid),
          runId,
          Instant.now(clock).truncatedTo(ChronoUnit.SECONDS).toString());
    }

    private String ownStart(long pid) {
      try {
        return startOf(pid).orElse("");
      } catch (IOException unreadable) {
        throw new IllegalStateException("The system does not show a process itself.", unreadable);
      }
    }

    @Override
    public Optional<String> startOf(long pid) throws IOException {
      if (!Files.isDirectory(PROC.resolve("self"))) {
        return ProcessHandle.of(pid)
            .filter(ProcessHandle::isAlive)
            .map(process -> process.info().startInstant().map(Instant::toString).orElse(""));
      }
      try {
        String stat =
            Files.readString(
                PROC.resolve(Long.toString(pid)).resolve("stat"), StandardCharsets.ISO_8859_1);
        String[] fields = BLANK.split(stat.substring(stat.lastIndexOf(')') + 2), -1);
        boolean dead = fields[STATE_FIELD].equals("Z") || fields[STATE_FIELD].equals("X");
        return dead ? Optional.empty() : Optional.of(fields[START_FIELD]);
      } catch (NoSuchFileException gone) {
        return Optional.empty();
      } catch (IOException failure) {
        if (Files.exists(PROC.resolve(Long.toString(pid)))) {
          throw failure;
        }
        return Optional.empty();
      }
    }

    private static String hostName() {
      String name = lineOf(PROC.resolve("sys/kernel/hostname"));
      if (!name.isEmpty()) {
        return name;
      }
      try {
        return InetAddress.getLocalHost().getHostName();
      } catch (UnknownHostException unnamed) {
        throw new IllegalStateException(
            "This host has no name that it knows, so nobody could be told who holds a lock.",
            unnamed);
      }
    }

    private static String bootId() {
      return lineOf(PROC.resolve("sys/kernel/random/boot_id"));
    }

    private static String pidNamespace() {
      Path link = PROC.resolve("self/ns/pid");
      try {
        return Files.isSymbolicLink(link) ? Files.readSymbolicLink(link).toString() : "";
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }

    /** What the system says there; empty on a system that has no such file. */
    private static String lineOf(Path file) {
      try {
        return Files.isReadable(file) ? Files.readString(file).strip() : "";
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }
  }
}
