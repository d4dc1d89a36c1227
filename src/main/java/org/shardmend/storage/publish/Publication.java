package org.shardmend.storage.publish;

import java.io.IOException;
import java.util.List;
import org.shardmend.storage.Store;
import org.shardmend.storage.lock.LockedException;
import org.shardmend.storage.lock.TargetLock;
import org.shardmend.storage.protocol.StepListener;

/**
 * How the result of a repair is built and becomes visible, by what its store can do. The caller
 * holds the target's lock.
 */
public sealed interface Publication permits Publish, ObjectStorePublish {

  /** The publication of a repair: by one rename where the store has that, else in the open. */
  static Publication of(Store store, Staging staging, TargetLock lock, StepListener listener) {
    return store.traits().atomicRename()
        ? new Publish(store, staging, lock, listener)
        : new ObjectStorePublish(store, staging, lock, listener);
  }

  /**
   * Ends what a killed run had published already. To be called before the target's existence is
   * held against this run.
   *
   * @return whether the target is this repair's result
   * @throws IOException when the store fails; running again resumes
   */
  boolean recover() throws IOException;

  /** Whether there is something at the target that is not marked as unfinished. */
  boolean isTaken() throws IOException;

  /**
   * Fails when there is something at the target that is not this repair's own unfinished result; to
   * be called before anything is written anywhere.
   *
   * @throws TargetExistsException when it is finished, or never was ours
   * @throws StagingConflictException when it is the unfinished result of another repair
   */
  void requireFree() throws IOException;

  /**
   * Removes every unfinished result and every staging directory of the target, whoever began them:
   * for {@code --restart}.
   *
   * @throws TargetExistsException when the target is finished, or never was ours; nothing was
   *     removed then
   */
  void restart() throws IOException;

  /** Removes what this repair has left, when nothing of it would save the next run work. */
  void discard() throws IOException;

  /**
   * Builds the result by {@code work} and publishes it.
   *
   * @param runId the run that publishes
   * @return what has failed when the result was visible already; the next run makes it good
   * @throws TargetExistsException when there is something; what was built is kept
   * @throws LockedException when the lock was lost; what was built is kept
   * @throws IOException when the store fails; running again resumes
   * @throws E what {@code work} throws; running again resumes
   */
  <E extends Exception> List<IOException> run(String runId, ResultWork<E> work)
      throws IOException, E;
}
