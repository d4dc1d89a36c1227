package org.shardmend.checkpoint;

import java.io.IOException;
import java.util.Optional;
import org.shardmend.checkpoint.json.LfsPointer;
import org.shardmend.safetensors.Header;
import org.shardmend.safetensors.HeaderReader;
import org.shardmend.safetensors.SafetensorsException;
import org.shardmend.safetensors.UnknownDtypes;

/** Reads a shard's header, in one read or two, and never the data behind it. */
public final class HeaderScan {

  /** Length of the first read, in bytes. Most headers fit; an object store is then asked once. */
  static final int FIRST_READ_BYTES = 64 << 10;

  private HeaderScan() {}

  /**
   * Reads one header.
   *
   * @param unit the load unit that the shard is read for
   * @throws CheckpointException (refused) if the shard is not valid safetensors, naming the file,
   *     the tensor and the offset; (failed) if it cannot be read, or is shorter than it was when
   *     listed
   */
  public static ScannedShard read(
      CheckpointFiles files, UnitId unit, Shard shard, UnknownDtypes policy)
      throws CheckpointException {
    byte[] bytes = prefix(files, shard);
    Optional<LfsPointer> pointer = LfsPointer.of(bytes);
    if (pointer.isPresent()) {
      throw CheckpointException.refusedFile(
          FindingCode.LFS_POINTER, files.location(), shard.name(), "", pointer.get().told(), null);
    }
    try {
      int jsonBytes = HeaderReader.jsonBytes(bytes, shard.bytes());
      int headerBytes = HeaderReader.LENGTH_BYTES + jsonBytes;
      if (headerBytes > bytes.length) {
        bytes = whole(files, shard, headerBytes);
      }
      Header header =
          HeaderReader.parse(bytes, HeaderReader.LENGTH_BYTES, jsonBytes, shard.bytes(), policy);
      return new ScannedShard(unit, shard, header, Sha256.hex(bytes, headerBytes));
    } catch (SafetensorsException e) {
      throw CheckpointException.refusedFile(
          FindingCode.MALFORMED_SHARD,
          files.location(),
          shard.name(),
          e.tensor().orElse(""),
          ": " + e.getMessage(),
          e);
    }
  }

  private static byte[] prefix(CheckpointFiles files, Shard shard) throws CheckpointException {
    int wanted =
        (int) Math.max(HeaderReader.LENGTH_BYTES, Math.min(FIRST_READ_BYTES, shard.bytes()));
    byte[] prefix;
    try {
      prefix = files.readPrefix(shard.name(), wanted);
    } catch (IOException e) {
      throw Listing.unreadable(files, shard.name(), e);
    }
    if (prefix.length < Math.min(wanted, shard.bytes())) {
      throw CheckpointException.failed(
          "file-changed",
          shard.name(),
          files.location()
              + "/"
              + shard.name()
              + " had "
              + shard.bytes()
              + " bytes when it was listed, and ends at byte "
              + prefix.length
              + " now. Run again when nothing writes to the checkpoint.",
          new IOException("shorter than listed"));
    }
    return prefix;
  }

  /** Reads the header from the start again: two arrays of 100 MB would be one too many. */
  private static byte[] whole(CheckpointFiles files, Shard shard, int headerBytes)
      throws CheckpointException {
    try {
      return files.read(shard.name(), 0, headerBytes);
    } catch (IOException e) {
      throw Listing.unreadable(files, shard.name(), e);
    }
  }
}
