package org.shardmend.job;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.shardmend.audit.CatalogName;
import org.shardmend.storage.Location;

/** What {@code sweep} is to look at and to do: fluent settings. */
public final class SweepRequest {
  private static final int DEFAULT_DEPTH = 4;
  private static final Duration DEFAULT_SETTLE = Duration.ofMinutes(10);

  private final List<Location> roots;
  private final PlanRequest template;
  private final Location audit;
  private int depth = DEFAULT_DEPTH;
  private Duration settle = DEFAULT_SETTLE;
  private Instant modifiedSince = Instant.EPOCH;
  private final List<PathMatcher> includes = new ArrayList<>();
  private final List<PathMatcher> excludes = new ArrayList<>();
  private Location outputRoot;
  private CatalogName auditTable;
  private boolean dryRun;
  private boolean retryRefused;

  /**
   * A sweep that repairs in place.
   *
   * @param roots where to look
   * @param template how each checkpoint is read; its own location is not used
   * @param audit where rows go, and where is remembered what was refused
   */
  public SweepRequest(List<Location> roots, PlanRequest template, Location audit) {
    this.roots = List.copyOf(roots);
    this.template = template;
    this.audit = audit;
  }

  /** How many directories below a root are looked into; 4 unless set. */
  public SweepRequest depth(int levels) {
    depth = levels;
    return this;
  }

  /** A checkpoint with anything younger is left alone; 10 minutes unless set. */
  public SweepRequest settle(Duration age) {
    settle = age;
    return this;
  }

  /** Only checkpoints of which something was written since then. */
  public SweepRequest modifiedSince(Instant time) {
    modifiedSince = time;
    return this;
  }

  /** Only checkpoints whose path relative to the root matches this or another included pattern. */
  public SweepRequest include(String glob) {
    includes.add(matcher(glob));
    return this;
  }

  /** No checkpoint whose path relative to the root matches. */
  public SweepRequest exclude(String glob) {
    excludes.add(matcher(glob));
    return this;
  }

  /** Repairs into a tree below {@code root} that mirrors the swept ones, instead of in place. */
  public SweepRequest outputRoot(Location root) {
    outputRoot = root;
    return this;
  }

  /** A catalog's tables that get the audit's rows, too; none unless set. */
  public SweepRequest auditTable(CatalogName tables) {
    auditTable = tables;
    return this;
  }

  /** Plans only. */
  public SweepRequest dryRun() {
    dryRun = true;
    return this;
  }

  /** Tries again what was refused before, though nothing has changed since. */
  public SweepRequest retryRefused() {
    retryRefused = true;
    return this;
  }

  private static PathMatcher matcher(String glob) {
    return FileSystems.getDefault().getPathMatcher("glob:" + glob);
  }

  boolean wants(String relative) {
    Path path = Path.of(relative);
    return (includes.isEmpty() || includes.stream().anyMatch(m -> m.matches(path)))
        && excludes.stream().noneMatch(m -> m.matches(path));
  }

  List<Location> roots() {
    return roots;
  }

  PlanRequest at(Location checkpoint) {
    return template.at(checkpoint);
  }

  Location audit() {
    return audit;
  }

  int depth() {
    return depth;
  }

  Duration settle() {
    return settle;
  }

  Instant modifiedSince() {
    return modifiedSince;
  }

  Optional<Location> outputRoot() {
    return Optional.ofNullable(outputRoot);
  }

  Optional<CatalogName> auditTable() {
    return Optional.ofNullable(auditTable);
  }

  boolean isDryRun() {
    return dryRun;
  }

  boolean retriesRefused() {
    return retryRefused;
  }
}
