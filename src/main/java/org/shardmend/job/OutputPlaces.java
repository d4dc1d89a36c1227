package org.shardmend.job;

import java.io.IOException;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;

/** Whether a repair's output may be where the user wants it. */
final class OutputPlaces {
  private OutputPlaces() {}

  /**
   * Goes on only when source and output are apart, by name and behind symbolic links.
   *
   * @param store the output's
   * @throws JobException USAGE otherwise
   */
  static void require(SparkJob job, Location source, Location output, Store store)
      throws JobException, IOException {
    if (output.path().equals("/")) {
      throw JobException.usage("bad-output", "The root of a file system can't be an output");
    }
    try (Store sourceStore = new CheckpointAccess(source, job.hadoop()).open()) {
      if (sourceStore.stat(source.path()).isEmpty()) {
        throw Locations.missing(source);
      }
      Location realSource = real(sourceStore, source);
      Location realOutput = real(store, output);
      if (realSource.equals(realOutput)) {
        throw JobException.usage(
            "output-is-input",
            "The output is the checkpoint itself, %s; to repair it in its place, say --in-place"
                .formatted(source));
      }
      if (realSource.contains(realOutput)) {
        throw JobException.usage(
            "output-inside-input",
            "The output %s lies inside the checkpoint %s; choose a place outside of it"
                .formatted(output, source));
      }
      if (realOutput.contains(realSource)) {
        throw JobException.usage(
            "input-inside-output",
            "The checkpoint %s lies inside the output %s; choose another place"
                .formatted(source, output));
      }
    }
  }

  private static Location real(Store store, Location location) throws IOException {
    return new Location(location.scheme(), location.authority(), store.realPath(location.path()));
  }
}
