package org.shardmend.storage.lock;

import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import org.shardmend.storage.Store;
import org.shardmend.storage.protocol.DurableFile;

/**
 * A file by which executors prove that they see the driver's place under the driver's path;
 * sentence N1 of {@code publish.md}. Made by the driver, sent to the executors, checked there.
 *
 * @param directory where the file is: an absolute path in the store
 * @param value its content and the end of its name
 */
public record Nonce(String directory, String value) implements Serializable {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int RANDOM_BYTES = 16;
  private static final int MAX_BYTES = 1 << 10;

  /**
   * Writes a new one.
   *
   * @param directory one that exists, and that no loader reads
   */
  public static Nonce write(Store store, String directory) throws IOException {
    byte[] random = new byte[RANDOM_BYTES];
    RANDOM.nextBytes(random);
    Nonce nonce = new Nonce(directory, HexFormat.of().formatHex(random));
    store.createExclusive(nonce.path(), nonce.value.getBytes(StandardCharsets.UTF_8));
    return nonce;
  }

  /**
   * Looks for the file, on an executor.
   *
   * @throws NotSamePlaceException when it isn't there, or is another
   * @throws IOException when the store can't be read
   */
  public void check(Store store) throws IOException {
    check(store, HolderProbe.system().self("").host());
  }

  void check(Store store, String host) throws IOException {
    Optional<byte[]> found = DurableFile.read(store, path(), MAX_BYTES);
    if (found.isEmpty() || !new String(found.get(), StandardCharsets.UTF_8).equals(value)) {
      throw new NotSamePlaceException(store.locate(directory), host);
    }
  }

  /** Removes the file; one that is gone already is fine. */
  public void remove(Store store) throws IOException {
    DurableFile.deleteIfPresent(store, path());
  }

  private String path() {
    return directory + "/nonce-" + value;
  }
}
