package org.shardmend.job;

import org.apache.hadoop.conf.Configuration;
import org.shardmend.storage.Location;

/** Reads the locations that users write. */
public final class Locations {
  private Locations() {}

  /**
   * The location that {@code text} names; one without a scheme is meant in Hadoop's default file
   * system.
   *
   * @throws JobException USAGE when it names none
   */
  public static Location parse(String text, Configuration hadoop) throws JobException {
    try {
      return Location.parse(text, hadoop.get("fs.defaultFS", "file:///"));
    } catch (IllegalArgumentException e) {
      throw JobException.usage("bad-location", e.getMessage(), e);
    }
  }

  /** What is said of a place where nothing is. */
  static JobException missing(Location location) {
    return JobException.usage(
        "no-such-path", "%s does not exist; check the path".formatted(location));
  }
}
