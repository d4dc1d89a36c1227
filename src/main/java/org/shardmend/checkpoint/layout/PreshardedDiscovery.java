package org.shardmend.checkpoint.layout;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.Engine;
import org.shardmend.checkpoint.FileEntry;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.Listing;
import org.shardmend.checkpoint.LoadUnit;
import org.shardmend.checkpoint.Shard;
import org.shardmend.checkpoint.SideFile;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.Wording;
import org.shardmend.checkpoint.finding.QuantizationFindings;
import org.shardmend.checkpoint.sidefile.ChecksumJson;
import org.shardmend.checkpoint.sidefile.HashKind;
import org.shardmend.checkpoint.sidefile.PreshardedFile;
import org.shardmend.checkpoint.sidefile.ServekitInfo;

/**
 * Finds the load units of a presharded dump: of the directory itself, or of the one dump that lies
 * in it.
 */
final class PreshardedDiscovery {

  /** The sentinel that a dump writes last. */
  static final String READY = "READY";

  /**
   * The longest checksum.json that is read, in bytes. It names every tensor twice for every rank;
   * 64 ranks with 3,000 tensors come to some 100 MB.
   */
  static final int MAX_CHECKSUM_JSON_BYTES = 256 << 20;

  private static final String WEIGHT_SUFFIX = ".safetensor";

  /** {@code TP-2-sig-49c4b287720e2996}, or early {@code TP-8-EP-8-dtype-fp8-sig-…}. */
  private static final Pattern DIRECTORY =
      Pattern.compile(
          "TP-(?<tp>[1-9][0-9]{0,5})(?<others>-.+?)??(?:-sig-(?<signature>[0-9a-f]+))?");

  private static final Pattern AXIS =
      Pattern.compile("-(?<axis>DP|EP|PP)-(?<size>[1-9][0-9]{0,5})(?=-|$)");
  private static final List<String> AXES = List.of("tp", "pp", "dp", "ep");

  private final Listing listing;
  private final String prefix;
  private final String directoryName;
  private final List<FileEntry> entries;

  private PreshardedDiscovery(
      Listing listing, String prefix, String directoryName, List<FileEntry> entries) {
    this.listing = listing;
    this.prefix = prefix;
    this.directoryName = directoryName;
    this.entries = entries;
  }

  /** Whether the directory is a dump, or one lies in it. */
  static boolean isPresent(Listing listing) throws CheckpointException {
    if (isDump(listing.topLevel().stream().map(FileEntry::name).toList())) {
      return true;
    }
    for (FileEntry entry : listing.topLevel()) {
      if (isDumpDirectory(entry)) {
        return true;
      }
    }
    return false;
  }

  /** Reads the dump that the directory is, or that lies in it. */
  static Checkpoint discover(Listing listing) throws CheckpointException {
    if (listing.entry(ChecksumJson.FILE_NAME).isPresent()
        || isDump(listing.topLevel().stream().map(FileEntry::name).toList())) {
      String location = listing.location().replaceAll("/+$", "");
      String name = location.substring(location.lastIndexOf('/') + 1);
      return new PreshardedDiscovery(listing, "", name, List.copyOf(listing.topLevel()))
          .checkpoint(List.of());
    }
    List<PreshardedDiscovery> ready = new ArrayList<>();
    List<String> unfinished = new ArrayList<>();
    for (FileEntry entry : listing.topLevel()) {
      if (isDumpDirectory(entry)) {
        PreshardedDiscovery dump =
            new PreshardedDiscovery(
                listing, entry.name() + "/", entry.name(), listing.entriesOf(entry.name()));
        if (dump.entry(READY).isPresent()) {
          ready.add(dump);
        } else {
          unfinished.add(entry.name());
        }
      }
    }
    if (ready.isEmpty() && unfinished.isEmpty()) {
      throw CheckpointException.usage(
          "no-shards",
          listing.location()
              + " is no presharded dump and holds none: there is neither "
              + ChecksumJson.FILE_NAME
              + " nor a directory TP-… with one. Check the path.");
    }
    if (ready.isEmpty()) {
      throw CheckpointException.refused(
          listing.location(), unfinished.stream().map(PreshardedDiscovery::unfinished).toList());
    }
    if (ready.size() > 1) {
      throw several(listing, ready);
    }
    return ready.get(0).checkpoint(unfinished);
  }

