package org.shardmend.job.audit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.apache.spark.sql.SparkSession;
import org.shardmend.audit.AuditTables;
import org.shardmend.audit.RunId;
import org.shardmend.job.files.ResultFile;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.report.ReportPage;
import org.shardmend.report.ReportReader;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.Stores;

/** Makes a page of one run in an audit: one HTML file that needs nothing else. */
public final class ReportAction {
  private final SparkJob job;
  private final Location place;
  private final Optional<RunId> run;
  private final String target;

  /**
   * An action on an audit.
   *
   * @param place an audit's directory, or a repaired checkpoint that holds its own
   * @param run the run; empty for the last one
   * @param target where the page goes; a file that is there is replaced
   */
  public ReportAction(SparkJob job, Location place, Optional<RunId> run, String target) {
    this.job = job;
    this.place = place;
    this.run = run;
    this.target = target;
  }

  /**
   * Writes the page.
   *
   * @return the run that it is about
   * @throws JobException USAGE when there is no such run, FAILED when something can't be read or
   *     written
   */
  public RunId execute() throws JobException {
    SparkSession sql = SparkSession.builder().sparkContext(job.spark().sc()).getOrCreate();
    try (Store store = Stores.open(place, job.hadoop())) {
      AuditTables tables = AuditTables.open(sql, store, AuditPlaces.root(store, place).path());
      if (tables.runIds().isEmpty()) {
        throw AuditPlaces.noAudit(place, "");
      }
      RunId shown = run.orElseGet(() -> tables.runIds().last());
      String page = ReportPage.render(ReportReader.read(tables, shown));
      ResultFile.write(target, out -> out.write(page.getBytes(StandardCharsets.UTF_8)));
      return shown;
    } catch (NoSuchElementException e) {
      throw JobException.usage("no-such-run", e.getMessage(), e);
    } catch (IOException e) {
      throw JobException.failed(
          "unreadable-audit", "Cannot read the audit %s: %s".formatted(place, e.getMessage()), e);
    }
  }
}
