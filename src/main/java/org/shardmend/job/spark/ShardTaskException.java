package org.shardmend.job.spark;

import java.io.IOException;

/**
 * A task that failed on one file. It names the file and travels from the executor to the driver,
 * where it ends the job with this message once the task's last try has failed.
 */
public final class ShardTaskException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String code;
  private final String shard;

  public ShardTaskException(String code, String shard, String message, Throwable cause) {
    super(message, cause);
    this.code = code;
    this.shard = shard;
  }

  String code() {
    return code;
  }

  String shard() {
    return shard;
  }
}
