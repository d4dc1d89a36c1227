package org.shardmend.trial;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.shardmend.checkpoint.sidefile.HashKind;
import org.shardmend.checkpoint.sidefile.KeyHash;
import org.shardmend.storage.Location;
import org.shardmend.trial.Model.Rank;

/**
 * SGLang's dump: every tensor once, under its content's hash, in a file for the ranks that read it;
 * names only in {@code checksum.json}. {@code READY} is written last.
 */
final class PreshardedWriter implements LayoutWriter {
  private static final int SIGNATURE_DIGITS = 16;
  private static final Comparator<List<Integer>> BY_RANKS =
      Comparator.comparing(
          ranks ->
              ranks.stream()
                  .map(rank -> String.format(Locale.ROOT, "%06d", rank))
                  .collect(Collectors.joining(",")));

  private final TrialSettings settings;
  private final Model model;
  private final TrialFiles files;
  private final ContentKey contentKey;

  PreshardedWriter(TrialSettings settings, Model model, TrialFiles files) {
    this.settings = settings;
    this.model = model;
    this.files = files;
    this.contentKey = new ContentKey(settings.hash());
  }

  /** One different content, with the ranks that read it and their names for it. */
  private static final class Content {
    private final StoredTensor stored;
    private final Map<Integer, List<Name>> namesByRank = new TreeMap<>();

    Content(StoredTensor stored) {
      this.stored = stored;
    }

    void add(int rank, Name name) {
      namesByRank.computeIfAbsent(rank, any -> new ArrayList<>()).add(name);
    }

    List<Integer> ranks() {
      return List.copyOf(namesByRank.keySet());
    }
  }

  /**
   * A rank's name for a content.
   *
   * @param isExtra whether it is a plain attribute, not in the state dict
   */
  private record Name(String name, boolean isExtra) {}

  /** One weight file. */
  private record DumpFile(
      String name, List<Integer> ranks, boolean isCommon, List<Content> contents) {}

  @Override
  public Location write(Location root) throws IOException {
    ObjectNode shardConfig = shardConfig();
    Location directory =
        root.child(
            String.format(Locale.ROOT, "TP-%d-sig-%s", settings.tp(), signature(shardConfig)));
    files.makeDirectory(directory);
    List<DumpFile> dump = dumpFiles(contents());
    for (DumpFile file : dump) {
      files.tensors(
          directory.child(file.name()),
          Optional.empty(),
          file.contents().stream().map(content -> content.stored).toList());
    }
    files.text(directory.child("checksum.json"), PythonJson.indented(checksum(shardConfig, dump)));
    files.text(directory.child("READY"), PythonJson.oneLine(ready()));
    return directory;
  }

  private ObjectNode shardConfig() {
    ObjectNode config =
        PythonJson.object()
            .put("tp", settings.tp())
            .put("dp", 1)
            .put("ep", settings.ep())
            .put("pp", settings.pp())
            .put("quantization", settings.fp8() ? "fp8" : null)
            .put("model_dtype", ElementType.BF16.torchName());
    return config.putNull("structural_signature");
  }

  /** The first digits of the SHA-1 of the configuration's JSON with sorted keys. */
  private static String signature(ObjectNode shardConfig) {
    ObjectNode sorted = PythonJson.object();
    for (String key :
        new TreeSet<>(shardConfig.properties().stream().map(Map.Entry::getKey).toList())) {
      sorted.set(key, shardConfig.get(key));
    }
    byte[] json = PythonJson.oneLine(sorted).getBytes(StandardCharsets.UTF_8);
    KeyHash sha1 = KeyHash.start(HashKind.SHA1);
    sha1.put(json, 0, json.length);
    return HexFormat.of().formatHex(sha1.digest()).substring(0, SIGNATURE_DIGITS);
  }

  /** Every different content, in the order in which the ranks come upon it. */
  private List<Content> contents() {
    Map<String, String> keys = new LinkedHashMap<>();
    Map<String, Content> contents = new LinkedHashMap<>();
    for (Rank rank : model.ranks().toList()) {
      for (List<TrialTensor> section : model.saved(rank.stage(), rank.tp())) {
        section.forEach(tensor -> add(rank, tensor, false, keys, contents));
      }
      model.attributes(rank.stage()).forEach(tensor -> add(rank, tensor, true, keys, contents));
    }
    return List.copyOf(contents.values());
  }

