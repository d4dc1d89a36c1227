package org.shardmend.storage.lock;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.util.Optional;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.protocol.DurableFile;
import org.shardmend.storage.protocol.JsonDocument;

/**
 * Says in a directory that one run works in who that is. It stays for as long as the directory
 * does, also behind a process that was killed: so a later run can tell whether the directory is
 * still somebody's.
 *
 * @param holder the process that works there
 * @param target what that run was to make, as {@link Location#toString()} gives it
 */
public record RunNote(LockHolder holder, String target) {
  private static final String NAME = "holder.json";
  private static final int MAX_BYTES = 1 << 16;

  /**
   * Leaves the note of this process; one that is there stays, since each run has a directory of its
   * own.
   *
   * @param directory which exists
   */
  public static void leave(Store store, String directory, String runId, Location target)
      throws IOException {
    String path = path(directory);
    if (store.stat(path).isPresent()) {
      return;
    }
    RunNote note = new RunNote(HolderProbe.system().self(runId), target.toString());
    try {
      store.createExclusive(path, JsonDocument.write(note));
    } catch (FileAlreadyExistsException there) {
      // Two threads of this run were here at once, and say the same.
    }
  }

  /**
   * The note in a directory.
   *
   * @return empty when there is none, or what is there is none of ours
   * @throws IOException when it can't be read
   */
  public static Optional<RunNote> read(Store store, String directory) throws IOException {
    Optional<byte[]> content = DurableFile.read(store, path(directory), MAX_BYTES);
    try {
      return content.isPresent()
          ? Optional.of(JsonDocument.read(content.get(), RunNote.class))
          : Optional.empty();
    } catch (JsonProcessingException torn) {
      return Optional.empty();
    }
  }

  private static String path(String directory) {
    return directory + "/" + NAME;
  }

  /** Whether it is proven that the process no longer runs. */
  public boolean isOfDeadProcess() {
    return state() == HolderState.GONE;
  }

  /** Whether the process is seen running. */
  public boolean isOfLiveProcess() {
    return state() == HolderState.RUNNING;
  }

  private HolderState state() {
    HolderProbe probe = HolderProbe.system();
    return probe.stateOf(holder, probe.self(holder.runId()));
  }

  /** Who it is and whether it lives, as part of a sentence. */
  public String said() {
    return "%s; %s".formatted(holder, state().sentence());
  }
}
