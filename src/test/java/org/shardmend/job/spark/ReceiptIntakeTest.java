package org.shardmend.job.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.shardmend.storage.Location;
import org.shardmend.storage.NoSpaceException;

class ReceiptIntakeTest {
  private final List<String> taken = new ArrayList<>();
  private int failures;
  private final ReceiptIntake<String> intake = new ReceiptIntake<>(this::accept);

  private void accept(String receipt) throws IOException {
    if (failures > 0) {
      failures--;
      throw new NoSpaceException(
          new Location("file", "", "/full"), 1, OptionalLong.of(0), new IOException("full"));
    }
    taken.add(receipt);
  }

  @Test
  void takesEachAtOnceWhileThereIsRoom() throws Exception {
    intake.take("a");
    intake.take("b");

    assertThat(taken).containsExactly("a", "b");
    intake.end();
    intake.requireAllTaken();
    assertThat(taken).containsExactly("a", "b");
  }

  @Test
  void offersAgainWhenTheStageIsOverWhatAFullStoreDidNotTake() throws Exception {
    failures = 4;
    intake.take("a");
    intake.take("b");
    assertThat(taken).isEmpty();

    intake.end();

    assertThat(taken).containsExactlyInAnyOrder("a", "b");
    intake.requireAllTaken();
  }

  @Test
  void saysSoWhenTheStoreStaysFull() throws Exception {
    failures = Integer.MAX_VALUE;
    intake.take("a");
    intake.end();

    assertThatThrownBy(intake::requireAllTaken)
        .isInstanceOf(NoSpaceException.class)
        .hasMessageContaining("file:/full");
  }

  @Test
  void anyOtherFailureIsTheStages() {
    ReceiptIntake<String> failing =
        new ReceiptIntake<>(
            receipt -> {
              throw new IOException("No such directory");
            });

    assertThatThrownBy(() -> failing.take("a")).hasMessage("No such directory");
  }
}
