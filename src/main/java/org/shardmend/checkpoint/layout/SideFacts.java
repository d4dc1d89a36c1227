package org.shardmend.checkpoint.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.Engine;
import org.shardmend.checkpoint.FileEntry;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.Listing;
import org.shardmend.checkpoint.SideFile;
import org.shardmend.checkpoint.Wording;
import org.shardmend.checkpoint.json.JsonFormatException;
import org.shardmend.checkpoint.modules.ModuleConfig;
import org.shardmend.checkpoint.sidefile.IndexJson;
import org.shardmend.checkpoint.sidefile.ModelConfig;
import org.shardmend.checkpoint.sidefile.ServekitInfo;

/**
 * What the side files of any layout say. A side file that cannot be understood is a finding here.
 */
final class SideFacts {
  private final List<SideFile> files;
  private final ServekitInfo servekit;
  private final ModelConfig config;
  private final List<ModuleConfig> moduleConfigs;
  private final List<Finding> findings;

  private SideFacts(
      List<SideFile> files,
      ServekitInfo servekit,
      ModelConfig config,
      List<ModuleConfig> moduleConfigs,
      List<Finding> findings) {
    this.files = List.copyOf(files);
    this.servekit = servekit;
    this.config = config;
    this.moduleConfigs = List.copyOf(moduleConfigs);
    this.findings = List.copyOf(findings);
  }

  /**
   * Reads what lies beside {@code shards}.
   *
   * @param ranked those that hold tensors of single ranks: a name then stands for as many tensors
   *     as there are ranks, so that no index can tell where they are
   */
  static SideFacts read(Listing listing, Set<String> shards, Set<String> ranked)
      throws CheckpointException {
    List<Finding> findings = new ArrayList<>();
    ServekitInfo servekit = readServekit(listing, findings);
    List<ModuleConfig> moduleConfigs = new ArrayList<>();
    ModelConfig config = readConfig(listing, moduleConfigs, findings);
    for (String name : ModuleConfig.OTHER_FILES) {
      readModuleConfig(listing, name, findings).ifPresent(moduleConfigs::add);
    }
    List<SideFile> files = new ArrayList<>();
    for (SideFile file : listing.sideFiles(shards)) {
      files.add(
          file.role() == SideFile.Role.INDEX
              ? file.as(roleOfIndex(listing, file, ranked, findings))
              : file);
    }
    addChecksumLists(files, findings);
    addSpecialFiles(files, findings);
    return new SideFacts(files, servekit, config, moduleConfigs, findings);
  }

  List<SideFile> files() {
    return files;
  }

  Optional<ServekitInfo> servekit() {
    return Optional.ofNullable(servekit);
  }

  Optional<ModelConfig> config() {
    return Optional.ofNullable(config);
  }

  /** The engine that saved the checkpoint, as the user says it, or else servekit.json. */
  Optional<Engine> engine(DiscoveryOptions options) {
    return options.engine().or(() -> servekit().flatMap(ServekitInfo::engine).flatMap(Engine::of));
  }

  List<ModuleConfig> moduleConfigs() {
    return moduleConfigs;
  }

  List<Finding> findings() {
    return findings;
  }

  /** A finding when some of the entries are links; a stager follows none. */
  static Optional<Finding> symbolicLinks(List<FileEntry> entries) {
    List<String> links =
        entries.stream()
            .filter(entry -> entry.kind() == FileEntry.Kind.SYMLINK)
            .map(FileEntry::name)
            .toList();
    return links.isEmpty()
        ? Optional.empty()
        : Optional.of(
            FindingCode.SYMBOLIC_LINKS.finding(
                links.get(0),
                Wording.count(links.size(), "symbolic link", "symbolic links")
                    + " ("
                    + Wording.examples(links)
                    + "): servekit's stager follows none, so a staged copy lacks these files."
                    + " Put the files themselves in their place before staging."));
  }

  private static ServekitInfo readServekit(Listing listing, List<Finding> findings)
      throws CheckpointException {
    Optional<FileEntry> entry = listing.entry(ServekitInfo.FILE_NAME);
    if (entry.isEmpty()) {
      return null;
    }
    try {
      ServekitInfo servekit =
          ServekitInfo.read(listing.readJson(entry.get(), Listing.MAX_JSON_BYTES));
      List<String> wrong = new ArrayList<>();
      servekit.unknownKeys().forEach(key -> wrong.add("'" + key + "' is not known"));
      servekit.missingKeys().forEach(key -> wrong.add("'" + key + "' is missing"));
      if (!wrong.isEmpty()) {
        findings.add(
            FindingCode.SERVEKIT_MALFORMED.finding(
                ServekitInfo.FILE_NAME,
                "servekit.json has other keys than servekit expects: "
                    + String.join(", ", wrong)
                    + ". 'servekit launch' fails on it; correct the file."));
      }
      return servekit;
    } catch (JsonFormatException e) {
      findings.add(
          FindingCode.SERVEKIT_MALFORMED.finding(
              ServekitInfo.FILE_NAME,
              "servekit.json cannot be understood: "
                  + e.getMessage()
                  + ". 'servekit launch' fails on it; correct the file."));
      return null;
    }
  }

