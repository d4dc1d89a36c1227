package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.checkpoint.Finding;
import org.shardmend.job.plan.Rewrites;
import org.shardmend.job.repair.RepairRequest;
import org.shardmend.job.repair.RepairResult;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.testing.SharedSparkJob;
import org.shardmend.trial.Fault;

/**
 * Symbolic links among a checkpoint's files: what they lead to is copied where it is the
 * checkpoint's own and has an end.
 */
class LinkedSideFilesTest {
  @TempDir private Path scratch;
  private final List<String> messages = new ArrayList<>();
  private Path source;
  private Path elsewhere;
  private Path output;
  private RepairResult result;

  @BeforeEach
  void generate() throws Exception {
    source = scratch.resolve("source");
    output = scratch.resolve("source-repaired");
    Actions.generate(source, Fault.MIXED);
    elsewhere = Files.createDirectories(source.resolve("elsewhere/deep")).getParent();
    Files.writeString(elsewhere.resolve("tokenizer.model"), "pieces");
    Files.writeString(elsewhere.resolve("deep/vocabulary"), "words");
  }

  private void link(Path link, Path target) throws IOException {
    Files.createSymbolicLink(link, target);
  }

  private Path shard() throws IOException {
    try (Stream<Path> files = Files.list(source)) {
      return files
          .filter(file -> file.toString().endsWith(".safetensors"))
          .sorted()
          .findFirst()
          .orElseThrow();
    }
  }

  private void repair() throws JobException {
    Progress progress =
        new DeafProgress() {
          @Override
          public void message(String text) {
            messages.add(text);
          }
        };
    result = Actions.withDefaultRules(SharedSparkJob.withProgress(progress)).repair(source, output);
  }

  private void assertLeftOut(String name, String why) {
    assertThat(messages).contains(name + " " + why + ", and is left out");
    assertThat(result.findings())
        .filteredOn(finding -> finding.code().equals("link-left-out"))
        .extracting(Finding::shard)
        .contains(name);
    assertThat(Files.exists(output.resolve(name), LinkOption.NOFOLLOW_LINKS)).isFalse();
  }

