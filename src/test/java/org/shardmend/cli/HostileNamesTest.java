package org.shardmend.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardmend.safetensors.Header;
import org.shardmend.safetensors.HeaderWriter;
import org.shardmend.safetensors.SafetensorsException;
import org.shardmend.safetensors.Shape;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.safetensors.UnknownDtypes;

/** A tensor's name is any string: on a terminal it moves no cursor and begins no line. */
class HostileNamesTest {
  private static final String CLEARS = "\u001b[2J\u001b[31m";
  private static final String SPOOFS = "\nshardmend: all is well\r";
  private static final String TURNS = "\u202egnp";
  private static final String EVIL = "model." + CLEARS + SPOOFS + TURNS + "layers.0";
  private static final String ALIAS = EVIL + ".attn_mha.kv_b_proj.weight";
  private static final String CANONICAL = EVIL + ".kv_b_proj.weight";

  @TempDir private Path scratch;
  private Path alone;
  private Path contradicting;

  @BeforeEach
  void writeCheckpoints() throws Exception {
    alone = write("alone", List.of(ALIAS, EVIL + ".norm.weight"));
    contradicting = write("contradicting", List.of(ALIAS, CANONICAL));
  }

  /** A checkpoint of one shard, each tensor of it with bytes of its own. */
  private Path write(String name, List<String> tensors) throws IOException, SafetensorsException {
    List<TensorEntry> entries = new ArrayList<>();
    ByteArrayOutputStream data = new ByteArrayOutputStream();
    for (String tensor : tensors) {
      int begin = data.size();
      data.writeBytes(new byte[] {(byte) entries.size(), 1, 2, 3});
      entries.add(new TensorEntry(tensor, "U8", Shape.of(4), begin, begin + 4));
    }
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    file.writeBytes(
        HeaderWriter.encode(Header.of(Optional.empty(), entries, UnknownDtypes.REFUSE)));
    file.writeBytes(data.toByteArray());
    Path directory = Files.createDirectory(scratch.resolve(name));
    Files.write(directory.resolve("model-rank-0-part-0.safetensors"), file.toByteArray());
    return directory;
  }

  @ParameterizedTest
  @ValueSource(strings = {"plan", "verify", "inspect"})
  void commandsShowHostileNamesAsEscapes(String command) {
    requireHarmless(CommandRun.of(command, alone.toString()), "\\u{1b}");
    requireHarmless(CommandRun.of(command, contradicting.toString()), "\\u{1b}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"alone", "contradicting"})
  void aRepairShowsThemAsEscapes(String name) {
    String output = scratch.resolve("repaired").toString();
    CommandRun repair =
        CommandRun.of("repair", scratch.resolve(name).toString(), "--output", output);

    requireHarmless(repair, "");
    assertThat(repair.exit()).isEqualTo(name.equals("alone") ? 0 : 4);
    if (repair.exit() == 0) {
      requireHarmless(CommandRun.of("audit", output), "\\u{1b}");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plan", "verify", "inspect"})
  void documentsHoldNamesAsTheyAre(String command) {
    CommandRun run = CommandRun.of(command, alone.toString(), "--json");

    requireHarmless(new CommandRun(run.exit(), "", run.err()), "");
    assertThat(run.out()).doesNotContain("\u001b").doesNotContain("\r");
    assertThat(run.document().findValuesAsText(command.equals("inspect") ? "name" : "tensor"))
        .contains(ALIAS);
  }

  private static void requireHarmless(CommandRun run, String shown) {
    String all = run.out() + run.err();
    assertThat(all)
        .doesNotContain("\u001b")
        .doesNotContain("\u202e")
        .doesNotContain("\r")
        .contains(shown);
    assertThat(all.lines()).noneMatch(line -> line.startsWith("shardmend: all is well"));
  }
}
