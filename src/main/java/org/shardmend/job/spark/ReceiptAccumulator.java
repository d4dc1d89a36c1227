package org.shardmend.job.spark;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.spark.util.AccumulatorV2;

/**
 * Brings each task's receipt to the driver when the task ends, not only when the stage does: so
 * that what is done is on record while the rest still runs, and the driver need not hold the
 * receipts of all tasks as they came. Spark applies an action's accumulator update once per task,
 * for the attempt that counts.
 */
final class ReceiptAccumulator<R>
    extends AccumulatorV2<ReceiptAccumulator.Receipt<R>, List<ReceiptAccumulator.Receipt<R>>> {
  private static final long serialVersionUID = 1L;

  /**
   * What a task gave.
   *
   * @param task its number in its action
   */
  record Receipt<R>(int task, R content) implements Serializable {}

  private final ArrayList<Receipt<R>> own = new ArrayList<>();

  /** Only the driver's instance has one; the executors' copies arrive there through merge. */
  private final transient BlockingQueue<Receipt<R>> arrived = new LinkedBlockingQueue<>();

  /** Receipts that have arrived and were not taken yet. */
  BlockingQueue<Receipt<R>> arrived() {
    return arrived;
  }

  @Override
  public boolean isZero() {
    return own.isEmpty();
  }

  @Override
  public AccumulatorV2<Receipt<R>, List<Receipt<R>>> copy() {
    ReceiptAccumulator<R> copy = new ReceiptAccumulator<>();
    copy.own.addAll(own);
    return copy;
  }

  @Override
  public void reset() {
    own.clear();
  }

  @Override
  public void add(Receipt<R> receipt) {
    own.add(receipt);
  }

  @Override
  public void merge(AccumulatorV2<Receipt<R>, List<Receipt<R>>> other) {
    if (arrived != null) {
      arrived.addAll(other.value());
    } else {
      own.addAll(other.value());
    }
  }

  @Override
  public List<Receipt<R>> value() {
    return new ArrayList<>(own);
  }
}
