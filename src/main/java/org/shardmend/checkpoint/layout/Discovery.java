package org.shardmend.checkpoint.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.CheckpointFiles;
import org.shardmend.checkpoint.Listing;

/**
 * Finds out what a directory is: its layout, its load units, what lies beside them. Lists the
 * directory and reads small side files; opens no shard.
 */
public final class Discovery {
  private Discovery() {}

  /**
   * Looks at a checkpoint.
   *
   * @throws CheckpointException (usage) if the path or an option is wrong, or there are no shards;
   *     (refused) if files are missing, too many, unfinished or contradict each other, with every
   *     problem listed; (failed) if something could not be listed or read
   */
  public static Checkpoint discover(CheckpointFiles files, DiscoveryOptions options)
      throws CheckpointException {
    Listing listing = Listing.of(files);
    if (options.pattern().isPresent()) {
      String pattern = options.pattern().get();
      if (options.layout().orElse(Layout.SHARDED_STATE) != Layout.SHARDED_STATE) {
        throw CheckpointException.usage(
            "bad-option",
            "The pattern '"
                + pattern
                + "' goes with the layout sharded_state only. Leave one out.");
      }
      Optional<HuggingFaceNames> model = modelNamed(pattern);
      if (model.isPresent()) {
        return HuggingFaceDiscovery.discover(listing, model.get(), options);
      }
      return ShardedStateDiscovery.discover(listing, ShardPattern.parse(pattern), options);
    }
    if (options.layout().isEmpty() && !isKnown(listing)) {
      Optional<HuggingFaceNames> other = HuggingFaceDiscovery.otherModel(listing);
      if (other.isEmpty()) {
        throw noShards(listing);
      }
      return HuggingFaceDiscovery.discover(listing, other.get(), options);
    }
    Layout layout = options.layout().isPresent() ? options.layout().get() : detect(listing);
    return switch (layout) {
      case SHARDED_STATE -> ShardedStateDiscovery.discover(listing, options);
      case PRESHARDED -> PreshardedDiscovery.discover(listing);
      case HUGGINGFACE -> HuggingFaceDiscovery.discover(listing, HuggingFaceNames.USUAL, options);
    };
  }

  /** A pattern without numbers names a model in the Hugging Face layout by its single file. */
  private static Optional<HuggingFaceNames> modelNamed(String pattern) {
    return pattern.indexOf('{') < 0 && pattern.indexOf('/') < 0
        ? HuggingFaceNames.ofWeights(pattern)
        : Optional.empty();
  }

  /** Whether some file has the name of one that a loader looks for, or nearly. */
  private static boolean isKnown(Listing listing) throws CheckpointException {
    for (Layout layout : Layout.values()) {
      if (isPresent(layout, listing)) {
        return true;
      }
    }
    return ShardedStateDiscovery.isNearlyPresent(listing);
  }

  private static boolean isPresent(Layout layout, Listing listing) throws CheckpointException {
    return switch (layout) {
      case SHARDED_STATE -> ShardedStateDiscovery.isPresent(listing);
      case PRESHARDED -> PreshardedDiscovery.isPresent(listing);
      case HUGGINGFACE -> HuggingFaceDiscovery.isPresent(listing);
    };
  }

  private static Layout detect(Listing listing) throws CheckpointException {
    List<Layout> present = new ArrayList<>();
    for (Layout layout : Layout.values()) {
      if (isPresent(layout, listing)) {
        present.add(layout);
      }
    }
    // Savers also write beside the weights that they read: the sharded ones are meant then.
    if (present.contains(Layout.SHARDED_STATE)) {
      present.remove(Layout.HUGGINGFACE);
    }
    if (present.size() > 1) {
      throw CheckpointException.usage(
          "several-layouts",
          listing.location()
              + " holds shards of the layouts "
              + present.get(0).id()
              + " and "
              + present.get(1).id()
              + ". Choose the layout, or name the dump's own directory (TP-…).");
    }
    return present.isEmpty() ? Layout.SHARDED_STATE : present.get(0);
  }

  private static CheckpointException noShards(Listing listing) {
    return CheckpointException.usage(
        "no-shards",
        listing.location()
            + " holds no shards: no "
            + ShardPattern.DEFAULT
            + ", no "
            + ShardPattern.DEFAULT_WITH_STAGES
            + ", no presharded dump (TP-…/checksum.json), no model.safetensors and no index."
            + PresentWeights.told(listing));
  }
}
