package org.shardmend.checkpoint.layout;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.Engine;
import org.shardmend.checkpoint.FileEntry;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.IntegerGaps;
import org.shardmend.checkpoint.Listing;
import org.shardmend.checkpoint.LoadUnit;
import org.shardmend.checkpoint.SaveMarker;
import org.shardmend.checkpoint.Shard;
import org.shardmend.checkpoint.SideFile;
import org.shardmend.checkpoint.UnitCheck;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.Wording;
import org.shardmend.checkpoint.finding.KvScaleCheck;
import org.shardmend.checkpoint.finding.QuantizationFindings;
import org.shardmend.checkpoint.finding.VllmCheck;
import org.shardmend.checkpoint.sidefile.ServekitInfo;

/**
 * Finds the load units of the sharded_state layout, and refuses what no engine would load or what a
 * saver left unfinished.
 */
final class ShardedStateDiscovery {
  private static final String WEIGHT_SUFFIX = ".safetensors";
  private static final String CURE =
      "Bring the missing files from where it was saved, or save the model again.";

  private final Listing listing;
  private final ShardPattern pattern;
  private final DiscoveryOptions options;
  private final SortedMap<UnitId, List<Shard>> units = new TreeMap<>();
  private final List<FileEntry> shardEntries = new ArrayList<>();
  private final List<FileEntry> unread = new ArrayList<>();
  private final List<Finding> problems = new ArrayList<>();
  private final List<Finding> oddities = new ArrayList<>();

  private ShardedStateDiscovery(Listing listing, ShardPattern pattern, DiscoveryOptions options) {
    this.listing = listing;
    this.pattern = pattern;
    this.options = options;
  }

  /** Whether a loader that uses one of the default patterns would read some file. */
  static boolean isPresent(Listing listing) throws CheckpointException {
    return firstMatch(listing, ShardPattern.parse(ShardPattern.DEFAULT)).isPresent()
        || firstMatch(listing, ShardPattern.parse(ShardPattern.DEFAULT_WITH_STAGES)).isPresent();
  }

  /**
   * Whether some file has nearly such a name, so that it is worth saying that no loader reads it.
   */
  static boolean isNearlyPresent(Listing listing) throws CheckpointException {
    ShardPattern plain = ShardPattern.parse(ShardPattern.DEFAULT);
    ShardPattern staged = ShardPattern.parse(ShardPattern.DEFAULT_WITH_STAGES);
    return listing.topLevel().stream()
        .map(FileEntry::name)
        .anyMatch(name -> plain.isUnread(name) || staged.isUnread(name));
  }

  /** Looks for the files of the default patterns. */
  static Checkpoint discover(Listing listing, DiscoveryOptions options) throws CheckpointException {
    ShardPattern plain = ShardPattern.parse(ShardPattern.DEFAULT);
    ShardPattern staged = ShardPattern.parse(ShardPattern.DEFAULT_WITH_STAGES);
    Optional<String> ofPlain = firstMatch(listing, plain);
    Optional<String> ofStaged = firstMatch(listing, staged);
    if (ofPlain.isPresent() && ofStaged.isPresent()) {
      throw CheckpointException.refused(
          listing.location(),
          List.of(
              FindingCode.MIXED_PATTERNS.finding(
                  ofPlain.get(),
                  "it holds files of two saves, one with pipeline stages ("
                      + ofStaged.get()
                      + ") and one without ("
                      + ofPlain.get()
                      + "). Move one of them elsewhere, or name the one to work on (--pattern).")));
    }
    return discover(listing, ofStaged.isPresent() ? staged : plain, options);
  }

  /** Looks for the files of one pattern. */
  static Checkpoint discover(Listing listing, ShardPattern pattern, DiscoveryOptions options)
      throws CheckpointException {
    return new ShardedStateDiscovery(listing, pattern, options).checkpoint();
  }

  private static Optional<String> firstMatch(Listing listing, ShardPattern pattern) {
    return listing.topLevel().stream()
        .map(FileEntry::name)
        .filter(name -> pattern.match(name).isPresent())
        .findFirst();
  }

