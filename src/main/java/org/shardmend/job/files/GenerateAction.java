package org.shardmend.job.files;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import org.shardmend.job.spark.DriverHadoop;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.Stores;
import org.shardmend.trial.CheckpointGenerator;
import org.shardmend.trial.Trial;
import org.shardmend.trial.TrialSettings;

/** Writes a checkpoint for trials, here, without executors. */
public final class GenerateAction {
  private final TrialSettings settings;
  private final Location target;
  private final String expectedFile;
  private final Progress progress;

  /**
   * An action that writes to {@code target}.
   *
   * @param expectedFile where the healthy model's expected state goes; empty for nowhere
   */
  public GenerateAction(
      TrialSettings settings, Location target, String expectedFile, Progress progress) {
    this.settings = settings;
    this.target = target;
    this.expectedFile = expectedFile;
    this.progress = progress;
  }

  /**
   * Writes the checkpoint.
   *
   * @throws JobException USAGE when the target is taken or the settings don't fit it, FAILED when
   *     it can't be written
   */
  public Trial execute() throws JobException {
    progress.begin("Generate", settings.sparse() ? 0 : settings.bytes());
    try (Store store = Stores.open(target, DriverHadoop.configuration())) {
      Trial trial = CheckpointGenerator.generate(settings, store, target, progress::update);
      if (!expectedFile.isEmpty()) {
        ResultFile.write(expectedFile, out -> out.write(trial.expected().write()));
      }
      return trial;
    } catch (FileAlreadyExistsException e) {
      throw JobException.usage(
          "output-exists",
          "%s is there already, and not empty; choose a free name".formatted(target),
          e);
    } catch (IllegalArgumentException e) {
      throw JobException.usage("bad-settings", e.getMessage(), e);
    } catch (IOException e) {
      throw JobException.failed(
          "not-written", "Cannot write %s: %s".formatted(target, e.getMessage()), e);
    } finally {
      progress.end();
    }
  }
}
