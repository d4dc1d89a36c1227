package org.shardmend.trial;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.shardmend.storage.Location;

/** One {@code model.safetensors}, or several files with an index. */
final class HuggingFaceWriter implements LayoutWriter {
  private static final Optional<Map<String, String>> METADATA = Optional.of(Map.of("format", "pt"));

  private final TrialSettings settings;
  private final Model model;
  private final TrialFiles files;

  HuggingFaceWriter(TrialSettings settings, Model model, TrialFiles files) {
    this.settings = settings;
    this.model = model;
    this.files = files;
  }

  @Override
  public Location write(Location directory) throws IOException {
    List<List<TrialTensor>> parts =
        new PartCutter(settings.maxShardBytes())
            .cut(model.saved(0, 0)).stream().filter(part -> !part.isEmpty()).toList();
    if (parts.size() == 1) {
      writePart(directory.child("model.safetensors"), parts.get(0));
      return directory;
    }
    Map<String, String> weightMap = new TreeMap<>();
    for (int part = 0; part < parts.size(); part++) {
      String name =
          String.format(Locale.ROOT, "model-%05d-of-%05d.safetensors", part + 1, parts.size());
      writePart(directory.child(name), parts.get(part));
      parts.get(part).forEach(tensor -> weightMap.put(tensor.name(), name));
    }
    files.text(directory.child("model.safetensors.index.json"), index(weightMap));
    return directory;
  }

  private void writePart(Location file, List<TrialTensor> part) throws IOException {
    files.tensors(
        file,
        METADATA,
        part.stream()
            .map(
                tensor ->
                    new StoredTensor(
                        tensor.name(), tensor, TensorBytes.of(settings.seed(), tensor, 0)))
            .toList());
  }

  private String index(Map<String, String> weightMap) {
    ObjectNode index = PythonJson.object();
    index.putObject("metadata").put("total_size", files.dataBytes());
    ObjectNode names = index.putObject("weight_map");
    weightMap.forEach(names::put);
    return PythonJson.indented(index) + "\n";
  }
}
