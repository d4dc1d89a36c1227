package org.shardmend.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.testing.Programs;

/** The scripts for shells, tried in the shells. */
class CompletionTest {
  @TempDir private Path scratch;

  @Test
  void bashCompletesCommandsAndOptions() throws Exception {
    Path script = script("bash");

    assertThat(bash(script, "shardmend sw")).containsExactly("sweep");
    assertThat(bash(script, "shardmend sweep --modi")).containsExactly("--modified-since");
    assertThat(bash(script, "shardmend --master local plan --jso")).containsExactly("--json");
  }

  @Test
  void zshReadsTheScript() throws Exception {
    requireShell("zsh");

    assertThat(
            output(
                "zsh",
                "-f",
                "-c",
                "source " + script("zsh") + " 2>&1; whence -w _complete_shardmend"))
        .contains("_complete_shardmend: function");
  }

  @Test
  void fishCompletesCommandsOptionsAndValues() throws Exception {
    requireShell("fish");
    Path script = script("fish");

    assertThat(fish(script, "shardmend sw")).contains("sweep");
    assertThat(fish(script, "shardmend sweep --modi")).contains("--modified-since");
    assertThat(fish(script, "shardmend --master x plan --log-format ")).contains("json", "plain");
    assertThat(fish(script, "shardmend plan --modi")).isEmpty();
  }

  @Test
  void fishGetsEveryOptionOfEveryCommand() {
    String script = CommandRun.of("completion", "fish").out();

    Main.commandLine()
        .getSubcommands()
        .forEach(
            (name, command) ->
                command
                    .getCommandSpec()
                    .options()
                    .forEach(
                        option ->
                            assertThat(script)
                                .containsPattern(
                                    "seen_subcommand_from %s' .*-l %s( |\\n)"
                                        .formatted(name, option.longestName().substring(2)))));
  }

  private Path script(String shell) throws IOException {
    CommandRun run = CommandRun.of("completion", shell);
    assertThat(run.exit()).isZero();
    return Files.writeString(scratch.resolve("shardmend." + shell), run.out());
  }

  /** What bash offers for the last word, as pressing tab does. */
  private static List<String> bash(Path script, String line) throws Exception {
    String program =
        "source "
            + script
            + "; COMP_WORDS=("
            + line
            + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE='"
            + line
            + "'; COMP_POINT=${#COMP_LINE}; _complete_shardmend; printf '%s\\n' \"${COMPREPLY[@]}\"";
    return output("bash", "-c", program).lines().map(String::strip).toList();
  }

  private static List<String> fish(Path script, String line) throws Exception {
    return output("fish", "--no-config", "-c", "source " + script + "; complete -C '" + line + "'")
        .lines()
        .map(offered -> offered.split("\t", -1)[0])
        .toList();
  }

  private static void requireShell(String name) {
    assumeTrue(
        Programs.isThere(name), name + " is not installed, so its completion was NOT tried.");
  }

  private static String output(String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return output;
  }
}
