package org.shardmend.job.audit;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.SparkSession;
import org.shardmend.audit.AuditCompaction;
import org.shardmend.job.files.Locations;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.job.spark.StorageFailures;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.Stores;
import org.shardmend.storage.lock.LockedException;

/** Makes few files of an audit's many. Runs may append to it meanwhile. */
public final class CompactAction {
  private final SparkJob job;
  private final Location place;

  /**
   * An action on an audit.
   *
   * @param place an audit's directory, or a repaired checkpoint that holds its own
   */
  public CompactAction(SparkJob job, Location place) {
    this.job = job;
    this.place = place;
  }

  /**
   * What became of the audit.
   *
   * @param months those that were compacted; none when there was nothing to gain
   * @param staged what became of runs that were never appended
   */
  public record Result(List<AuditCompaction.Result> months, StagedRuns.Result staged) {}

  /**
   * Compacts, and removes what runs that are gone have staged for nobody.
   *
   * @throws JobException USAGE when there is nothing at the place, FAILED when another compaction
   *     is running or storage fails; the audit is whole then, too
   */
  public Result execute() throws JobException {
    SparkSession sql = SparkSession.builder().sparkContext(job.spark().sc()).getOrCreate();
    try (Store store = Stores.open(place, job.hadoop())) {
      if (store.stat(place.path()).isEmpty()) {
        throw Locations.missing(place);
      }
      Location root = AuditPlaces.root(store, place);
      job.progress().begin("Compact the audit", 0);
      List<AuditCompaction.Result> months = new AuditCompaction(sql, store, root.path()).compact();
      return new Result(months, StagedRuns.settleDead(root, Set.of(), job.hadoop()));
    } catch (LockedException e) {
      throw StorageFailures.toJobException(e);
    } catch (IOException e) {
      throw JobException.failed(
          "not-compacted",
          "Cannot compact the audit %s: %s. It is whole; run again."
              .formatted(place, e.getMessage()),
          e);
    } finally {
      job.progress().end();
    }
  }
}
