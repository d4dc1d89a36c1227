package org.shardmend.storage;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.SyncFailedException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/** What a failed call becomes: an exception that says what was tried where, and what to do. */
final class StorageFailure {
  /** How much free space can be asked for, to be said with {@link NoSpaceException}. */
  @FunctionalInterface
  interface FreeSpace {
    /** Free bytes where the failed call wrote. */
    OptionalLong bytes() throws IOException;
  }

  private static final List<String> FORBIDDEN =
      List.of(
          "permission denied",
          "operation not permitted",
          "read-only file system",
          "text file busy");

  private StorageFailure() {}

  /**
   * The exception to throw.
   *
   * @param operation what was tried, as a verb: {@code "read"}
   */
  static IOException of(String operation, Location location, IOException cause) {
    if (cause instanceof ClosedChannelException
        || cause instanceof InterruptedIOException
        || cause instanceof EOFException
        || cause instanceof SyncFailedException
        || isOurs(cause)) {
      return cause;
    }
    if (cause instanceof NoSuchFileException || cause instanceof FileNotFoundException) {
      return withCause(
          new NoSuchFileException(
              location.toString(), null, "there is no such file; tried to " + operation + " it"),
          cause);
    }
    if (cause instanceof FileAlreadyExistsException
        || cause instanceof org.apache.hadoop.fs.FileAlreadyExistsException) {
      return exists(operation, location, cause);
    }
    if (cause instanceof NotDirectoryException) {
      return withCause(new NotDirectoryException(location.toString()), cause);
    }
    return new IOException(
        "Cannot %s %s: %s. Running again is safe once that is mended."
            .formatted(operation, location, reason(location, cause)),
        cause);
  }

  /**
   * The exception to throw after a failed write: as {@link #of}, and a full store is told apart.
   *
   * @param neededBytes what was still to be written at least; 0 when that is not known
   */
  static IOException ofWrite(
      String operation, Location location, long neededBytes, FreeSpace free, IOException cause) {
    if (isNoSpace(cause) && !isOurs(cause)) {
      return new NoSpaceException(location, neededBytes, freeOrUnknown(free, cause), cause);
    }
    return of(operation, location, cause);
  }

  /** A target that is taken. */
  static FileAlreadyExistsException exists(String operation, Location location) {
    return new FileAlreadyExistsException(
        location.toString(), null, "the name is taken; tried to " + operation + " it");
  }

  /** A target that is taken, as {@code cause} says. */
  static FileAlreadyExistsException exists(String operation, Location location, IOException cause) {
    return withCause(exists(operation, location), cause);
  }

  /** A failed sync, which is final. */
  static SyncFailedException sync(Location location, IOException cause) {
    SyncFailedException failure =
        new SyncFailedException(
            "Cannot sync %s: %s. This is final: what the medium holds is unknown, and a second try would only seem to work. Check the disk and the system's log before running again."
                .formatted(location, reason(location, cause)));
    failure.initCause(cause);
    return failure;
  }

  private static boolean isOurs(IOException failure) {
    return failure instanceof NoSpaceException
        || failure instanceof SourceChangedException
        || failure instanceof CloneUnsupportedException;
  }

  private static <E extends IOException> E withCause(E failure, IOException cause) {
    failure.initCause(cause);
    return failure;
  }

  private static OptionalLong freeOrUnknown(FreeSpace free, IOException failure) {
    try {
      return free.bytes();
    } catch (IOException alsoFailed) {
      failure.addSuppressed(alsoFailed);
      return OptionalLong.empty();
    }
  }

  /** Whether the system said ENOSPC or EDQUOT, or HDFS that a quota is used up. */
  static boolean isNoSpace(Throwable failure) {
    return usedUpQuota(failure).isPresent() || says("no space left on device", failure).isPresent();
  }

  /** What says that a quota is used up; empty where none is. */
  static Optional<Throwable> usedUpQuota(Throwable failure) {
    for (Throwable link = failure; link != null; link = link.getCause()) {
      if (link.getClass().getSimpleName().endsWith("QuotaExceededException")) {
        return Optional.of(link);
      }
    }
    return says("disk quota exceeded", failure);
  }

  /** Whether the system said that this user may not do that: EACCES, EPERM, EROFS or ETXTBSY. */
  static boolean isForbidden(Throwable failure) {
    for (Throwable link = failure; link != null; link = link.getCause()) {
      if (link instanceof AccessDeniedException) {
        return true;
      }
    }
    return FORBIDDEN.stream().anyMatch(what -> says(what, failure).isPresent());
  }

  private static Optional<Throwable> says(String what, Throwable failure) {
    for (Throwable link = failure; link != null; link = link.getCause()) {
      if (Objects.toString(link.getMessage(), "").toLowerCase(Locale.ROOT).contains(what)) {
        return Optional.of(link);
      }
    }
    return Optional.empty();
  }

  /**
   * What the cause says, without the path that it repeats, without what may be a login, and without
   * the stack trace that HDFS sends along with its message.
   */
  static String reason(Location location, Throwable cause) {
    String reason = said(cause).lines().findFirst().orElse(cause.getClass().getSimpleName());
    int at = location.authority().lastIndexOf('@');
    return at < 0
        ? reason
        : reason.replace(location.authority(), location.authority().substring(at + 1));
  }

  /** The JDK's exceptions for mounted files have a path for a message, and often no reason. */
  private static String said(Throwable cause) {
    if (cause instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (cause instanceof DirectoryNotEmptyException) {
      return "the directory is not empty";
    }
    String said =
        cause instanceof FileSystemException system ? system.getReason() : cause.getMessage();
    return Objects.toString(said, cause.getClass().getSimpleName());
  }
}
