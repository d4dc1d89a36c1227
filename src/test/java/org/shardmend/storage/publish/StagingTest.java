package org.shardmend.storage.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.Store;

/** The sentences S1 to S6 of {@code publish.md}. */
class StagingTest {
  private static final String SHARD = "model-rank-0-part-0.safetensors";

  @TempDir private Path directory;

  private final Store store = new LocalStore();
  private String target;
  private Staging staging;

  @BeforeEach
  void openStaging() throws IOException {
    target = directory.resolve("model").toString();
    staging = staging("a", "f");
    staging.open();
  }

  private Staging staging(String arguments, String fingerprint) {
    return Staging.of(store, target, arguments, fingerprint);
  }

  private ShardReceipt write(long attempt, byte[] content) throws IOException {
    Files.write(Path.of(staging.workPath(0, attempt)), content);
    ShardReceipt receipt = RepairScenario.receipt(0, SHARD, content);
    return new ShardReceipt(
        0,
        attempt,
        SHARD,
        receipt.bytes(),
        receipt.headerBytes(),
        receipt.headerDigest(),
        receipt.digest(),
        receipt.strategy(),
        receipt.bytesRead(),
        receipt.bytesWritten(),
        "rows: 12");
  }

  @Test
  void s1_theNameIsADigestOfArgumentsAndFingerprintAndNoShardsName() {
    assertThat(staging.path()).matches(".*/\\.model\\.shardmend-[0-9a-f]{16}");
    assertThat(staging("a", "f").path()).isEqualTo(staging.path());
    assertThat(staging("b", "f").path()).isNotEqualTo(staging.path());
    assertThat(staging("a", "g").path()).isNotEqualTo(staging.path());
    assertThat(staging("af", "").path()).isNotEqualTo(staging("a", "f").path());
  }

  @Test
  void s1_otherArgumentsAreToldApartFromAChangedSource() {
    assertThatThrownBy(() -> staging("b", "f").open())
        .isInstanceOf(StagingConflictException.class)
        .hasMessageContaining("other arguments: a, and now they are b")
        .hasMessageContaining(staging.path())
        .hasMessageContaining("--restart");
    assertThatThrownBy(() -> staging("a", "g").open())
        .isInstanceOf(StagingConflictException.class)
        .hasMessageContaining("the source or the plan has changed");
  }

  @Test
  void s1_restartingRemovesAllOfThisTargetAndNothingElse() throws IOException {
    Staging neighbor = Staging.of(store, directory.resolve("model2").toString(), "a", "f");
    neighbor.open();
    staging("b", "f").removeAll();
    staging("b", "f").open();
    assertThat(Path.of(staging.path())).doesNotExist();
    assertThat(Path.of(neighbor.path())).exists();
  }

  @Test
  void s2_leftoversOfDeadAttemptsAreRemovedByTheNextRun() throws IOException {
    Path leftover = Files.write(Path.of(staging.workPath(3, 17)), new byte[10]);
    staging.open();
    assertThat(leftover).doesNotExist();
  }

  @Test
  void s3_exactlyTheSuccessfulAttemptIsTaken() throws IOException {
    byte[] loser = new byte[100];
    byte[] winner = new byte[100];
    Arrays.fill(winner, (byte) 1);
    write(1, loser);
    staging.promote(write(2, winner));
    assertThat(Path.of(staging.outPath(SHARD))).hasBinaryContent(winner);
    assertThat(Path.of(staging.workPath(0, 1))).exists();
    assertThat(staging.completed().get(0).details()).isEqualTo("rows: 12");
  }

  @Test
  void s3_aFileWithoutReceiptIsReplaced() throws IOException {
    Files.write(Path.of(staging.outPath(SHARD)), new byte[] {1, 2, 3});
    assertThat(staging.completed()).isEmpty();
    byte[] content = new byte[100];
    staging.promote(write(5, content));
    assertThat(Path.of(staging.outPath(SHARD))).hasBinaryContent(content);
  }

