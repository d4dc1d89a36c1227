package org.shardmend.job.audit;

import java.io.IOException;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.spark.sql.SparkSession;
import org.shardmend.audit.AuditTables;
import org.shardmend.audit.CatalogName;
import org.shardmend.audit.CatalogTables;
import org.shardmend.audit.RunId;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.Stores;

/**
 * The tables of a catalog that get an audit's rows, too: what {@code --audit-table} asks for. The
 * audit's own files come first and are what the rows are read from; a run whose rows did not reach
 * the catalog is appended later from there.
 */
public final class AuditCatalog {
  /** Repairs at the same time in one application take turns, instead of retrying each other. */
  private static final Lock TURN = new ReentrantLock();

  private final SparkSession spark;
  private final SparkJob job;
  private final CatalogName name;
  private final CatalogTables tables;

  /** The tables at {@code name}, by {@code job}'s settings. */
  public AuditCatalog(SparkJob job, CatalogName name) {
    this.spark = SparkSession.builder().sparkContext(job.spark().sc()).getOrCreate();
    this.job = job;
    this.name = name;
    this.tables = new CatalogTables(spark, name);
  }

  /**
   * Makes the tables ready: before anything else is done, so that a wrong setting costs nothing.
   *
   * @throws JobException USAGE when Spark has no such catalog, FAILED when the catalog can't be
   *     reached, or holds other tables under the names of ours
   */
  public void create() throws JobException {
    requireCatalog();
    TURN.lock();
    try {
      tables.create();
    } catch (Exception e) { // Scala declares none of the checked ones that it throws.
      throw JobException.failed(
          "audit-table",
          "The audit's tables in %s could not be made ready: %s. Nothing was done; mend the catalog's settings (spark.sql.catalog.%s...) or leave --audit-table away."
              .formatted(name, firstLine(e), name.catalog()),
          e);
    } finally {
      TURN.unlock();
    }
  }

  private void requireCatalog() throws JobException {
    String setting = "spark.sql.catalog." + name.catalog();
    if (spark.conf().get(setting, "").isEmpty()) {
      throw JobException.usage(
          "no-catalog",
          "Spark has no catalog '%s', which --audit-table %s names: set --conf %s=CLASS and the catalog's own settings, and put its library on Spark's class path."
              .formatted(name.catalog(), name, setting));
    }
  }

  /**
   * Appends those runs of an audit that the tables lack.
   *
   * @param place an audit's root, or a repaired checkpoint that holds one
   * @param wanted the runs to append; those that the audit does not have are left out
   * @return the runs that were appended
   * @throws JobException FAILED when the audit can't be read or the catalog fails; a run whose row
   *     is not in {@code runs} can be appended again
   */
  public SortedSet<RunId> append(Location place, Set<RunId> wanted) throws JobException {
    try (Store store = Stores.open(place, job.hadoop())) {
      return append(open(store, place).only(wanted), place);
    } catch (IOException e) {
      throw unreadable(place, e);
    }
  }

  /**
   * Appends all runs of an audit that the tables lack; tables that are missing are made first.
   *
   * @param place an audit's root, or a repaired checkpoint that holds one
   * @return the runs that were appended
   * @throws JobException USAGE when Spark has no such catalog or there is no audit, FAILED as for
   *     one run
   */
  public SortedSet<RunId> appendAll(Location place) throws JobException {
    requireCatalog();
    try (Store store = Stores.open(place, job.hadoop())) {
      AuditTables audit = open(store, place);
      if (audit.runIds().isEmpty()) {
        throw AuditPlaces.noAudit(place, "");
      }
      create();
      return append(audit, place);
    } catch (IOException e) {
      throw unreadable(place, e);
    }
  }

  private AuditTables open(Store store, Location place) throws IOException {
    return AuditTables.open(spark, store, AuditPlaces.root(store, place).path());
  }

  private SortedSet<RunId> append(AuditTables audit, Location place) throws JobException {
    TURN.lock();
    try {
      return tables.append(audit);
    } catch (Exception e) { // Scala declares none of the checked ones that it throws.
      throw JobException.failed(
          "audit-table",
          "The audit in %s is complete, but its rows could not be appended to %s: %s. Nothing else is left to do; append them later with: shardmend audit %s --audit-table %s"
              .formatted(place, name, firstLine(e), place, name),
          e);
    } finally {
      TURN.unlock();
    }
  }

  private static JobException unreadable(Location place, IOException e) {
    return JobException.failed(
        "unreadable-audit", "Cannot read the audit %s: %s".formatted(place, e.getMessage()), e);
  }

  /** Spark adds the plan of a query below what it has to say. */
  private static String firstLine(Exception e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("").replaceAll("[. ]+$", "");
  }
}