  private static ModelConfig readConfig(
      Listing listing, List<ModuleConfig> moduleConfigs, List<Finding> findings)
      throws CheckpointException {
    Optional<FileEntry> entry = listing.entry(ModelConfig.FILE_NAME);
    if (entry.isEmpty()) {
      return null;
    }
    try {
      byte[] json = listing.readJson(entry.get(), Listing.MAX_JSON_BYTES);
      ModelConfig config = ModelConfig.read(json);
      moduleConfigs.add(ModuleConfig.read(ModelConfig.FILE_NAME, json));
      return config;
    } catch (JsonFormatException e) {
      findings.add(
          malformedConfig(
              ModelConfig.FILE_NAME, e, "No engine can load the model with it; correct the file."));
      return null;
    }
  }

  /** What one method keeps for itself: a model that is quantized otherwise is loaded without it. */
  private static Optional<ModuleConfig> readModuleConfig(
      Listing listing, String name, List<Finding> findings) throws CheckpointException {
    Optional<FileEntry> entry = listing.entry(name);
    if (entry.isEmpty() || !entry.get().isReadable()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          ModuleConfig.read(name, listing.readJson(entry.get(), Listing.MAX_JSON_BYTES)));
    } catch (JsonFormatException e) {
      findings.add(
          malformedConfig(name, e, "Engines that look for it stop there; correct the file."));
      return Optional.empty();
    }
  }

  private static Finding malformedConfig(String name, JsonFormatException e, String consequence) {
    return FindingCode.CONFIG_MALFORMED.finding(
        name, name + " cannot be understood: " + e.getMessage() + ". " + consequence);
  }

  private static SideFile.Role roleOfIndex(
      Listing listing, SideFile file, Set<String> ranked, List<Finding> findings)
      throws CheckpointException {
    String fault;
    try {
      Optional<IndexJson> index =
          IndexJson.parse(listing.readJson(file.entry(), IndexJson.MAX_BYTES), file.name());
      if (index.isEmpty()) {
        return SideFile.Role.PLAIN; // an index of something else
      }
      fault = fault(listing, index.get(), ranked);
    } catch (JsonFormatException e) {
      fault = "it cannot be understood (" + e.getMessage() + ")";
    }
    if (fault.isEmpty()) {
      return SideFile.Role.INDEX;
    }
    findings.add(
        FindingCode.STALE_INDEX.finding(
            file.name(),
            file.name()
                + " does not tell where this checkpoint's tensors are: "
                + fault
                + ". A repaired copy does not carry it along; remove it here."));
    return SideFile.Role.STALE_INDEX;
  }

  private static String fault(Listing listing, IndexJson index, Set<String> ranked) {
    Set<String> missing = new TreeSet<>();
    Set<String> ofRanks = new TreeSet<>();
    for (String file : new TreeSet<>(index.weightMap().values())) {
      if (listing.entry(file).isEmpty()) {
        missing.add(file);
      } else if (ranked.contains(file)) {
        ofRanks.add(file);
      }
    }
    if (!missing.isEmpty()) {
      return "it names files that are not there (" + Wording.examples(List.copyOf(missing)) + ")";
    }
    return ofRanks.isEmpty()
        ? ""
        : "it places tensors in files of single ranks ("
            + Wording.examples(List.copyOf(ofRanks))
            + ")";
  }

  private static void addChecksumLists(List<SideFile> files, List<Finding> findings) {
    List<String> lists =
        files.stream()
            .filter(file -> file.role() == SideFile.Role.CHECKSUM_LIST)
            .map(SideFile::name)
            .toList();
    if (!lists.isEmpty()) {
      findings.add(
          FindingCode.CHECKSUM_LIST.finding(
              lists.get(0),
              Wording.examples(lists)
                  + ": checksums of files. They do not hold for shards that a repair changes; write"
                  + " them again after it."));
    }
  }

  private static void addSpecialFiles(List<SideFile> files, List<Finding> findings) {
    List<String> special =
        files.stream()
            .filter(file -> file.entry().kind() == FileEntry.Kind.OTHER)
            .map(SideFile::name)
            .toList();
    if (!special.isEmpty()) {
      findings.add(
          FindingCode.SPECIAL_FILE.finding(
              special.get(0),
              Wording.count(special.size(), "entry is", "entries are")
                  + " no file, directory or link ("
                  + Wording.examples(special)
                  + "), and cannot be copied. Remove what does not belong to the checkpoint."));
    }
  }
}
