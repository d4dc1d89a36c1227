package org.shardmend.checkpoint.layout;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.FileEntry;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.IntegerGaps;
import org.shardmend.checkpoint.Listing;
import org.shardmend.checkpoint.LoadUnit;
import org.shardmend.checkpoint.Shard;
import org.shardmend.checkpoint.SideFile;
import org.shardmend.checkpoint.UnitCheck;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.Wording;
import org.shardmend.checkpoint.finding.HeadCheck;
import org.shardmend.checkpoint.finding.IndexCheck;
import org.shardmend.checkpoint.finding.MetadataFormatCheck;
import org.shardmend.checkpoint.sidefile.IndexJson;
import org.shardmend.checkpoint.sidefile.ModelConfig;

/** Finds the one load unit of a Hugging Face checkpoint, by its index or without one. */
final class HuggingFaceDiscovery {
  /** Weights of other formats, which loaders that go by an index leave alone. */
  private static final Set<String> OTHER_FORMATS = Set.of("consolidated", "adapter_model");

  private final Listing listing;
  private final HuggingFaceNames files;
  private final boolean replacesIndex;
  private final String newFormat;
  private final List<Finding> problems = new ArrayList<>();
  private final List<Finding> findings = new ArrayList<>();

  private HuggingFaceDiscovery(Listing listing, HuggingFaceNames files, DiscoveryOptions options) {
    this.listing = listing;
    this.files = files;
    this.replacesIndex = options.index() == DiscoveryOptions.Index.REPLACED;
    this.newFormat = options.format();
  }

  /** Whether there is an index, or a file that a model without one would have. */
  static boolean isPresent(Listing listing) {
    return HuggingFaceNames.USUAL.isPresent(listing);
  }

  /**
   * The model under another name that the directory holds: the only one with an index, beside which
   * lies at least one of its files.
   */
  static Optional<HuggingFaceNames> otherModel(Listing listing) {
    List<HuggingFaceNames> indexed =
        listing.topLevel().stream()
            .flatMap(entry -> HuggingFaceNames.ofIndex(entry.name()).stream())
            .toList();
    return indexed.size() == 1
            && listing.topLevel().stream()
                .flatMap(entry -> HuggingFaceNames.ofWeights(entry.name()).stream())
                .anyMatch(indexed.get(0)::equals)
        ? Optional.of(indexed.get(0))
        : Optional.empty();
  }

  /** Reads the index, where there is one, and lists the files of a model that is called so. */
  static Checkpoint discover(Listing listing, HuggingFaceNames files, DiscoveryOptions options)
      throws CheckpointException {
    return new HuggingFaceDiscovery(listing, files, options).checkpoint();
  }

  private Checkpoint checkpoint() throws CheckpointException {
    Optional<IndexJson> index = index();
    List<String> names = names(index);
    List<Shard> shards = shards(names);
    if (!problems.isEmpty()) {
      throw CheckpointException.refused(listing.location(), problems);
    }
    if (!replacesIndex) {
      index.ifPresent(this::addIndexFindings);
    }
    addOthers(new HashSet<>(names), index.isPresent());
    SideFacts facts = SideFacts.read(listing, new HashSet<>(names), Set.of());
    facts.findings().stream().filter(finding -> !isOfReplaced(finding)).forEach(findings::add);
    Wildcards.finding(listing.location()).ifPresent(findings::add);
    return Checkpoint.builder(
            listing.location(), new HuggingFaceLayout(files.index(), index, newFormat))
        .units(List.of(new LoadUnit(UnitId.NONE, shards)))
        .sideFiles(facts.files().stream().map(this::withRole).toList())
        .findings(findings)
        .checks(checks(index, facts.config()))
        .servekit(facts.servekit())
        .configs(facts)
        .build();
  }

  /** What is said of an index that is going to be written anew is soon untrue. */
  private boolean isOfReplaced(Finding finding) {
    return replacesIndex
        && FindingCode.STALE_INDEX.isOf(finding)
        && finding.shard().equals(files.index());
  }

  private SideFile withRole(SideFile file) {
    return replacesIndex && file.name().equals(files.index()) ? file.as(SideFile.Role.INDEX) : file;
  }

  private Optional<IndexJson> index() throws CheckpointException {
    Optional<FileEntry> entry = listing.entry(files.index());
    if (replacesIndex && entry.isPresent()) {
      return readable(entry.get());
    }
    return entry.isEmpty()
        ? Optional.empty()
        : Optional.of(
            IndexJson.read(listing.readJson(entry.get(), IndexJson.MAX_BYTES), files.index()));
  }

