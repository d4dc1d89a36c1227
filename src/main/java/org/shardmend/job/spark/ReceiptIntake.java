package org.shardmend.job.spark;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.shardmend.storage.NoSpaceException;

/**
 * Hands receipts to their sink. One that a full store doesn't take is offered again when the stage
 * is over: what filled the store is, as a rule, what the other tasks were writing, and a task that
 * fails removes it. So a shard that was complete before the store was full is on record, too.
 */
final class ReceiptIntake<R> {
  /** Tasks that were told to stop may need a moment to remove what they wrote. */
  private static final int OFFERS = 20;

  private static final long MILLIS_BETWEEN_OFFERS = 100;

  private final ReceiptSink<R> sink;
  private final Queue<R> refused = new ArrayDeque<>();
  private Optional<NoSpaceException> full = Optional.empty();

  ReceiptIntake(ReceiptSink<R> sink) {
    this.sink = sink;
  }

  /**
   * Takes a receipt now, or keeps it until {@link #end} when the store is full.
   *
   * @throws IOException when the sink fails otherwise
   */
  void take(R receipt) throws IOException {
    if (!isTaken(receipt)) {
      refused.add(receipt);
    }
  }

  /**
   * Offers again what was refused, now that no task writes.
   *
   * @throws IOException when the sink fails otherwise
   */
  void end() throws IOException, InterruptedException {
    for (int offer = 1; !refused.isEmpty() && offer <= OFFERS; offer++) {
      while (!refused.isEmpty() && isTaken(refused.peek())) {
        refused.remove();
      }
      if (!refused.isEmpty()) {
        TimeUnit.MILLISECONDS.sleep(MILLIS_BETWEEN_OFFERS);
      }
    }
  }

  /**
   * Requires that nothing is left.
   *
   * @throws NoSpaceException when the store took some receipt neither time
   */
  void requireAllTaken() throws NoSpaceException {
    if (!refused.isEmpty()) {
      throw full.orElseThrow();
    }
  }

  private boolean isTaken(R receipt) throws IOException {
    try {
      sink.accept(receipt);
      return true;
    } catch (NoSpaceException e) {
      full = Optional.of(e);
      return false;
    }
  }
}
