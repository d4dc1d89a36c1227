package org.shardmend.job.files;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.hadoop.conf.Configuration;
import org.shardmend.job.spark.DriverHadoop;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.StorageFailures;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.Stores;
import org.shardmend.storage.protocol.SmallFiles;

/** A file to wherever the user wants it; one that is there is replaced in one step. */
public final class ResultFile {
  private ResultFile() {}

  /**
   * Makes sure, before any work, that there is a folder for {@code target}. An object store has
   * none, and needs none.
   *
   * @param option what asked for the file, for messages
   * @throws JobException USAGE when {@code target} is no location or its folder is missing, FAILED
   *     when that can't be told
   */
  public static void requireFolder(String option, String target) throws JobException {
    Configuration hadoop = DriverHadoop.configuration();
    Location location = Locations.parse(target, hadoop);
    if (location.path().equals("/")) {
      throw JobException.usage("no-result-folder", "%s %s is no file".formatted(option, location));
    }
    try (Store store = Stores.open(location, hadoop)) {
      String folder = location.parent().path();
      if (store.traits().atomicRename()
          && store.stat(store.realPath(folder)).filter(FileStatus::isDirectory).isEmpty()) {
        throw JobException.usage(
            "no-result-folder",
            "%s %s: %s is no folder; make it first".formatted(option, location, location.parent()));
      }
    } catch (IOException e) {
      throw StorageFailures.unreadable(location, e);
    }
  }

  /**
   * Writes {@code content} to {@code target}.
   *
   * @throws JobException USAGE when {@code target} is no location, FAILED when it can't be written
   */
  public static void write(String target, SmallFiles.Content content) throws JobException {
    Configuration hadoop = DriverHadoop.configuration();
    Location location = Locations.parse(target, hadoop);
    try (Store store = Stores.open(location, hadoop)) {
      SmallFiles.replace(store, location.path(), content);
    } catch (IOException | UncheckedIOException e) {
      throw JobException.failed(
          "result-not-written",
          "Cannot write the result to %s: %s".formatted(location, e.getMessage()),
          e);
    }
  }
}
