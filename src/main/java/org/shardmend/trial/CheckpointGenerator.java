package org.shardmend.trial;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.util.function.LongConsumer;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;

/** Writes checkpoints of made-up models. Equal settings give equal bytes, whatever the store. */
public final class CheckpointGenerator {
  private final TrialSettings settings;
  private final Store store;
  private final LongConsumer progress;

  private CheckpointGenerator(TrialSettings settings, Store store, LongConsumer progress) {
    this.settings = settings;
    this.store = store;
    this.progress = progress;
  }

  /** As {@link #generate(TrialSettings, Store, Location, LongConsumer)}, without progress. */
  public static Trial generate(TrialSettings settings, Store store, Location directory)
      throws IOException {
    return generate(settings, store, directory, bytes -> {});
  }

  /**
   * Writes a checkpoint. Nothing is synced: it is for trials.
   *
   * @param store the file system of {@code directory}
   * @param directory a name that is free, or an empty directory
   * @param progress told, now and then, how many bytes of weight files were written so far
   * @throws FileAlreadyExistsException when there is something in the directory
   * @throws IllegalArgumentException when the settings are sparse and the store can't have holes
   * @throws IOException when it can't be written; what was written so far stays
   */
  public static Trial generate(
      TrialSettings settings, Store store, Location directory, LongConsumer progress)
      throws IOException {
    return new CheckpointGenerator(settings, store, progress).run(directory);
  }

  private Trial run(Location directory) throws IOException {
    requireHoles(directory);
    requireEmpty(directory);
    Model model = Model.of(settings);
    TrialFiles files = new TrialFiles(store, settings.sparse(), progress);
    files.makeDirectory(directory);
    Location checkpoint = layoutWriter(model, files).write(directory);
    new SideFiles(settings, model.shape(), files).write(directory);
    return new Trial(
        checkpoint,
        settings.worldSize(),
        files.shards(),
        files.tensors(),
        files.dataBytes(),
        files.shardBytes(),
        FreshState.of(settings, model));
  }

  private void requireHoles(Location directory) {
    if (settings.sparse() && !store.traits().overwritesInPlace()) {
      throw new IllegalArgumentException(
          "A sparse checkpoint needs a mounted file system, which %s is not. Leave out --sparse."
              .formatted(directory));
    }
  }

  private void requireEmpty(Location directory) throws IOException {
    if (store.stat(directory.path()).isPresent() && !store.list(directory.path()).isEmpty()) {
      throw new FileAlreadyExistsException(
          directory.toString(),
          null,
          "cannot generate into it, because it is not empty: take another directory");
    }
  }

  private LayoutWriter layoutWriter(Model model, TrialFiles files) {
    return switch (settings.layout()) {
      case SHARDED_STATE -> new ShardedStateWriter(settings, model, files);
      case PRESHARDED -> new PreshardedWriter(settings, model, files);
      case HUGGINGFACE -> new HuggingFaceWriter(settings, model, files);
    };
  }
}
