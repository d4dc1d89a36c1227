package org.shardmend.storage.lock;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.shardmend.checkpoint.Listing;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.Store;
import org.shardmend.storage.protocol.DurableFile;
import org.shardmend.storage.protocol.JsonDocument;
import org.shardmend.storage.protocol.SiblingName;

/**
 * One run at a time per target; sentences L1 to L7 of {@code publish.md}. The lock is a small file
 * that says who holds it. It is held until {@link #close()}.
 */
public final class TargetLock implements HeldLock {
  private static final String SIBLING_SUFFIX = Listing.OWN_DIRECTORY + "-lock";
  private static final String TAKEOVER_SUFFIX = ".takeover";
  private static final String UNFINISHED_MARK = ".new-";
  private static final int MAX_BYTES = 1 << 16;
  private static final int ATTEMPTS = 40;
  private static final long PAUSE_MILLIS = 50;

  /** How many dead takeovers of takeovers are followed; each is a run killed within a moment. */
  private static final int MAX_DEPTH = 4;

  private static final SecureRandom RANDOM = new SecureRandom();

  private final Store store;
  private final String path;
  private final byte[] content;
  private final Optional<LockHolder> predecessor;

  private TargetLock(Store store, String path, byte[] content, Optional<LockHolder> predecessor) {
    this.store = store;
    this.path = path;
    this.content = content;
    this.predecessor = predecessor;
  }

  /** Where the lock of a target is that is built beside and moved in. */
  public static String beside(String target) {
    return SiblingName.of(target, SIBLING_SUFFIX);
  }

  /** Where the lock of a checkpoint is that is changed in place. */
  public static String inside(String checkpoint) {
    return checkpoint + "/" + Listing.OWN_DIRECTORY + "/lock";
  }

  /**
   * Takes the lock, also from a holder that is proven gone.
   *
   * @param path {@link #beside} or {@link #inside}; its directory is made where it is missing
   * @param runId the run that is going to hold it
   * @throws LockedException when somebody holds it, or may
   * @throws IOException when the store can't be asked
   */
  public static TargetLock acquire(Store store, String path, String runId) throws IOException {
    return acquire(store, path, runId, HolderProbe.system());
  }

  static TargetLock acquire(Store store, String path, String runId, HolderProbe probe)
      throws IOException {
    TargetLock lock = new Attempt(store, path, probe, probe.self(runId), 0).take();
    lock.removeLeftOvers(probe, runId);
    return lock;
  }

  /**
   * Removes a lock, whoever holds it: for {@code --break-lock}, when the user knows that no other
   * run works on the target.
   *
   * @return whether there was one
   */
  public static boolean breakLock(Store store, String path) throws IOException {
    String takeover = path;
    for (int depth = 0; depth < MAX_DEPTH; depth++) {
      takeover += TAKEOVER_SUFFIX;
      DurableFile.deleteIfPresent(store, takeover);
    }
    return DurableFile.deleteIfPresent(store, path);
  }

  /** The dead holder from whom this lock was taken over, to be told to the user. */
  public Optional<LockHolder> predecessor() {
    return predecessor;
  }

  @Override
  public void requireHeld() throws IOException {
    Optional<byte[]> now = DurableFile.read(store, path, MAX_BYTES);
    if (now.isEmpty()) {
      throw LockedException.lost(store.locate(path), "the lock file is gone");
    }
    if (!Arrays.equals(now.get(), content)) {
      throw LockedException.lost(
          store.locate(path),
          Attempt.parse(now.get()).map(holder -> "now it is of " + holder).orElse("it changed"));
    }
  }

  /** Releases the lock, if it still is this run's. */
  @Override
  public void close() throws IOException {
    if (release()) {
      removeOwnDirectory();
    }
  }

  private boolean release() throws IOException {
    Optional<byte[]> now = DurableFile.read(store, path, MAX_BYTES);
    return now.isPresent()
        && Arrays.equals(now.get(), content)
        && DurableFile.deleteIfPresent(store, path);
  }

  /** Leaves no {@code .shardmend} behind that has nothing in it; another run may be quicker. */
  private void removeOwnDirectory() throws IOException {
    String directory = DurableFile.parentOf(path);
    if (!directory.endsWith("/" + Listing.OWN_DIRECTORY)) {
      return;
    }
    try {
      if (store.list(directory).isEmpty()) {
        store.delete(directory);
      }
    } catch (NoSuchFileException gone) {
      return;
    } catch (IOException failure) {
      if (!(failure.getCause() instanceof DirectoryNotEmptyException)) {
        throw failure;
      }
    }
  }

  /**
   * L7: removes what killed runs left of their attempts, those at the lock of a takeover included.
   * A run whose file is removed before it was linked starts over. A takeover's own lock is removed
   * by taking it, so that a live holder keeps it.
   */
  private void removeLeftOvers(HolderProbe probe, String runId) throws IOException {
    String directory = DurableFile.parentOf(path);
    String name = path.substring(path.lastIndexOf('/') + 1);
    for (FileStatus entry : store.list(directory)) {
      if (!entry.name().startsWith(name + TAKEOVER_SUFFIX)
          && !entry.name().startsWith(name + UNFINISHED_MARK)) {
        continue;
      }
      String rest = entry.name().substring(name.length());
      int depth = 0;
      while (rest.startsWith(TAKEOVER_SUFFIX)) {
        rest = rest.substring(TAKEOVER_SUFFIX.length());
        depth++;
      }
      if (rest.startsWith(UNFINISHED_MARK)) {
        DurableFile.deleteIfPresent(store, entry.path());
      } else if (rest.isEmpty()) {
        removeDeadTakeover(entry.path(), probe, runId, depth);
      }
    }
  }

