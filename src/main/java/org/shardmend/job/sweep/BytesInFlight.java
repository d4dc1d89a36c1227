package org.shardmend.job.sweep;

/** Lets work begin while what is worked on stays below a limit. */
final class BytesInFlight {
  private final long limit;
  private long bytes;

  /**
   * Nothing is in flight yet.
   *
   * @param limit in bytes
   */
  BytesInFlight(long limit) {
    this.limit = limit;
  }

  /**
   * Waits until {@code more} fit, or nothing else is in flight.
   *
   * @param more bytes, at least 0
   */
  synchronized void enter(long more) throws InterruptedException {
    while (bytes > 0 && more > limit - bytes) {
      wait();
    }
    bytes += more;
  }

  /** What {@link #enter} let in is done with. */
  synchronized void leave(long fewer) {
    bytes -= fewer;
    notifyAll();
  }
}