  /** An index that is going to be written anew need not be readable. */
  private Optional<IndexJson> readable(FileEntry entry) throws CheckpointException {
    byte[] json = listing.readJson(entry, Listing.MAX_JSON_BYTES);
    try {
      return Optional.of(IndexJson.read(json, files.index()));
    } catch (CheckpointException malformed) {
      return Optional.empty();
    }
  }

  private List<String> names(Optional<IndexJson> index) throws CheckpointException {
    if (replacesIndex && numbersByTotal().size() == 1) {
      return numbered();
    }
    if (replacesIndex && !index.filter(this::isComplete).isPresent()) {
      return listing.entry(files.single()).isPresent() ? List.of(files.single()) : numbered();
    }
    if (index.isPresent()) {
      return namedBy(index.get());
    }
    return listing.entry(files.single()).isPresent() ? List.of(files.single()) : numbered();
  }

  private boolean isComplete(IndexJson index) {
    return !index.weightMap().isEmpty()
        && index.weightMap().values().stream().allMatch(name -> listing.entry(name).isPresent());
  }

  private List<String> namedBy(IndexJson index) {
    if (index.weightMap().isEmpty()) {
      problems.add(
          FindingCode.MALFORMED_SIDE_FILE.finding(
              files.index(),
              files.index()
                  + " names no tensors. Put the index that belongs to these shards in its place."));
    }
    List<String> names = List.copyOf(new TreeSet<>(index.weightMap().values()));
    List<String> missing = names.stream().filter(name -> listing.entry(name).isEmpty()).toList();
    Optional<String> whole = missing.isEmpty() ? Optional.empty() : wholeModelBesides(names);
    if (whole.isPresent()) {
      problems.add(
          FindingCode.INDEX_OF_ANOTHER_SAVE.finding(
              files.index(),
              files.index()
                  + " is of another save: it names "
                  + Wording.examples(missing)
                  + ", which "
                  + (missing.size() == 1 ? "is" : "are")
                  + " not there, but "
                  + whole.get()
                  + ". Nothing is missing but the index that belongs to them: let it be written"
                  + " from the files' own headers (repair --rewrite-index)."));
      return List.of();
    }
    return names;
  }

  /** Tells of the files of a whole model that the index does not name, if they are there. */
  private Optional<String> wholeModelBesides(List<String> named) {
    if (listing.entry(files.single()).isPresent() && !named.contains(files.single())) {
      return Optional.of(files.single() + " is, which is a whole model");
    }
    SortedMap<String, SortedSet<Integer>> numbers = numbersByTotal();
    return numbers.entrySet().stream()
        .filter(one -> isWhole(one.getKey(), one.getValue()))
        .filter(one -> named.stream().noneMatch(name -> isOf(name, one.getKey())))
        .map(
            one ->
                "the files 1 to "
                    + Integer.parseInt(one.getKey())
                    + " of "
                    + Integer.parseInt(one.getKey())
                    + " (-of-"
                    + one.getKey()
                    + ") are complete")
        .findFirst();
  }

  private static boolean isWhole(String total, SortedSet<Integer> numbers) {
    int count = Integer.parseInt(total);
    return numbers.size() == count && numbers.first() == 1 && numbers.last() == count;
  }

  private boolean isOf(String name, String total) {
    return files.numbered(name).filter(numbered -> numbered.total().equals(total)).isPresent();
  }

  private SortedMap<String, SortedSet<Integer>> numbersByTotal() {
    SortedMap<String, SortedSet<Integer>> numbers = new TreeMap<>();
    for (FileEntry entry : listing.topLevel()) {
      files
          .numbered(entry.name())
          .ifPresent(
              numbered ->
                  numbers
                      .computeIfAbsent(numbered.total(), total -> new TreeSet<>())
                      .add(numbered.number()));
    }
    return numbers;
  }

