package org.shardmend.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.cli.text.StreamedList;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.testing.TestJvm;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Whatever becomes of the process, its exit code and its result file say that the run failed. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class ProcessFailureTest {
  @TempDir private Path scratch;

  /** A command that does what a test wants. */
  @Command(name = "trial")
  private static final class Trial extends ShardmendCommand {
    private final Supplier<CommandResult> work;

    Trial(Supplier<CommandResult> work) {
      this.work = work;
    }

    @Override
    CommandResult run(Progress progress) throws JobException {
      return work.get();
    }
  }

  private static int run(Supplier<CommandResult> work, String... arguments) {
    return new CommandLine(new Trial(work)).execute(arguments);
  }

  private static CommandResult nothingToSay() {
    return CommandResult.done(AnsweringCommand.object(), List.of());
  }

  private Path result() {
    return scratch.resolve("result.json");
  }

  private static JsonNode read(Path file) {
    try {
      return new ObjectMapper().readTree(file.toFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aRunThatIsOutOfMemoryHasFailedAndSaysHowToGiveItMore() {
    int exit =
        run(
            () -> {
              throw new OutOfMemoryError("Java heap space");
            },
            "--result",
            result().toString());

    JsonNode document = read(result());
    assertThat(exit).isEqualTo(5);
    assertThat(document.path("exit_code").asInt()).isEqualTo(5);
    assertThat(document.path("outcome").asText()).isEqualTo("failed");
    assertThat(document.path("error").path("code").asText()).isEqualTo("out-of-memory");
    assertThat(document.path("error").path("message").asText())
        .contains("SHARDMEND_HEAP=")
        .contains("the heap has " + (Runtime.getRuntime().maxMemory() >> 20) + " MiB");
  }

  @Test
  void soHasOneWhoseErrorIsWrapped() {
    int exit =
        run(
            () -> {
              throw new IllegalStateException(new NoClassDefFoundError("org/example/Gone"));
            },
            "--result",
            result().toString());

    assertThat(exit).isEqualTo(5);
    assertThat(read(result()).path("error").path("code").asText()).isEqualTo("wrong-libraries");
    assertThat(read(result()).path("error").path("message").asText()).contains("org/example/Gone");
  }

  @Test
  void oneThatRunsOutOfMemoryWhileItWritesItsAnswerHasFailedToo() {
    int exit =
        run(
            () ->
                CommandResult.done(
                    AnsweringCommand.object()
                        .putPOJO(
                            "rows",
                            new StreamedList(
                                () -> {
                                  throw new OutOfMemoryError("Java heap space");
                                })),
                    List.of()),
            "--result",
            result().toString());

    assertThat(exit).isEqualTo(5);
    assertThat(read(result()).path("error").path("code").asText()).isEqualTo("out-of-memory");
  }

  @Test
  void anErrorInAnotherThreadEndsTheProcessThatWaitsForIt() throws Exception {
    Process process =
        TestJvm.of(Waiting.class, List.of(), result().toString())
            .redirectErrorStream(true)
            .redirectOutput(scratch.resolve("log").toFile())
            .start();

    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(scratch.resolve("log"))).isEqualTo(5);
    assertThat(read(result()).path("error").path("code").asText()).isEqualTo("out-of-memory");
    assertThat(read(result()).path("exit_code").asInt()).isEqualTo(5);
  }

  /** A process whose command waits for a thread that an error has ended. */
  static final class Waiting {
    private Waiting() {}

    /**
     * Waits.
     *
     * @param args the result file
     */
    public static void main(String[] args) {
      CountDownLatch never = new CountDownLatch(1);
      run(
          () -> {
            new Thread(
                    () -> {
                      throw new OutOfMemoryError("Java heap space");
                    })
                .start();
            try {
              never.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            return nothingToSay();
          },
          "--result",
          args[0]);
    }
  }

  @Test
  void theResultOfAnEarlierRunIsGoneWhileThisOneRuns() throws IOException {
    Files.writeString(result(), "{\"outcome\": \"done\", \"exit_code\": 0}");

    int exit =
        run(
            () -> {
              JsonNode document = read(result());
              assertThat(document.path("schema").asText()).isEqualTo("shardmend/trial/1");
              assertThat(document.path("outcome").asText()).isEqualTo("running");
              assertThat(document.has("exit_code")).isFalse();
              return nothingToSay();
            },
            "--result",
            result().toString());

    assertThat(exit).isZero();
    assertThat(read(result()).path("outcome").asText()).isEqualTo("done");
    assertThat(read(result()).path("exit_code").asInt(-1)).isZero();
  }

  @Test
  void aFolderThatIsMissingForTheAnswerIsFoundBeforeTheWork() {
    for (String option : List.of("--result", "--metrics-file")) {
      int exit =
          run(
              () -> {
                throw new AssertionError("the work was begun");
              },
              option,
              scratch.resolve("missing").resolve("file").toString());

      assertThat(exit).isEqualTo(2);
    }
    assertThat(scratch.resolve("missing")).doesNotExist();
  }

  @Test
  void aResultThatCannotBeWrittenEndsTheRunBeforeTheWork() throws IOException {
    Path directory = Files.createDirectory(result());

    int exit =
        run(
            () -> {
              throw new AssertionError("the work was begun");
            },
            "--result",
            directory.toString());

    assertThat(exit).isEqualTo(5);
  }
}
