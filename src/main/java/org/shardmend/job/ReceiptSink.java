package org.shardmend.job;

import java.io.IOException;

/** What the driver does with each receipt as soon as its task has ended. */
@FunctionalInterface
interface ReceiptSink<R> {
  void accept(R receipt) throws IOException;
}
