package org.shardmend.checkpoint.layout;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.UnitSummary;
import org.shardmend.checkpoint.finding.LayerFindings;
import org.shardmend.checkpoint.finding.SiblingFindings;
import org.shardmend.checkpoint.sidefile.ModelConfig;
import org.shardmend.checkpoint.sidefile.ServekitInfo;

/** What is found once every unit's headers were read; needs no more of them than a summary. */
public final class HeaderFindings {
  private static final Map<String, String> TOKEN_OF_TORCH =
      Map.of("bfloat16", "BF16", "float16", "F16", "half", "F16", "float32", "F32", "float", "F32");
  private static final Set<String> FLOATS = Set.of("BF16", "F16", "F32");

  private HeaderFindings() {}

  /**
   * Compares the units of a checkpoint with each other and with its side files. Mismatches between
   * siblings come without examples; see {@link SiblingFindings} for those.
   */
  public static List<Finding> of(Checkpoint checkpoint, Collection<UnitSummary> units) {
    List<Finding> findings = new ArrayList<>();
    SiblingFindings.mismatches(units)
        .forEach(mismatch -> findings.add(SiblingFindings.finding(mismatch)));
    findings.addAll(besidesSiblings(checkpoint, units));
    return findings;
  }

  /** The same without the mismatches between siblings. */
  public static List<Finding> besidesSiblings(
      Checkpoint checkpoint, Collection<UnitSummary> units) {
    List<Finding> findings = new ArrayList<>();
    OptionalInt layers =
        checkpoint.modelConfig().map(ModelConfig::hiddenLayers).orElse(OptionalInt.empty());
    findings.addAll(LayerFindings.of(units, layers));
    dtypeFinding(checkpoint.servekit().flatMap(ServekitInfo::dtype), units)
        .ifPresent(findings::add);
    return findings;
  }

  /** A loader casts silently, so that a wrong type in servekit.json is never reported by it. */
  private static Optional<Finding> dtypeFinding(
      Optional<String> dtype, Collection<UnitSummary> units) {
    Optional<String> token = dtype.map(name -> name.replace("torch.", "")).map(TOKEN_OF_TORCH::get);
    if (token.isEmpty()) {
      return Optional.empty();
    }
    Set<String> stored = new TreeSet<>();
    units.forEach(unit -> stored.addAll(unit.dtypes().keySet()));
    stored.retainAll(FLOATS);
    return stored.isEmpty() || stored.contains(token.get())
        ? Optional.empty()
        : Optional.of(
            FindingCode.SERVEKIT_CONTRADICTION.finding(
                ServekitInfo.FILE_NAME,
                "servekit.json says dtype "
                    + dtype.get()
                    + ", but no tensor has that type; there are "
                    + String.join(", ", stored)
                    + ". A loader casts without a word. Correct the file, or launch with the type"
                    + " that the tensors have."));
  }
}
