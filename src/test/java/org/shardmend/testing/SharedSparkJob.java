package org.shardmend.testing;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.spark.SparkJob;

/**
 * Gives tests the Spark application that all of them share: in this process, with two task slots.
 * It is started once, and again after a test of the command line has ended it.
 */
public final class SharedSparkJob implements ParameterResolver {
  private static final String MASTER = "spark.master";
  private static final String TWO_SLOTS = "local[2]";

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == SparkJob.class;
  }

  @Override
  public SparkJob resolveParameter(ParameterContext parameter, ExtensionContext context) {
    try {
      return withProgress(Progress.SILENT);
    } catch (JobException e) {
      throw new ParameterResolutionException("Spark does not start", e);
    }
  }

  /** The shared application, as a job that reports to {@code progress}. */
  public static SparkJob withProgress(Progress progress) throws JobException {
    String before = System.getProperty(MASTER);
    System.setProperty(MASTER, TWO_SLOTS);
    try {
      return SparkJob.start("shardmend tests", progress);
    } finally {
      if (before == null) {
        System.clearProperty(MASTER);
      } else {
        System.setProperty(MASTER, before);
      }
    }
  }
}
