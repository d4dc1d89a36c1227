package org.shardmend.job.repair;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.shardmend.checkpoint.FileEntry;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.OneLine;
import org.shardmend.checkpoint.Severity;
import org.shardmend.checkpoint.SideFile;
import org.shardmend.checkpoint.sidefile.ModelConfig;
import org.shardmend.checkpoint.sidefile.ServekitInfo;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.plan.PlannedCheckpoint;
import org.shardmend.job.plan.SideFileChange;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.Store;
import org.shardmend.storage.bytes.FileCopier;
import org.shardmend.storage.bytes.Pace;
import org.shardmend.storage.protocol.SmallFiles;
import org.shardmend.storage.publish.Staging;

/**
 * Carries everything of a checkpoint that is no shard into the output: byte for byte, with its
 * mode, except for what must say something else after the repair. A stale index, a saver's leftover
 * markers, and links to what is none of the checkpoint's stay behind.
 */
final class SideFileCopy {
  private static final int OWNERS_RIGHTS = 0700;

  private final SparkJob job;
  private final PlannedCheckpoint planned;
  private final CheckpointAccess source;
  private final Store target;
  private final Staging staging;
  private final FileCopier files = new FileCopier(Pace.unlimited());
  private final List<Finding> leftOut = new ArrayList<>();
  private long written;

  /** What is written together, in the order in which it is written where loaders can see it. */
  enum Group {
    /** {@code servekit.json}: where it is absent, servekit prepares into the directory. */
    SERVEKIT,
    /** Whatever nobody looks for first. */
    REST,
    /** What says which tensor lies in which file. */
    INDEX,
    /** What an engine looks for first: without it, it takes no directory for a model. */
    SEALS;

    static Group of(SideFile file) {
      if (file.entry().kind() == FileEntry.Kind.DIRECTORY) {
        return REST;
      }
      return switch (file.role()) {
        case READY -> SEALS;
        case INDEX, CHECKSUM_JSON -> INDEX;
        case PLAIN, CHECKSUM_LIST, STALE_INDEX, SAVE_MARKER ->
            switch (file.entry().fileName()) {
              case ServekitInfo.FILE_NAME -> SERVEKIT;
              case ModelConfig.FILE_NAME -> SEALS;
              default -> REST;
            };
      };
    }
  }

  SideFileCopy(
      SparkJob job,
      PlannedCheckpoint planned,
      CheckpointAccess source,
      Store target,
      Staging staging) {
    this.job = job;
    this.planned = planned;
    this.source = source;
    this.target = target;
    this.staging = staging;
  }

  /** Bytes of all side files. */
  static long bytes(PlannedCheckpoint planned) {
    return planned.checkpoint().sideFiles().stream()
        .filter(file -> file.entry().kind() == FileEntry.Kind.FILE)
        .mapToLong(file -> file.entry().bytes())
        .sum();
  }

  /** How many bytes were written so far. */
  long written() {
    return written;
  }

  /** What was left out so far, and why. */
  List<Finding> leftOut() {
    return List.copyOf(leftOut);
  }

  /** Whether a loader looks for the file, so that a repair without it would be none. */
  static boolean isNeeded(SideFile file) {
    return file.isCarriedAlong() && Group.of(file) != Group.REST;
  }

  /** The names of a group's files. */
  List<String> names(Group group) {
    return carriedAlong(group).stream().map(SideFile::name).toList();
  }

  /** Copies a group, over what a stopped run has left. */
  void copy(Group group) throws JobException, IOException {
    try (Store from = source.open()) {
      Map<String, byte[]> changed = new HashMap<>();
      for (SideFileChange change : planned.sideFileChanges()) {
        changed.put(change.name(), change.content());
      }
      LinkTargets links = LinkTargets.of(from, source.location());
      for (SideFile file : carriedAlong(group)) {
        copy(from, links, file, Optional.ofNullable(changed.get(file.name())));
      }
      if (group == Group.INDEX) {
        addNew(changed);
      }
      keepModeOfDirectory(from, source.location().path(), staging.outDirectory());
    }
  }

  /** What the source has not: an index that is missing there. */
  private void addNew(Map<String, byte[]> changed) throws IOException {
    for (Map.Entry<String, byte[]> added : changed.entrySet()) {
      if (planned.checkpoint().sideFile(added.getKey()).isEmpty()) {
        String out = staging.outPath(added.getKey());
        target.deleteTree(out);
        SmallFiles.create(target, out, added.getValue());
        written += added.getValue().length;
      }
    }
  }

