package org.shardmend.trial;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.shardmend.storage.Location;
import org.shardmend.trial.Model.Rank;

/** One set of numbered files a rank, as the engines' saver and servekit write them. */
final class ShardedStateWriter implements LayoutWriter {
  private final TrialSettings settings;
  private final Model model;
  private final TrialFiles files;

  ShardedStateWriter(TrialSettings settings, Model model, TrialFiles files) {
    this.settings = settings;
    this.model = model;
    this.files = files;
  }

  @Override
  public Location write(Location directory) throws IOException {
    for (Rank rank : model.ranks().toList()) {
      List<List<TrialTensor>> parts =
          new PartCutter(settings.maxShardBytes()).cut(model.saved(rank.stage(), rank.tp()));
      for (int part = 0; part < parts.size(); part++) {
        files.tensors(
            directory.child(fileName(rank, part)), Optional.empty(), stored(rank, parts.get(part)));
      }
    }
    return directory;
  }

  private String fileName(Rank rank, int part) {
    String stage = settings.pp() > 1 ? "pp-" + rank.stage() + "-" : "";
    return String.format(
        Locale.ROOT, "model-%srank-%d-part-%d.safetensors", stage, rank.tp(), part);
  }

  private List<StoredTensor> stored(Rank rank, List<TrialTensor> part) {
    return part.stream()
        .map(
            tensor ->
                new StoredTensor(
                    tensor.name(), tensor, TensorBytes.of(settings.seed(), tensor, rank.tp())))
        .toList();
  }
}
