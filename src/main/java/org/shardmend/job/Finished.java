package org.shardmend.job;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.spark.util.AccumulatorV2;

/**
 * Brings each task's receipt to the driver when the task ends, not only when the stage does: so
 * that what is done is on record while the rest still runs. Spark applies an action's accumulator
 * update once per task, for the attempt that counts.
 */
final class Finished<R> extends AccumulatorV2<R, List<R>> {
  private static final long serialVersionUID = 1L;

  private final ArrayList<R> own = new ArrayList<>();

  /** Only the driver's instance has one; the executors' copies arrive there through merge. */
  private final transient BlockingQueue<R> arrived = new LinkedBlockingQueue<>();

  /** Receipts that have arrived and were not taken yet. */
  BlockingQueue<R> arrived() {
    return arrived;
  }

  @Override
  public boolean isZero() {
    return own.isEmpty();
  }

  @Override
  public AccumulatorV2<R, List<R>> copy() {
    Finished<R> copy = new Finished<>();
    copy.own.addAll(own);
    return copy;
  }

  @Override
  public void reset() {
    own.clear();
  }

  @Override
  public void add(R receipt) {
    own.add(receipt);
  }

  @Override
  public void merge(AccumulatorV2<R, List<R>> other) {
    if (arrived != null) {
      arrived.addAll(other.value());
    } else {
      own.addAll(other.value());
    }
  }

  @Override
  public List<R> value() {
    return new ArrayList<>(own);
  }
}
