package org.shardmend.cli.text;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Objects;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.config.Configurator;
import org.shardmend.job.spark.JobException;

/** What is said on standard error: how much of Spark's and Hadoop's own log, and in which form. */
public final class Log {
  /** Our own messages and progress, where they are log lines. */
  private static final String OWN = "shardmend";

  private static final String JSON_SETTINGS = "json-log.properties";
  private static final String JSON_LAYOUT =
      "org.apache.logging.log4j.layout.template.json.JsonTemplateLayout";

  private static Format format = Format.PLAIN;

  /** The form of a line. */
  public enum Format {
    /** For people. */
    PLAIN,
    /** One JSON object a line, for a log store. */
    JSON
  }

  private Log() {}

  /**
   * Sets both; what is said from here on follows them.
   *
   * @throws JobException USAGE when this Spark brings nothing that writes the form
   */
  public static void configure(boolean verbose, boolean quiet, Format wanted) throws JobException {
    if (wanted == Format.JSON && format != Format.JSON) {
      requireJsonLayout();
      Configurator.reconfigure(jsonSettings());
    }
    format = wanted;
    Configurator.setRootLevel(verbose ? Level.INFO : quiet ? Level.ERROR : Level.WARN);
    if (wanted == Format.JSON) {
      Configurator.setLevel(OWN, quiet ? Level.ERROR : Level.INFO);
    }
  }

  private static void requireJsonLayout() throws JobException {
    try {
      Class.forName(JSON_LAYOUT, false, Log.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw JobException.usage(
          "log-format-unavailable",
          "--log-format json needs log4j-layout-template-json, which Spark has from version 4.0 on;"
              + " put it on the driver's class path, or leave --log-format out",
          e);
    }
  }

  private static URI jsonSettings() {
    try {
      return Objects.requireNonNull(Log.class.getResource(JSON_SETTINGS), JSON_SETTINGS).toURI();
    } catch (URISyntaxException e) {
      throw new IllegalStateException("A resource has a URI", e);
    }
  }

  /** Says what went wrong, as the last line of a command. */
  public static void error(String message) {
    switch (format) {
      case PLAIN -> System.err.println("shardmend: " + Printable.lines(message));
      case JSON -> LogManager.getLogger(OWN).error("{}", message);
    }
  }

  /** As {@link #error(String)}, with where it went wrong, for those who look for the cause. */
  public static void error(String message, Throwable cause) {
    switch (format) {
      case PLAIN -> {
        cause.printStackTrace(System.err);
        error(message);
      }
      case JSON -> LogManager.getLogger(OWN).error(message, cause);
    }
  }

  /** A line of progress, or a message on the way. */
  public static void info(String message) {
    switch (format) {
      case PLAIN -> System.err.println(message);
      case JSON -> LogManager.getLogger(OWN).info("{}", message);
    }
  }

  /** Whether a line can be overwritten, as on a terminal. */
  public static boolean isForPeople() {
    return format == Format.PLAIN;
  }
}
