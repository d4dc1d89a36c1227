package org.shardmend.storage.journal;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.shardmend.storage.ProcessUser;

/**
 * The secret by which this user's runs know each other's journals. Owner and host can be had by
 * anybody: whoever unpacks a downloaded archive owns its files, and a host's name is no secret. The
 * key lies in the user's own state directory, and no checkpoint knows it.
 */
final class JournalKey {
  private static final String ALGORITHM = "HmacSHA256";
  private static final int KEY_BYTES = 32;
  private static final String FILE = "journal.key";
  private static final Set<PosixFilePermission> OTHERS =
      PosixFilePermissions.fromString("---rwxrwx");

  private final Path directory;

  JournalKey(Path directory) {
    this.directory = directory;
  }

  /** The key of whoever runs this process; {@code XDG_STATE_HOME} says where state is kept. */
  static JournalKey ofUser() {
    String state = System.getenv().getOrDefault("XDG_STATE_HOME", "");
    Path home =
        state.startsWith("/")
            ? Path.of(state)
            : Path.of(System.getProperty("user.home", "/"), ".local", "state");
    return new JournalKey(home.resolve("shardmend"));
  }

  /**
   * What proves that a run of this user wrote a document; the key is made where there is none.
   *
   * @return empty where the user has no place to keep a key
   */
  Optional<String> seal(byte[] document) {
    Optional<byte[]> key = read();
    if (key.isEmpty()) {
      create();
      key = read();
    }
    return key.map(secret -> mac(secret, document));
  }

  /** Whether a run of this user wrote the document. */
  boolean isSealed(byte[] document, byte[] seal) {
    Optional<byte[]> key = read();
    return key.isPresent()
        && MessageDigest.isEqual(
            mac(key.get(), document).getBytes(java.nio.charset.StandardCharsets.US_ASCII), seal);
  }

  private static String mac(byte[] key, byte[] document) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      return HexFormat.of().formatHex(mac.doFinal(document));
    } catch (GeneralSecurityException missing) {
      throw new IllegalStateException("Every Java platform has " + ALGORITHM, missing);
    }
  }

  /** Only a key that nobody else can read or have put there counts. */
  private Optional<byte[]> read() {
    Path file = directory.resolve(FILE);
    try {
      if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
          || Files.size(file) != KEY_BYTES
          || Files.getPosixFilePermissions(file).stream().anyMatch(OTHERS::contains)
          || ProcessUser.ownerOf(file) != ProcessUser.current()) {
        return Optional.empty();
      }
      return Optional.of(Files.readAllBytes(file));
    } catch (IOException | UnsupportedOperationException unreadable) {
      // Without a key a journal proves nothing, which its reader says.
      return Optional.empty();
    }
  }

  private void create() {
    byte[] key = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(key);
    Path unfinished =
        directory.resolve(FILE + "." + Long.toHexString(new SecureRandom().nextLong()));
    try {
      Files.createDirectories(directory, mode("rwx------"));
      Files.newByteChannel(
              unfinished,
              Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
              mode("rw-------"))
          .close();
      Files.write(unfinished, key);
      Files.createLink(directory.resolve(FILE), unfinished);
    } catch (FileAlreadyExistsException anotherRunWasFirst) {
      return;
    } catch (IOException | UnsupportedOperationException noPlace) {
      return;
    } finally {
      remove(unfinished);
    }
  }

  private static void remove(Path unfinished) {
    try {
      Files.deleteIfExists(unfinished);
    } catch (NoSuchFileException gone) {
      return;
    } catch (IOException stays) {
      // It is a random number that nobody uses.
      return;
    }
  }

  private static FileAttribute<Set<PosixFilePermission>> mode(String text) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text));
  }
}
