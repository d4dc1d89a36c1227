package org.shardmend.audit;

import org.apache.spark.sql.SparkSession;

/** The Spark session that tests of this package share; it ends with the JVM. */
public final class LocalSpark {
  private LocalSpark() {}

  /** A session with two task threads, no pages, bound to this host alone. */
  public static SparkSession session() {
    return SparkSession.builder()
        .master("local[2]")
        .appName("audit tests")
        .config("spark.ui.enabled", false)
        .config("spark.sql.shuffle.partitions", 2)
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate();
  }
}
