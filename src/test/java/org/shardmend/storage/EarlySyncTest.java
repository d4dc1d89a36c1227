package org.shardmend.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class EarlySyncTest {
  private final AtomicInteger syncs = new AtomicInteger();

  @Test
  void aSmallFileIsNotSyncedEarly() throws IOException {
    EarlySync early = new EarlySync(syncs::incrementAndGet);

    early.wrote(EarlySync.STEP_BYTES - 1);
    early.await();

    assertThat(syncs).hasValue(0);
  }

  @Test
  void aLargeFileIsSyncedOnceAStep() throws IOException {
    EarlySync early = new EarlySync(syncs::incrementAndGet);

    for (int step = 0; step < 3; step++) {
      early.wrote(EarlySync.STEP_BYTES / 2);
      early.wrote(EarlySync.STEP_BYTES / 2);
      early.await();
    }

    assertThat(syncs).hasValue(3);
  }

  @Test
  void theWriterGoesOnWhileASyncIsRunning() throws IOException {
    CountDownLatch written = new CountDownLatch(1);
    EarlySync early =
        new EarlySync(
            () -> {
              awaitQuietly(written);
              syncs.incrementAndGet();
            });

    early.wrote(EarlySync.STEP_BYTES);
    early.wrote(EarlySync.STEP_BYTES);
    written.countDown();
    early.await();

    assertThat(syncs).hasValue(1);
  }

  @Test
  void aFailureIsReportedAgainAndAgainThoughTheSystemForgetsIt() throws IOException {
    EarlySync early =
        new EarlySync(
            () -> {
              if (syncs.incrementAndGet() == 1) {
                throw new IOException("Input/output error");
              }
            });

    early.wrote(EarlySync.STEP_BYTES);

    assertThatThrownBy(early::await).hasMessage("Input/output error");
    assertThatThrownBy(() -> early.wrote(EarlySync.STEP_BYTES)).hasMessage("Input/output error");
    assertThatThrownBy(early::await).hasMessage("Input/output error");
    assertThat(syncs).hasValue(1);
  }

  @Test
  void anInterruptEndsTheWaitingAndIsKept() throws IOException {
    CountDownLatch never = new CountDownLatch(1);
    EarlySync early = new EarlySync(() -> awaitQuietly(never));
    early.wrote(EarlySync.STEP_BYTES);

    Thread.currentThread().interrupt();

    assertThatThrownBy(early::await).isInstanceOf(ClosedByInterruptException.class);
    assertThat(Thread.interrupted()).isTrue();
    never.countDown();
  }

  @Test
  void anInterruptEndsTheWritingWhereTheSyncIsOver() throws Exception {
    CountDownLatch synced = new CountDownLatch(1);
    EarlySync early = new EarlySync(synced::countDown);
    early.wrote(EarlySync.STEP_BYTES);
    synced.await();
    early.await();

    Thread.currentThread().interrupt();

    assertThatThrownBy(early::await).isInstanceOf(ClosedByInterruptException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
