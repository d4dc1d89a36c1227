package org.shardmend.plan;

import java.io.Serializable;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.shardmend.checkpoint.ScannedShard;
import org.shardmend.checkpoint.Shard;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.safetensors.Header;
import org.shardmend.safetensors.HeaderEdit;
import org.shardmend.safetensors.HeaderWriter;
import org.shardmend.safetensors.SafetensorsException;
import org.shardmend.safetensors.UnknownDtypes;

/**
 * What becomes of one shard: its totals, and the decisions that change something.
 *
 * @param unit the load unit that it belongs to
 * @param shard the file as it was listed
 * @param headerDigest SHA-256 of the 8 + N header bytes, in hexadecimal
 * @param headerBytes 8 + N of the source, in bytes
 * @param counts how many tensors each action concerns
 * @param changes every decision but KEEP
 * @param targetBytes length of the file that a COPY writes, in bytes
 * @param targetHeaderBytes 8 + N of the file that a COPY writes, in bytes
 * @param namesElsewhere whether the names stand in a side file, so that this file stays as it is
 *     whatever they become; the tensors are then counted once a load unit and name
 * @param fitsInPlace whether the changed header fits into the source's 8 + N bytes with no tensor
 *     moved, so that a PATCH is possible
 * @param format what {@code __metadata__.format} is set to; empty where it stays as it is
 */
public record ShardPlan(
    UnitId unit,
    Shard shard,
    String headerDigest,
    long headerBytes,
    ActionCounts counts,
    PackedDecisions changes,
    long targetBytes,
    long targetHeaderBytes,
    boolean namesElsewhere,
    boolean fitsInPlace,
    String format)
    implements Serializable {

  /** The key in {@code __metadata__} that names the framework. */
  private static final String FORMAT = "format";

  /**
   * The plan of a scanned shard.
   *
   * @param changes the decisions on this shard's tensors, without KEEP
   * @param wantedFormat what {@code __metadata__.format} must be; empty for whatever it is
   * @throws SafetensorsException if the changed header would not be valid
   */
  public static ShardPlan of(
      ScannedShard scanned, List<Decision> changes, String wantedFormat, UnknownDtypes dtypes)
      throws SafetensorsException {
    Header header = scanned.header();
    boolean isSet = wantedFormat.isEmpty() || hasFormat(header, wantedFormat);
    if (changes.isEmpty() && isSet) {
      return unchanged(scanned);
    }
    String format = isSet ? "" : wantedFormat;
    HeaderEdit edit = edit(header, changes, format, dtypes);
    byte[] encoded = HeaderWriter.encode(edit.target());
    boolean moves = edit.target().dataBytes() != header.dataBytes() || edit.movesData();
    boolean fits = !moves && HeaderWriter.encodeInto(edit.target(), header.jsonBytes()).isPresent();
    return new ShardPlan(
        scanned.unit(),
        scanned.shard(),
        scanned.headerDigest(),
        header.dataBegin(),
        ActionCounts.of(header.tensors().size(), changes),
        PackedDecisions.of(changes),
        encoded.length + edit.target().dataBytes(),
        encoded.length,
        false,
        fits,
        format);
  }

  /** A shard that stays as it is keeps its header too, to the last space. */
  private static ShardPlan unchanged(ScannedShard scanned) {
    return withSameBytes(scanned, scanned.header().tensors().size(), List.of(), false);
  }

  /**
   * The plan of a weight file whose tensors' names stand in a side file, as one load unit reads it.
   *
   * @param tensors how many names the unit has for what lies in the file
   * @param changes the decisions on these names, without KEEP
   */
  static ShardPlan ofNamesElsewhere(ScannedShard scanned, long tensors, List<Decision> changes) {
    return withSameBytes(scanned, tensors, changes, true);
  }

  private static ShardPlan withSameBytes(
      ScannedShard scanned, long tensors, List<Decision> changes, boolean namesElsewhere) {
    long headerBytes = scanned.header().dataBegin();
    return new ShardPlan(
        scanned.unit(),
        scanned.shard(),
        scanned.headerDigest(),
        headerBytes,
        ActionCounts.of(tensors, changes),
        PackedDecisions.of(changes),
        scanned.shard().bytes(),
        headerBytes,
        namesElsewhere,
        true,
        "");
  }

  /**
   * The plan of one file from those of the load units that read it. A file of several belongs to
   * none of them.
   *
   * @param plans at least one, all of the same file
   */
  static ShardPlan together(List<ShardPlan> plans) {
    ShardPlan first = plans.get(0);
    if (plans.size() == 1) {
      return first;
    }
    return new ShardPlan(
        UnitId.NONE,
        first.shard,
        first.headerDigest,
        first.headerBytes,
        plans.stream().map(ShardPlan::counts).reduce(ActionCounts.NONE, ActionCounts::plus),
        PackedDecisions.of(plans.stream().flatMap(plan -> plan.changes.stream())),
        first.targetBytes,
        first.targetHeaderBytes,
        first.namesElsewhere,
        first.fitsInPlace,
        first.format);
  }

  /** Whether a header says that it is of that format. */
  public static boolean hasFormat(Header header, String format) {
    return header.metadata().map(strings -> strings.get(FORMAT)).filter(format::equals).isPresent();
  }

  /**
   * The edit that the plan makes to the shard's header. Refused tensors are left as they are.
   *
   * @throws SafetensorsException if the changed header would not be valid
   */
  public HeaderEdit edit(Header header, UnknownDtypes dtypes) throws SafetensorsException {
    return edit(header, headerChanges(), format, dtypes);
  }

  private static HeaderEdit edit(
      Header header, List<Decision> changes, String format, UnknownDtypes dtypes)
      throws SafetensorsException {
    Map<String, String> renames = new HashMap<>();
    Set<String> dropped = new HashSet<>();
    for (Decision change : changes) {
      switch (change.action()) {
        case RENAME -> renames.put(change.tensor(), change.target());
        case DROP -> dropped.add(change.tensor());
        case KEEP, REFUSE -> {}
      }
    }
    HeaderEdit edit = HeaderEdit.of(header, renames, dropped, dtypes);
    return format.isEmpty() ? edit : edit.withMetadata(FORMAT, format, dtypes);
  }

  /** The shard's name, relative to the checkpoint. */
  public String name() {
    return shard.name();
  }

  /** True when the file stays as it is, byte for byte. */
  public boolean unchanged() {
    return namesElsewhere || (counts.nothingToDo() && format.isEmpty());
  }

  /** The decisions that change the file's header. */
  public List<Decision> headerChanges() {
    return namesElsewhere ? List.of() : changes.unpack();
  }

  /** The same plan, with its changes kept elsewhere. */
  public ShardPlan withChanges(PackedDecisions kept) {
    return with(counts, kept);
  }

  /** The same plan after comparisons: whatever met different bytes is refused. */
  ShardPlan settled(List<ComparisonResult> different) {
    if (counts.nothingToDo()) {
      return this;
    }
    List<Decision> settled = UnitPlanner.settle(changes.unpack(), different);
    return with(ActionCounts.of(counts.tensors(), settled), PackedDecisions.of(settled));
  }

  private ShardPlan with(ActionCounts newCounts, PackedDecisions newChanges) {
    return new ShardPlan(
        unit,
        shard,
        headerDigest,
        headerBytes,
        newCounts,
        newChanges,
        targetBytes,
        targetHeaderBytes,
        namesElsewhere,
        fitsInPlace,
        format);
  }
}