  private void add(
      Rank rank,
      TrialTensor tensor,
      boolean isExtra,
      Map<String, String> keys,
      Map<String, Content> contents) {
    TensorBytes data = TensorBytes.of(settings.seed(), tensor, rank.tp());
    String key =
        keys.computeIfAbsent(
            tensor.content() + "@" + tensor.copies().owner(rank.tp()),
            any -> contentKey.of(tensor, data));
    contents
        .computeIfAbsent(key, any -> new Content(new StoredTensor(key, tensor, data)))
        .add(rank.world(), new Name(tensor.name(), isExtra));
  }

  /** One file for every different set of reading ranks, numbered in the order of these sets. */
  private List<DumpFile> dumpFiles(List<Content> contents) {
    Map<List<Integer>, List<Content>> byRanks = new TreeMap<>(BY_RANKS);
    for (Content content : contents) {
      byRanks.computeIfAbsent(content.ranks(), any -> new ArrayList<>()).add(content);
    }
    List<DumpFile> dump = new ArrayList<>();
    byRanks.forEach((ranks, group) -> dump.add(dumpFile(dump.size(), ranks, group)));
    return dump;
  }

  private DumpFile dumpFile(int id, List<Integer> ranks, List<Content> contents) {
    boolean isCommon = settings.worldSize() > 1 && ranks.size() == settings.worldSize();
    String readers =
        isCommon
            ? "common"
            : "rank-"
                + ranks.stream()
                    .map(rank -> String.format(Locale.ROOT, "%03d", rank))
                    .collect(Collectors.joining(","));
    return new DumpFile(
        String.format(Locale.ROOT, "model-%05d-%s.safetensor", id, readers),
        ranks,
        isCommon,
        contents);
  }

  private ObjectNode checksum(ObjectNode shardConfig, List<DumpFile> dump) {
    ObjectNode checksum =
        PythonJson.object().put("version", 1).put("world_size", settings.worldSize());
    checksum.set("shard_config", shardConfig);
    ArrayNode fileNodes = checksum.putArray("files");
    dump.forEach(file -> describe(file, fileNodes.addObject()));
    ObjectNode reads = checksum.putObject("rank_to_reads");
    ObjectNode sums = checksum.putObject("rank_checksums");
    model.ranks().forEach(rank -> describeReads(rank.world(), dump, reads, sums));
    return checksum;
  }

  private static void describe(DumpFile file, ObjectNode node) {
    node.put("filename", file.name()).put("writer_rank", file.ranks().get(0));
    if (file.isCommon()) {
      node.putNull("rank_list");
    } else {
      file.ranks().forEach(node.putArray("rank_list")::add);
    }
    node.put("is_common", file.isCommon());
    ArrayNode tensors = node.putArray("tensors");
    for (Content content : file.contents()) {
      ObjectNode tensor =
          tensors
              .addObject()
              .put("stored_key", content.stored.key())
              .put("size", content.stored.tensor().bytes());
      ObjectNode names = tensor.putObject("rank_to_names");
      content.namesByRank.forEach(
          (rank, ranksNames) ->
              ranksNames.forEach(name -> names.withArray(rank.toString()).add(name.name())));
    }
  }

  private void describeReads(int rank, List<DumpFile> dump, ObjectNode reads, ObjectNode sums) {
    ArrayNode ranksReads = reads.putArray(Integer.toString(rank));
    long sum = 0;
    for (DumpFile file : dump) {
      for (Content content : file.contents()) {
        String key = content.stored.key();
        for (Name name : content.namesByRank.getOrDefault(rank, List.of())) {
          ranksReads
              .addObject()
              .put("filename", file.name())
              .put("stored_key", key)
              .put("name", name.name())
              .put("is_extra", name.isExtra());
          sum += contentKey.checksumOf(name.name(), key);
        }
      }
    }
    sums.put(Integer.toString(rank), HexFormat.of().toHexDigits(sum));
  }

  private ObjectNode ready() {
    return PythonJson.object()
        .put("plan_version", 1)
        .put("world_size", settings.worldSize())
        .put("created_at", new BigDecimal("1785500000.0"));
  }
}
