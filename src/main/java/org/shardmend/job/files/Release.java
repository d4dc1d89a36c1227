package org.shardmend.job.files;

import java.util.Optional;

/** Which release of the tool this is. */
public final class Release {
  private static final String UNPACKAGED = "development";

  private Release() {}

  /** The version in the jar's manifest. */
  public static String version() {
    return Optional.ofNullable(Release.class.getPackage().getImplementationVersion())
        .orElse(UNPACKAGED);
  }
}