  @Test
  void whatTheyLeadToTakesTheirPlace() throws Exception {
    link(source.resolve("tokenizer.model"), Path.of("elsewhere/tokenizer.model"));
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
  void oneToTheCheckpointItselfIsLeftOut() throws Exception {
    link(source.resolve("itself"), source);
    link(source.resolve("code"), elsewhere);
    link(elsewhere.resolve("back"), source);

    repair();

    for (String name : List.of("itself", "code/back", "elsewhere/back")) {
      assertLeftOut(name, "is a link to the checkpoint itself");
    }
  }

  /** A directory whose name begins like the checkpoint's holds nothing of it. */
  @Test
  void oneToASiblingIsLeftOutWholeWithALine() throws Exception {
    Path sibling = Files.createDirectory(scratch.resolve("source-2"));
    Path secret = Files.writeString(sibling.resolve("secret"), "of a sibling");
    link(source.resolve("notes"), sibling);
    link(source.resolve("tokenizer.model"), secret);
    link(elsewhere.resolve("deep/secret"), secret);

    repair();

    assertLeftOut("notes", "is a link out of the checkpoint, to file:" + sibling);
    for (String name : List.of("tokenizer.model", "elsewhere/deep/secret")) {
      assertLeftOut(name, "is a link out of the checkpoint, to file:" + secret);
    }
    assertThat(output.resolve("elsewhere/deep/vocabulary")).hasContent("words");
  }

  @Test
  void oneFromASnapshotIntoItsCachesBlobsIsFollowedAndNoFurther() throws Exception {
    Path blobs = Files.createDirectories(scratch.resolve("cache/blobs/below")).getParent();
    Path snapshot = Files.createDirectories(blobs.resolveSibling("snapshots")).resolve("0123abc");
    Files.move(source, snapshot);
    source = snapshot;
    Path secret = Files.writeString(scratch.resolve("secret"), "mine");
    Files.writeString(blobs.resolve("a1"), "pieces");
    Files.writeString(blobs.resolve("below/a2"), "deeper");
    link(blobs.resolve("a3"), secret);
    Path shard = shard();
    Files.move(shard, blobs.resolve("a4"));
    link(shard, Path.of("../../blobs/a4"));
    link(source.resolve("tokenizer.model"), Path.of("../../blobs/a1"));
    link(source.resolve("elsewhere/model"), Path.of("../../../blobs/a1"));
    link(source.resolve("below"), Path.of("../../blobs/below/a2"));
    link(source.resolve("outside"), Path.of("../../blobs/a3"));

    repair();

    assertThat(output.resolve("tokenizer.model")).hasContent("pieces");
    assertThat(output.resolve("elsewhere/model")).hasContent("pieces");
    assertThat(output.resolve(shard.getFileName())).isRegularFile();
    assertLeftOut("below", "is a link out of the checkpoint, to file:" + blobs + "/below/a2");
    assertLeftOut("outside", "is a link out of the checkpoint, to file:" + secret);
  }

  @Test
  void whatAnEngineNeedsIsRefusedBehindALinkOutOfTheCheckpoint() throws Exception {
    Path secret = Files.writeString(scratch.resolve("secret.json"), "{\"token\": \"mine\"}");
    Files.deleteIfExists(source.resolve("config.json"));
    link(source.resolve("config.json"), secret);

    assertThatThrownBy(this::repair)
        .isInstanceOfSatisfying(
            JobException.class,
            refused -> {
              assertThat(refused.code()).isEqualTo("link-outside");
              assertThat(refused.kind()).isEqualTo(JobException.Kind.REFUSED);
              assertThat(refused)
                  .hasMessageContaining("config.json")
                  .hasMessageContaining("secret");
            });
    assertThat(output).doesNotExist();
  }

  @Test
  void aConfigThatIsWrittenAnewIsRefusedBehindALinkOutOfTheCheckpoint() throws Exception {
    String module = "model.layers.0.self_attn.attn_mha.kv_b_proj";
    Path secret =
        Files.writeString(
            scratch.resolve("secret.json"),
            "{\"token\": \"mine\", \"quantization\": {\"exclude_modules\": [\"" + module + "\"]}}");
    link(source.resolve("hf_quant_config.json"), secret);
    Actions actions = Actions.withDefaultRules(SharedSparkJob.withProgress(Progress.SILENT));
    RepairRequest request =
        RepairRequest.toOutput(
            actions.of(source).rewriting(Rewrites.NONE.withConfig()), Actions.location(output));

    assertThatThrownBy(() -> actions.repair(request))
        .isInstanceOfSatisfying(
            JobException.class, refused -> assertThat(refused.code()).isEqualTo("link-outside"));
    assertThat(output).doesNotExist();
  }

  @Test
  void aShardThatIsALinkToAFileOfTheSameUserIsRepaired() throws Exception {
    Path shard = shard();
    Path moved = Files.move(shard, scratch.resolve("weights"));
    link(shard, moved);

    repair();

    assertThat(output.resolve(shard.getFileName())).isRegularFile();
  }

  /** Only root can make files of others. */
  @Test
  void aShardThatIsALinkToAFileOfAnotherUserIsRefused() throws Exception {
    Path shard = shard();
    Path moved = Files.move(shard, scratch.resolve("weights"));
    link(shard, moved);
    assumeTrue(Files.isWritable(Path.of("/")));
    Files.setAttribute(moved, "unix:uid", 12345);

    assertThatThrownBy(this::repair)
        .isInstanceOfSatisfying(
            JobException.class, refused -> assertThat(refused.code()).isEqualTo("link-outside"));
    assertThat(output).doesNotExist();
  }
}
