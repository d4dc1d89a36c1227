package org.shardmend.checkpoint.finding;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.ScannedShard;
import org.shardmend.checkpoint.SmallReads;
import org.shardmend.checkpoint.UnitCheck;
import org.shardmend.checkpoint.Wording;

/**
 * Looks for {@code __metadata__.format} in the shards of a Hugging Face model. Transformers before
 * 2025 stops where it is missing ({@code modeling_utils.py}, {@code load_state_dict}); later builds
 * stop where there is a {@code __metadata__} without it, and take a header without any for
 * PyTorch's.
 */
public final class MetadataFormatCheck implements UnitCheck {
  private static final long serialVersionUID = 1L;

  /** The key in {@code __metadata__}. */
  static final String KEY = "format";

  /** What Transformers knows. */
  private static final Set<String> KNOWN = Set.of("pt", "tf", "flax", "mlx");

  @Override
  public List<Finding> check(List<ScannedShard> shards, SmallReads reads) {
    List<String> without = new ArrayList<>();
    List<String> unknown = new ArrayList<>();
    for (ScannedShard scanned : shards) {
      Optional<Map<String, String>> metadata = scanned.header().metadata();
      if (metadata.isEmpty()) {
        without.add(scanned.shard().name());
      } else if (!KNOWN.contains(metadata.get().getOrDefault(KEY, ""))) {
        unknown.add(scanned.shard().name());
      }
    }
    List<Finding> findings = new ArrayList<>();
    if (!without.isEmpty()) {
      findings.add(
          finding(
              without,
              "no __metadata__: Transformers of before 2025 and MLX stop at such a file"
                  + " (AttributeError: 'NoneType' object has no attribute 'get'), later"
                  + " Transformers, SGLang and vLLM read it"));
    }
    if (!unknown.isEmpty()) {
      findings.add(
          finding(
              unknown,
              "a __metadata__ without a format that loaders know (pt, tf, flax, mlx): Transformers"
                  + " and MLX stop at such a file (OSError: … does not contain the valid metadata),"
                  + " SGLang and vLLM read it"));
    }
    return findings;
  }

  private static Finding finding(List<String> shards, String what) {
    return FindingCode.METADATA_FORMAT.finding(
        shards.get(0),
        Wording.examples(shards)
            + (shards.size() == 1 ? " has " : " have ")
            + what
            + ". 'repair --set-format pt' sets it.");
  }
}
