package org.shardmend.job.files;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.FileEntry;
import org.shardmend.checkpoint.expected.ExpectedState;
import org.shardmend.checkpoint.expected.ExpectedUnit;
import org.shardmend.job.spark.DriverHadoop;
import org.shardmend.job.spark.JobException;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.StoreCheckpointFiles;
import org.shardmend.storage.Stores;
import org.shardmend.storage.protocol.SmallFiles;

/** Reads expected states from wherever they are. */
public final class ExpectedStates {
  private static final String SUFFIX = ".json";

  private ExpectedStates() {}

  /**
   * The expected state in a file, or in all {@code .json} files of a directory together: the engine
   * writes one for each rank.
   *
   * @throws JobException USAGE when there is no such file or directory, or it holds no expected
   *     state
   */
  public static ExpectedState read(String fileOrDirectory) throws JobException {
    Configuration hadoop = DriverHadoop.configuration();
    Location location = Locations.parse(fileOrDirectory, hadoop);
    try (Store store = Stores.open(location, hadoop)) {
      if (store.stat(location.path()).isEmpty()) {
        throw Locations.missing(location);
      }
      boolean isDirectory =
          store.stat(store.realPath(location.path())).filter(FileStatus::isDirectory).isPresent();
      return isDirectory ? together(store, location) : read(store, location, fileOrDirectory);
    } catch (CheckpointException e) {
      throw JobException.usage(e.code(), e.getMessage(), e);
    } catch (IOException e) {
      throw JobException.usage(
          "unreadable-expected-state",
          "Cannot read the expected state %s: %s".formatted(location, e.getMessage()),
          e);
    }
  }

  private static ExpectedState read(Store store, Location file, String shown)
      throws IOException, CheckpointException {
    return ExpectedState.read(SmallFiles.read(store, file.path(), ExpectedState.MAX_BYTES), shown);
  }

  private static ExpectedState together(Store store, Location directory)
      throws IOException, CheckpointException, JobException {
    List<ExpectedUnit> units = new ArrayList<>();
    for (FileEntry entry : new StoreCheckpointFiles(store, directory).list("")) {
      if (entry.name().endsWith(SUFFIX) && entry.isReadable()) {
        Location file = directory.child(entry.name());
        units.addAll(read(store, file, file.toString()).units());
      }
    }
    if (units.isEmpty()) {
      throw JobException.usage(
          "no-expected-state",
          "%s holds no %s file: the engine writes one for each rank".formatted(directory, SUFFIX));
    }
    try {
      return ExpectedState.of(units);
    } catch (IllegalArgumentException e) {
      throw JobException.usage(
          "expected-state-malformed",
          "The files in %s do not go together: %s. Were they written by one start?"
              .formatted(directory, e.getMessage()),
          e);
    }
  }
}
