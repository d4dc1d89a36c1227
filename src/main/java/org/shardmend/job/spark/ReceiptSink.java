package org.shardmend.job.spark;

import java.io.IOException;

/** What the driver does with each receipt as soon as its task has ended. */
@FunctionalInterface
public interface ReceiptSink<R> {
  void accept(R receipt) throws IOException;
}
