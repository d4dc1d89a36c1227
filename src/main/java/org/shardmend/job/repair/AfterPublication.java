package org.shardmend.job.repair;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.OneLine;
import org.shardmend.checkpoint.Severity;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;

/**
 * What is still to be done when a repair is visible and whole: tidying up, the audit's last step,
 * releasing the lock. What fails there makes no failure of the repair, whose result is in use from
 * then on; it is a warning, and the next run of the same command makes it good.
 */
public final class AfterPublication {
  /** The code of its warnings. */
  public static final String CODE = "failed-afterwards";

  private final Progress progress;
  private final String result;
  private final List<Finding> warnings = new ArrayList<>();

  /** Something that is done afterwards. */
  @FunctionalInterface
  interface Step {
    void run() throws IOException, JobException;
  }

  /**
   * Nothing has failed so far.
   *
   * @param result what is repaired, for people
   */
  AfterPublication(Progress progress, String result) {
    this.progress = progress;
    this.result = result;
  }

  /** Takes a step; others can follow, whether it fails or not. */
  void run(Step step) {
    try {
      step.run();
    } catch (IOException | JobException failure) {
      warn(failure);
    }
  }

  /** Warns of a step that has failed. */
  void warn(Exception failure) {
    String message =
        OneLine.of(
            "%s is repaired, but what was to be done afterwards has failed: %s Running the same command again makes it good."
                .formatted(result, sentence(failure.getMessage())));
    progress.message(message);
    warnings.add(new Finding(CODE, Severity.WARNING, "", message));
  }

  private static String sentence(String said) {
    return String.valueOf(said).endsWith(".") ? said : said + ".";
  }

  /** What has failed so far. */
  List<Finding> warnings() {
    return List.copyOf(warnings);
  }
}