  private void removeDeadTakeover(String takeover, HolderProbe probe, String runId, int depth)
      throws IOException {
    try {
      new Attempt(store, takeover, probe, probe.self(runId), Math.min(depth, MAX_DEPTH))
          .take()
          .release();
    } catch (LockedException inUse) {
      // Its holder removes it, when it sees that the lock is taken.
      return;
    }
  }

  /** One wish for one lock. */
  private static final class Attempt {
    private final Store store;
    private final String path;
    private final HolderProbe probe;
    private final LockHolder self;
    private final int depth;
    private final byte[] content;

    Attempt(Store store, String path, HolderProbe probe, LockHolder self, int depth) {
      this.store = store;
      this.path = path;
      this.probe = probe;
      this.self = self;
      this.depth = depth;
      this.content = JsonDocument.write(self);
    }

    TargetLock take() throws IOException {
      Optional<LockHolder> predecessor = Optional.empty();
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (create()) {
          TargetLock lock = new TargetLock(store, path, content, predecessor);
          lock.requireHeld();
          return lock;
        }
        Optional<byte[]> found = DurableFile.read(store, path, MAX_BYTES);
        Optional<LockHolder> holder = found.flatMap(Attempt::parse);
        if (holder.isPresent()) {
          requireGone(holder.get());
          if (removeDead(found.get())) {
            predecessor = holder;
          }
        } else {
          // Released this moment, or its maker has not written into it yet.
          pause();
        }
      }
      throw LockedException.heldByUnknown(store.locate(path), "it is empty or unreadable");
    }

    private void requireGone(LockHolder holder) throws IOException {
      HolderState state = probe.stateOf(holder, self);
      if (state != HolderState.GONE || depth == MAX_DEPTH) {
        throw LockedException.heldBy(holder, state, store.locate(path));
      }
    }

    /**
     * L3: whoever removes a dead lock holds the takeover lock and has looked again.
     *
     * @return whether this attempt removed it
     */
    private boolean removeDead(byte[] dead) throws IOException {
      TargetLock takeover;
      try {
        takeover = new Attempt(store, path + TAKEOVER_SUFFIX, probe, self, depth + 1).take();
      } catch (LockedException anotherTaker) {
        // It is done in a moment, and then the lock itself says who has it.
        pause();
        return false;
      }
      try {
        Optional<byte[]> now = DurableFile.read(store, path, MAX_BYTES);
        return now.isPresent()
            && Arrays.equals(now.get(), dead)
            && DurableFile.deleteIfPresent(store, path);
      } finally {
        // The directory stays: the lock itself is about to be made in it.
        takeover.release();
      }
    }

    /**
     * Makes the lock file, whole, and its directory where there is none; false when there is one.
     * The directory may go at any moment: a run that ends removes it when it is empty.
     */
    private boolean create() throws IOException {
      String directory = DurableFile.parentOf(path);
      try {
        store.makeDirectories(directory);
      } catch (FileAlreadyExistsException taken) {
        if (store.stat(directory).filter(status -> !status.isDirectory()).isPresent()) {
          throw taken;
        }
        return false;
      }
      try {
        return createFile();
      } catch (NoSuchFileException directoryGone) {
        return false;
      }
    }

    private boolean createFile() throws IOException {
      if (!store.traits().hardLinks()) {
        return createExclusively();
      }
      byte[] random = new byte[8];
      RANDOM.nextBytes(random);
      String unfinished = path + UNFINISHED_MARK + HexFormat.of().formatHex(random);
      store.createExclusive(unfinished, content);
      try {
        return link(unfinished);
      } finally {
        DurableFile.deleteIfPresent(store, unfinished);
      }
    }

    private boolean link(String unfinished) throws IOException {
      try {
        store.link(unfinished, path);
        return true;
      } catch (FileAlreadyExistsException taken) {
        return false;
      } catch (NoSuchFileException removedByAnother) {
        return false;
      } catch (IOException noLinksHere) {
        return createExclusively();
      }
    }

    private boolean createExclusively() throws IOException {
      try {
        store.createExclusive(path, content);
        return true;
      } catch (FileAlreadyExistsException taken) {
        return false;
      }
    }

    static Optional<LockHolder> parse(byte[] content) {
      try {
        JsonNode holder = JsonDocument.tree(content);
        if (holder instanceof ObjectNode members && !members.has("user")) {
          // Version 0.1 did not write it.
          members.put("user", "");
        }
        return Optional.of(JsonDocument.fromTree(holder, LockHolder.class));
      } catch (IOException notOurs) {
        return Optional.empty();
      }
    }

    private static void pause() throws IOException {
      try {
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new java.io.InterruptedIOException("Interrupted while waiting for a lock.");
      }
    }
  }
}
