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
