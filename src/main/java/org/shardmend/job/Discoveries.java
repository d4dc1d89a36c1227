package org.shardmend.job;

import java.io.IOException;
import java.util.List;
import org.shardmend.checkpoint.Checkpoint;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.Discovery;
import org.shardmend.checkpoint.DiscoveryOptions;
import org.shardmend.storage.Journal;
import org.shardmend.storage.JournalException;
import org.shardmend.storage.StepListener;
import org.shardmend.storage.Store;
import org.shardmend.storage.StoreCheckpointFiles;

/** Finds the files of a checkpoint, on the driver. */
final class Discoveries {
  private Discoveries() {}

  /**
   * Discovers a checkpoint that is not in the middle of a repair in place.
   *
   * @throws JobException USAGE when there is none, REFUSED when it is malformed, unfinished, or has
   *     an open journal, FAILED when it can't be read
   */
  static Checkpoint discover(CheckpointAccess access, DiscoveryOptions options)
      throws JobException {
    try (Store store = access.open()) {
      Journal.of(store, access.location().path(), StepListener.NONE).requireClosed();
      return Discovery.discover(new StoreCheckpointFiles(store, access.location()), options);
    } catch (CheckpointException e) {
      throw JobException.of(e);
    } catch (JournalException e) {
      throw JobException.refused("journal-open", e.getMessage(), List.of());
    } catch (IOException e) {
      throw JobException.failed(
          StorageFailures.code(e),
          "Cannot read %s: %s".formatted(access.location(), e.getMessage()),
          e);
    }
  }
}
