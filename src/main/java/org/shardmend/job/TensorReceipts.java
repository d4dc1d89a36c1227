package org.shardmend.job;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.shardmend.audit.Place;
import org.shardmend.audit.TensorDigests;
import org.shardmend.audit.TensorRow;
import org.shardmend.plan.Action;
import org.shardmend.plan.Decision;
import org.shardmend.plan.ShardPlan;
import org.shardmend.safetensors.Header;
import org.shardmend.safetensors.TensorEntry;

/** Accounts for every tensor of a shard: from the headers before and after, and the decisions. */
final class TensorReceipts {
  private TensorReceipts() {}

  /**
   * The receipts of a shard, in the offset order of the source.
   *
   * @param source the header before
   * @param target the header after
   * @param changes the decisions, without KEEP
   * @param digests of the kept tensors' bytes, by their names in the target; empty when they were
   *     not read
   */
  static List<TensorReceipt> of(
      Header source, Header target, List<Decision> changes, Map<String, String> digests) {
    Map<String, Decision> byName = new HashMap<>();
    changes.forEach(change -> byName.put(change.tensor(), change));
    Map<String, Long> targetBegins = new HashMap<>();
    target.tensors().forEach(entry -> targetBegins.put(entry.name(), entry.begin()));
    List<TensorReceipt> receipts = new ArrayList<>(source.tensors().size());
    for (TensorEntry entry : source.inOffsetOrder()) {
      Decision change = byName.get(entry.name());
      Action action = change == null ? Action.KEEP : change.action();
      String name =
          switch (action) {
            case KEEP, REFUSE -> entry.name();
            case RENAME -> change.target();
            case DROP -> "";
          };
      receipts.add(
          new TensorReceipt(
              entry.name(),
              name,
              action,
              change == null ? "" : change.rule(),
              change == null ? "" : change.reason(),
              entry.dtype(),
              entry.shape(),
              entry.begin(),
              name.isEmpty() ? -1 : targetBegins.get(name),
              entry.bytes(),
              digests.getOrDefault(name, "")));
    }
    return receipts;
  }

  /**
   * A receipt as a row of the audit.
   *
   * @param targetDigest of the bytes read back from the target; empty when they were not
   */
  static TensorRow row(
      AuditContext context, ShardPlan shard, TensorReceipt receipt, String targetDigest) {
    String name = shard.name();
    Place source =
        new Place(
            name, receipt.name(), receipt.sourceBegin(), receipt.sourceBegin() + receipt.bytes());
    Place target =
        receipt.target().isEmpty()
            ? Place.NONE
            : new Place(
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
        shard.unit(),
        shard.shard().part(),
        source,
        target,
        receipt.action(),
        receipt.rule(),
        receipt.reason(),
        receipt.dtype(),
        receipt.shape(),
        new TensorDigests(algorithm, receipt.digest(), targetDigest),
        context.verified());
  }
}