  private Checkpoint checkpoint() throws CheckpointException {
    sortEntries();
    if (shardEntries.isEmpty()) {
      throw noShards();
    }
    Set<String> shardNames = new HashSet<>();
    shardEntries.forEach(entry -> shardNames.add(entry.name()));
    SideFacts facts = SideFacts.read(listing, shardNames, shardNames);
    Sizes sizes = sizes(facts.servekit());

    List<Finding> findings = new ArrayList<>();
    checkMarkers(sizes).ifPresent(findings::add);
    if (!isLost(facts.servekit())) {
      checkRanks(sizes);
      units.forEach(this::checkParts);
    }
    refuse();

    findings.addAll(facts.findings());
    findings.addAll(servekitFindings(facts.servekit()));
    SideFacts.symbolicLinks(List.copyOf(listing.topLevel())).ifPresent(findings::add);
    Wildcards.finding(listing.location()).ifPresent(findings::add);
    unreadFinding().ifPresent(findings::add);
    findings.addAll(
        QuantizationFindings.of(
            facts.engine(options), facts.servekit(), facts.config(), hasGgufFiles(facts.files())));
    return Checkpoint.builder(listing.location(), new ShardedStateLayout(pattern))
        .units(units.entrySet().stream().map(e -> new LoadUnit(e.getKey(), e.getValue())).toList())
        .sideFiles(facts.files())
        .findings(findings)
        .checks(checks(facts))
        .oddities(oddities)
        .servekit(facts.servekit())
        .configs(facts)
        .build();
  }

  /** What the names and values in the headers' tensors say of the engine that saved them. */
  private List<UnitCheck> checks(SideFacts facts) {
    List<UnitCheck> checks = new ArrayList<>();
    Optional<Engine> engine = facts.engine(options);
    List<String> onVllm = QuantizationFindings.onVllm(facts.servekit(), facts.config());
    if (engine.isEmpty() && !onVllm.isEmpty()) {
      checks.add(new VllmCheck(onVllm));
    }
    if (!engine.equals(Optional.of(Engine.VLLM))) {
      checks.add(new KvScaleCheck());
    }
    return checks;
  }

  /** Throws what is wrong. A loader may read past oddities, but stops at everything else. */
  private void refuse() throws CheckpointException {
    List<Finding> wrong = new ArrayList<>(problems);
    boolean areNoted = options.oddities() == DiscoveryOptions.Oddities.NOTED;
    if (!areNoted || !problems.isEmpty() || units.isEmpty()) {
      wrong.addAll(oddities);
    }
    if (!wrong.isEmpty()) {
      throw CheckpointException.refused(listing.location(), wrong);
    }
  }

  private void sortEntries() {
    for (FileEntry entry : listing.topLevel()) {
      Optional<ShardPattern.Match> match = pattern.match(entry.name());
      if (match.isPresent()) {
        sortShard(entry, match.get());
      } else if (pattern.isUnread(entry.name()) || entry.name().endsWith(WEIGHT_SUFFIX)) {
        unread.add(entry);
      }
    }
  }

  private void sortShard(FileEntry entry, ShardPattern.Match match) {
    shardEntries.add(entry);
    if (!entry.isReadable()) {
      problems.add(
          FindingCode.NOT_A_REGULAR_FILE.finding(
              entry.name(),
              entry.name()
                  + " is "
                  + kindOf(entry)
                  + ", and was not opened. Put the shard itself in its place."));
    }
    if (match.isStray()) {
      oddities.add(
          FindingCode.STRAY_SHARD.finding(
              entry.name(),
              entry.name()
                  + " is no name that a saver gives, but the loader of "
                  + match.unit().label()
                  + " reads it: it looks for "
                  + pattern.glob(match.unit())
                  + ". Move the file elsewhere."));
    }
    if (!match.isStray() || options.oddities() == DiscoveryOptions.Oddities.NOTED) {
      units
          .computeIfAbsent(match.unit(), id -> new ArrayList<>())
          .add(new Shard(entry.name(), match.part(), entry.bytes(), entry.stamp()));
    }
  }

  private static String kindOf(FileEntry entry) {
    return switch (entry.kind()) {
      case FILE -> "a file";
      case DIRECTORY -> "a directory";
      case SYMLINK -> "a symbolic link that leads to no regular file";
      case OTHER -> "a pipe, a socket or a device";
    };
  }

  /** How many ranks there must be, as servekit.json says it or the highest ranks give it. */
  private record Sizes(int pp, int tp, boolean ppStated, boolean tpStated) {}

