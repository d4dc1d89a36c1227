package org.shardmend.job.sweep;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.PatternSyntaxException;
import org.shardmend.audit.CatalogName;
import org.shardmend.job.plan.PlanRequest;
import org.shardmend.job.spark.JobException;
import org.shardmend.storage.Location;
import org.shardmend.storage.protocol.StepListener;

/** What {@code sweep} is to look at and to do: fluent settings, checked when the sweep runs. */
public final class SweepRequest {
  /** How many directories below a root are looked into unless something else is asked for. */
  public static final int DEFAULT_DEPTH = 4;

  /** How long a checkpoint must have been left alone unless something else is asked for. */
  public static final Duration DEFAULT_SETTLE = Duration.ofMinutes(10);

  /** How many checkpoints are worked on at once unless something else is asked for. */
  public static final int DEFAULT_PARALLEL = 4;

  private final List<Location> roots;
  private final PlanRequest template;
  private final Location audit;
  private int depth = DEFAULT_DEPTH;
  private Duration settle = DEFAULT_SETTLE;
  private Instant modifiedSince = Instant.EPOCH;
  private int parallel = DEFAULT_PARALLEL;
  private long maxBytesInFlight = Long.MAX_VALUE;
  private final List<PathMatcher> includes = new ArrayList<>();
  private final List<PathMatcher> excludes = new ArrayList<>();
  private Location outputRoot;
  private CatalogName auditTable;
  private boolean dryRun;
  private boolean retryRefused;
  private StepListener listener = StepListener.NONE;

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

  /** How many directories below a root are looked into; the root itself is at 0. */
  public SweepRequest depth(int levels) {
    depth = levels;
    return this;
  }

  /** A checkpoint with anything younger is left alone. */
  public SweepRequest settle(Duration age) {
    settle = age;
    return this;
  }

  /** Only checkpoints of which something was written since then. */
  public SweepRequest modifiedSince(Instant time) {
    modifiedSince = time;
    return this;
  }

  /** How many checkpoints are worked on at once, at most. */
  public SweepRequest parallel(int checkpoints) {
    parallel = checkpoints;
    return this;
  }

  /**
   * How large the checkpoints that are worked on at once may be together, in bytes of their files;
   * a larger one is worked on alone. No limit unless set.
   */
  public SweepRequest maxBytesInFlight(long bytes) {
    maxBytesInFlight = bytes;
    return this;
  }

  /**
   * Only checkpoints whose path relative to the root matches this or another included pattern.
   *
   * @param glob as {@link java.nio.file.FileSystem#getPathMatcher} has it; {@code **}{@code /}
   *     before a name also matches nothing
   * @throws JobException USAGE when it is no pattern
   */
  public SweepRequest include(String glob) throws JobException {
    includes.add(matcher(glob));
    return this;
  }

  /**
   * Nothing at or below a path that matches, relative to the root.
   *
   * @param glob as in {@link #include}
   * @throws JobException USAGE when it is no pattern
   */
  public SweepRequest exclude(String glob) throws JobException {
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

  /** Hears of each step of every repair; for tests that stop there. */
  SweepRequest listener(StepListener heard) {
    listener = heard;
    return this;
  }

  StepListener listener() {
    return listener;
  }

  private static PathMatcher matcher(String glob) throws JobException {
    try {
      return FileSystems.getDefault().getPathMatcher("glob:" + glob);
    } catch (PatternSyntaxException e) {
      throw JobException.usage(
          "bad-glob", "'%s' is no pattern of paths: %s".formatted(glob, e.getDescription()), e);
    }
  }

  /**
   * Requires that the settings go together.
   *
   * @throws JobException USAGE otherwise
   */
  void requireMeaningful() throws JobException {
    requireAtLeast("depth", depth, 0);
    requireAtLeast("parallel", parallel, 1);
    requireAtLeast("max-bytes-in-flight", maxBytesInFlight, 1);
    Set<String> names = new HashSet<>();
    for (Location root : roots) {
      if (outputRoot != null && roots.size() > 1 && !names.add(root.name())) {
        throw JobException.usage(
            "ambiguous-output",
            "Two roots are called '%s', so that their checkpoints would have the same places below --output-root. Sweep them one after the other, with an --output-root each."
                .formatted(root.name()));
      }
      if (outputRoot != null && outputRoot.contains(root)) {
        throw JobException.usage(
            "input-inside-output",
            "The root %s lies inside --output-root %s; choose another place"
                .formatted(root, outputRoot));
      }
    }
  }

  private static void requireAtLeast(String option, long value, long least) throws JobException {
    if (value < least) {
      throw JobException.usage(
          "bad-option", "--%s must be at least %d, not %d".formatted(option, least, value));
    }
  }

  /** Whether a checkpoint at this path below its root is wanted. */
  boolean includes(String relative) {
    return (includes.isEmpty() || matches(includes, relative)) && !matches(excludes, relative);
  }

  /** Whether a directory is looked into: what was repaired is no source of repairs. */
  boolean enters(Location directory, String relative) {
    return !matches(excludes, relative) && !directory.equals(outputRoot);
  }

  private static boolean matches(List<PathMatcher> patterns, String relative) {
    Path path = Path.of(relative);
    Path fromRoot = Path.of("/" + relative);
    return patterns.stream()
        .anyMatch(pattern -> pattern.matches(path) || pattern.matches(fromRoot));
  }

  /** Where the repaired form of a checkpoint goes; empty when it is repaired in place. */
  Optional<Location> output(SweepTree.Candidate candidate) {
    if (outputRoot == null) {
      return Optional.empty();
    }
    Location below = roots.size() > 1 ? outputRoot.child(candidate.root().name()) : outputRoot;
    return Optional.of(
        candidate.relative().isEmpty()
            ? outputRoot.child(candidate.location().name())
            : below.child(candidate.relative()));
  }

  List<Location> roots() {
    return roots;
  }

  PlanRequest template() {
    return template;
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

  int parallel() {
    return parallel;
  }

  long maxBytesInFlight() {
    return maxBytesInFlight;
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
