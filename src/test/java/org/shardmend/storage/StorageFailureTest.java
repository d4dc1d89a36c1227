package org.shardmend.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class StorageFailureTest {
  private static final Location SECRET = Location.parse("ftp://user:s3cret@host/dir/f", "file:///");

  private static IOException failure(IOException cause) {
    return StorageFailure.of("read", SECRET, cause);
  }

  @Test
  void aFailureNamesOperationAndPlaceAndNoLogin() {
    assertThat(failure(new IOException("user:s3cret@host says no\n\tat a.stack.Trace")))
        .hasMessage(
            "Cannot read ftp://host/dir/f: host says no. Running again is safe once that is mended.");
  }

  @Test
  void theReasonIsSaidWhereTheJdkSaysOnlyAPath() {
    assertThat(failure(new AccessDeniedException("/dir/f")))
        .hasMessageContaining("permission denied");
    assertThat(failure(new FileSystemException("/dir/f", null, "Stale file handle")))
        .hasMessageContaining(": Stale file handle.");
    assertThat(failure(new IOException())).hasMessageContaining(": IOException.");
  }

  @Test
  void aMissingFileIsTheSameOnEveryStore() {
    assertThat(failure(new FileNotFoundException())).isInstanceOf(NoSuchFileException.class);
    assertThat(failure(new NoSuchFileException("f"))).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void anInterruptStaysWhatItIs() {
    ClosedByInterruptException interrupt = new ClosedByInterruptException();
    assertThat(failure(interrupt)).isSameAs(interrupt);
  }

  @Test
  void aFullStoreAndAUsedUpQuotaAreNoSpace() {
    for (String reason : new String[] {"No space left on device", "Disk quota exceeded"}) {
      IOException failure =
          StorageFailure.ofWrite(
              "write",
              SECRET,
              5,
              OptionalLong::empty,
              new IOException("wrapped", new FileSystemException("/f", null, reason)));
      assertThat(failure).isInstanceOf(NoSpaceException.class).hasMessageContaining("ftp://host/");
      assertThat(((NoSpaceException) failure).neededBytes()).isEqualTo(5);
    }
  }

  private static IOException full(String reason, long needed, OptionalLong free) {
    return StorageFailure.ofWrite(
        "write", SECRET, needed, () -> free, new FileSystemException("/f", null, reason));
  }

  @Test
  void aFullStoreSaysWhatIsNeededAndFreeAsFarAsThatIsKnown() {
    String reason = "No space left on device";
    assertThat(full(reason, 5, OptionalLong.of(3)))
        .hasMessage(
            "No space left to write ftp://host/dir/f: at least 5 bytes are needed, 3 bytes are free. Free some or choose another place, then run again.");
    assertThat(full(reason, 0, OptionalLong.of(0)))
        .hasMessageContaining("/dir/f: 0 bytes are free.");
    assertThat(full(reason, 5, OptionalLong.empty()))
        .hasMessageContaining("at least 5 bytes are needed, how many are free is unknown.");
  }

  @Test
  void bytesThatAreFreeAndCannotBeHadAreExplained() {
    assertThat(full("No space left on device", 5, OptionalLong.of(1000)))
        .hasMessageContaining("1000 bytes are free, but may be reserved")
        .hasMessageContaining("df -i");
  }

  @Test
  void aUsedUpQuotaIsSaidInTheStoresWordsInsteadOfTheFreeBytes() {
    assertThat(full("Disk quota exceeded", 5, OptionalLong.of(1000)))
        .hasMessage(
            "A quota is used up, so that ftp://host/dir/f can't be written: Disk quota exceeded. Raise it, free some or choose another place, then run again.");
  }

  @Test
  void aFullStoreIsSaidOnce() {
    IOException once = full("No space left on device", 5, OptionalLong.of(3));

    assertThat(StorageFailure.ofWrite("write", SECRET, 0, OptionalLong::empty, once))
        .isSameAs(once);
  }

  @Test
  void aFailureToAskForTheSpaceDoesNotHideTheFirst() {
    IOException cause = new FileSystemException("/f", null, "No space left on device");
    IOException failure =
        StorageFailure.ofWrite(
            "write",
            SECRET,
            5,
            () -> {
              throw new IOException("also");
            },
            cause);
    assertThat(failure).isInstanceOf(NoSpaceException.class).hasCause(cause);
    assertThat(cause.getSuppressed()).hasSize(1);
  }
}
