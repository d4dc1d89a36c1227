package org.shardmend.checkpoint.layout;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.LoadUnit;
import org.shardmend.checkpoint.Shard;
import org.shardmend.checkpoint.SideFile;
import org.shardmend.checkpoint.UnitCheck;
import org.shardmend.checkpoint.modules.ModuleConfig;
import org.shardmend.checkpoint.sidefile.ModelConfig;
import org.shardmend.checkpoint.sidefile.ServekitInfo;

/**
 * What a checkpoint's directory holds, as far as listing it and reading its side files tells. It
 * was checked by {@link Discovery}: but for {@link #oddities()}, every unit has all its files, and
 * each is a regular file or a link to one. The shards themselves have not been opened.
 */
public final class Checkpoint {
  private final String location;
  private final CheckpointLayout layout;
  private final List<LoadUnit> units;
  private final List<SideFile> sideFiles;
  private final List<Finding> findings;
  private final List<UnitCheck> checks;
  private final List<Finding> oddities;
  private final ServekitInfo servekit;
  private final ModelConfig modelConfig;
  private final List<ModuleConfig> moduleConfigs;

  private Checkpoint(Builder builder) {
    this.location = builder.location;
    this.layout = builder.layout;
    this.units = builder.units.stream().sorted(Comparator.comparing(LoadUnit::id)).toList();
    this.sideFiles = List.copyOf(builder.sideFiles);
    this.findings = List.copyOf(builder.findings);
    this.checks = List.copyOf(builder.checks);
    this.oddities = List.copyOf(builder.oddities);
    this.servekit = builder.servekit;
    this.modelConfig = builder.modelConfig;
    this.moduleConfigs = List.copyOf(builder.moduleConfigs);
  }

  /** Where the checkpoint is, as shown to people; without credentials. */
  public String location() {
    return location;
  }

  /** How its files are named and divided, and what follows from that. */
  public CheckpointLayout layout() {
    return layout;
  }

  /** The load units, by pipeline stage and rank; at least one, each with at least one shard. */
  public List<LoadUnit> units() {
    return units;
  }

  /** Every weight file once, by name; in some layouts several units read the same one. */
  public List<Shard> shards() {
    Map<String, Shard> byName = new LinkedHashMap<>();
    units.forEach(unit -> unit.shards().forEach(shard -> byName.putIfAbsent(shard.name(), shard)));
    List<Shard> shards = new ArrayList<>(byName.values());
    shards.sort(Comparator.comparing(Shard::name));
    return shards;
  }

  /** Length of all weight files together, in bytes. */
  public long shardBytes() {
    return shards().stream().mapToLong(Shard::bytes).sum();
  }

  /**
   * Every other entry of the directory, at any depth, by name; without what Shardmend itself left
   * there ({@code .shardmend/} and {@code shardmend.json}).
   */
  public List<SideFile> sideFiles() {
    return sideFiles;
  }

  /** The entry of that name among the side files. */
  public Optional<SideFile> sideFile(String name) {
    return sideFiles.stream().filter(file -> file.name().equals(name)).findFirst();
  }

  /** What the listing and the side files gave cause to say; none is an error. */
  public List<Finding> findings() {
    return findings;
  }

  /** What the headers of each unit must be held to. */
  public List<UnitCheck> checks() {
    return checks;
  }

  /**
   * What no saver leaves behind, but a loader may read past; each would be a refusal. None unless
   * {@link DiscoveryOptions#notingOddities()} asked for them: then ranks may have no files, and
   * units may hold stray ones.
   */
  public List<Finding> oddities() {
    return oddities;
  }

  /** What servekit.json says; empty when there is none, or it cannot be read. */
  public Optional<ServekitInfo> servekit() {
    return Optional.ofNullable(servekit);
  }

  /** What config.json says; empty when there is none, or it cannot be read. */
  public Optional<ModelConfig> modelConfig() {
    return Optional.ofNullable(modelConfig);
  }

  /** The files that say how single modules are quantized, config.json first. */
  public List<ModuleConfig> moduleConfigs() {
    return moduleConfigs;
  }

  static Builder builder(String location, CheckpointLayout layout) {
    return new Builder(location, layout);
  }

  /** Collects what discovery finds. */
  static final class Builder {
    private final String location;
    private final CheckpointLayout layout;
    private final List<LoadUnit> units = new ArrayList<>();
    private final List<SideFile> sideFiles = new ArrayList<>();
    private final List<Finding> findings = new ArrayList<>();
    private final List<UnitCheck> checks = new ArrayList<>();
    private final List<Finding> oddities = new ArrayList<>();
    private ServekitInfo servekit;
    private ModelConfig modelConfig;
    private final List<ModuleConfig> moduleConfigs = new ArrayList<>();

    private Builder(String location, CheckpointLayout layout) {
      this.location = location;
      this.layout = layout;
    }

    Builder units(List<LoadUnit> values) {
      units.addAll(values);
      return this;
    }

    Builder sideFiles(List<SideFile> values) {
      sideFiles.addAll(values);
      return this;
    }

    Builder findings(List<Finding> values) {
      findings.addAll(values);
      return this;
    }

    Builder checks(List<UnitCheck> values) {
      checks.addAll(values);
      return this;
    }

    Builder oddities(List<Finding> values) {
      oddities.addAll(values);
      return this;
    }

    Builder servekit(Optional<ServekitInfo> value) {
      this.servekit = value.orElse(null);
      return this;
    }

    Builder configs(SideFacts facts) {
      this.modelConfig = facts.config().orElse(null);
      this.moduleConfigs.addAll(facts.moduleConfigs());
      return this;
    }

    Checkpoint build() {
      return new Checkpoint(this);
    }
  }
}