  private Sizes sizes(Optional<ServekitInfo> servekit) {
    OptionalInt pp =
        pattern.hasStages()
            ? servekit.map(ServekitInfo::ppSize).orElse(OptionalInt.empty())
            : OptionalInt.of(1);
    OptionalInt tp = servekit.map(ServekitInfo::tpSize).orElse(OptionalInt.empty());
    int highestStage = units.keySet().stream().mapToInt(UnitId::stage).max().orElse(0);
    int highestRank = units.keySet().stream().mapToInt(UnitId::tp).max().orElse(0);
    return new Sizes(
        pp.orElse(highestStage + 1), tp.orElse(highestRank + 1), pp.isPresent(), tp.isPresent());
  }

  private boolean isLost(Optional<ServekitInfo> servekit) {
    int stages = servekit.map(ServekitInfo::ppSize).orElse(OptionalInt.empty()).orElse(1);
    if (pattern.hasStages() || stages == 1) {
      return false;
    }
    oddities.add(
        FindingCode.PIPELINE_LOST.finding(
            ServekitInfo.FILE_NAME,
            "servekit.json says pp_size "
                + stages
                + ", but the names of the shards ("
                + shardEntries.get(0).name()
                + ") give no pipeline stage: the stages overwrote each other's files, and all"
                + " but one of each are lost. This cannot be repaired; save the model again, with"
                + " {pp_rank} in the pattern."));
    return true;
  }

  private void checkRanks(Sizes sizes) {
    SortedMap<Integer, SortedSet<Integer>> ranks = new TreeMap<>();
    for (UnitId unit : units.keySet()) {
      boolean outside =
          checkOutside(unit, "pp_size", "pipeline stage", unit.stage(), sizes.pp())
              || checkOutside(unit, "tp_size", "tp rank", unit.tp(), sizes.tp());
      if (!outside) {
        ranks.computeIfAbsent(unit.stage(), stage -> new TreeSet<>()).add(unit.tp());
      }
    }
    SortedSet<Integer> stages = new TreeSet<>(ranks.keySet());
    for (IntegerGaps.Gap gap : IntegerGaps.in(stages, sizes.pp())) {
      oddities.add(
          FindingCode.MISSING_RANK.finding(
              "",
              (gap.isSingle() ? "pipeline stage " : "pipeline stages ")
                  + gap
                  + (gap.isSingle() ? " has" : " have")
                  + " no files. "
                  + (sizes.ppStated()
                      ? "servekit.json says pp_size " + sizes.pp()
                      : "There are files of stage " + (sizes.pp() - 1))
                  + ". "
                  + CURE));
    }
    ranks.forEach(
        (stage, present) ->
            IntegerGaps.in(present, sizes.tp()).forEach(gap -> addMissing(stage, gap, sizes)));
  }

  private boolean checkOutside(UnitId unit, String key, String what, int rank, int size) {
    if (rank < size) {
      return false;
    }
    String shard = units.get(unit).get(0).name();
    oddities.add(
        FindingCode.RANK_OUTSIDE.finding(
            shard,
            shard
                + " is of "
                + what
                + " "
                + rank
                + ", but servekit.json says "
                + key
                + " "
                + size
                + ". The directory holds two saves, or the servekit.json of another one; move what"
                + " does not belong here elsewhere."));
    return true;
  }

  private void addMissing(int stage, IntegerGaps.Gap gap, Sizes sizes) {
    String where = pattern.hasStages() ? "pipeline stage " + stage + ": " : "";
    oddities.add(
        FindingCode.MISSING_RANK.finding(
            "",
            where
                + (gap.isSingle() ? "tp rank " : "tp ranks ")
                + gap
                + (gap.isSingle() ? " has" : " have")
                + " no files. "
                + (sizes.tpStated()
                    ? "servekit.json says tp_size " + sizes.tp()
                    : filesOfRank(sizes.tp() - 1))
                + ". "
                + CURE));
  }

  private String filesOfRank(int rank) {
    UnitId there =
        units.keySet().stream().filter(unit -> unit.tp() == rank).findFirst().orElseThrow();
    return pattern.hasStages()
        ? "Pipeline stage " + there.stage() + " has files of rank " + rank
        : "There are files of rank " + rank;
  }