  private static boolean isDumpDirectory(FileEntry entry) {
    return entry.kind() == FileEntry.Kind.DIRECTORY && DIRECTORY.matcher(entry.name()).matches();
  }

  private static boolean isDump(List<String> names) {
    return names.contains(ChecksumJson.FILE_NAME)
        || names.stream().anyMatch(name -> name.endsWith(WEIGHT_SUFFIX));
  }

  private static Finding unfinished(String directory) {
    return FindingCode.UNFINISHED_DUMP.finding(
        directory,
        (directory.isEmpty() ? "the dump" : directory)
            + " has no READY: the dump never finished, and files of it may be cut short or missing."
            + " Dump the model again.");
  }

  private static CheckpointException several(Listing listing, List<PreshardedDiscovery> dumps)
      throws CheckpointException {
    Map<String, Map<String, Integer>> launches = new LinkedHashMap<>();
    for (PreshardedDiscovery dump : dumps) {
      launches.put(dump.directoryName, dump.launch(dump.readChecksums()));
    }
    Set<String> fitting = new TreeSet<>();
    launches.forEach(
        (one, launch) ->
            launches.forEach(
                (other, otherLaunch) -> {
                  if (!one.equals(other) && areTheSame(launch, otherLaunch)) {
                    fitting.add(one);
                  }
                }));
    if (!fitting.isEmpty()) {
      return CheckpointException.refused(
          listing.location(),
          List.of(
              FindingCode.AMBIGUOUS_DUMPS.finding(
                  fitting.iterator().next(),
                  "it holds dumps that fit the same launch, and servekit refuses them: "
                      + String.join(", ", fitting)
                      + ". Move all but one elsewhere, or name the one to work on.")));
    }
    return CheckpointException.usage(
        "several-dumps",
        listing.location()
            + " holds several presharded dumps: "
            + String.join(", ", dumps.stream().map(dump -> dump.directoryName).toList())
            + ". Name the one to work on.");
  }

  /** Whether no size that both launches state differs. */
  private static boolean areTheSame(Map<String, Integer> launch, Map<String, Integer> other) {
    return launch.entrySet().stream()
        .allMatch(
            size -> other.getOrDefault(size.getKey(), size.getValue()).equals(size.getValue()));
  }

  private Checkpoint checkpoint(List<String> otherUnfinished) throws CheckpointException {
    if (entry(READY).isEmpty()) {
      throw CheckpointException.refused(
          listing.location(), List.of(unfinished(prefix.isEmpty() ? "" : directoryName)));
    }
    ChecksumJson checksums = readChecksums();
    List<Finding> problems = new ArrayList<>();
    NamedShards.notRegular(prefix + READY, entry(READY), "Dump the model again.")
        .ifPresent(problems::add);
    Map<String, Shard> shards = shards(checksums, problems);
    int tp = tensorParallelSize(checksums, problems);
    if (!problems.isEmpty()) {
      throw CheckpointException.refused(listing.location(), problems);
    }

    List<LoadUnit> units = new ArrayList<>();
    checksums
        .reads()
        .forEach(
            (rank, reads) -> {
              Set<String> names = new LinkedHashSet<>();
              reads.forEach(read -> names.add(prefix + read.filename()));
              units.add(
                  new LoadUnit(
                      new UnitId(rank / tp, rank % tp), names.stream().map(shards::get).toList()));
            });

    SideFacts facts = SideFacts.read(listing, shards.keySet(), shards.keySet());
    List<Finding> findings = new ArrayList<>(facts.findings());
    List<FileEntry> staged = new ArrayList<>(listing.topLevel());
    if (!prefix.isEmpty()) {
      staged.addAll(entries);
    }
    SideFacts.symbolicLinks(staged).ifPresent(findings::add);
    unreadFinding(shards.keySet()).ifPresent(findings::add);
    signatureFinding(checksums).ifPresent(findings::add);
    otherUnfinished.forEach(name -> findings.add(otherUnfinished(name)));
    findings.addAll(servekitFindings(facts.servekit(), checksums, tp));
    // No other engine has this layout.
    findings.addAll(
        QuantizationFindings.of(
            Optional.of(Engine.SGLANG), facts.servekit(), facts.config(), false));
    List<UnitId> ranks = units.stream().map(LoadUnit::id).toList();
    return Checkpoint.builder(listing.location(), new PreshardedLayout(checksums, prefix, ranks))
        .units(units)
        .sideFiles(facts.files().stream().map(this::withRole).toList())
        .findings(findings)
        .servekit(facts.servekit())
        .configs(facts)
        .build();
  }