  /** In the order of names, but for what says that all the rest is there. */
  private List<SideFile> carriedAlong(Group group) {
    return planned.checkpoint().sideFiles().stream()
        .filter(SideFile::isCarriedAlong)
        .filter(file -> Group.of(file) == group)
        .sorted(Comparator.comparing(file -> file.role() == SideFile.Role.READY))
        .toList();
  }

  private void copy(Store from, LinkTargets links, SideFile file, Optional<byte[]> changed)
      throws IOException {
    String path = source.path(file.name());
    String out = staging.outPath(file.name());
    if (changed.isPresent()) {
      target.deleteTree(out);
      SmallFiles.create(target, out, changed.get());
      written += changed.get().length;
      keepMode(from, from.realPath(path), out);
      return;
    }
    switch (file.entry().kind()) {
      case DIRECTORY -> {
        target.makeDirectories(out);
        keepModeOfDirectory(from, path, out);
      }
      case FILE -> {
        target.deleteTree(out);
        copyFile(from, path, out);
        keepMode(from, path, out);
      }
      case SYMLINK -> copyTarget(from, links, file.name(), path, out, Set.of());
      case OTHER -> leaveOut(file.name(), "is no file, directory or link");
    }
  }

  /**
   * What a link leads to takes the link's place: a loader's stager follows none. What can't be
   * copied, since it isn't there, is none of the checkpoint's or has no end, is left out and named.
   *
   * @param above the directories that are being copied, by their real paths
   */
  private void copyTarget(
      Store from, LinkTargets links, String name, String path, String out, Set<String> above)
      throws IOException {
    Optional<String> real = resolve(from, path);
    Optional<FileStatus> status = real.isEmpty() ? Optional.empty() : from.stat(real.get());
    if (status.isEmpty()) {
      leaveOut(name, "is a link that leads nowhere");
      return;
    }
    if (!links.belong(real.get())) {
      leaveOut(name, "is a link out of the checkpoint, to %s".formatted(from.locate(real.get())));
      return;
    }
    switch (status.get().kind()) {
      case FILE -> {
        target.deleteTree(out);
        copyFile(from, real.get(), out);
        keepMode(from, real.get(), out);
      }
      case DIRECTORY -> copyDirectory(from, links, name, real.get(), out, above);
      case SYMLINK, OTHER -> leaveOut(name, "leads to what is no file or directory");
    }
  }

  private void copyDirectory(
      Store from, LinkTargets links, String name, String real, String out, Set<String> above)
      throws IOException {
    if (above.contains(real)) {
      leaveOut(name, "is a link to a directory that holds it");
      return;
    }
    if (real.equals(from.realPath(source.location().path()))) {
      leaveOut(name, "is a link to the checkpoint itself");
      return;
    }
    Set<String> nowAbove = new HashSet<>(above);
    nowAbove.add(real);
    target.makeDirectories(out);
    for (FileStatus entry : from.list(real)) {
      String below = "/" + entry.name();
      copyTarget(from, links, name + below, entry.path(), out + below, nowAbove);
    }
    keepModeOfDirectory(from, real, out);
  }

  private void copyFile(Store from, String path, String out) throws IOException {
    long bytes = files.copy(from, path, target, out);
    job.countRead(bytes);
    written += bytes;
  }

  private static Optional<String> resolve(Store store, String path) throws IOException {
    try {
      return Optional.of(store.realPath(path));
    } catch (NoSuchFileException nowhere) {
      return Optional.empty();
    }
  }

  private void leaveOut(String name, String why) {
    String message = OneLine.of("%s %s, and is left out".formatted(name, why));
    job.progress().message(message);
    leftOut.add(new Finding("link-left-out", Severity.WARNING, name, message));
  }

  private void keepMode(Store from, String path, String out) throws IOException {
    setMode(from, path, out, 0);
  }

  /**
   * With the owner's rights in any case: more files follow, and a directory that its owner may not
   * write can't be moved to where the result belongs.
   */
  private void keepModeOfDirectory(Store from, String path, String out) throws IOException {
    setMode(from, path, out, OWNERS_RIGHTS);
  }

  private void setMode(Store from, String path, String out, int rights) throws IOException {
    Optional<FileStatus> status = from.stat(path);
    if (status.isPresent() && status.get().permissions().isPresent()) {
      target.setMode(out, status.get().permissions().getAsInt() | rights);
    }
  }
}
