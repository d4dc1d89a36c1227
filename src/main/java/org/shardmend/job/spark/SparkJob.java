package org.shardmend.job.spark;

import java.io.IOException;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;
import org.apache.hadoop.io.NullWritable;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.shardmend.storage.HadoopSettings;

/**
 * The Spark application that a command runs in: started with the settings that the job was tested
 * with.
 *
 * <p>A stage is one RDD action over a list of task values, a partition each. Its tasks return
 * receipts of constant size. Nothing with a side effect hangs on a Dataset or a cached RDD, which
 * Spark may compute again.
 */
public final class SparkJob implements AutoCloseable {
  /** So many tasks' receipts are in the driver's hands at once. */
  private static final int TASKS_PER_ACTION = 4096;

  private static final long PROGRESS_MILLIS = 100;

  /** A task looks at every piece that it moves whether it is still wanted; a hung disk has none. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final String POOL = "spark.scheduler.pool";

  /** What Spark says of a master's URL that no cluster manager knows; it has no error class. */
  private static final String UNKNOWN_MASTER = "Could not parse Master URL";

  /** How Spark calls a heap under its least size. */
  private static final String SMALL_HEAP = "INVALID_DRIVER_MEMORY";

  private final JavaSparkContext spark;
  private final HadoopSettings hadoop;
  private final Progress progress;
  private final ExecutorTasks executorTasks;
  private final LongConsumer outerMeter;
  private final LongAdder bytesRead = new LongAdder();
  private final Map<String, Double> stageSeconds = new LinkedHashMap<>();

  /**
   * @param outerMeter told of all bytes that this job has read, when it has
   */
  private SparkJob(
      JavaSparkContext spark,
      ExecutorTasks executorTasks,
      Progress progress,
      LongConsumer outerMeter) {
    this.spark = spark;
    this.executorTasks = executorTasks;
    this.outerMeter = outerMeter;
    this.hadoop = HadoopSettings.of(spark.hadoopConfiguration());
    this.progress = progress;
  }

  /**
   * Starts the application, or joins the one that runs in this process.
   *
   * @param name shown in Spark's UI and by the cluster manager
   * @throws JobException USAGE when a setting or the master's URL is wrong, FAILED when Spark can't
   *     be started
   */
  public static SparkJob start(String name, Progress progress) throws JobException {
    return start(SparkSettings.of(name), progress);
  }

  /**
   * As {@link #start}, for several pieces of work at once, which share the task slots fairly.
   *
   * @throws JobException as there
   */
  public static SparkJob startForMany(String name, Progress progress) throws JobException {
    return start(SparkSettings.ofManyAtOnce(name), progress);
  }

  private static SparkJob start(SparkConf conf, Progress progress) throws JobException {
    try {
      SparkContext context = SparkContext.getOrCreate(conf);
      if (context.isStopped()) {
        throw new IllegalStateException("the master does not answer");
      }
      ExecutorTasks tasks = new ExecutorTasks(PATIENCE);
      context.addSparkListener(tasks);
      return new SparkJob(JavaSparkContext.fromSparkContext(context), tasks, progress, bytes -> {});
    } catch (Exception e) { // Scala declares none of the checked ones that it throws.
      if (String.valueOf(e.getMessage()).contains(SMALL_HEAP)) {
        throw smallHeap(e);
      }
      String message =
          "Spark could not be started on --master %s: %s"
              .formatted(conf.get("spark.master"), e.getMessage());
      throw isWrongSetting(e)
          ? JobException.usage("bad-spark-setting", message, e)
          : JobException.failed("spark-not-started", message, e);
    }
  }

  private static JobException smallHeap(Exception failure) {
    return JobException.usage(
        "heap-too-small",
        "Spark needs 450 MiB of heap, and there are %d MiB. Set SHARDMEND_HEAP=512m, or more"
            .formatted(Runtime.getRuntime().maxMemory() >> 20),
        failure);
  }

  private static boolean isWrongSetting(Exception failure) {
    return failure instanceof IllegalArgumentException
        || String.valueOf(failure.getMessage()).contains(UNKNOWN_MASTER);
  }

  /**
   * The same application, for work that goes on in the calling thread beside other work: its stages
   * are timed and reported apart, and get their share of the task slots. It ends with the
   * application, and is not closed itself.
   *
   * @param pool the scheduler's pool for what this thread starts from now on
   * @param own told of this work's stages alone
   */
  public SparkJob beside(String pool, Progress own) {
    spark.setLocalProperty(POOL, pool);
    return new SparkJob(spark, executorTasks, own, this::countRead);
  }

