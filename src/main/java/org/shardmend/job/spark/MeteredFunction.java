package org.shardmend.job.spark;

import java.io.IOException;
import java.io.Serializable;
import java.util.function.LongConsumer;

/**
 * What a task does with its value, on an executor; it tells {@code meter} the bytes that it reads
 * of checkpoints, headers too.
 */
@FunctionalInterface
public interface MeteredFunction<T, R> extends Serializable {
  R apply(T task, LongConsumer meter) throws IOException;
}
