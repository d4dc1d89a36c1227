package org.shardmend.storage.publish;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.shardmend.checkpoint.Listing;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.Store;
import org.shardmend.storage.lock.TargetLock;
import org.shardmend.storage.protocol.DurableFile;
import org.shardmend.storage.protocol.StepListener;

/**
 * Makes a staged result visible in one step, on {@code file:} and HDFS; sentences P1 to P7 of
 * {@code publish.md}. The caller holds the lock.
 */
public final class Publish implements Publication {
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

  /** In any order, because nobody sees it; the weights first, which fail soonest. */
  @Override
  public <E extends Exception> List<IOException> run(String runId, ResultWork<E> work)
      throws IOException, E {
    work.writeWeights();
    work.writeServekit();
    work.writeSideFiles();
    work.writeIndex();
    work.writeSeals();
    work.verify();
    work.writeManifest();
    prepare();
    work.placeAudit();
    return finish(runId);
  }

  /** P1 and P2. */
  private void prepare() throws IOException {
    listener.reached("publish: sync files and directories");
    syncTree(staging.outDirectory());
    syncDirectory(staging.receiptDirectory());
    syncDirectory(staging.path());
    syncDirectory(DurableFile.parentOf(staging.path()));
    listener.reached("publish: place the audit");
  }

  /** The end of P3, and all that follows. */
  private List<IOException> finish(String runId) throws IOException {
    listener.reached("publish: sync the audit");
    syncAudit();
    listener.reached("publish: note");
    PublishNote.of(store, staging, runId).write(store, staging);
    List<IOException> failed = new ArrayList<>(move());
    try {
      settle();
    } catch (IOException e) {
      failed.add(e);
    }
    return failed;
  }

  @Override
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
    Optional<PublishNote> note = PublishNote.read(store, staging);
    Optional<FileStatus> target = store.stat(staging.target());
    return note.isPresent()
        && target.isPresent()
        && store.stat(staging.outDirectory()).isEmpty()
        && note.get().isAbout(store, target.get());
  }

  @Override
  public boolean isTaken() throws IOException {
    return store.stat(staging.target()).isPresent();
  }

  @Override
  public void requireFree() throws IOException {
    if (isTaken()) {
      throw new TargetExistsException(store.locate(staging.target()));
    }
  }

  @Override
  public void restart() throws IOException {
    requireFree();
    staging.removeAll();
  }

  @Override
  public void discard() throws IOException {
    store.deleteTree(staging.path());
  }

  /**
   * P5.
   *
   * @return what has failed although the result was moved: the look at it behind the move, or the
   *     answer to a request that was repeated
   */
  private List<IOException> move() throws IOException {
    lock.requireHeld();
    requireFree();
    listener.reached("publish: move to the target");
    try {
      store.rename(staging.outDirectory(), staging.target());
      return List.of();
    } catch (IOException failure) {
      if (isMoved(failure)) {
        return List.of(failure);
      }
      if (failure instanceof FileAlreadyExistsException) {
        TargetExistsException exists = new TargetExistsException(store.locate(staging.target()));
        exists.initCause(failure);
        throw exists;
      }
      throw failure;
    }
  }

  private boolean isMoved(IOException failure) {
    try {
      return isPublished();
    } catch (IOException notSeen) {
      failure.addSuppressed(notSeen);
      return false;
    }
  }

  /** P6 and P7; as often as one likes. */
  private void settle() throws IOException {
    listener.reached("publish: sync the parent");
    syncDirectory(DurableFile.parentOf(staging.target()));
    syncDirectory(staging.path());
    listener.reached("publish: remove the staging directory");
    staging.removePublished();
    syncDirectory(staging.path());
    listener.reached("publish: remove the note");
    store.delete(staging.publishingPath());
    store.delete(staging.path());
    syncDirectory(DurableFile.parentOf(staging.path()));
    listener.reached("publish: done");
  }

  private void syncAudit() throws IOException {
    String ours = staging.outPath(Listing.OWN_DIRECTORY);
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