  private void checkParts(UnitId unit, List<Shard> shards) {
    SortedSet<Integer> parts = new TreeSet<>(shards.stream().map(Shard::part).toList());
    parts.removeIf(part -> part < 0);
    if (parts.isEmpty()) {
      return; // nothing but stray names, which was said
    }
    for (IntegerGaps.Gap gap : IntegerGaps.in(parts, parts.last())) {
      oddities.add(
          FindingCode.MISSING_PART.finding(
              pattern.fileName(unit, gap.first()),
              unit.label()
                  + ": "
                  + (gap.isSingle()
                      ? pattern.fileName(unit, gap.first()) + " is missing"
                      : "parts "
                          + gap
                          + " are missing, from "
                          + pattern.fileName(unit, gap.first()))
                  + ", though "
                  + pattern.fileName(unit, parts.last())
                  + " is there. "
                  + CURE));
    }
  }

  private Optional<Finding> checkMarkers(Sizes sizes) {
    List<SaveMarker> markers =
        listing.topLevel().stream().flatMap(e -> SaveMarker.of(e.name()).stream()).toList();
    if (markers.isEmpty()) {
      return Optional.empty();
    }
    long ranks = (long) sizes.pp() * sizes.tp();
    long known = markers.stream().filter(m -> m.pp() < sizes.pp() && m.tp() < sizes.tp()).count();
    String first = markers.get(0).fileName();
    if (known == ranks && known == markers.size()) {
      return Optional.of(
          FindingCode.SAVE_MARKERS.finding(
              first,
              "the save markers of all "
                  + ranks
                  + " ranks are still there ("
                  + first
                  + ", …): every shard was written, only the tidying is missing. Remove them; a"
                  + " stager would copy them."));
    }
    oddities.add(
        FindingCode.UNFINISHED_SAVE.finding(
            first,
            "the save never finished: there are the markers of "
                + Wording.count(known, "rank", "ranks")
                + ", of "
                + ranks
                + " that the checkpoint has"
                + (known == markers.size() ? "" : ", and of ranks that it does not have")
                + " ("
                + Wording.examples(markers.stream().map(SaveMarker::fileName).toList())
                + "). Shards may be cut short. Save the model again."));
    return Optional.empty();
  }

  private List<Finding> servekitFindings(Optional<ServekitInfo> servekit) {
    if (listing.entry(ServekitInfo.FILE_NAME).isEmpty()) {
      return List.of(
          FindingCode.SERVEKIT_MISSING.finding(
              "",
              "there is no servekit.json: 'servekit launch' would take the directory for an"
                  + " unprepared model and write over the shards. Write one before it is launched"
                  + " with servekit."));
    }
    if (servekit.isEmpty()) {
      return List.of(); // there is one, and that it cannot be read was said
    }
    String format = servekit.get().format().orElse(Layout.SHARDED_STATE.id());
    return format.equals(Layout.SHARDED_STATE.id())
        ? List.of()
        : List.of(
            FindingCode.SERVEKIT_CONTRADICTION.finding(
                ServekitInfo.FILE_NAME,
                "servekit.json says format '"
                    + format
                    + "', but the shards are of the layout sharded_state. Correct the file, or move"
                    + " the shards elsewhere."));
  }

  private Optional<Finding> unreadFinding() {
    List<String> names = unread.stream().map(FileEntry::name).toList();
    return names.isEmpty()
        ? Optional.empty()
        : Optional.of(
            FindingCode.UNREAD_WEIGHTS.finding(
                names.get(0),
                "no loader of this checkpoint reads "
                    + Wording.examples(names)
                    + ": the loaders look for "
                    + pattern
                    + ", with numbers as they are counted. Move what does not belong here"
                    + " elsewhere."));
  }

  private static boolean hasGgufFiles(List<SideFile> files) {
    return files.stream().anyMatch(f -> f.entry().isTopLevel() && f.name().endsWith(".gguf"));
  }

  private CheckpointException noShards() {
    String near =
        unread.isEmpty()
            ? ""
            : " " + unread.get(0).name() + " is there, but no loader looks for that name.";
    return CheckpointException.usage(
        "no-shards",
        listing.location()
            + " holds no shards named like "
            + pattern
            + "."
            + near
            + " Check the path, or give the pattern that the saver was given.");
  }
}