  /** The names of a model in numbered files without an index: all of them must be there. */
  private List<String> numbered() throws CheckpointException {
    List<String> names =
        listing.topLevel().stream()
            .map(FileEntry::name)
            .filter(name -> files.numbered(name).isPresent())
            .toList();
    if (names.isEmpty()) {
      throw CheckpointException.usage(
          "no-shards",
          listing.location()
              + " holds no Hugging Face shards: no "
              + files.index()
              + " and no "
              + files.single()
              + "."
              + PresentWeights.told(listing));
    }
    SortedMap<String, SortedSet<Integer>> numbers = numbersByTotal();
    if (numbers.size() > 1) {
      problems.add(
          FindingCode.MIXED_PATTERNS.finding(
              names.get(0),
              "it holds numbered shards of several models (-of-"
                  + String.join(", -of-", numbers.keySet())
                  + ") and no index. Move those of the others elsewhere."));
      return names;
    }
    int total = Integer.parseInt(numbers.firstKey());
    SortedSet<Integer> fromZero = new TreeSet<>();
    numbers.get(numbers.firstKey()).forEach(number -> fromZero.add(number - 1));
    for (IntegerGaps.Gap gap : IntegerGaps.in(fromZero, total)) {
      problems.add(
          FindingCode.MISSING_SHARD.finding(
              "",
              "of the "
                  + total
                  + " numbered shards, number"
                  + (gap.isSingle() ? " " : "s ")
                  + new IntegerGaps.Gap(gap.first() + 1, gap.last() + 1)
                  + (gap.isSingle() ? " is" : " are")
                  + " missing. Fetch the model again."));
    }
    if (replacesIndex) {
      return names;
    }
    findings.add(
        FindingCode.INDEX_MISSING.finding(
            "",
            "there are numbered shards but no "
                + files.index()
                + ": Transformers takes such a directory for one without a model, and other loaders"
                + " read every file. Fetch the index from where the model came from, or let it be"
                + " written (repair --rewrite-index)."));
    return names;
  }

  private List<Shard> shards(List<String> names) {
    List<Shard> shards = new ArrayList<>();
    for (String name : names) {
      Optional<FileEntry> entry = listing.entry(name);
      Optional<Finding> problem =
          NamedShards.problem(
              name, entry, files.index(), "Fetch it from where the model came from.");
      if (problem.isPresent()) {
        problems.add(problem.get());
      } else {
        entry.ifPresent(
            file -> shards.add(new Shard(name, shards.size(), file.bytes(), file.stamp())));
      }
    }
    return shards;
  }

  private void addIndexFindings(IndexJson index) {
    if (!index.hasMetadata()) {
      findings.add(
          FindingCode.INDEX_METADATA.finding(
              files.index(),
              files.index()
                  + " has no 'metadata': Transformers stops with KeyError: 'metadata'. Add"
                  + " \"metadata\": {} to it."));
    }
    if (listing.entry(files.single()).isPresent()
        && !index.weightMap().containsValue(files.single())) {
      findings.add(
          FindingCode.SECOND_MODEL.finding(
              files.single(),
              files.single()
                  + " lies beside an index that names other files: Transformers reads "
                  + files.single()
                  + " and never looks at the index, SGLang and vLLM read what the index names."
                  + " Which model is served depends on the loader; move one of the two elsewhere."
                  + " Shardmend works on what the index names."));
    }
  }

  private void addOthers(Set<String> shards, boolean indexed) {
    List<String> others =
        listing.topLevel().stream()
            .map(FileEntry::name)
            .filter(name -> name.endsWith(HuggingFaceNames.WEIGHT_SUFFIX))
            .filter(name -> !shards.contains(name))
            .filter(name -> !indexed || isOdd(name))
            .toList();
    if (others.isEmpty()) {
      return;
    }
    FindingCode code = indexed ? FindingCode.SHARD_NOT_IN_INDEX : FindingCode.UNREAD_WEIGHTS;
    String why =
        indexed
            ? files.index() + " does not name it"
            : "some loaders read " + String.join(", ", shards) + " only, others every file";
    findings.add(
        code.finding(
            others.get(0),
            Wording.examples(others)
                + ": "
                + why
                + ". It was left as it is; move what does not belong to the model elsewhere."));
  }

  /** Whether it is strange that the index does not name that file. */
  private boolean isOdd(String name) {
    return !name.equals(files.single())
        && HuggingFaceNames.ofWeights(name)
            .filter(other -> OTHER_FORMATS.contains(other.stem()) && !other.equals(files))
            .isEmpty();
  }

  /** What the headers must be held to; loaders of models under other names are less strict. */
  private List<UnitCheck> checks(Optional<IndexJson> index, Optional<ModelConfig> config) {
    List<UnitCheck> checks = new ArrayList<>();
    if (!replacesIndex) {
      index.ifPresent(names -> checks.add(new IndexCheck(names)));
    }
    if (files.equals(HuggingFaceNames.USUAL)) {
      if (newFormat.isEmpty()) {
        checks.add(new MetadataFormatCheck());
      }
      if (config.filter(ModelConfig::hasHeadOfItsOwn).isPresent()) {
        checks.add(new HeadCheck());
      }
    }
    return checks;
  }
}
