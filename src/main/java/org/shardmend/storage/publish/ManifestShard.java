package org.shardmend.storage.publish;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.io.Serializable;
import java.util.Optional;

/**
 * One shard of a {@link Manifest}. In JSON, {@code digest} is null where the data was not read.
 *
 * @param name relative to the checkpoint
 * @param bytes its length
 * @param headerDigest SHA-256 of the header with its length field, in hexadecimal
 * @param digest of its data; {@link #NOT_READ} where that was not read
 */
public record ManifestShard(String name, long bytes, String headerDigest, String digest)
    implements Serializable {

  /** The value of {@link #digest} of a shard whose data was not read. */
  public static final String NOT_READ = "";

  /** The digest of the data, where it was read. */
  @JsonIgnore
  public Optional<String> dataDigest() {
    return digest.equals(NOT_READ) ? Optional.empty() : Optional.of(digest);
  }
}
