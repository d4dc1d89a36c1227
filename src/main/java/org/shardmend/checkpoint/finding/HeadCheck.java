package org.shardmend.checkpoint.finding;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.ScannedShard;
import org.shardmend.checkpoint.SmallReads;
import org.shardmend.checkpoint.UnitCheck;
import org.shardmend.checkpoint.sidefile.ModelConfig;
import org.shardmend.safetensors.TensorEntry;

/**
 * Looks for the head of a model whose config.json says that the embeddings are not tied to it. A
 * loader fills a head that is nowhere with random numbers, and warns at most.
 */
public final class HeadCheck implements UnitCheck {
  private static final long serialVersionUID = 1L;

  /** What model classes call the projection onto the vocabulary. */
  private static final Set<String> HEADS =
      Set.of("embed_out", "output", "output_layer", "proj_out", "score", "classifier");

  private static final Set<String> EMBEDDINGS =
      Set.of("embed_tokens", "wte", "word_embeddings", "tok_embeddings", "embed_in", "shared");

  /**
   * The embeddings of a model that was saved without the class that predicts words, though its
   * config may still name it: those that turn texts into vectors (Qwen3-Embedding). Nothing stands
   * before these names, and no loader of such a model asks for a head.
   */
  private static final Set<String> BARE =
      Set.of("embed_tokens.weight", "wte.weight", "word_embeddings.weight");

  @Override
  public List<Finding> check(List<ScannedShard> shards, SmallReads reads) {
    boolean embeds = names(shards).anyMatch(HeadCheck::isEmbedding);
    boolean bare = names(shards).anyMatch(BARE::contains);
    return !embeds || bare || names(shards).anyMatch(HeadCheck::isHead)
        ? List.of()
        : List.of(
            FindingCode.HEAD_MISSING.finding(
                ModelConfig.FILE_NAME,
                "config.json says \"tie_word_embeddings\": false, but no file holds a head"
                    + " (lm_head): loaders fill it with random numbers or stop. Fetch the file that"
                    + " holds it; or, if the model was trained with tied embeddings, say true."));
  }

  private static Stream<String> names(List<ScannedShard> shards) {
    return shards.stream()
        .flatMap(shard -> shard.header().tensors().stream())
        .map(TensorEntry::name);
  }

  private static boolean isEmbedding(String name) {
    return Stream.of(name.split("\\.")).anyMatch(EMBEDDINGS::contains);
  }

  /** A head stands outside of the numbered layers; one of an image tower is none of the model. */
  private static boolean isHead(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (lower.contains("lm_head") || lower.contains("predictions.decoder")) {
      return true;
    }
    boolean tower = lower.contains("vision") || lower.contains("visual") || lower.contains("audio");
    return !tower
        && Stream.of(lower.split("\\.")).noneMatch(HeadCheck::isNumber)
        && Stream.of(lower.split("\\.")).anyMatch(word -> HEADS.contains(word) || isHeadWord(word));
  }

  private static boolean isNumber(String word) {
    return !word.isEmpty() && word.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  private static boolean isHeadWord(String word) {
    return word.equals("head") || word.equals("heads") || word.endsWith("_head");
  }
}
