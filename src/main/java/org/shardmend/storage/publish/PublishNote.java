package org.shardmend.storage.publish;

import java.io.IOException;
import java.util.Optional;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.Store;
import org.shardmend.storage.bytes.Sha256;
import org.shardmend.storage.protocol.DurableFile;
import org.shardmend.storage.protocol.JsonDocument;

/**
 * What is written into the staging directory just before a result becomes visible, so that a run
 * that is killed there is known to have published; sentences P4 and O10 of {@code publish.md}.
 *
 * @param runId the run that publishes
 * @param out the identity of the directory that becomes the target; empty where a store has no
 *     identities
 * @param manifest SHA-256 of the result's {@code shardmend.json}; empty when it has none
 */
record PublishNote(String runId, String out, String manifest) {
  private static final int MAX_BYTES = 1 << 16;

  /** The note on the result that is built in the staging's {@code out} directory. */
  static PublishNote of(Store store, Staging staging, String runId) throws IOException {
    String out = staging.outDirectory();
    FileStatus status =
        store
            .stat(out)
            .orElseThrow(
                () -> new IOException("Nothing is staged in %s.".formatted(store.locate(out))));
    return new PublishNote(runId, status.fileKey(), manifestDigest(store, out));
  }

  /** The note that a run has left; empty when none has come so far. */
  static Optional<PublishNote> read(Store store, Staging staging) throws IOException {
    Optional<byte[]> note = DurableFile.read(store, staging.publishingPath(), MAX_BYTES);
    return note.isPresent()
        ? Optional.of(JsonDocument.read(note.get(), PublishNote.class))
        : Optional.empty();
  }

  /** Writes the note, durably. */
  void write(Store store, Staging staging) throws IOException {
    DurableFile.write(store, staging.publishingPath(), JsonDocument.write(this));
  }

  /** Whether {@code target} is the result that this note is about. */
  boolean isAbout(Store store, FileStatus target) throws IOException {
    return target.fileKey().equals(out) && manifestDigest(store, target.path()).equals(manifest);
  }

  private static String manifestDigest(Store store, String directory) throws IOException {
    return DurableFile.read(store, directory + "/" + Manifest.NAME, Manifest.MAX_BYTES)
        .map(Sha256::hex)
        .orElse("");
  }
}
