package org.shardmend.job.files;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.checkpoint.layout.Discovery;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.job.spark.StorageFailures;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.StoreCheckpointFiles;
import org.shardmend.storage.journal.EnclosingJournal;
import org.shardmend.storage.journal.Journal;
import org.shardmend.storage.journal.JournalException;
import org.shardmend.storage.protocol.StepListener;
import org.shardmend.storage.publish.ObjectStorePublish;

/** Finds the files of a checkpoint. */
public final class Discoveries {
  private Discoveries() {}

  /**
   * Discovers a checkpoint that is not in the middle of a repair in place.
   *
   * @param job counts what is read
   * @throws JobException USAGE when there is none, REFUSED when it is malformed, unfinished, or has
   *     an open journal, FAILED when it can't be read
   */
  public static Checkpoint discover(SparkJob job, CheckpointAccess access, DiscoveryOptions options)
      throws JobException {
    return discover(job::countRead, access, options);
  }

  /**
   * As {@link #discover(SparkJob, CheckpointAccess, DiscoveryOptions)}, within a task.
   *
   * @param meter told what is read
   */
  public static Checkpoint discover(
      LongConsumer meter, CheckpointAccess access, DiscoveryOptions options) throws JobException {
    try (Store store = access.open()) {
      requireClosed(store, access.location());
      EnclosingJournal.requireNoneOpen(store, access.location().path());
      requireFinished(store, access.location());
      Checkpoint checkpoint =
          Discovery.discover(
              new MeteredFiles(new StoreCheckpointFiles(store, access.location()), meter), options);
      Optional<Location> inner = inner(access.location(), checkpoint);
      if (inner.isPresent()) {
        requireClosed(store, inner.get());
      }
      return checkpoint;
    } catch (CheckpointException e) {
      throw JobException.of(e);
    } catch (JournalException e) {
      throw JobException.refused("journal-open", e.getMessage(), List.of());
    } catch (IOException e) {
      throw StorageFailures.unreadable(access.location(), e);
    }
  }

  private static void requireClosed(Store store, Location checkpoint) throws IOException {
    Journal.of(store, checkpoint.path(), StepListener.NONE).requireClosed();
  }

  /** What a repair builds in the open is no checkpoint before it is whole. */
  private static void requireFinished(Store store, Location checkpoint)
      throws JobException, IOException {
    Optional<String> run = ObjectStorePublish.unfinishedRun(store, checkpoint.path());
    if (run.isPresent()) {
      throw JobException.refused(
          "unfinished-output",
          "%s is what run %s of a repair has not finished: %s lies in it. Run the same repair again, which finishes it, or with --restart; then look at it."
              .formatted(checkpoint, run.get(), ObjectStorePublish.MARKER),
          List.of());
    }
  }

  /** The directory within the checkpoint that may have been repaired by itself, if there is one. */
  public static Optional<Location> inner(Location root, Checkpoint checkpoint) {
    return checkpoint.layout().innerDirectory().map(root::child);
  }
}
