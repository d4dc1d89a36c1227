package org.shardmend.job.sweep;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.OneLine;
import org.shardmend.checkpoint.Severity;
import org.shardmend.checkpoint.Wording;
import org.shardmend.storage.FileStatus;

/**
 * Tells by the times of a checkpoint's files whether somebody may still be writing to it.
 *
 * <p>A time of writing can be set to anything, and a wrong clock gives wrong ones. One in the
 * future would keep a checkpoint from ever being looked at, so then the time counts at which the
 * file was last changed in any way, which nobody can set; and where that lies more than a day
 * ahead, too, or the store has no such time, the file counts as settled.
 *
 * @param now when the sweep looks
 * @param settle for how long a checkpoint must have been left alone
 */
record SettleCheck(Instant now, Duration settle) {
  /** Clocks of one site differ by less. */
  private static final Duration MOST_SKEW = Duration.ofDays(1);

  private static final long NANOS_PER_MILLI = 1_000_000;

  /** When it was last written to, if that was too lately. */
  Optional<Instant> unsettled(SweepTree.Candidate candidate) {
    long settled = now.minus(settle).toEpochMilli();
    long written =
        candidate.files().stream().mapToLong(this::writtenMillis).max().orElse(Long.MIN_VALUE);
    return written > settled ? Optional.of(Instant.ofEpochMilli(written)) : Optional.empty();
  }

  private long writtenMillis(FileStatus file) {
    long millis = file.modifiedMillis();
    if (millis > now.toEpochMilli() && file.changedNanos() > 0) {
      millis = file.changedNanos() / NANOS_PER_MILLI;
    }
    return isImpossible(millis) ? Long.MIN_VALUE : millis;
  }

  private boolean isImpossible(long millis) {
    return millis > now.plus(MOST_SKEW).toEpochMilli();
  }

  /** A warning of files whose times of writing lie so far ahead that they can't be true. */
  Optional<Finding> impossibleTimes(SweepTree.Candidate candidate) {
    List<String> ahead =
        candidate.files().stream()
            .filter(file -> isImpossible(file.modifiedMillis()))
            .map(FileStatus::name)
            .toList();
    if (ahead.isEmpty()) {
      return Optional.empty();
    }
    String message =
        "%s: %s of it, %s, %s dated more than a day ahead of this machine's clock, which says %s; such a date was not taken for that of a write that may be going on. Correct the clock, or the dates with: touch FILE"
            .formatted(
                candidate.location(),
                Wording.count(ahead.size(), "file", "files"),
                Wording.examples(ahead),
                ahead.size() == 1 ? "is" : "are",
                now);
    return Optional.of(
        new Finding("dated-in-the-future", Severity.WARNING, "", OneLine.of(message)));
  }
}