  /**
   * The same application for one action, whose stages are timed and whose bytes are counted apart.
   * It ends with the application, and is not closed itself.
   */
  public SparkJob apart() {
    return new SparkJob(spark, executorTasks, progress, this::countRead);
  }

  /**
   * What was read of checkpoints so far, in bytes: headers, side files and data, by tasks and here.
   * What a task reads when it is tried again counts again.
   */
  public long bytesRead() {
    return bytesRead.sum();
  }

  /** Counts what was read of a checkpoint without a task. */
  public void countRead(long bytes) {
    bytesRead.add(bytes);
    outerMeter.accept(bytes);
  }

  /** The context, for whoever reads the audit tables. */
  public JavaSparkContext spark() {
    return spark;
  }

  public HadoopSettings hadoop() {
    return hadoop;
  }

  public Progress progress() {
    return progress;
  }

  public String applicationId() {
    return spark.sc().applicationId();
  }

  /** How long each stage took so far, by its description, in seconds. */
  public Map<String, Double> stageSeconds() {
    return new LinkedHashMap<>(stageSeconds);
  }

  /**
   * As {@link #run(String, long, List, MeteredFunction, ReceiptSink)}, with receipts at the end.
   */
  public <T extends Serializable, R extends Serializable> List<R> run(
      String description, long totalBytes, List<T> tasks, MeteredFunction<T, R> function)
      throws JobException {
    return run(description, totalBytes, tasks, function, receipt -> {});
  }

  /**
   * Runs one stage: {@code function} on every task, the first tasks first.
   *
   * @param description shown in Spark's UI and as progress
   * @param totalBytes what the tasks are going to move, for progress
   * @param sink given each receipt as soon as its task has ended, in the caller's thread
   * @return the receipts, in the order of the tasks
   * @throws JobException when a task's last try has failed, or the sink has; no task of the stage
   *     runs in this process any more then, unless it hangs
   */
  public <T extends Serializable, R extends Serializable> List<R> run(
      String description,
      long totalBytes,
      List<T> tasks,
      MeteredFunction<T, R> function,
      ReceiptSink<R> sink)
      throws JobException {
    Intake<R> intake =
        receipt -> {
          sink.accept(receipt);
          return receipt;
        };
    return runThrough(intake, description, totalBytes, tasks, function);
  }

  /**
   * As {@link #run(String, long, List, MeteredFunction, ReceiptSink)}, for receipts that are too
   * large to be held as they come.
   *
   * @param keeper makes of each receipt, as soon as its task has ended, what is returned of it
   */
  public <T extends Serializable, R extends Serializable> List<R> runKeeping(
      String description,
      long totalBytes,
      List<T> tasks,
      MeteredFunction<T, R> function,
      UnaryOperator<R> keeper)
      throws JobException {
    Intake<R> intake = keeper::apply;
    return runThrough(intake, description, totalBytes, tasks, function);
  }

  /** What is returned of a receipt. */
  @FunctionalInterface
  private interface Intake<R> {
    R take(R receipt) throws IOException;
  }

  private <T extends Serializable, R extends Serializable> List<R> runThrough(
      Intake<R> intake,
      String description,
      long totalBytes,
      List<T> tasks,
      MeteredFunction<T, R> function)
      throws JobException {
    List<R> receipts = new ArrayList<>(tasks.size());
    if (tasks.isEmpty()) {
      return receipts;
    }
    long began = System.nanoTime();
    progress.begin(description, totalBytes);
    spark.setJobDescription(description);
    try (Stage<R> stage = new Stage<>(description)) {
      for (int from = 0; from < tasks.size(); from += TASKS_PER_ACTION) {
        List<T> wave = tasks.subList(from, Math.min(tasks.size(), from + TASKS_PER_ACTION));
        receipts.addAll(stage.run(wave, function, intake));
      }
      return receipts;
    } catch (RuntimeException e) {
      // What Spark says when it is asked for something after its end depends on how far that is.
      if (spark.sc().isStopped()) {
        throw ProcessFailures.sparkStopped(e);
      }
      throw e;
    } finally {
      spark.setJobDescription(null);
      progress.end();
      stageSeconds.merge(description, (System.nanoTime() - began) / 1e9, Double::sum);
    }
  }

  private TaskFailures.Processes processes() {
    return SparkSettings.runsInThisProcess(spark.getConf())
        ? TaskFailures.Processes.THE_DRIVERS_OWN
        : TaskFailures.Processes.EXECUTORS;
  }

