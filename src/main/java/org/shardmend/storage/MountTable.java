package org.shardmend.storage;

import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.viewfs.ViewFileSystem;

/**
 * The mount table of {@code viewfs:}, which is no file system: what is below a mount is in the one
 * that the table names, and that one's promises are what counts.
 */
public final class MountTable {
  private static final String SCHEME = "viewfs";

  private MountTable() {}

  /**
   * The place that a location in a mount table means, in the file system that holds it; any other
   * location as it is.
   *
   * @throws IllegalArgumentException when the location is above the mounts, or in one of several
   *     file systems at once
   * @throws IOException when the table can't be read
   */
  public static Location resolve(Location location, Configuration configuration)
      throws IOException {
    if (!location.scheme().equals(SCHEME)) {
      return location;
    }
    FileSystem view = HadoopStore.fileSystem(rootOf(location), configuration);
    if (!(view instanceof ViewFileSystem table)) {
      return location;
    }
    Optional<ViewFileSystem.MountPoint> mount = Optional.empty();
    for (ViewFileSystem.MountPoint candidate : table.getMountPoints()) {
      if (placeOf(candidate, location).contains(location)
          && (mount.isEmpty()
              || placeOf(mount.get(), location).contains(placeOf(candidate, location)))) {
        mount = Optional.of(candidate);
      }
    }
    return behind(mount.orElseThrow(() -> outside(location)), location);
  }

  private static Location rootOf(Location location) {
    return new Location(location.scheme(), location.authority(), "/");
  }

  private static Location placeOf(ViewFileSystem.MountPoint mount, Location location) {
    return new Location(
        location.scheme(), location.authority(), mount.getMountedOnPath().toUri().getPath());
  }

  private static IllegalArgumentException outside(Location location) {
    return new IllegalArgumentException(
        "%s is below none of the mounts of its table (fs.viewfs.mounttable.%s.link.…). Name a place below one."
            .formatted(location, location.authority()));
  }

  private static Location behind(ViewFileSystem.MountPoint mount, Location location) {
    URI[] targets = mount.getTargetFileSystemURIs();
    if (targets.length != 1) {
      throw new IllegalArgumentException(
          "%s is in %d file systems at once. Name the place in one of them."
              .formatted(location, targets.length));
    }
    Location target = Location.parse(targets[0].toString(), Location.FILE + ":///");
    String below = location.path().substring(placeOf(mount, location).path().length());
    return below.isEmpty() || below.equals("/")
        ? target
        : target.child(below.replaceFirst("^/", ""));
  }
}
