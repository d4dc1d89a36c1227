package org.shardmend.job.spark;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.apache.spark.SparkEnv;

/** Where a task runs. */
public final class Executors {
  private Executors() {}

  /** The executor's id and host, for the audit: {@code 3@node17}. */
  public static String name() {
    return SparkEnv.get().executorId() + "@" + host();
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown-host";
    }
  }
}
