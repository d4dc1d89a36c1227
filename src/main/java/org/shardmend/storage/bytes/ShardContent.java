package org.shardmend.storage.bytes;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.shardmend.safetensors.Header;
import org.shardmend.safetensors.HeaderReader;
import org.shardmend.safetensors.SafetensorsException;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.RangeReader;
import org.shardmend.storage.Store;

/** What proves the whole content of a shard: the digest of it, behind its algorithm's name. */
public final class ShardContent {
  private static final String SEPARATOR = ":";

  private ShardContent() {}

  /** The text that an entry of the journal keeps. */
  public static String of(ShardDigests digests) {
    return digests.algorithm().label() + SEPARATOR + digests.shard();
  }

  /** Whether a text is of that form. */
  public static boolean isProof(String text) {
    Optional<DigestAlgorithm> algorithm = algorithmOf(text);
    return algorithm.isPresent()
        && text.substring(text.indexOf(SEPARATOR) + 1).matches("[0-9a-f]{32,64}");
  }

  private static Optional<DigestAlgorithm> algorithmOf(String text) {
    int end = text.indexOf(SEPARATOR);
    return end < 0 ? Optional.empty() : DigestAlgorithm.ofLabel(text.substring(0, end));
  }

  /**
   * Reads a whole file, and says whether it is the shard that the text proves.
   *
   * @throws IOException when it can't be read
   */
  public static boolean isOf(Store store, String path, String text) throws IOException {
    Optional<DigestAlgorithm> algorithm = algorithmOf(text);
    if (algorithm.isEmpty()) {
      return false;
    }
    try (RangeReader reader = store.openForRead(path)) {
      Header header = header(reader);
      TensorDigester digester =
          new TensorDigester(algorithm.get(), new Pace(RateLimiter.none(), bytes -> {}));
      return of(digester.digest(reader, header)).equals(text);
    } catch (SafetensorsException noShard) {
      return false;
    }
  }

  /**
   * The header of an open shard.
   *
   * @throws SafetensorsException when it is none
   * @throws IOException when it can't be read
   */
  public static Header header(RangeReader reader) throws IOException, SafetensorsException {
    byte[] length = new byte[(int) Math.min(HeaderReader.LENGTH_BYTES, reader.size())];
    reader.readFully(0, ByteBuffer.wrap(length));
    int json = HeaderReader.jsonBytes(length, reader.size());
    byte[] bytes = new byte[HeaderReader.LENGTH_BYTES + json];
    reader.readFully(0, ByteBuffer.wrap(bytes));
    return HeaderReader.parse(
        bytes, HeaderReader.LENGTH_BYTES, json, reader.size(), UnknownDtypes.ALLOW);
  }
}
