package org.shardmend.job.sweep;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.checkpoint.sidefile.HashKind;
import org.shardmend.job.Actions;
import org.shardmend.job.files.GenerateAction;
import org.shardmend.job.repair.RepairRequest;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.sweep.SweptCheckpoint.Outcome;
import org.shardmend.storage.protocol.StepListener;
import org.shardmend.trial.Fault;
import org.shardmend.trial.TrialSettings;

/**
 * A tree of 40 checkpoints of all layouts in all states, as a shared file system has it after some
 * weeks, with what a sweep is to make of each.
 */
final class SweepTree40 {
  /** A large checkpoint's size, in bytes: holes, so that reading them would show. */
  static final long LARGE_BYTES = 96_000_000;

  private static final Duration LONG_AGO = Duration.ofHours(3);

  private final Actions actions;
  private final Path root;
  private final Instant built = Instant.now();
  private final Map<String, Outcome> expected = new TreeMap<>();

  private SweepTree40(Actions actions, Path root) {
    this.actions = actions;
    this.root = root;
  }

  static SweepTree40 in(Path root, Actions actions) throws JobException, IOException {
    SweepTree40 tree = new SweepTree40(actions, root);
    tree.build();
    return tree;
  }

  /** What a first sweep makes of each, by its path below the root. */
  Map<String, Outcome> expected() {
    return Map.copyOf(expected);
  }

  private void build() throws JobException, IOException {
    clean();
    broken();
    repaired();
    contradicting();
    unfinished();
    stopped();
    strange();
    letTimePass();
    for (String name : List.of("live/being-written", "live/being-written-hf")) {
      touch(root.resolve(name));
    }
  }

  /** Makes all files as old as they were at first, but those that are being written. */
  void letTimePass() throws IOException {
    FileTime then = FileTime.from(built.minus(LONG_AGO));
    try (Stream<Path> all = Files.walk(root)) {
      for (Path path : all.filter(Files::isRegularFile).toList()) {
        if (!path.startsWith(root.resolve("live"))) {
          Files.setLastModifiedTime(path, then);
        }
      }
    }
  }

  private void clean() throws JobException {
    generate("clean/tp2", Outcome.NOTHING_TO_DO, small(Layout.SHARDED_STATE, Fault.CLEAN));
    generate(
        "clean/tp2-pp2", Outcome.NOTHING_TO_DO, small(Layout.SHARDED_STATE, Fault.CLEAN).pp(2));
    generate(
        "clean/fp8", Outcome.NOTHING_TO_DO, small(Layout.SHARDED_STATE, Fault.CLEAN).fp8(true));
    generate("clean/hf", Outcome.NOTHING_TO_DO, small(Layout.HUGGINGFACE, Fault.CLEAN));
    generate("clean/dump", Outcome.NOTHING_TO_DO, small(Layout.PRESHARDED, Fault.CLEAN));
    generate(
        "clean/dump-sha1",
        Outcome.NOTHING_TO_DO,
        small(Layout.PRESHARDED, Fault.CLEAN).hash(HashKind.SHA1));
  }

  private void broken() throws JobException {
    for (Layout layout : Layout.values()) {
      for (Fault fault : List.of(Fault.ALIAS_ONLY, Fault.BOTH_SAME, Fault.MIXED)) {
        generate(
            "broken/%s/%s".formatted(layout.id(), fault.id()), Outcome.DONE, small(layout, fault));
      }
    }
    generate("broken/pp2", Outcome.DONE, small(Layout.SHARDED_STATE, Fault.ALIAS_ONLY).pp(2));
    generate("broken/fp8", Outcome.DONE, small(Layout.SHARDED_STATE, Fault.ALIAS_ONLY).fp8(true));
    generate("broken/other-part", Outcome.DONE, small(Layout.SHARDED_STATE, Fault.OTHER_PART));
    generate(
        "broken/dump-sha1",
        Outcome.DONE,
        small(Layout.PRESHARDED, Fault.ALIAS_ONLY).hash(HashKind.SHA1));
    for (int i = 0; i < 6; i++) {
      generate(
          "large/%d".formatted(i),
          Outcome.DONE,
          small(Layout.SHARDED_STATE, Fault.ALIAS_ONLY)
              .bytes(LARGE_BYTES)
              .maxShardBytes(20_000_000)
              .sparse(true));
    }
  }

  private void repaired() throws JobException {
    for (Layout layout : Layout.values()) {
      Path checkpoint =
          generate(
              "repaired/" + layout.id(), Outcome.NOTHING_TO_DO, small(layout, Fault.ALIAS_ONLY));
      actions.repairInPlace(checkpoint);
    }
  }

  private void contradicting() throws JobException {
    for (Layout layout : Layout.values()) {
      generate("differ/" + layout.id(), Outcome.REFUSED, small(layout, Fault.BOTH_DIFFER));
    }
  }