  private Optional<FileEntry> entry(String name) {
    return entries.stream().filter(entry -> entry.name().equals(prefix + name)).findFirst();
  }

  private ChecksumJson readChecksums() throws CheckpointException {
    FileEntry entry =
        entry(ChecksumJson.FILE_NAME)
            .orElseThrow(
                () ->
                    CheckpointException.refusedFile(
                        FindingCode.UNFINISHED_DUMP,
                        listing.location(),
                        prefix + ChecksumJson.FILE_NAME,
                        "",
                        " is missing: without it nobody knows the tensors' names. Bring it"
                            + " from where the dump was made, or dump the model again.",
                        null));
    return ChecksumJson.read(listing.readJson(entry, MAX_CHECKSUM_JSON_BYTES), entry.name());
  }

  private Map<String, Shard> shards(ChecksumJson checksums, List<Finding> problems) {
    Map<String, FileEntry> present = new HashMap<>();
    entries.forEach(entry -> present.put(entry.name(), entry));
    Map<String, Shard> shards = new LinkedHashMap<>();
    for (PreshardedFile file : checksums.files()) {
      String name = prefix + file.filename();
      Optional<FileEntry> entry = Optional.ofNullable(present.get(name));
      Optional<Finding> problem =
          NamedShards.problem(
              name,
              entry,
              ChecksumJson.FILE_NAME,
              "Bring it from where the dump was made, or dump the model again.");
      if (problem.isPresent()) {
        problems.add(problem.get());
      } else {
        entry.ifPresent(
            found ->
                shards.put(name, new Shard(name, shards.size(), found.bytes(), found.stamp())));
      }
    }
    return shards;
  }

  /** How many ranks a pipeline stage has: the launch says it, or else the directory's name. */
  private int tensorParallelSize(ChecksumJson checksums, List<Finding> problems) {
    Map<String, Integer> launch = launch(checksums);
    int world = checksums.worldSize();
    int tp = launch.getOrDefault("tp", world);
    int pp = launch.getOrDefault("pp", Math.max(1, world / tp));
    if ((long) tp * pp != world) {
      problems.add(
          FindingCode.INCONSISTENT_DUMP.finding(
              prefix + ChecksumJson.FILE_NAME,
              "world_size is "
                  + world
                  + ", but the dump was made for tp "
                  + tp
                  + " and pp "
                  + pp
                  + ". Dump the model again."));
    }
    return tp;
  }

  /** The sizes of the launch that the dump fits, by axis, as far as they are stated. */
  private Map<String, Integer> launch(ChecksumJson checksums) {
    Map<String, Integer> sizes = new LinkedHashMap<>();
    Matcher name = DIRECTORY.matcher(directoryName);
    if (!checksums.hasShardConfig() && name.matches()) {
      sizes.put("tp", Integer.parseInt(name.group("tp")));
      Matcher axis = AXIS.matcher(name.group("others") == null ? "" : name.group("others"));
      while (axis.find()) {
        sizes.put(
            axis.group("axis").toLowerCase(Locale.ROOT), Integer.parseInt(axis.group("size")));
      }
    }
    for (String axis : AXES) {
      OptionalInt size = checksums.shardConfig(axis);
      size.ifPresent(value -> sizes.put(axis, value));
    }
    return sizes;
  }

