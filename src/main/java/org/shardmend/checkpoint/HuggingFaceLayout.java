package org.shardmend.checkpoint;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the one load unit of a Hugging Face checkpoint, by its index or without one. */
final class HuggingFaceLayout {
  private static final String SINGLE = "model.safetensors";
  private static final String WEIGHT_SUFFIX = ".safetensors";
  private static final Pattern NUMBERED =
      Pattern.compile("model-([0-9]{5})-of-([0-9]{5})\\.safetensors");

  private final Listing listing;
  private final List<Finding> problems = new ArrayList<>();
  private final List<Finding> findings = new ArrayList<>();

  private HuggingFaceLayout(Listing listing) {
    this.listing = listing;
  }

  /** Whether there is an index, or a file that a model without one would have. */
  static boolean isPresent(Listing listing) {
    return listing.topLevel().stream()
        .map(FileEntry::name)
        .anyMatch(
            name ->
                name.equals(IndexJson.FILE_NAME)
                    || name.equals(SINGLE)
                    || NUMBERED.matcher(name).matches());
  }

  /** Reads the index, where there is one, and lists the files. */
  static Checkpoint discover(Listing listing) throws CheckpointException {
    return new HuggingFaceLayout(listing).checkpoint();
  }

  private Checkpoint checkpoint() throws CheckpointException {
    Optional<FileEntry> indexEntry = listing.entry(IndexJson.FILE_NAME);
    Checkpoint.Builder builder = Checkpoint.builder(listing.location(), Layout.HUGGINGFACE);
    List<String> names;
    if (indexEntry.isPresent()) {
      IndexJson index =
          IndexJson.read(
              listing.readJson(indexEntry.get(), Listing.MAX_JSON_BYTES), IndexJson.FILE_NAME);
      builder.index(index);
      names = namedBy(index);
    } else if (listing.entry(SINGLE).isPresent()) {
      names = List.of(SINGLE);
    } else {
      names = numbered();
    }
    List<Shard> shards = shards(names);
    if (!problems.isEmpty()) {
      throw CheckpointException.refused(listing.location(), problems);
    }
    addOthers(new HashSet<>(names), indexEntry.isPresent());
    SideFacts facts = SideFacts.read(listing, new HashSet<>(names), Layout.HUGGINGFACE);
    findings.addAll(facts.findings());
    return builder
        .units(List.of(new LoadUnit(UnitId.NONE, shards)))
        .sideFiles(facts.files())
        .findings(findings)
        .servekit(facts.servekit())
        .modelConfig(facts.config())
        .build();
  }

  private List<String> namedBy(IndexJson index) {
    if (index.weightMap().isEmpty()) {
      problems.add(
          FindingCode.MALFORMED_SIDE_FILE.finding(
              IndexJson.FILE_NAME,
              IndexJson.FILE_NAME
                  + " names no tensors. Put the index that belongs to these shards in its place."));
    }
    return List.copyOf(new TreeSet<>(index.weightMap().values()));
  }

  /** The names of a model in numbered files without an index: all of them must be there. */
  private List<String> numbered() throws CheckpointException {
    SortedSet<Integer> numbers = new TreeSet<>();
    SortedSet<String> totals = new TreeSet<>();
    List<String> names = new ArrayList<>();
    for (FileEntry entry : listing.topLevel()) {
      Matcher matcher = NUMBERED.matcher(entry.name());
      if (matcher.matches()) {
        numbers.add(Integer.parseInt(matcher.group(1)) - 1);
        totals.add(matcher.group(2));
        names.add(entry.name());
      }
    }
    if (names.isEmpty()) {
      throw CheckpointException.usage(
          "no-shards",
          listing.location()
              + " holds no Hugging Face shards: no "
              + IndexJson.FILE_NAME
              + " and no "
              + SINGLE
              + ". Check the path.");
    }
    if (totals.size() > 1) {
      problems.add(
          FindingCode.MIXED_PATTERNS.finding(
              names.get(0),
              "it holds numbered shards of several models (-of-"
                  + String.join(", -of-", totals)
                  + ") and no index. Move those of the others elsewhere."));
      return names;
    }
    for (IntegerGaps.Gap gap : IntegerGaps.in(numbers, Integer.parseInt(totals.first()))) {
      problems.add(
          FindingCode.MISSING_SHARD.finding(
              "",
              "of the "
                  + Integer.parseInt(totals.first())
                  + " numbered shards, number"
                  + (gap.isSingle() ? " " : "s ")
                  + new IntegerGaps.Gap(gap.first() + 1, gap.last() + 1)
                  + (gap.isSingle() ? " is" : " are")
                  + " missing. Fetch the model again."));
    }
    findings.add(
        FindingCode.INDEX_MISSING.finding(
            "",
            "there are numbered shards but no "
                + IndexJson.FILE_NAME
                + ": some loaders refuse that. Fetch the index from where the model came from."));
    return names;
  }

  private List<Shard> shards(List<String> names) {
    List<Shard> shards = new ArrayList<>();
    for (String name : names) {
      Optional<FileEntry> entry = listing.entry(name);
      Optional<Finding> problem =
          NamedShards.problem(
              name, entry, IndexJson.FILE_NAME, "Fetch it from where the model came from.");
      if (problem.isPresent()) {
        problems.add(problem.get());
      } else {
        entry.ifPresent(
            file -> shards.add(new Shard(name, shards.size(), file.bytes(), file.stamp())));
      }
    }
    return shards;
  }

  private void addOthers(Set<String> shards, boolean indexed) {
    List<String> others =
        listing.topLevel().stream()
            .map(FileEntry::name)
            .filter(name -> name.endsWith(WEIGHT_SUFFIX) && !shards.contains(name))
            .toList();
    if (others.isEmpty()) {
      return;
    }
    FindingCode code = indexed ? FindingCode.SHARD_NOT_IN_INDEX : FindingCode.UNREAD_WEIGHTS;
    String why =
        indexed
            ? IndexJson.FILE_NAME + " does not name it"
            : "some loaders read " + String.join(", ", shards) + " only, others every file";
    findings.add(
        code.finding(
            others.get(0),
            Wording.examples(others)
                + ": "
                + why
                + ". It was left as it is; move what does not belong to the model elsewhere."));
  }
}
