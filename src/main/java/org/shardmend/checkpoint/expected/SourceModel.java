package org.shardmend.checkpoint.expected;

import java.io.Serializable;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.CheckpointFiles;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.HeaderScan;
import org.shardmend.checkpoint.LayerNumber;
import org.shardmend.checkpoint.ScannedShard;
import org.shardmend.checkpoint.Shard;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.Wording;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.checkpoint.layout.Discovery;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.checkpoint.sidefile.IndexJson;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.safetensors.UnknownDtypes;

/**
 * The original model that a checkpoint was saved from, in the Hugging Face layout: the names that
 * it has, and its bytes. Engines fuse and stack the model's modules, so that a checkpoint's name
 * need not be among them as it is.
 */
public final class SourceModel implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Names of wrappers, which come and go at the beginning of a name. */
  private static final Set<String> WRAPPERS =
      Set.of("model", "language_model", "text_model", "transformer", "_orig_mod", "base_model");

  /** What an engine makes of several modules, and the modules. */
  private static final Map<String, List<String>> FUSED =
      Map.ofEntries(
          Map.entry("qkv_proj", List.of("q_proj", "k_proj", "v_proj")),
          Map.entry("qkvz_proj", List.of("in_proj_qkvz", "in_proj_qkv", "q_proj")),
          Map.entry("in_proj_qkvz", List.of("in_proj_qkvz", "in_proj_qkv")),
          Map.entry("in_proj_ba", List.of("in_proj_ba", "in_proj_b")),
          Map.entry("gate_up_proj", List.of("gate_proj", "up_proj", "w1", "w3")),
          Map.entry(
              "fused_qkv_a_proj_with_mqa", List.of("q_a_proj", "kv_a_proj_with_mqa", "q_proj")));

  /** Parameters of stacked experts, and a module of one expert. */
  private static final Map<String, List<String>> STACKED =
      Map.of("w13", List.of("gate_proj", "w1", "gate_up_proj"), "w2", List.of("down_proj", "w2"));

  private static final Pattern EXPERTS =
      Pattern.compile("(?<prefix>.*\\.experts)\\.(?<kind>w13|w2)_.*");
  private static final Pattern FIRST_EXPERT =
      Pattern.compile("(?<prefix>.*\\.experts)\\.[0-9]+\\.(?<module>[^.]+)\\..*");

  /** Parameters that engines keep in another module of the same parent. */
  private static final List<String> MOVED =
      List.of("e_score_correction_bias", "correction_bias", "dt_bias", "A_log");

  private final Set<String> modules;
  private final Set<String> moved;
  private final OptionalTotal total;

  /** A total that may be unknown; {@code OptionalLong} does not travel. */
  private record OptionalTotal(boolean known, long bytes) implements Serializable {}

  private SourceModel(Set<String> modules, Set<String> moved, OptionalTotal total) {
    this.modules = modules;
    this.moved = moved;
    this.total = total;
  }

  /**
   * Reads a model's index, or its headers where it has none.
   *
   * @throws CheckpointException as {@link Discovery#discover} and {@link HeaderScan#read}
   */
  public static SourceModel read(CheckpointFiles files) throws CheckpointException {
    Checkpoint model =
        Discovery.discover(files, DiscoveryOptions.defaults().withLayout(Layout.HUGGINGFACE));
    if (model.layout().index().isPresent()) {
      IndexJson index = model.layout().index().get();
      return of(index.weightMap().keySet(), index.totalSize());
    }
    Set<String> names = new HashSet<>();
    long bytes = 0;
    for (Shard shard : model.shards()) {
      ScannedShard scanned = HeaderScan.read(files, UnitId.NONE, shard, UnknownDtypes.ALLOW);
      scanned.header().tensors().stream().map(TensorEntry::name).forEach(names::add);
      bytes += scanned.header().dataBytes();
    }
    return of(names, OptionalLong.of(bytes));
  }

  /**
   * A model with these tensors.
   *
   * @param totalBytes length of all tensors' data together, where it is known
   */
  public static SourceModel of(Set<String> tensors, OptionalLong totalBytes) {
    Set<String> modules = new HashSet<>();
    Set<String> moved = new HashSet<>();
    for (String tensor : tensors) {
      String name = unwrapped(tensor);
      modules.add(name);
      modules.add(parent(name));
      Matcher expert = FIRST_EXPERT.matcher(name);
      if (expert.matches()) {
        modules.add(expert.group("prefix") + "." + expert.group("module"));
      }
      if (MOVED.contains(lastPart(name))) {
        moved.add(layer(name) + "/" + family(lastPart(name)));
      }
    }
    return new SourceModel(
        modules, moved, new OptionalTotal(totalBytes.isPresent(), totalBytes.orElse(0)));
  }

  /**
   * Whether the model has a tensor of that name, or modules from which an engine makes it. A
   * parameter that only the engine's quantization adds counts as known when its module is.
   */
  public boolean knows(String tensor) {
    String name = unwrapped(tensor);
    String module = parent(name);
    if (modules.contains(name) || (!module.isEmpty() && modules.contains(module))) {
      return true;
    }
    List<String> parts = FUSED.getOrDefault(lastPart(module), List.of());
    String parent = parent(module);
    if (parts.stream().anyMatch(part -> modules.contains(child(parent, part)))) {
      return true;
    }
    Matcher experts = EXPERTS.matcher(name);
    if (experts.matches()) {
      return STACKED.get(experts.group("kind")).stream()
          .anyMatch(part -> modules.contains(experts.group("prefix") + "." + part));
    }
    return MOVED.contains(lastPart(name))
        && moved.contains(layer(name) + "/" + family(lastPart(name)));
  }

  /** A finding about the names that the model does not know; empty when it knows all of them. */
  public Optional<Finding> unknown(List<String> names) {
    List<String> unknown = names.stream().filter(name -> !knows(name)).toList();
    return unknown.isEmpty()
        ? Optional.empty()
        : Optional.of(
            FindingCode.UNKNOWN_TO_SOURCE.finding(
                "",
                "the original model knows neither these names nor modules that an engine would"
                    + " fuse into them: "
                    + Wording.examples(unknown)
                    + ". Is the rule meant for this model and this build? Try it with an expected"
                    + " state."));
  }

  /**
   * A finding when a checkpoint of this model cannot have that many bytes: every tensor is in one
   * rank at least, and in all ranks of a stage at most.
   *
   * @param checkpointBytes length of the data of all tensors of all units
   * @param ranks how many ranks a pipeline stage has
   */
  public Optional<Finding> bytes(long checkpointBytes, int ranks) {
    // Engines pad vocabularies and leave out draft layers; a lost stage is more than a tenth.
    double least = 0.9 * total.bytes();
    double most = 1.1 * total.bytes() * ranks;
    return !total.known() || (checkpointBytes >= least && checkpointBytes <= most)
        ? Optional.empty()
        : Optional.of(
            FindingCode.SOURCE_BYTES.finding(
                "",
                "the tensors have "
                    + checkpointBytes
                    + " bytes together, but the original model has "
                    + total.bytes()
                    + " and would give "
                    + ranks
                    + " ranks a stage that much at least, and that many times as much at most."
                    + " Unless it was quantized or cast when it was loaded, files are missing or"
                    + " of another model."));
  }

  /** A name without the wrappers at its beginning, which come and go. */
  public static String unwrapped(String name) {
    String[] parts = name.split("\\.", -1);
    int first = 0;
    while (first < parts.length - 1 && WRAPPERS.contains(parts[first])) {
      first++;
    }
    return String.join(".", Arrays.asList(parts).subList(first, parts.length));
  }

  private static String parent(String name) {
    int dot = name.lastIndexOf('.');
    return dot < 0 ? "" : name.substring(0, dot);
  }

  private static String lastPart(String name) {
    return name.substring(name.lastIndexOf('.') + 1);
  }

  private static String child(String parent, String part) {
    return parent.isEmpty() ? part : parent + "." + part;
  }

  /** {@code layers.3} of a name in that layer; the name's parent elsewhere. */
  private static String layer(String name) {
    return LayerNumber.of(name)
        .map(layer -> layer.stack() + "." + layer.number())
        .orElse(parent(name));
  }

  private static String family(String parameter) {
    return parameter.endsWith("correction_bias") ? "correction_bias" : parameter;
  }
}
