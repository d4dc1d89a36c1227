package org.shardmend.checkpoint.finding;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.ScannedShard;
import org.shardmend.checkpoint.SmallReads;
import org.shardmend.checkpoint.UnitCheck;
import org.shardmend.checkpoint.Wording;
import org.shardmend.checkpoint.sidefile.IndexJson;
import org.shardmend.safetensors.DisplayName;
import org.shardmend.safetensors.TensorEntry;

/** Compares a Hugging Face index with the shards that it speaks of. Travels to executors. */
public final class IndexCheck implements UnitCheck {
  private static final long serialVersionUID = 1L;

  private final Map<String, String> weightMap;

  /** A check against that index. */
  public IndexCheck(IndexJson index) {
    this.weightMap = new HashMap<>(index.weightMap());
  }

  @Override
  public List<Finding> check(List<ScannedShard> shards, SmallReads reads) {
    return shards.stream().flatMap(shard -> check(shard).stream()).toList();
  }

  /** Where one shard and the index disagree, in at most one finding of each kind. */
  public List<Finding> check(ScannedShard scanned) {
    String shard = scanned.shard().name();
    Map<String, String> ofShard = new TreeMap<>();
    weightMap.forEach(
        (tensor, file) -> {
          if (file.equals(shard)) {
            ofShard.put(tensor, file);
          }
        });
    List<String> misplaced = new ArrayList<>();
    for (TensorEntry tensor : scanned.header().tensors()) {
      String file = weightMap.get(tensor.name());
      if (file == null) {
        misplaced.add(DisplayName.of(tensor.name()) + " (not named)");
      } else if (!file.equals(shard)) {
        misplaced.add(DisplayName.of(tensor.name()) + " (placed in " + file + ")");
      }
      ofShard.remove(tensor.name());
    }
    List<Finding> findings = new ArrayList<>();
    if (!misplaced.isEmpty()) {
      findings.add(
          FindingCode.INDEX_MISPLACED.finding(
              shard,
              shard
                  + " holds tensors that the index does not place there: "
                  + Wording.examples(misplaced)
                  + ". Loaders that follow the index stop or do not find them; let the index be"
                  + " written again (repair --rewrite-index)."));
    }
    if (!ofShard.isEmpty()) {
      findings.add(
          FindingCode.INDEX_TENSOR_MISSING.finding(
              shard,
              "the index places tensors in "
                  + shard
                  + " that it does not hold: "
                  + Wording.examples(ofShard.keySet().stream().map(DisplayName::of).toList())
                  + ". Loaders that follow the index stop at these names. Fetch the shard again if"
                  + " it should hold them, or else let the index be written again (repair"
                  + " --rewrite-index)."));
    }
    return findings;
  }

  /**
   * A finding when the index states another total.
   *
   * @param tensorBytes length of all tensors' data together
   */
  public static Optional<Finding> checkTotal(IndexJson index, long tensorBytes) {
    return index.totalSize().isEmpty() || index.totalSize().getAsLong() == tensorBytes
        ? Optional.empty()
        : Optional.of(
            FindingCode.INDEX_TOTAL_SIZE.finding(
                index.name(),
                "the index says total_size "
                    + index.totalSize().getAsLong()
                    + ", but the tensors have "
                    + tensorBytes
                    + " bytes together. A repair writes the right number."));
  }
}
