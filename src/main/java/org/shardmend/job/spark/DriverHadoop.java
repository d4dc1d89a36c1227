package org.shardmend.job.spark;

import org.apache.hadoop.conf.Configuration;

/**
 * Hadoop's settings in the driver's process: those of the class path, and over them what {@code
 * --conf spark.hadoop.…} says, as in a Spark application. For what needs none, such as reading a
 * location or writing a small file.
 */
public final class DriverHadoop {
  private static final String PREFIX = "spark.hadoop.";

  private DriverHadoop() {}

  /** The settings as they are now. */
  public static Configuration configuration() {
    Configuration configuration = new Configuration();
    // The launcher hands Spark's settings on as properties of the process.
    for (String name : System.getProperties().stringPropertyNames()) {
      if (name.startsWith(PREFIX)) {
        configuration.set(name.substring(PREFIX.length()), System.getProperty(name));
      }
    }
    return configuration;
  }
}
