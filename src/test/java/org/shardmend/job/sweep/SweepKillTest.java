package org.shardmend.job.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.checkpoint.Samples;
import org.shardmend.job.Actions;
import org.shardmend.job.audit.AuditQuery;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.job.sweep.SweptCheckpoint.Outcome;
import org.shardmend.testing.DirectoryContent;
import org.shardmend.testing.SharedSparkJob;
import org.shardmend.testing.TestJvm;

/** Sweeps that are killed by SIGKILL, and the same sweep again. */
class SweepKillTest {
  private static final int KILLED = 137;
  private static final List<String> NAMES = List.of("a", "b", "c");

  @TempDir private Path scratch;
  private Path root;
  private Path audit;

  @BeforeEach
  void makeATree() {
    root = tree("tree");
    audit = scratch.resolve("audit");
  }

  private Path tree(String name) {
    for (String one : NAMES) {
      DirectoryContent.copy(Samples.directory("mla-tp2-pp2"), scratch.resolve(name).resolve(one));
    }
    return scratch.resolve(name);
  }

  @Test
  void aSweepKilledWhileItPatchesIsContinuedByTheSameSweep() throws Exception {
    killAt("journal: apply PATCH", 2);

    assertThat(DirectoryContent.names(audit)).anyMatch(name -> name.startsWith("_staging/"));
    requireWholeAfterTheSameSweep();
  }

  /** Nothing is left to be repaired there, so no repair would append its rows. */
  @Test
  void whatASweepHadRepairedWhenItWasKilledIsInTheAuditAfterTheSameSweep() throws Exception {
    killAt("journal: applied", 2);

    requireWholeAfterTheSameSweep();
  }

  private void killAt(String step, int count) throws Exception {
    Process process =
        TestJvm.of(
                KilledSweep.class,
                List.of("-Xmx512m"),
                root.toString(),
                audit.toString(),
                step,
                Integer.toString(count))
            .inheritIO()
            .start();
    assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).isEqualTo(KILLED);
  }

  private void requireWholeAfterTheSameSweep() throws Exception {
    assertThat(sweep(root, audit))
        .hasSameSizeAs(NAMES)
        .extracting(SweptCheckpoint::outcome)
        .isSubsetOf(Outcome.DONE, Outcome.NOTHING_TO_DO);
    Path untouched = tree("untouched");
    sweep(untouched, scratch.resolve("another-audit"));
    assertThat(checkpoints(root)).isEqualTo(checkpoints(untouched));
    assertThat(doneRows()).containsExactlyInAnyOrder(locations());
    assertThat(audit.resolve("_staging")).doesNotExist();
  }

  private static List<SweptCheckpoint> sweep(Path tree, Path audit) throws JobException {
    SparkJob job = SharedSparkJob.withProgress(Progress.SILENT);
    return new SweepAction(job, KilledSweep.request(tree, audit)).execute().checkpoints();
  }

  /** Everything but what tells of the run. */
  private static SortedMap<String, String> checkpoints(Path tree) {
    SortedMap<String, String> content = DirectoryContent.of(tree);
    content
        .keySet()
        .removeIf(name -> name.contains("/.shardmend/") || name.endsWith("/shardmend.json"));
    return content;
  }

  private List<String> doneRows() throws JobException {
    List<String> done = new ArrayList<>();
    new AuditQuery(SharedSparkJob.withProgress(Progress.SILENT), Actions.location(audit))
        .read(
            row -> {
              assertThat(row.<String>getAs("outcome")).isEqualTo("done");
              done.add(row.getAs("checkpoint"));
            },
            tensor -> {});
    return done;
  }

  private String[] locations() {
    return NAMES.stream().map(name -> "file:" + root.resolve(name)).toArray(String[]::new);
  }
}
