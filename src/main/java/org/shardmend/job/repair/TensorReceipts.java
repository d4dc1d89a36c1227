package org.shardmend.job.repair;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.shardmend.audit.TensorDigests;
import org.shardmend.audit.TensorPlace;
import org.shardmend.audit.TensorRow;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.layout.RankRead;
import org.shardmend.checkpoint.sidefile.PreshardedRead;
import org.shardmend.job.audit.AuditContext;
import org.shardmend.plan.Action;
import org.shardmend.plan.Decision;
import org.shardmend.plan.ShardPlan;
import org.shardmend.plan.alias.NameProof;
import org.shardmend.safetensors.Dtype;
import org.shardmend.safetensors.Header;
import org.shardmend.safetensors.TensorEntry;

/** Accounts for every tensor of a shard: from the headers before and after, and the decisions. */
final class TensorReceipts {
  private TensorReceipts() {}

  /**
   * The receipts of a shard, in the offset order of the source; where the names stand in a side
   * file, by rank and then in its order.
   *
   * @param source the header before
   * @param target the header after
   * @param digests of the kept tensors' bytes, by their keys in the target's header; empty when
   *     they were not read
   */
  static List<TensorReceipt> of(
      NumberedShard shard, Header source, Header target, Map<String, String> digests) {
    Map<Seen, Decision> changes = new HashMap<>();
    for (Decision change : shard.plan().changes().unpack()) {
      changes.put(new Seen(change.unit(), change.tensor()), change);
    }
    Map<String, Long> targetBegins = new HashMap<>();
    target.tensors().forEach(entry -> targetBegins.put(entry.name(), entry.begin()));
    After after = new After(changes, targetBegins, digests);
    List<TensorReceipt> receipts = new ArrayList<>();
    if (shard.plan().namesElsewhere()) {
      for (RankRead reading : shard.reads()) {
        PreshardedRead read = reading.read();
        TensorEntry entry =
            source
                .find(read.storedKey())
                .orElseThrow(() -> new IllegalStateException("Planned, but not there: " + read));
        receipts.add(after.receipt(new Seen(reading.unit(), read.name()), entry, entry.name()));
      }
    } else {
      for (TensorEntry entry : source.inOffsetOrder()) {
        receipts.add(after.receipt(new Seen(shard.plan().unit(), entry.name()), entry, ""));
      }
    }
    return receipts;
  }

  /** A tensor as a load unit sees it. */
  private record Seen(UnitId unit, String name) {}

  /** What became of a shard's tensors. */
  private record After(
      Map<Seen, Decision> changes, Map<String, Long> begins, Map<String, String> digests) {

    TensorReceipt receipt(Seen seen, TensorEntry entry, String storedKey) {
      Decision change = changes.get(seen);
      Action action = change == null ? Action.KEEP : change.action();
      String name =
          switch (action) {
            case KEEP, REFUSE -> seen.name();
            case RENAME -> change.target();
            case DROP -> "";
          };
      String targetKey = storedKey.isEmpty() ? name : storedKey;
      return new TensorReceipt(
          seen.unit(),
          seen.name(),
          name,
          action,
          change == null ? "" : change.rule(),
          reason(entry, change),
          entry.dtype(),
          entry.shape(),
          entry.begin(),
          action == Action.DROP ? -1 : begins.get(targetKey),
          entry.bytes(),
          storedKey,
          digests.getOrDefault(targetKey, ""));
    }
  }

  /** Why, and that a type was carried through unknown, which nobody could check. */
  private static String reason(TensorEntry entry, Decision change) {
    String decided = change == null ? "" : change.reason();
    if (Dtype.of(entry.dtype()).isPresent()) {
      return decided;
    }
    String carried =
        "type %s is unknown to this version; its bytes were carried through"
            .formatted(entry.dtype());
    return decided.isEmpty() ? carried : decided + "; " + carried;
  }

  /**
   * A receipt as a row of the audit.
   *
   * @param targetDigest of the bytes read back from the target; empty when they were not
   */
  static TensorRow row(
      AuditContext context, ShardPlan shard, TensorReceipt receipt, String targetDigest) {
    String name = shard.name();
    TensorPlace source =
        new TensorPlace(
            name, receipt.name(), receipt.sourceBegin(), receipt.sourceBegin() + receipt.bytes());
    TensorPlace target =
        receipt.dropped()
            ? TensorPlace.NONE
            : new TensorPlace(
                name,
                receipt.target(),
                receipt.targetBegin(),
                receipt.targetBegin() + receipt.bytes());
    String algorithm =
        receipt.digest().isEmpty() && targetDigest.isEmpty() ? "" : context.digestAlgorithm();
    return new TensorRow(
        context.run(),
        context.checkpoint(),
        context.layout(),
        receipt.unit(),
        shard.shard().part(),
        source,
        target,
        receipt.action(),
        receipt.rule(),
        receipt.reason(),
        receipt.dtype(),
        receipt.shape(),
        new TensorDigests(algorithm, receipt.digest(), targetDigest),
        context.verified(),
        proof(receipt.action()));
  }

  /**
   * A tensor is dropped only after its bytes were compared; a name is changed by a family's rule.
   */
  private static String proof(Action action) {
    return switch (action) {
      case KEEP, REFUSE -> "";
      case RENAME -> NameProof.FAMILY.label();
      case DROP -> NameProof.BYTES.label();
    };
  }
}
