package org.shardmend.job.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.shardmend.checkpoint.FileEntry;
import org.shardmend.checkpoint.FileStamp;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.Location;

class SettleCheckTest {
  private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");
  private static final Duration YEAR = Duration.ofDays(365);
  private static final Duration HOUR = Duration.ofHours(1);
  private static final long NO_CHANGE_TIME = FileStamp.NOT_KEPT;

  private final SettleCheck settling = new SettleCheck(NOW, Duration.ofMinutes(10));

  @Test
  void whatWasWrittenWithinTheSettleTimeIsUnsettled() {
    Instant lately = NOW.minus(Duration.ofMinutes(9));

    assertThat(settling.unsettled(of(lately, lately))).contains(lately);
    assertThat(settling.unsettled(of(NOW.minus(HOUR), NOW.minus(HOUR)))).isEmpty();
  }

  @Test
  void theTimeOfTheLastChangeCountsWhereThatOfWritingIsInTheFuture() {
    assertThat(settling.unsettled(of(NOW.plus(YEAR), NOW.minus(HOUR)))).isEmpty();
    assertThat(settling.unsettled(of(NOW.plus(HOUR), NOW.minus(HOUR)))).isEmpty();
    assertThat(settling.unsettled(of(NOW.plus(YEAR), NOW))).contains(NOW);
  }

  @Test
  void aClockThatIsALittleAheadStillTellsOfAWrite() {
    assertThat(settling.unsettled(withoutChangeTime(NOW.plus(HOUR)))).contains(NOW.plus(HOUR));
    assertThat(settling.unsettled(of(NOW.plus(HOUR), NOW.plus(HOUR)))).contains(NOW.plus(HOUR));
  }

  @Test
  void aTimeThatCantBeTrueDoesNotHideACheckpointAndIsSaid() {
    assertThat(settling.unsettled(withoutChangeTime(NOW.plus(YEAR)))).isEmpty();
    assertThat(settling.unsettled(of(NOW.plus(YEAR), NOW.plus(YEAR)))).isEmpty();
    assertThat(settling.impossibleTimes(withoutChangeTime(NOW.plus(YEAR)))).isPresent();
    assertThat(settling.impossibleTimes(withoutChangeTime(NOW.plus(HOUR)))).isEmpty();
  }

  private static SweepTree.Candidate of(Instant written, Instant changed) {
    return candidate(written, changed.toEpochMilli() * 1_000_000);
  }

  private static SweepTree.Candidate withoutChangeTime(Instant written) {
    return candidate(written, NO_CHANGE_TIME);
  }

  private static SweepTree.Candidate candidate(Instant written, long changedNanos) {
    Location place = new Location(Location.FILE, "", "/tree/a");
    FileStatus file =
        new FileStatus(
            "/tree/a/model.safetensors",
            FileEntry.Kind.FILE,
            1,
            written.toEpochMilli(),
            1,
            "",
            FileStatus.NO_MODE,
            changedNanos);
    return new SweepTree.Candidate(place, place, "", place, List.of(file));
  }
}
