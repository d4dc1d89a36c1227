package org.shardmend.job.files;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.StorageFailures;
import org.shardmend.storage.Location;
import org.shardmend.storage.MountTable;

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
    Location location;
    try {
      location = Location.parse(text, hadoop.get("fs.defaultFS", "file:///"));
    } catch (IllegalArgumentException e) {
      throw JobException.usage("bad-location", e.getMessage(), e);
    }
    location = behindMounts(location, hadoop);
    if (location.scheme().equals("s3a") && location.authority().contains("@")) {
      throw JobException.usage(
          "bad-location",
          "Keys do not belong into a location (%s): set fs.s3a.access.key and fs.s3a.secret.key, or a credentials provider"
              .formatted(location));
    }
    return location;
  }

  private static Location behindMounts(Location location, Configuration hadoop)
      throws JobException {
    try {
      return MountTable.resolve(location, hadoop);
    } catch (IllegalArgumentException e) {
      throw JobException.usage("bad-location", e.getMessage(), e);
    } catch (IOException e) {
      throw StorageFailures.toJobException(e);
    }
  }

  /** What is said of a place where nothing is. */
  public static JobException missing(Location location) {
    return JobException.usage(
        "no-such-path", "%s does not exist; check the path".formatted(location));
  }
}