  private void unfinished() throws JobException, IOException {
    Path marked =
        generate(
            "unfinished/markers",
            Outcome.REFUSED,
            small(Layout.SHARDED_STATE, Fault.ALIAS_ONLY).pp(2));
    Files.createFile(marked.resolve(".sharded-state-done-pp0-tp0"));
    Path noReady =
        generate("unfinished/dump", Outcome.REFUSED, small(Layout.PRESHARDED, Fault.CLEAN));
    Files.delete(find(noReady, "READY"));
    Path missing =
        generate("unfinished/hf", Outcome.REFUSED, small(Layout.HUGGINGFACE, Fault.ALIAS_ONLY));
    Files.delete(find(missing, "model-00002"));
    Path corrupt =
        generate("corrupt/cut", Outcome.REFUSED, small(Layout.SHARDED_STATE, Fault.ALIAS_ONLY));
    Path shard = find(corrupt, "model-rank-1-part-0");
    byte[] content = Files.readAllBytes(shard);
    Files.write(shard, Arrays.copyOf(content, content.length - 7));
  }

  /** A repair in place that was killed while it patched. */
  private void stopped() throws JobException {
    Path checkpoint =
        generate("stopped/half", Outcome.DONE, small(Layout.SHARDED_STATE, Fault.ALIAS_ONLY));
    StepListener stop =
        step -> {
          if (step.startsWith("journal: apply") && step.contains("rank-1")) {
            throw new IllegalStateException("killed at " + step);
          }
        };
    try {
      actions.repair(RepairRequest.inPlace(actions.of(checkpoint)).listener(stop));
      throw new AssertionError("The repair was to be stopped");
    } catch (IllegalStateException killed) {
      // As was meant.
    }
  }

  private void strange() throws JobException, IOException {
    generate("live/being-written", Outcome.UNSETTLED, small(Layout.SHARDED_STATE, Fault.CLEAN));
    generate("live/being-written-hf", Outcome.UNSETTLED, small(Layout.HUGGINGFACE, Fault.CLEAN));
    Path adapter = Files.createDirectories(root.resolve("adapters/lora"));
    Files.write(
        adapter.resolve("adapter_model.safetensors"),
        new byte[] {2, 0, 0, 0, 0, 0, 0, 0, '{', '}'});
    expected.put("adapters/lora", Outcome.UNKNOWN_LAYOUT);
    generate("locked/by-another", Outcome.FAILED, small(Layout.SHARDED_STATE, Fault.ALIAS_ONLY));
    Files.createDirectories(root.resolve("empty/nothing-here"));
  }

  /** Two ranks, where the layout has such, and four layers. */
  private static TrialSettings.Builder small(Layout layout, Fault fault) {
    return TrialSettings.builder()
        .layout(layout)
        .fault(fault)
        .tp(layout == Layout.HUGGINGFACE ? 1 : 2)
        .layers(4)
        .hybrid(false)
        .bytes(120_000)
        .maxShardBytes(60_000);
  }

  private Path generate(String name, Outcome outcome, TrialSettings.Builder settings)
      throws JobException {
    Path directory = root.resolve(name);
    new GenerateAction(settings.build(), Actions.location(directory), "", Progress.SILENT)
        .execute();
    String found =
        settings.build().layout() == Layout.PRESHARDED
            ? root.relativize(find(directory, "checksum.json").getParent()).toString()
            : name;
    expected.put(found, outcome);
    return directory;
  }

  private static Path find(Path directory, String start) {
    try (Stream<Path> all = Files.walk(directory)) {
      Optional<Path> found =
          all.filter(path -> path.getFileName().toString().startsWith(start))
              .min(Comparator.naturalOrder());
      return found.orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void touch(Path directory) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      Files.setLastModifiedTime(all.findFirst().orElseThrow(), FileTime.from(Instant.now()));
    }
  }

  /**
   * Every file's and directory's time below the root, by name; but not of the place where a lock
   * was asked for in vain.
   */
  SortedMap<String, FileTime> times() throws IOException {
    SortedMap<String, FileTime> times = new TreeMap<>();
    Path lock = root.resolve("locked/by-another/.shardmend");
    try (Stream<Path> all = Files.walk(root)) {
      for (Path path : all.filter(path -> !path.equals(lock)).toList()) {
        times.put(root.relativize(path).toString(), Files.getLastModifiedTime(path));
      }
    }
    return times;
  }

  /** What a second sweep makes of each. */
  Map<String, Outcome> expectedAgain() {
    Map<String, Outcome> again = new LinkedHashMap<>();
    expected.forEach(
        (name, outcome) ->
            again.put(
                name,
                switch (outcome) {
                  case DONE -> Outcome.NOTHING_TO_DO;
                  case REFUSED -> Outcome.REFUSED_BEFORE;
                  case NOTHING_TO_DO,
                      FOUND,
                      UNSETTLED,
                      UNKNOWN_LAYOUT,
                      GONE,
                      REFUSED_BEFORE,
                      FAILED ->
                      outcome;
                }));
    return again;
  }
}
