package org.shardmend.storage.lock;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.regex.Pattern;

/** What this process can say of itself, and of processes on its own host. */
public interface HolderProbe {

  /** This process, as holder of a lock for that run. */
  LockHolder self(String runId);

  /** What the system says of a process on this host, as far as it can be believed. */
  Presence presenceOf(long pid);

  /**
   * What is known of the holder, seen from {@code self}. Only a process of the same boot and the
   * same pid namespace can be looked for: machines that were cloned, and containers, may share a
   * host name.
   */
  default HolderState stateOf(LockHolder holder, LockHolder self) {
    if (!holder.host().equals(self.host())) {
      return HolderState.OTHER_HOST;
    }
    if (holder.bootId().isEmpty() || !holder.bootId().equals(self.bootId())) {
      return HolderState.OTHER_BOOT;
    }
    if (!holder.pidNamespace().equals(self.pidNamespace())) {
      return HolderState.OTHER_NAMESPACE;
    }
    Presence presence = presenceOf(holder.pid());
    return switch (presence.kind()) {
      case ABSENT -> HolderState.GONE;
      case HIDDEN -> HolderState.HIDDEN;
      case PRESENT ->
          presence.started().equals(holder.started()) ? HolderState.RUNNING : HolderState.GONE;
    };
  }

  /**
   * Whether there is a process of a number.
   *
   * @param kind what is known
   * @param started when it started, in the terms of {@link LockHolder#started()}; empty unless the
   *     process is present
   */
  record Presence(Kind kind, String started) {
    /** What is known of a process. */
    enum Kind {
      /** It runs. */
      PRESENT,
      /** The kernel knows no such process, or only its exit code is left. */
      ABSENT,
      /** The kernel has one of that number, or may have, and does not show it to this user. */
      HIDDEN
    }

    static Presence of(String started) {
      return new Presence(Kind.PRESENT, started);
    }

    static Presence absent() {
      return new Presence(Kind.ABSENT, "");
    }

    static Presence hidden() {
      return new Presence(Kind.HIDDEN, "");
    }
  }

  /** The real one. */
  static HolderProbe system() {
    return new OfSystem(Clock.systemUTC());
  }

  /** Asks {@code /proc}, and the kernel where that shows nothing. */
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
          presenceOf(pid).started(),
          System.getProperty("user.name", ""),
          runId,
          Instant.now(clock).truncatedTo(ChronoUnit.SECONDS).toString());
    }

    @Override
    public Presence presenceOf(long pid) {
      if (!Files.isDirectory(PROC.resolve("self"))) {
        return ProcessHandle.of(pid)
            .filter(ProcessHandle::isAlive)
            .map(process -> process.info().startInstant().map(Instant::toString).orElse(""))
            .map(Presence::of)
            .orElseGet(() -> unseen(pid));
      }
      try {
        String stat =
            Files.readString(
                PROC.resolve(Long.toString(pid)).resolve("stat"), StandardCharsets.ISO_8859_1);
        String[] fields = BLANK.split(stat.substring(stat.lastIndexOf(')') + 2), -1);
        boolean dead = fields[STATE_FIELD].equals("Z") || fields[STATE_FIELD].equals("X");
        return dead ? Presence.absent() : Presence.of(fields[START_FIELD]);
      } catch (IOException unreadable) {
        return unseen(pid);
      }
    }

    /**
     * {@code /proc} may be mounted so that it shows each user only his own processes ({@code
     * hidepid}, see proc(5)). Sending no signal to a process tells those apart that are not there
     * from those that belong to others, however it is mounted (kill(2): ESRCH, EPERM). The JDK has
     * no call for it; every shell has.
     */
    private static Presence unseen(long pid) {
      ProcessBuilder kill =
          new ProcessBuilder("/bin/sh", "-c", "kill -0 \"$1\"", "sh", Long.toString(pid));
      kill.environment().put("LC_ALL", "C");
      kill.redirectErrorStream(true);
      try {
        Process process = kill.start();
        process.getOutputStream().close();
        String said =
            new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        return process.waitFor() != 0 && said.contains("No such process")
            ? Presence.absent()
            : Presence.hidden();
      } catch (IOException noShell) {
        return Presence.hidden();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return Presence.hidden();
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
