package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.testing.SharedSparkJob;
import org.shardmend.trial.Fault;

/** Symbolic links among a checkpoint's side files: what they lead to is copied, where it ends. */
class LinkedSideFilesTest {
  @TempDir private Path scratch;
  private final List<String> messages = new ArrayList<>();
  private Path source;
  private Path elsewhere;
  private Path output;

  @BeforeEach
  void generate() throws Exception {
    source = scratch.resolve("source");
    output = scratch.resolve("source-repaired");
    Actions.generate(source, Fault.MIXED);
    elsewhere = Files.createDirectories(scratch.resolve("elsewhere/deep")).getParent();
    Files.writeString(elsewhere.resolve("tokenizer.model"), "pieces");
    Files.writeString(elsewhere.resolve("deep/vocabulary"), "words");
  }

  private void link(Path link, Path target) throws IOException {
    Files.createSymbolicLink(link, target);
  }

  private void repair() throws JobException {
    Progress progress =
        new DeafProgress() {
          @Override
          public void message(String text) {
            messages.add(text);
          }
        };
    Actions.withDefaultRules(SharedSparkJob.withProgress(progress)).repair(source, output);
  }

  private void assertLeftOut(String name, String why) {
    assertThat(messages).contains(name + " " + why + ", and is left out");
    assertThat(Files.exists(output.resolve(name), LinkOption.NOFOLLOW_LINKS)).isFalse();
  }

  @Test
  void whatTheyLeadToTakesTheirPlace() throws Exception {
    link(source.resolve("tokenizer.model"), elsewhere.resolve("tokenizer.model"));
    link(source.resolve("code"), elsewhere);
    link(elsewhere.resolve("deep/model"), Path.of("../tokenizer.model"));

    repair();

    for (String file : List.of("tokenizer.model", "code/tokenizer.model", "code/deep/model")) {
      assertThat(output.resolve(file)).hasContent("pieces").isRegularFile();
      assertThat(output.resolve(file)).matches(path -> !Files.isSymbolicLink(path));
    }
    assertThat(output.resolve("code/deep/vocabulary")).hasContent("words");
  }

  @Test
  void oneThatLeadsNowhereIsLeftOut() throws Exception {
    link(source.resolve("gone"), Path.of("absent"));
    link(source.resolve("self"), Path.of("self"));
    link(source.resolve("code"), elsewhere);
    link(elsewhere.resolve("gone"), Path.of("/absent"));

    repair();

    for (String name : List.of("gone", "self", "code/gone")) {
      assertLeftOut(name, "is a link that leads nowhere");
    }
    assertThat(output.resolve("code/tokenizer.model")).hasContent("pieces");
  }

  @Test
  void oneThatHasNoEndIsFollowedOnce() throws Exception {
    link(source.resolve("code"), elsewhere);
    link(elsewhere.resolve("deep/up"), elsewhere);

    repair();

    assertLeftOut("code/deep/up", "is a link to a directory that holds it");
    assertThat(output.resolve("code/deep/vocabulary")).hasContent("words");
  }

  @Test
  void oneToWhatHoldsTheCheckpointOrTheOutputIsLeftOut() throws Exception {
    link(source.resolve("itself"), source);
    link(source.resolve("parent"), scratch);
    link(source.resolve("code"), elsewhere);
    link(elsewhere.resolve("back"), source);

    repair();

    for (String name : List.of("itself", "parent", "code/back")) {
      assertLeftOut(name, "is a link to what holds the checkpoint or its repair");
    }
  }

  /** A directory whose name begins like the checkpoint's holds nothing of it. */
  @Test
  void oneToASiblingWithALongerNameIsFollowed() throws Exception {
    Path sibling = Files.createDirectory(scratch.resolve("sour"));
    Files.writeString(sibling.resolve("notes"), "of a sibling");
    link(source.resolve("notes"), sibling);

    repair();

    assertThat(output.resolve("notes/notes")).hasContent("of a sibling");
  }
}
