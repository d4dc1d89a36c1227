package org.shardmend.job.repair;

import java.io.Serializable;
import java.util.function.LongConsumer;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.bytes.Pace;
import org.shardmend.storage.bytes.RateLimiter;
import org.shardmend.storage.lock.Nonce;

/**
 * What all tasks of a rewrite share.
 *
 * @param source the checkpoint that is read
 * @param nonce what proves that an executor sees the driver's place under the driver's path
 * @param digest label of the digest of each tensor whose bytes are read, if one is wanted
 * @param dtypes what becomes of unknown types
 * @param maxBytesPerSecond what each executor process may move; {@link Long#MAX_VALUE} for no limit
 */
record RewriteSettings(
    CheckpointAccess source,
    Nonce nonce,
    String digest,
    UnknownDtypes dtypes,
    long maxBytesPerSecond)
    implements Serializable {

  /** The same, with a digest that a protocol needs. */
  RewriteSettings withDigest(String label) {
    return new RewriteSettings(source, nonce, label, dtypes, maxBytesPerSecond);
  }

  /** How a task moves bytes, and whom it tells. */
  Pace pace(LongConsumer meter) {
    return new Pace(RateLimiter.ofProcess(maxBytesPerSecond), meter);
  }
}