  private SideFile withRole(SideFile file) {
    if (file.name().equals(prefix + ChecksumJson.FILE_NAME)) {
      return file.as(SideFile.Role.CHECKSUM_JSON);
    }
    return file.name().equals(prefix + READY) ? file.as(SideFile.Role.READY) : file;
  }

  private Optional<Finding> unreadFinding(Set<String> shards) {
    List<String> names =
        entries.stream()
            .map(FileEntry::name)
            .filter(name -> name.endsWith(WEIGHT_SUFFIX) && !shards.contains(name))
            .toList();
    return names.isEmpty()
        ? Optional.empty()
        : Optional.of(
            FindingCode.UNREAD_WEIGHTS.finding(
                names.get(0),
                "checksum.json does not name "
                    + Wording.examples(names)
                    + ", so that no rank reads it. Move what does not belong here elsewhere."));
  }

  /**
   * Merged builds look for the launch's own directory, and compare what the dump says of its launch
   * with what they are launched as. Early ones look for READY alone.
   */
  private Optional<Finding> signatureFinding(ChecksumJson checksums) {
    if (checksums.hash() != HashKind.XXH3_128) {
      return Optional.empty();
    }
    if (!checksums.hasShardConfig()) {
      return Optional.of(
          FindingCode.SHARD_CONFIG_MISSING.finding(
              prefix + ChecksumJson.FILE_NAME,
              prefix
                  + ChecksumJson.FILE_NAME
                  + " has no shard_config, which builds that write keys of 32 digits compare with"
                  + " their launch: the engine deletes READY and dumps the model anew, over these"
                  + " files. Bring the file from where the dump was made, or dump the model"
                  + " again."));
    }
    Optional<String> expected = ownName(checksums);
    return expected.isEmpty() || expected.get().equals(directoryName)
        ? Optional.empty()
        : Optional.of(
            FindingCode.DUMP_SIGNATURE.finding(
                prefix + ChecksumJson.FILE_NAME,
                "the directory is called "
                    + directoryName
                    + ", but its shard_config gives "
                    + expected.get()
                    + ": the engine does not find the dump under that name, or takes it for another"
                    + " launch's, deletes READY and dumps over it. Give the directory its own name"
                    + " back."));
  }

  /** The name that the launch gives, which {@code shard_config} describes. */
  private static Optional<String> ownName(ChecksumJson checksums) {
    OptionalInt tp = checksums.shardConfig("tp");
    return tp.isEmpty()
        ? Optional.empty()
        : checksums.signature().map(sig -> "TP-" + tp.getAsInt() + "-sig-" + sig);
  }

  private static Finding otherUnfinished(String name) {
    return FindingCode.OTHER_DUMP_UNFINISHED.finding(
        name,
        name
            + " lies beside the dump and has no READY: it never finished. It was left as it is;"
            + " remove it if nothing writes to it.");
  }

  private static List<Finding> servekitFindings(
      Optional<ServekitInfo> servekit, ChecksumJson checksums, int tp) {
    List<String> wrong = new ArrayList<>();
    servekit
        .flatMap(ServekitInfo::format)
        .filter(format -> !format.equals(Layout.PRESHARDED.id()))
        .ifPresent(format -> wrong.add("format '" + format + "', but it is a presharded dump"));
    servekit.stream()
        .flatMapToInt(info -> info.tpSize().stream())
        .filter(size -> size != tp)
        .forEach(size -> wrong.add("tp_size " + size + ", but the dump has tp " + tp));
    servekit.stream()
        .flatMapToInt(info -> info.ppSize().stream())
        .filter(size -> size != checksums.worldSize() / tp)
        .forEach(
            size ->
                wrong.add(
                    "pp_size " + size + ", but the dump has pp " + checksums.worldSize() / tp));
    return wrong.isEmpty()
        ? List.of()
        : List.of(
            FindingCode.SERVEKIT_CONTRADICTION.finding(
                ServekitInfo.FILE_NAME,
                "servekit.json says "
                    + String.join("; ", wrong)
                    + ". Correct the file, or move what does not belong here elsewhere."));
  }
}
