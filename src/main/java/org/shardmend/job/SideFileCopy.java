package org.shardmend.job;

import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.shardmend.checkpoint.FileEntry;
import org.shardmend.checkpoint.SideFile;
import org.shardmend.storage.FileCopier;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.Pace;
import org.shardmend.storage.SmallFiles;
import org.shardmend.storage.Staging;
import org.shardmend.storage.Store;

/**
 * Carries everything of a checkpoint that is no shard into the output: byte for byte, with its
 * mode, except for what must say something else after the repair. A stale index and a saver's
 * leftover markers stay behind.
 */
final class SideFileCopy {
  private final SparkJob job;
  private final PlannedCheckpoint planned;
  private final CheckpointAccess source;
  private final Store target;
  private final Staging staging;
  private final FileCopier files = new FileCopier(Pace.unlimited());
  private long copied;

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

    private static final String SERVEKIT_JSON = "servekit.json";
    private static final String CONFIG_JSON = "config.json";

    static Group of(SideFile file) {
      if (file.entry().kind() == FileEntry.Kind.DIRECTORY) {
        return REST;
      }
      return switch (file.role()) {
        case READY -> SEALS;
        case INDEX, CHECKSUM_JSON -> INDEX;
        case PLAIN, CHECKSUM_LIST, STALE_INDEX, SAVE_MARKER ->
            switch (file.entry().fileName()) {
              case SERVEKIT_JSON -> SERVEKIT;
              case CONFIG_JSON -> SEALS;
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

  /** How many bytes were copied so far. */
  long copied() {
    return copied;
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
      for (SideFile file : carriedAlong(group)) {
        copy(from, file, Optional.ofNullable(changed.get(file.name())));
      }
      keepMode(from, source.location().path(), staging.outDirectory());
    }
  }

  /** In the order of names, but for what says that all the rest is there. */
  private List<SideFile> carriedAlong(Group group) {
    return planned.checkpoint().sideFiles().stream()
        .filter(SideFileCopy::isCarriedAlong)
        .filter(file -> Group.of(file) == group)
        .sorted(Comparator.comparing(file -> file.role() == SideFile.Role.READY))
        .toList();
  }

  /** An index that lies misleads its readers; a marker speaks of a save that is long over. */
  private static boolean isCarriedAlong(SideFile file) {
    return switch (file.role()) {
      case PLAIN, INDEX, CHECKSUM_LIST, CHECKSUM_JSON, READY -> true;
      case STALE_INDEX, SAVE_MARKER -> false;
    };
  }

  private void copy(Store from, SideFile file, Optional<byte[]> changed) throws IOException {
    String path = source.path(file.name());
    String out = staging.outPath(file.name());
    if (changed.isPresent()) {
      target.deleteTree(out);
      SmallFiles.create(target, out, changed.get());
      copied += changed.get().length;
      keepMode(from, from.realPath(path), out);
      return;
    }
    switch (file.entry().kind()) {
      case DIRECTORY -> {
        target.makeDirectories(out);
        keepMode(from, path, out);
      }
      case FILE -> {
        target.deleteTree(out);
        copied += files.copy(from, path, target, out);
        keepMode(from, path, out);
      }
      case SYMLINK -> copyTarget(from, file.name(), from.realPath(path), out);
      case OTHER ->
          job.progress()
              .message("%s is no file, directory or link, and is left out".formatted(file.name()));
    }
  }

  /** What a link leads to takes the link's place: a loader's stager follows none. */
  private void copyTarget(Store from, String name, String real, String out) throws IOException {
    Optional<FileStatus> status = from.stat(real);
    if (status.isEmpty()) {
      job.progress().message("%s is a link that leads nowhere, and is left out".formatted(name));
    } else if (status.get().isFile()) {
      target.deleteTree(out);
      copied += files.copy(from, real, target, out);
      keepMode(from, real, out);
    } else if (status.get().isDirectory()) {
      if (source.location().path().startsWith(real)) {
        job.progress().message("%s is a link to what holds it, and is left out".formatted(name));
        return;
      }
      target.makeDirectories(out);
      keepMode(from, real, out);
      for (FileStatus entry : from.list(real)) {
        copyTarget(from, name + "/" + entry.name(), entry.path(), out + "/" + entry.name());
      }
    }
  }

  private void keepMode(Store from, String path, String out) throws IOException {
    Optional<FileStatus> status = from.stat(path);
    if (status.isPresent() && status.get().permissions().isPresent()) {
      target.setMode(out, status.get().permissions().getAsInt());
    }
  }
}
