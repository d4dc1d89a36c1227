package org.shardmend.job.spark;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.fs.UnsupportedFileSystemException;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.Severity;
import org.shardmend.storage.Location;
import org.shardmend.storage.NoSpaceException;
import org.shardmend.storage.SourceChangedException;
import org.shardmend.storage.journal.ForeignChangeException;
import org.shardmend.storage.journal.JournalException;
import org.shardmend.storage.lock.LockedException;
import org.shardmend.storage.lock.NotSamePlaceException;
import org.shardmend.storage.protocol.JournalRefusedException;
import org.shardmend.storage.publish.StagingConflictException;

/** What a failure of storage is to a job: whose fault it is, and its code. */
public final class StorageFailures {
  private StorageFailures() {}

  public static JobException toJobException(IOException failure) {
    if (failure instanceof ForeignChangeException) {
      return refused("foreign-change", failure);
    }
    if (failure instanceof JournalRefusedException journal) {
      return refused(code(journal.reason()), failure);
    }
    if (failure instanceof SourceChangedException) {
      return refused("source-changed", failure);
    }
    if (isUnknownFileSystem(failure)) {
      return JobException.usage("unknown-file-system", failure.getMessage(), failure);
    }
    return JobException.failed(code(failure), failure.getMessage(), failure);
  }

  /** As {@link #toJobException}, where {@code location} was to be read. */
  public static JobException unreadable(Location location, IOException failure) {
    String said = String.valueOf(failure.getMessage());
    return isUnknownFileSystem(failure) || said.contains(location.toString())
        ? toJobException(failure)
        : JobException.failed(
            code(failure), "Cannot read %s: %s".formatted(location, said), failure);
  }

  private static boolean isUnknownFileSystem(IOException failure) {
    return failure.getCause() instanceof UnsupportedFileSystemException;
  }

  private static JobException refused(String code, IOException failure) {
    return JobException.refused(
        code,
        failure.getMessage(),
        List.of(new Finding(code, Severity.ERROR, "", failure.getMessage())));
  }

  private static String code(JournalRefusedException.Reason reason) {
    return switch (reason) {
      case FOREIGN -> "foreign-journal";
      case MALFORMED -> "malformed-journal";
      case LINK -> "own-directory";
    };
  }

  /** The stable code of a failure. */
  static String code(Throwable failure) {
    if (failure instanceof LockedException) {
      return "locked";
    }
    if (failure instanceof NoSpaceException) {
      return "no-space";
    }
    if (failure instanceof StagingConflictException) {
      return "unfinished-repair";
    }
    if (failure instanceof JournalException) {
      return "journal";
    }
    if (failure instanceof JournalRefusedException journal) {
      return code(journal.reason());
    }
    if (failure instanceof NotSamePlaceException) {
      return "not-the-same-place";
    }
    if (failure instanceof ForeignChangeException) {
      return "foreign-change";
    }
    return failure instanceof SourceChangedException ? "source-changed" : "storage-failed";
  }
}
