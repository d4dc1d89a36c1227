package org.shardmend.trial;

import org.shardmend.checkpoint.expected.ExpectedState;
import org.shardmend.storage.Location;

/**
 * What was generated.
 *
 * @param checkpoint the checkpoint's directory; of a presharded dump, the one with {@code READY},
 *     below the directory that was asked for
 * @param ranks how many ranks it is for
 * @param shards how many weight files it has
 * @param tensors how many tensors they hold
 * @param dataBytes how many bytes of data they hold
 * @param shardBytes how long they are together, in bytes
 * @param expected what a loader expects of a healthy save of the same model
 */
public record Trial(
    Location checkpoint,
    int ranks,
    int shards,
    long tensors,
    long dataBytes,
    long shardBytes,
    ExpectedState expected) {}
