package org.shardmend.job.files;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.CheckpointFiles;
import org.shardmend.checkpoint.HeaderScan;
import org.shardmend.checkpoint.LoadUnit;
import org.shardmend.checkpoint.ScannedShard;
import org.shardmend.checkpoint.Shard;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.checkpoint.layout.Discovery;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.job.spark.DriverHadoop;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.StorageFailures;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.StoreCheckpointFiles;
import org.shardmend.storage.Stores;

/**
 * What a shard, or every shard of a checkpoint, holds: read here, without executors.
 *
 * @param location what was looked at
 * @param shards the headers, in the order of load units and parts
 */
public record Inspection(Location location, List<ScannedShard> shards) {

  /** Copies the list, so that the value can't change. */
  public Inspection {
    shards = List.copyOf(shards);
  }

  /**
   * Reads the headers at {@code location}.
   *
   * @param pattern the shards' names in a checkpoint; empty for the layouts' own
   * @throws JobException USAGE when there is no shard, REFUSED when one is malformed, FAILED when
   *     it can't be read
   */
  public static Inspection of(Location location, String pattern, UnknownDtypes dtypes)
      throws JobException {
    try (Store store = Stores.open(location, DriverHadoop.configuration())) {
      Optional<FileStatus> status = store.stat(location.path());
      if (status.isPresent() && status.get().isFile()) {
        return ofShard(store, location, status.get(), dtypes);
      }
      return ofCheckpoint(store, location, pattern, dtypes);
    } catch (CheckpointException e) {
      throw JobException.of(e);
    } catch (IOException e) {
      throw StorageFailures.unreadable(location, e);
    }
  }

  private static Inspection ofShard(
      Store store, Location location, FileStatus status, UnknownDtypes dtypes)
      throws CheckpointException {
    CheckpointFiles files = new StoreCheckpointFiles(store, location.parent());
    Shard shard = new Shard(status.name(), 0, status.bytes(), status.stamp());
    return new Inspection(location, List.of(HeaderScan.read(files, UnitId.NONE, shard, dtypes)));
  }

  private static Inspection ofCheckpoint(
      Store store, Location location, String pattern, UnknownDtypes dtypes)
      throws CheckpointException {
    CheckpointFiles files = new StoreCheckpointFiles(store, location);
    Checkpoint checkpoint =
        Discovery.discover(
            files,
            pattern.isEmpty()
                ? DiscoveryOptions.defaults()
                : DiscoveryOptions.defaults().withPattern(pattern));
    List<ScannedShard> shards = new ArrayList<>();
    for (LoadUnit unit : checkpoint.units()) {
      for (Shard shard : unit.shards()) {
        shards.add(HeaderScan.read(files, unit.id(), shard, dtypes));
      }
    }
    return new Inspection(location, shards);
  }
}
