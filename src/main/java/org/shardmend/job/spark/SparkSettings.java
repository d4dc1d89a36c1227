package org.shardmend.job.spark;

import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** The Spark settings that the job was tested with. */
final class SparkSettings {
  /** {@code local[*]} never retries a task: three tries are what a flaky disk needs. */
  private static final String DEFAULT_MASTER = "local[*,3]";

  private static final String LOCAL_PREFIX = "local";
  private static final String LOOPBACK = "127.0.0.1";

  private SparkSettings() {}

  static SparkConf of(String name) {
    SparkConf conf = new SparkConf();
    conf.setIfMissing("spark.master", DEFAULT_MASTER);
    conf.setIfMissing("spark.app.name", name);
    pin(conf);
    // A retried or speculated task is safe, so both are the user's to choose.
    conf.setIfMissing("spark.task.maxFailures", "4");
    conf.setIfMissing("spark.speculation", "false");
    conf.setIfMissing("spark.executorEnv.LC_ALL", "C.UTF-8");
    conf.setIfMissing("spark.ui.showConsoleProgress", "false");
    if (runsInThisProcess(conf)) {
      // A task that runs out of memory fails. Spark would end its process with 52, and it is ours.
      conf.set("spark.executor.killOnFatalError.depth", "0");
    }
    if (isOneMachine(conf)) {
      conf.setIfMissing("spark.ui.enabled", "false");
      conf.setIfMissing("spark.driver.bindAddress", LOOPBACK);
      conf.setIfMissing("spark.driver.host", LOOPBACK);
    }
    if (!runsInThisProcess(conf) && !conf.contains("spark.jars")) {
      String[] jar = JavaSparkContext.jarOfClass(SparkSettings.class);
      if (jar != null && jar.length > 0) {
        conf.setJars(jar);
      }
    }
    return conf;
  }

  /** The same, for several pieces of work at once: they share the task slots. */
  static SparkConf ofManyAtOnce(String name) {
    return of(name).setIfMissing("spark.scheduler.mode", "FAIR");
  }

  /** What must not be otherwise: records fail under Kryo, and the audit's SQL is meant in ANSI. */
  private static void pin(SparkConf conf) {
    conf.set("spark.serializer", "org.apache.spark.serializer.JavaSerializer");
    conf.set("spark.sql.ansi.enabled", "true");
    conf.set("spark.sql.session.timeZone", "UTC");
  }

  static boolean runsInThisProcess(SparkConf conf) {
    String master = conf.get("spark.master");
    return master.equals(LOCAL_PREFIX) || master.startsWith(LOCAL_PREFIX + "[");
  }

  private static boolean isOneMachine(SparkConf conf) {
    return conf.get("spark.master").startsWith(LOCAL_PREFIX);
  }
}
