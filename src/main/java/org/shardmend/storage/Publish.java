package org.shardmend.storage;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Makes a staged result visible in one step, on {@code file:} and HDFS; sentences P1 to P7 of
 * {@code publish.md}. The caller holds the lock.
 */
public final class Publish {
  private static final int MAX_NOTE_BYTES = 1 << 16;

  /** What puts the audit in place, when {@code out/} is durable and not yet visible. */
  @FunctionalInterface
  public interface AuditPlacement {
    /** Puts it in place; what it writes outside {@code out/} it makes durable itself. */
    void place() throws IOException;
  }

  /**
   * What P4 notes.
   *
   * @param runId the run that publishes
   * @param out the identity of the directory that becomes the target; empty where a store has no
   *     identities
   * @param manifest SHA-256 of the result's {@code shardmend.json}; empty when it has none
   */
  record Note(String runId, String out, String manifest) {}

  private final Store store;
  private final Staging staging;
  private final TargetLock lock;
  private final StepListener listener;

  /** Publishes what is staged. */
  public Publish(Store store, Staging staging, TargetLock lock, StepListener listener) {
    this.store = store;
    this.staging = staging;
    this.lock = lock;
    this.listener = listener;
  }

  /**
   * Does all steps.
   *
   * @param runId the run that publishes
   * @param audit what puts the audit in place (P3)
   * @throws TargetExistsException when there is something; the result stays staged
   * @throws LockedException when the lock was lost; the result stays staged
   * @throws IOException when the store fails; running again resumes
   */
  public void run(String runId, AuditPlacement audit) throws IOException {
    listener.reached("publish: sync files and directories");
    syncTree(staging.outDirectory());
    syncDirectory(staging.receiptDirectory());
    syncDirectory(staging.path());
    syncDirectory(DurableFile.parentOf(staging.path()));
    listener.reached("publish: place the audit");
    audit.place();
    listener.reached("publish: sync the audit");
    syncAudit();
    listener.reached("publish: note");
    DurableFile.write(store, staging.publishingPath(), JsonDocument.write(noteOf(runId)));
    move();
    settle();
  }

  /**
   * Ends what a killed run had published already (P7). To be called, under the lock, before the
   * target's existence is held against this run.
   *
   * @return whether the target is this repair's result
   * @throws IOException when the store fails; running again resumes
   */
  public boolean recover() throws IOException {
    Optional<FileStatus> directory = store.stat(staging.path());
    if (directory.isEmpty()) {
      return false;
    }
    if (store.list(staging.path()).isEmpty()) {
      store.delete(staging.path());
      return false;
    }
    if (!isPublished()) {
      return false;
    }
    settle();
    return true;
  }

  private boolean isPublished() throws IOException {
    Optional<byte[]> note = DurableFile.read(store, staging.publishingPath(), MAX_NOTE_BYTES);
    Optional<FileStatus> target = store.stat(staging.target());
    return note.isPresent()
        && target.isPresent()
        && store.stat(staging.outDirectory()).isEmpty()
        && isTarget(JsonDocument.read(note.get(), Note.class), target.get());
  }

  private boolean isTarget(Note note, FileStatus target) throws IOException {
    return target.fileKey().equals(note.out())
        && manifestDigest(staging.target()).equals(note.manifest());
  }

  private Note noteOf(String runId) throws IOException {
    String out = staging.outDirectory();
    FileStatus status =
        store
            .stat(out)
            .orElseThrow(
                () -> new IOException("Nothing is staged in %s.".formatted(store.locate(out))));
    return new Note(runId, status.fileKey(), manifestDigest(out));
  }

  private String manifestDigest(String directory) throws IOException {
    return DurableFile.read(store, directory + "/" + Manifest.NAME, Manifest.MAX_BYTES)
        .map(Sha256::hex)
        .orElse("");
  }

  /** P5. */
  private void move() throws IOException {
    lock.requireHeld();
    if (store.stat(staging.target()).isPresent()) {
      throw new TargetExistsException(store.locate(staging.target()));
    }
    listener.reached("publish: move to the target");
    try {
      store.rename(staging.outDirectory(), staging.target());
    } catch (FileAlreadyExistsException taken) {
      TargetExistsException exists = new TargetExistsException(store.locate(staging.target()));
      exists.initCause(taken);
      throw exists;
    }
  }

  /** P6 and P7; as often as one likes. */
  private void settle() throws IOException {
    listener.reached("publish: sync the parent");
    syncDirectory(DurableFile.parentOf(staging.target()));
    syncDirectory(staging.path());
    listener.reached("publish: remove the staging directory");
    for (FileStatus entry : store.list(staging.path())) {
      if (!entry.path().equals(staging.publishingPath())) {
        store.deleteTree(entry.path());
      }
    }
    syncDirectory(staging.path());
    listener.reached("publish: remove the note");
    store.delete(staging.publishingPath());
    store.delete(staging.path());
    syncDirectory(DurableFile.parentOf(staging.path()));
    listener.reached("publish: done");
  }

  private void syncAudit() throws IOException {
    String ours = staging.outPath(".shardmend");
    if (store.stat(ours).isPresent()) {
      syncTree(ours);
    }
    syncDirectory(staging.outDirectory());
  }

  /** P1 and P2: what is inside before what holds it. */
  private void syncTree(String directory) throws IOException {
    if (!store.traits().syncs()) {
      return;
    }
    List<FileStatus> directories = new ArrayList<>();
    for (FileStatus entry : store.list(directory)) {
      switch (entry.kind()) {
        case FILE -> store.sync(entry.path());
        case DIRECTORY -> directories.add(entry);
        case SYMLINK, OTHER -> {
          // A name without content of its own: the directory's sync covers it.
        }
      }
    }
    for (FileStatus below : directories) {
      syncTree(below.path());
    }
    store.syncDirectory(directory);
  }

  private void syncDirectory(String directory) throws IOException {
    if (store.traits().syncs()) {
      store.syncDirectory(directory);
    }
  }
}
