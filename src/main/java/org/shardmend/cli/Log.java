package org.shardmend.cli;

import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configurator;

/** How much of Spark's and Hadoop's own log is shown. */
final class Log {
  private Log() {}

  static void configure(boolean verbose, boolean quiet) {
    Configurator.setRootLevel(verbose ? Level.INFO : quiet ? Level.ERROR : Level.WARN);
  }
}