  @Test
  void s3_mayBeTriedAgainWhenTheReceiptCouldNotBeWritten() throws IOException {
    byte[] content = new byte[100];
    ShardReceipt receipt = write(5, content);
    Path receipts = Path.of(staging.path(), "receipts");
    Path away = Files.move(receipts, receipts.resolveSibling("away"));
    assertThatThrownBy(() -> staging.promote(receipt)).isInstanceOf(IOException.class);
    assertThat(Path.of(staging.outPath(SHARD))).exists();
    Files.move(away, receipts);

    staging.promote(receipt);

    assertThat(Path.of(staging.outPath(SHARD))).hasBinaryContent(content);
    assertThat(staging.completed()).containsOnlyKeys(0);
  }

  @Test
  void s4_aShardIsCompleteByReceiptSizeAndHeader() throws IOException {
    byte[] content = new byte[100];
    staging.promote(write(5, content));
    assertThat(staging("a", "f").completed()).containsOnlyKeys(0);
    byte[] otherHeader = content.clone();
    otherHeader[20] = 1;
    Files.write(Path.of(staging.outPath(SHARD)), otherHeader);
    assertThat(staging.completed()).isEmpty();
    Files.write(Path.of(staging.outPath(SHARD)), new byte[101]);
    assertThat(staging.completed()).isEmpty();
    Files.delete(Path.of(staging.outPath(SHARD)));
    assertThat(staging.completed()).isEmpty();
  }

  @Test
  void s4_aReceiptThatCannotBeReadVouchesForNothing() throws IOException {
    staging.promote(write(5, new byte[100]));
    Path receipt = Path.of(staging.path(), "receipts", "0.json");
    Files.writeString(receipt, Files.readString(receipt).substring(0, 40));
    assertThat(staging.completed()).isEmpty();
  }

  @Test
  void s5_aZombieAttemptChangesNothing() throws IOException {
    byte[] content = new byte[100];
    staging.promote(write(5, content));
    byte[] late = new byte[100];
    Arrays.fill(late, (byte) 9);
    write(4, late);
    assertThat(Path.of(staging.outPath(SHARD))).hasBinaryContent(content);
    staging.discardWork();
    staging.removeAll();
    assertThatThrownBy(() -> store.create(staging.workPath(0, 4)))
        .isInstanceOf(java.nio.file.NoSuchFileException.class);
  }

  @Test
  void documentsOfTheCallerAreKept() throws IOException {
    assertThat(staging.readDocument("plan.json")).isEmpty();
    staging.writeDocument("plan.json", "{}".getBytes(StandardCharsets.UTF_8));
    assertThat(staging.readDocument("plan.json").orElseThrow()).asString().isEqualTo("{}");
  }

  @Test
  void s6_aLinkInTheStagingDirectorysPlaceIsRefused() throws IOException {
    Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
    Files.createSymbolicLink(Path.of(staging("b", "g").path()), elsewhere);
    assertThatThrownBy(() -> staging("b", "g").requireOurs())
        .isInstanceOf(StagingConflictException.class)
        .hasMessageContaining("is no directory")
        .hasMessageContaining("choose another --output");
    assertThat(elsewhere).isEmptyDirectory();
  }

  @Test
  void s6_aStagingDirectoryOrReceiptOfAnotherUserIsNotBelieved() throws Exception {
    assumeTrue("root".equals(System.getProperty("user.name")), "needs files of several users");
    staging.requireOurs();
    staging.promote(write(1, new byte[100]));
    assertThat(staging.completed()).hasSize(1);
    Files.setAttribute(Path.of(staging.receiptDirectory(), "0.json"), "unix:uid", 2001);
    assertThat(staging.completed()).isEmpty();
    Files.setAttribute(Path.of(staging.receiptDirectory()), "unix:uid", 2001);
    assertThatThrownBy(staging::requireOurs)
        .isInstanceOf(StagingConflictException.class)
        .hasMessageContaining("receipts belongs to user number 2001");
  }
}