  /** The tasks, a partition each, in order, with the hosts that they ask for. */
  public <T extends Serializable> JavaRDD<T> spread(List<T> tasks) {
    JavaRDD<T> spread = spark.parallelize(new ArrayList<>(tasks), tasks.size());
    List<List<String>> hosts = tasks.stream().map(SparkJob::hosts).toList();
    if (hosts.stream().allMatch(List::isEmpty)) {
      return spread;
    }
    return spark
        .newAPIHadoopRDD(
            PreferredLocationsInput.configuration(hadoop.configuration(), hosts),
            PreferredLocationsInput.class,
            NullWritable.class,
            NullWritable.class)
        .values()
        .zip(spread)
        .values();
  }

  /** Waits for tasks elsewhere that were told to stop, also in an interrupted thread. */
  private void awaitExecutors(String job) {
    if (SparkSettings.runsInThisProcess(spark.getConf()) || spark.sc().isStopped()) {
      return;
    }
    boolean interrupted = Thread.interrupted();
    try {
      executorTasks.awaitEnd(job);
    } catch (InterruptedException again) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Does a task's work, on an executor, with the run's id in its log. */
  @SuppressWarnings("try") // The resource acts by being open.
  private static <R> R logged(String run, RunningTasks.Work<R> work) throws IOException {
    try (LoggedRun logged = LoggedRun.of(run)) {
      return work.run();
    }
  }

  private static List<String> hosts(Serializable task) {
    return task instanceof PreferredLocations placed ? placed.hosts() : List.of();
  }

  @Override
  public void close() {
    spark.stop();
  }

  /** One stage while it runs: meters bytes, and hands receipts on as they arrive. */
  private final class Stage<R extends Serializable> implements AutoCloseable {
    private final String description;
    private final ByteMeter meter;

    Stage(String description) {
      this.description = description;
      this.meter = ByteMeter.begin(spark.sc().longAccumulator("bytes"));
    }

    @Override
    public void close() {
      countRead(meter.bytes());
      meter.end();
    }

    <T extends Serializable> List<R> run(
        List<T> tasks, MeteredFunction<T, R> function, Intake<R> intake) throws JobException {
      SortedMap<Integer, R> kept = new TreeMap<>();
      ReceiptIntake<ReceiptAccumulator.Receipt<R>> taken =
          new ReceiptIntake<>(receipt -> kept.put(receipt.task(), intake.take(receipt.content())));
      ReceiptAccumulator<R> finished = new ReceiptAccumulator<>();
      spark.sc().register(finished);
      RunningTasks running = RunningTasks.begin();
      String job = UUID.randomUUID().toString();
      ByteMeter bytes = meter;
      String run = LoggedRun.current();
      executorTasks.begin(job);
      spark.setLocalProperty(ExecutorTasks.NAME, job);
      JavaFutureAction<Void> action =
          spread(tasks)
              .foreachAsync(
                  task -> {
                    R receipt =
                        running.run(() -> logged(run, () -> function.apply(task, bytes.ofTask())));
                    finished.add(
                        new ReceiptAccumulator.Receipt<>(TaskContext.getPartitionId(), receipt));
                  });
      try {
        for (int arrived = 0; arrived < tasks.size() && !action.isDone(); ) {
          ReceiptAccumulator.Receipt<R> receipt =
              finished.arrived().poll(PROGRESS_MILLIS, TimeUnit.MILLISECONDS);
          if (receipt != null) {
            taken.take(receipt);
            arrived++;
          }
          progress.update(meter.bytes());
        }
        running.end();
        // A stage that fails still keeps what was finished: running again does not redo it.
        for (ReceiptAccumulator.Receipt<R> receipt = finished.arrived().poll();
            receipt != null;
            receipt = finished.arrived().poll()) {
          taken.take(receipt);
        }
        taken.end();
        action.get();
        taken.requireAllTaken();
        if (kept.size() < tasks.size()) {
          throw new IllegalStateException(
              "Spark lost %d receipts".formatted(tasks.size() - kept.size()));
        }
        return List.copyOf(kept.values());
      } catch (IOException e) {
        throw StorageFailures.toJobException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw JobException.failed("interrupted", description + " was interrupted", e);
      } catch (Exception e) { // Spark's own failures arrive in several wrappings.
        if (spark.sc().isStopped()) {
          throw ProcessFailures.sparkStopped(e);
        }
        throw TaskFailures.toJobException(description, e, processes());
      } finally {
        boolean succeeded = kept.size() == tasks.size();
        if (!action.isDone()) {
          action.cancel(true);
        }
        running.end();
        if (!succeeded) {
          awaitExecutors(job);
        }
        executorTasks.forget(job);
        spark.setLocalProperty(ExecutorTasks.NAME, null);
      }
    }
  }
}
