package org.shardmend.job.files;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.ScannedShard;
import org.shardmend.checkpoint.Shard;
import org.shardmend.checkpoint.UnitSummary;
import org.shardmend.plan.NamedTensor;
import org.shardmend.plan.contract.NamedUnit;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.Store;

/**
 * The headers of one load unit, and what its loader finds by them.
 *
 * @param shards the headers, in the order of the unit; without the malformed ones
 * @param tensors what the unit's loader sees; none where the names can't be told
 * @param problems what makes the unit unreadable for a loader, each an error
 * @param findings what a user should know
 */
public record UnitHeaders(
    List<ScannedShard> shards,
    List<NamedTensor> tensors,
    List<Finding> problems,
    List<Finding> findings) {

  /** Reads each header of {@code unit} once. */
  public static UnitHeaders read(
      CheckpointAccess access, NamedUnit unit, UnknownDtypes dtypes, LongConsumer meter)
      throws IOException {
    return read(access, unit, dtypes, SharedHeaderStage.none(), meter);
  }

  /** Reads each header of {@code unit} once, but for those that were read already. */
  public static UnitHeaders read(
      CheckpointAccess access,
      NamedUnit unit,
      UnknownDtypes dtypes,
      SharedHeaderStage shared,
      LongConsumer meter)
      throws IOException {
    List<ScannedShard> scanned = new ArrayList<>();
    List<Finding> problems = new ArrayList<>();
    List<Finding> findings;
    try (Store store = access.open()) {
      ShardHeaders headers = new ShardHeaders(store, access, unit.unit().shards(), dtypes, meter);
      for (Shard shard : unit.unit().shards()) {
        Optional<ScannedShard> known = shared.of(unit.id(), shard);
        if (known.isPresent()) {
          scanned.add(known.get());
        } else {
          ShardHeaders.Answer answer = headers.read(unit.id(), shard);
          answer.shard().ifPresent(scanned::add);
          problems.addAll(answer.problems());
        }
      }
      findings = unit.names().findings(scanned, headers::value);
    }
    List<Finding> contradictions = unit.names().problems(scanned);
    problems.addAll(contradictions);
    return new UnitHeaders(
        scanned,
        contradictions.isEmpty() ? unit.names().tensors(scanned) : List.of(),
        problems,
        findings);
  }

  /** The tensors under the names that the loader sees, each relative to its file. */
  public List<TensorEntry> entries() {
    return tensors.stream()
        .map(t -> new TensorEntry(t.name(), t.dtype(), t.shape(), t.begin(), t.end()))
        .toList();
  }

  /** What is compared between units. */
  public UnitSummary summary(NamedUnit unit) {
    return UnitSummary.of(unit.id(), entries());
  }
}
