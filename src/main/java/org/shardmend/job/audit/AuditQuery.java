package org.shardmend.job.audit;

import static org.apache.spark.sql.functions.col;

import java.io.IOException;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.shardmend.audit.AuditTables;
import org.shardmend.audit.RunId;
import org.shardmend.audit.RunOutcome;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.plan.Action;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.Stores;

/**
 * Reads an audit's rows. The place may be an audit's root, or a repaired checkpoint that holds one
 * under {@code .shardmend/audit}.
 */
public final class AuditQuery {
  private final SparkJob job;
  private final Location place;
  private Optional<RunId> run = Optional.empty();
  private Set<Action> actions = EnumSet.allOf(Action.class);

  /** A query of the audit at {@code place}. */
  public AuditQuery(SparkJob job, Location place) {
    this.job = job;
    this.place = place;
  }

  /** Only this run's rows. */
  public AuditQuery run(RunId id) {
    run = Optional.of(id);
    return this;
  }

  /** Only tensors with one of these actions. */
  public AuditQuery actions(Set<Action> wanted) {
    actions = EnumSet.copyOf(wanted);
    return this;
  }

  /**
   * Gives every row of {@code runs}, then every wanted row of {@code tensors}, one after the other:
   * an audit has more tensors than a driver has memory for.
   *
   * @throws JobException USAGE when there is no audit, FAILED when it can't be read
   */
  public void read(Consumer<Row> runs, Consumer<Row> tensors) throws JobException {
    SparkSession sql = SparkSession.builder().sparkContext(job.spark().sc()).getOrCreate();
    try (Store store = Stores.open(place, job.hadoop())) {
      AuditTables tables = open(sql, store);
      if (tables.runIds().isEmpty()) {
        throw AuditPlaces.noAudit(place, run.map(id -> " of run " + id).orElse(""));
      }
      forEach(tables.runs().orderBy("run_id"), runs);
      Dataset<Row> rows =
          actions.size() == Action.values().length ? tables.tensors() : tables.tensors(actions);
      forEach(rows.orderBy("run_id", "pp_rank", "tp_rank", "shard", "source_begin"), tensors);
    } catch (IOException e) {
      throw JobException.failed(
          "unreadable-audit", "Cannot read the audit %s: %s".formatted(place, e.getMessage()), e);
    }
  }

  /**
   * Gives the rows of {@code runs} that were refused, in no order and without what is long in them:
   * {@code run_id}, {@code checkpoint}, {@code fingerprint} and {@code counts}. None when there is
   * no audit.
   *
   * @throws JobException FAILED when it can't be read
   */
  public void refusals(Consumer<Row> refusals) throws JobException {
    SparkSession sql = SparkSession.builder().sparkContext(job.spark().sc()).getOrCreate();
    try (Store store = Stores.open(place, job.hadoop())) {
      // Collected in one go: sorting, and fetching part by part, costs a job for each part.
      open(sql, store)
          .runs()
          .where(col("outcome").equalTo(RunOutcome.REFUSED.token()))
          .select("run_id", "checkpoint", "fingerprint", "counts")
          .collectAsList()
          .forEach(refusals);
    } catch (IOException e) {
      throw JobException.failed(
          "unreadable-audit", "Cannot read the audit %s: %s".formatted(place, e.getMessage()), e);
    }
  }

  private AuditTables open(SparkSession sql, Store store) throws IOException {
    AuditTables tables = AuditTables.open(sql, store, AuditPlaces.root(store, place).path());
    return run.map(tables::only).orElse(tables);
  }

  private static void forEach(Dataset<Row> rows, Consumer<Row> action) {
    Iterator<Row> iterator = rows.toLocalIterator();
    iterator.forEachRemaining(action);
  }
}
