package org.shardmend.storage.journal;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.shardmend.checkpoint.ShellWord;
import org.shardmend.safetensors.Header;
import org.shardmend.safetensors.HeaderReader;
import org.shardmend.safetensors.SafetensorsException;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.Location;
import org.shardmend.storage.ProcessUser;
import org.shardmend.storage.RangeReader;
import org.shardmend.storage.Store;
import org.shardmend.storage.bytes.Sha256;
import org.shardmend.storage.bytes.ShardContent;
import org.shardmend.storage.lock.HolderProbe;
import org.shardmend.storage.protocol.DurableFile;
import org.shardmend.storage.protocol.JournalRefusedException;
import org.shardmend.storage.protocol.OwnDirectory;

/**
 * Whether a journal is believed; sentences T1 to T4 of {@code journal.md}. It may have come with
 * the checkpoint, from anybody.
 */
final class JournalTrust {
  private static final int MAX_SEAL_BYTES = 256;

  private final Store store;
  private final JournalPaths paths;
  private final JournalKey key;
  private final String host;

  JournalTrust(Store store, JournalPaths paths, JournalKey key) {
    this.store = store;
    this.paths = paths;
    this.key = key;
    this.host = HolderProbe.system().self("").host();
  }

  String host() {
    return host;
  }

  /**
   * Requires what a run of this user wrote on this host (T1, T2).
   *
   * @param ready the bytes of READY
   * @throws JournalRefusedException otherwise; it says who, when and what, and how to go on
   */
  void requireOurs(JournalIndex index, byte[] ready) throws IOException {
    Optional<String> doubt = doubt(index, ready);
    if (doubt.isEmpty()) {
      return;
    }
    Location checkpoint = store.locate(paths.checkpoint());
    String word = ShellWord.of(checkpoint.toString());
    throw JournalRefusedException.foreign(
        "%s holds the journal of a repair in place, but not surely one of yours: %s. Run %s, %s, ready at %s: %s. Nothing was changed. If you know it, and no run works on it: 'shardmend repair %s --in-place --adopt-journal' finishes it, 'shardmend rollback %s --adopt-journal' undoes it. If it came with the checkpoint: remove %s."
            .formatted(
                checkpoint,
                doubt.get(),
                index.runId(),
                index.host().isEmpty()
                    ? "by an earlier version, which does not say whose"
                    : "of user %s on host %s".formatted(index.user(), index.host()),
                index.since(),
                index.deeds(),
                word,
                word,
                store.locate(paths.journal())));
  }

  private Optional<String> doubt(JournalIndex index, byte[] ready) throws IOException {
    OptionalLong owner = store.userNumber(paths.ready());
    if (owner.isPresent() && owner.getAsLong() != ProcessUser.current()) {
      return Optional.of(
          "its READY belongs to user %d, and you are user %d"
              .formatted(owner.getAsLong(), ProcessUser.current()));
    }
    Optional<byte[]> seal =
        OwnDirectory.has(store, paths.checkpoint(), paths.seal())
            ? DurableFile.read(store, paths.seal(), MAX_SEAL_BYTES)
            : Optional.empty();
    if (seal.isEmpty() || !key.isSealed(ready, seal.get())) {
      return Optional.of("nothing proves that a run of yours wrote it");
    }
    if (!index.host().equals(host)) {
      return Optional.of("it was begun on host %s, and this is %s".formatted(index.host(), host));
    }
    return Optional.empty();
  }

  /**
   * Whether every entry is one that a run could have written (T4), for a journal that the user
   * vouches for: what it exchanges are shards, and what it overwrites are their headers.
   *
   * @throws JournalRefusedException otherwise
   */
  void requirePossible(JournalIndex index) throws IOException {
    for (JournalEntry entry : index.entries()) {
      try {
        switch (entry.kind()) {
          case PATCH -> requireHeaders(entry);
          case REPLACE -> {
            if (!JournalIndexReader.isSideFile(entry.name())) {
              requireShard(entry, paths.replacement(entry.number()));
              requireShard(entry, paths.original(entry.number()));
            }
          }
          case ADD -> {}
        }
      } catch (SafetensorsException noHeader) {
        throw JournalRefusedException.malformed(
            store.locate(paths.ready()),
            "has an entry for '%s' that is no safetensors file: %s"
                .formatted(entry.name(), noHeader.getMessage()));
      }
    }
  }

  private void requireShard(JournalEntry entry, String path)
      throws IOException, SafetensorsException {
    requireShardName(entry);
    if (OwnDirectory.has(store, paths.checkpoint(), path)) {
      try (RangeReader reader = store.openForRead(path)) {
        ShardContent.header(reader);
      }
    }
  }

  private void requireHeaders(JournalEntry entry) throws IOException, SafetensorsException {
    requireShardName(entry);
    int length = (int) entry.before().leadingBytes();
    if (!OwnDirectory.has(store, paths.checkpoint(), paths.pair(entry.number()))) {
      throw JournalException.damaged(store.locate(paths.pair(entry.number())), "is missing");
    }
    byte[] before = new byte[length];
    byte[] after = new byte[length];
    try (HeaderPairs.Reader pairs = HeaderPairs.open(store, paths.pair(entry.number()), length)) {
      while (pairs.next()) {
        HeaderPairs.Block block = pairs.block();
        block.of(HeaderPairs.Direction.BACK).get(before, block.offset(), block.length());
        block.of(HeaderPairs.Direction.FORWARD).get(after, block.offset(), block.length());
      }
    }
    boolean right =
        Sha256.hex(before).equals(entry.before().digest())
            && Sha256.hex(after).equals(entry.after().digest())
            && parsed(before, entry).dataBytes() == parsed(after, entry).dataBytes();
    if (!right) {
      throw JournalRefusedException.malformed(
          store.locate(paths.ready()),
          "has an entry for '%s' whose headers are not those that it names"
              .formatted(entry.name()));
    }
  }

  private static Header parsed(byte[] header, JournalEntry entry) throws SafetensorsException {
    int json =
        HeaderReader.jsonBytes(
            Arrays.copyOf(header, HeaderReader.LENGTH_BYTES), entry.before().bytes());
    if (json != header.length - HeaderReader.LENGTH_BYTES) {
      throw new SafetensorsException(
          SafetensorsException.Kind.INVALID_HEADER_LENGTH,
          Optional.empty(),
          0,
          "byte 0: the header has another length");
    }
    return HeaderReader.parse(
        header, HeaderReader.LENGTH_BYTES, json, entry.before().bytes(), UnknownDtypes.ALLOW);
  }

  /** A shard by its name, or what such a name at the top leads to. */
  private void requireShardName(JournalEntry entry) throws IOException {
    if (isShardName(entry.name())) {
      return;
    }
    String real = store.realPath(paths.file(entry.name()));
    for (FileStatus other : store.list(paths.checkpoint())) {
      if (isShardName(other.name()) && store.realPath(other.path()).equals(real)) {
        return;
      }
    }
    throw JournalRefusedException.malformed(
        store.locate(paths.ready()),
        "has an entry for '%s', which is no shard".formatted(entry.name()));
  }

  private static boolean isShardName(String name) {
    return List.of(".safetensors", ".safetensor").stream().anyMatch(name::endsWith);
  }
}
