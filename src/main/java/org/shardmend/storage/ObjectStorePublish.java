package org.shardmend.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * Builds a result where it is going to be, on a store without rename, so that no loader takes it
 * for a model before it is whole; sentences O1 to O10 of {@code publish.md}. The caller holds the
 * lock.
 */
public final class ObjectStorePublish {
  /** The object that says that a target is not finished. */
  public static final String MARKER = "_SHARDMEND_INCOMPLETE";

  private static final int MAX_MARKER_BYTES = 1 << 16;

  /** What the caller does, in the order of the steps. */
  public interface Work {
    /** Writes {@code servekit.json}, if the source has one (O3). */
    void writeServekit() throws IOException;

    /** Writes every shard that is not complete by receipt (O4, O5). */
    void writeWeights() throws IOException;

    /** Writes all other side files but index and seals (O6). */
    void writeSideFiles() throws IOException;

    /** Writes the index, if the layout has one (O6). */
    void writeIndex() throws IOException;

    /** Reads back what the store holds, and puts the audit in place (O7). */
    void verify() throws IOException;

    /** Writes {@code shardmend.json} (O8). */
    void writeManifest() throws IOException;

    /** Writes what a loader looks for first: {@code config.json}, or {@code READY} (O9). */
    void writeSeals() throws IOException;
  }

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
   * Fails when there is something at the target that is not this repair's own unfinished result
   * (O1); to be called before anything is written anywhere.
   *
   * @throws TargetExistsException when it is finished, or never was ours
   * @throws StagingConflictException when it is the unfinished result of another repair
   */
  public void requireFree() throws IOException {
    Optional<Marker> marker = marker();
    if (marker.isEmpty()) {
      if (isTaken()) {
        throw new TargetExistsException(store.locate(staging.target()));
      }
    } else if (!marker.get().key().equals(staging.key())) {
      throw new StagingConflictException(
          store.locate(staging.target()),
          List.of(store.locate(staging.target())),
          "It was begun with other arguments, or of another source.");
    }
  }

  private boolean isTaken() throws IOException {
    Optional<FileStatus> target = store.stat(staging.target());
    return target.isPresent()
        && !(target.get().isDirectory() && store.list(staging.target()).isEmpty());
  }

  /**
   * Removes an unfinished result, whoever began it: for {@code --restart}. A target without marker
   * is not touched.
   */
  public void removeUnfinished() throws IOException {
    if (marker().isPresent()) {
      store.deleteTree(staging.target());
    }
  }

  /**
   * Does all steps, the caller's in between.
   *
   * @param runId the run that publishes
   * @param seals names of the files that {@link Work#writeSeals} writes
   * @throws IOException when a step fails; the marker then stays, and running again resumes
   */
  public void run(String runId, List<String> seals, Work work) throws IOException {
    requireFree();
    listener.reached("publish: mark as incomplete");
    if (marker().isEmpty()) {
      put(MARKER, JsonDocument.write(new Marker(runId, staging.key())));
    }
    listener.reached("publish: remove stale seals");
    for (String seal : seals) {
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
    listener.reached("publish: remove the marker");
    clear(MARKER);
    listener.reached("publish: remove the staging directory");
    store.deleteTree(staging.path());
    listener.reached("publish: done");
  }

  /** Where an object of the target is, which an earlier attempt may have left there. */
  public String path(String name) {
    return staging.target() + "/" + name;
  }

  /** Removes an object of the target, if it is there, so that it can be written. */
  public void clear(String name) throws IOException {
    DurableFile.deleteIfPresent(store, path(name));
  }

  /** Writes a small object of the target, over one that an earlier attempt left. */
  public void put(String name, byte[] content) throws IOException {
    clear(name);
    try (ShardWriter writer = store.create(path(name))) {
      writer.write(ByteBuffer.wrap(content));
      writer.complete();
    }
  }

  private Optional<Marker> marker() throws IOException {
    Optional<byte[]> content = DurableFile.read(store, path(MARKER), MAX_MARKER_BYTES);
    return content.isPresent()
        ? Optional.of(JsonDocument.read(content.get(), Marker.class))
        : Optional.empty();
  }
}
