package org.shardmend.cli;

import org.apache.spark.SparkContext;
import org.shardmend.job.files.Release;
import picocli.CommandLine.IVersionProvider;

/** What {@code --version} prints. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {
      "shardmend " + Release.version(),
      "Spark " + SparkContext.class.getPackage().getImplementationVersion()
    };
  }
}
