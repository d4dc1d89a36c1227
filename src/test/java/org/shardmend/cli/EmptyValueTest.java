package org.shardmend.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.shardmend.checkpoint.expected.ExpectedState;

/** Values that a script did not mean: none at all, and a file of another kind. */
class EmptyValueTest {
  @TempDir private Path scratch;

  @ParameterizedTest
  @CsvSource({
    "plan NOTHING -q, CHECKPOINT is empty",
    "repair c --output NOTHING, --output is empty",
    "repair c --in-place --audit NOTHING, --audit is empty",
    "plan c --result NOTHING, --result is empty",
    "verify c --against NOTHING, --against is empty"
  })
  void anEmptyValueIsNamed(String line, String message) {
    CommandRun run =
        CommandRun.of(
            Stream.of(line.split(" ", -1))
                .map(word -> word.equals("NOTHING") ? "" : word)
                .toArray(String[]::new));

    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.err()).contains(message);
  }

  @Test
  void anExpectedStateOverTheLimitIsNotRead() throws IOException {
    Path file = scratch.resolve("expected.json");
    try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.setLength(ExpectedState.MAX_BYTES + 1L);
    }

    CommandRun run =
        CommandRun.of("verify", scratch.toString(), "--expected-state", file.toString());

    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.err()).contains("more than the " + ExpectedState.MAX_BYTES);
  }
}
