package org.shardmend.storage.publish;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.ShardWriter;
import org.shardmend.storage.Store;
import org.shardmend.storage.lock.TargetLock;
import org.shardmend.storage.protocol.DurableFile;
import org.shardmend.storage.protocol.JsonDocument;
import org.shardmend.storage.protocol.StepListener;

/**
 * Builds a result where it is going to be, on a store without rename, so that no loader takes it
 * for a model before it is whole; sentences O1 to O11 of {@code publish.md}. The caller holds the
 * lock.
 */
public final class ObjectStorePublish implements Publication {
  /** The object that says that a target is not finished. */
  public static final String MARKER = "_SHARDMEND_INCOMPLETE";

  private static final int MAX_MARKER_BYTES = 1 << 16;

  /** What the marker says. */
  record Marker(String runId, String key) {}

  private final Store store;
  private final Staging staging;
  private final TargetLock lock;
  private final StepListener listener;

  /** Publishes to the staging's target; {@code staging} holds the receipts. */
  public ObjectStorePublish(Store store, Staging staging, TargetLock lock, StepListener listener) {
    this.store = store;
    this.staging = staging;
    this.lock = lock;
    this.listener = listener;
  }

  /**
   * The run that has begun to build {@code directory} and has not finished it; empty when the
   * directory is not marked as unfinished. A copy of such a directory is as unfinished, on whatever
   * store.
   */
  public static Optional<String> unfinishedRun(Store store, String directory) throws IOException {
    return marker(store, directory).map(Marker::runId);
  }

  private static Optional<Marker> marker(Store store, String directory) throws IOException {
    Optional<byte[]> content = DurableFile.read(store, directory + "/" + MARKER, MAX_MARKER_BYTES);
    try {
      return content.isPresent()
          ? Optional.of(JsonDocument.read(content.get(), Marker.class))
          : Optional.empty();
    } catch (IOException notOurs) {
      throw new IOException(
          "%s/%s marks an unfinished result, but does not say whose: it is not as a repair writes it. Look at the directory, and remove the marker or all of it."
              .formatted(store.locate(directory), MARKER),
          notOurs);
    }
  }

  private Optional<Marker> marker() throws IOException {
    return marker(store, staging.target());
  }

  /** O11: the marker is gone, and only the staging directory is left of the run. */
  @Override
  public boolean recover() throws IOException {
    Optional<PublishNote> note = PublishNote.read(store, staging);
    if (note.isEmpty() || !isTaken()) {
      return false;
    }
    Optional<FileStatus> target = store.stat(staging.target());
    if (target.isEmpty() || !note.get().isAbout(store, target.get())) {
      return false;
    }
    removeStaging();
    return true;
  }

  @Override
  public boolean isTaken() throws IOException {
    Optional<FileStatus> target = store.stat(staging.target());
    return target.isPresent()
        && marker().isEmpty()
        && !(target.get().isDirectory() && store.list(staging.target()).isEmpty());
  }

  @Override
  public void requireFree() throws IOException {
    if (isTaken()) {
      throw new TargetExistsException(store.locate(staging.target()));
    }
    Optional<Marker> marker = marker();
    if (marker.isPresent() && !isOurs(marker.get())) {
      throw new StagingConflictException(
          store.locate(staging.target()),
          List.of(store.locate(staging.target())),
          "It was begun with other arguments, or of another source.");
    }
  }

  private boolean isOurs(Marker marker) {
    return marker.key().equals(staging.key());
  }

  @Override
  public void restart() throws IOException {
    if (isTaken()) {
      throw new TargetExistsException(store.locate(staging.target()));
    }
    removeUnfinished();
    staging.removeAll();
  }

  @Override
  public void discard() throws IOException {
    if (marker().filter(this::isOurs).isPresent()) {
      lock.requireHeld();
      removeUnfinished();
    }
    store.deleteTree(staging.path());
  }

  /** Removes what is marked, the marker last: without it the rest would be a finished result. */
  private void removeUnfinished() throws IOException {
    if (marker().isEmpty()) {
      return;
    }
    for (FileStatus entry : store.list(staging.target())) {
      if (!entry.name().equals(MARKER)) {
        store.deleteTree(entry.path());
      }
    }
    store.deleteTree(staging.target());
  }

  @Override
  public <E extends Exception> List<IOException> run(String runId, ResultWork<E> work)
      throws IOException, E {
    requireFree();
    listener.reached("publish: mark as incomplete");
    if (marker().isEmpty()) {
      put(MARKER, JsonDocument.write(new Marker(runId, staging.key())));
    }
    listener.reached("publish: remove stale seals");
    for (String seal : work.seals()) {
      clear(seal);
    }
    listener.reached("publish: write servekit.json");
    work.writeServekit();
    listener.reached("publish: write weights");
    work.writeWeights();
    listener.reached("publish: write side files");
    work.writeSideFiles();
    listener.reached("publish: write index");
    work.writeIndex();
    listener.reached("publish: verify");
    work.verify();
    lock.requireHeld();
    listener.reached("publish: write shardmend.json");
    work.writeManifest();
    listener.reached("publish: write seals");
    work.writeSeals();
    listener.reached("publish: place the audit");
    work.placeAudit();
    listener.reached("publish: note");
    PublishNote.of(store, staging, runId).write(store, staging);
    lock.requireHeld();
    listener.reached("publish: remove the marker");
    clear(MARKER);
    listener.reached("publish: remove the staging directory");
    try {
      removeStaging();
    } catch (IOException e) {
      return List.of(e);
    }
    listener.reached("publish: done");
    return List.of();
  }

  private void removeStaging() throws IOException {
    staging.removePublished();
    listener.reached("publish: remove the note");
    store.deleteTree(staging.path());
  }

  /** Where an object of the target is, which an earlier attempt may have left there. */
  String path(String name) {
    return staging.outPath(name);
  }

  /** Removes an object of the target, if it is there, so that it can be written. */
  void clear(String name) throws IOException {
    DurableFile.deleteIfPresent(store, path(name));
  }

  /** Writes a small object of the target, over one that an earlier attempt left. */
  void put(String name, byte[] content) throws IOException {
    clear(name);
    try (ShardWriter writer = store.create(path(name))) {
      writer.write(ByteBuffer.wrap(content));
      writer.complete();
    }
  }
}
