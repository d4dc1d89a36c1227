package org.shardmend.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Clock;
import java.time.LocalDate;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.shardmend.job.files.TextFiles;
import org.shardmend.job.spark.JobException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code shardmend run}: a command from a job file. */
@Command(
    name = "run",
    description = {
      "Run the command that a job file describes, as if it stood here: same work, same answer, same"
          + " exit code.",
      "The options below count over those of the file."
    },
    footer = {
      "",
      "Exit: 2 the job file is wrong, else the command's own.",
      "",
      "Examples:",
      "  SHARDMEND_CHECKPOINTS=/lustre/ckpt SHARDMEND_AUDIT=/lustre/audits \\",
      "    shardmend run jobs/nightly-sweep.json --result /lustre/audits/last.json",
      "  shardmend run jobs/migrate-kimi-k3.json --check"
    })
final class RunCommand extends AnsweringCommand {
  private static final Pattern PLAIN_WORD = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

  @Parameters(paramLabel = "JOB.json", description = "The job file, on any file system.")
  private String file;

  @Option(
      names = "--check",
      description = "Only check the file, and print the command line that it stands for.")
  private boolean check;

  @Override
  public Integer call() {
    List<String> words;
    try {
      words = read().words(output().words());
    } catch (JobException e) {
      return answer(
          () -> {
            throw e;
          });
    }
    return check ? answer(() -> checked(words)) : Main.run(words.toArray(String[]::new));
  }

  private JobFile read() throws JobException {
    JobVariables variables = new JobVariables(System.getenv(), LocalDate.now(Clock.systemUTC()));
    return new JobFile(file, TextFiles.read(file, "job file"), variables);
  }

  private static CommandResult checked(List<String> words) {
    ObjectNode document = object();
    ArrayNode list = document.putArray("command");
    words.forEach(list::add);
    return CommandResult.done(
        document,
        List.of(
            "shardmend "
                + words.stream().map(RunCommand::quoted).collect(Collectors.joining(" "))));
  }

  /** A word as a shell takes it. */
  private static String quoted(String word) {
    return PLAIN_WORD.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
