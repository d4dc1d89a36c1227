package org.shardmend.job.repair;

import java.util.Optional;
import org.shardmend.audit.CatalogName;
import org.shardmend.audit.RunId;
import org.shardmend.job.plan.PlanRequest;
import org.shardmend.job.spark.JobException;
import org.shardmend.plan.Strategy;
import org.shardmend.storage.Location;
import org.shardmend.storage.bytes.DigestAlgorithm;
import org.shardmend.storage.protocol.StepListener;

/** What {@code repair} is to do: fluent settings, checked when the repair runs. */
public final class RepairRequest {
  /** The label that asks for no digest at all. */
  public static final String NO_DIGEST = "none";

  /** How much of what was written is read back before it is published. */
  public enum Verify {
    /** Length, format, plan and loader's contract of every shard. */
    HEADERS,
    /** The digest of every tensor as storage now holds it, too. */
    FULL
  }

  private final PlanRequest plan;
  private final Location output;
  private Strategy strategy;
  private String digest;
  private Verify verify = Verify.HEADERS;
  private Location audit;
  private CatalogName auditTable;
  private boolean linkUnchanged;
  private boolean allowHardLinks;
  private boolean forget;
  private boolean restart;
  private boolean breakLock;
  private boolean adoptJournal;
  private long maxBytesPerSecond = Long.MAX_VALUE;
  private RunId run;
  private String listing = "";
  private StepListener listener = StepListener.NONE;

  private RepairRequest(PlanRequest plan, Location output) {
    this.plan = plan;
    this.output = output;
  }

  /** A repair that writes a corrected checkpoint to {@code output} and leaves the source alone. */
  public static RepairRequest toOutput(PlanRequest plan, Location output) {
    return new RepairRequest(plan, output);
  }

  /** A repair that changes the checkpoint itself, through a journal. */
  public static RepairRequest inPlace(PlanRequest plan) {
    return new RepairRequest(plan, null);
  }

  /** Forces a strategy; where it can't be had the repair fails instead of falling back. */
  public RepairRequest strategy(Strategy forced) {
    strategy = forced;
    return this;
  }

  /**
   * The digest of each tensor: a {@link DigestAlgorithm}'s label, or {@link #NO_DIGEST}. Unless set
   * it is XXH3-128, of bytes that are read anyway. In place nearly none are, so there a digest that
   * is asked for has every tensor of every shard read.
   */
  public RepairRequest digest(String label) {
    digest = label;
    return this;
  }

  /** How much is read back; headers unless set. */
  public RepairRequest verify(Verify depth) {
    verify = depth;
    return this;
  }

  /** Where the audit tables are; below the target unless set. */
  public RepairRequest audit(Location directory) {
    audit = directory;
    return this;
  }

  /** A catalog's tables that get the audit's rows, too; none unless set. */
  public RepairRequest auditTable(CatalogName tables) {
    auditTable = tables;
    return this;
  }

  /** Makes unchanged shards hard links to the source's. */
  public RepairRequest linkUnchanged() {
    linkUnchanged = true;
    return this;
  }

  /** Patches files that have more than one name; the other names change with them. */
  public RepairRequest allowHardLinks() {
    allowHardLinks = true;
    return this;
  }

  /** Gives up the possibility of undoing, once the repair is done. */
  public RepairRequest forget() {
    forget = true;
    return this;
  }

  /** Throws away what an earlier, other repair to the same output has left. */
  public RepairRequest restart() {
    restart = true;
    return this;
  }

  /** In place: finishes a journal, whoever wrote it; the user vouches for it. */
  public RepairRequest adoptJournal() {
    adoptJournal = true;
    return this;
  }

  /** Removes a lock whose holder can't be proven gone. */
  public RepairRequest breakLock() {
    breakLock = true;
    return this;
  }

  /** How much each executor process may move, in bytes per second; no limit unless set. */
  public RepairRequest maxBytesPerSecond(long limit) {
    maxBytesPerSecond = limit;
    return this;
  }

  /** The run's id, which the log of its command already has; a new one unless set. */
  public RepairRequest run(RunId id) {
    run = id;
    return this;
  }

  Optional<RunId> run() {
    return Optional.ofNullable(run);
  }

  /** A fingerprint of the source's listing, for the audit's row of a run that has no plan. */
  public RepairRequest listing(String fingerprint) {
    listing = fingerprint;
    return this;
  }

  String listing() {
    return listing;
  }

  /** Hears of each step of the protocols; for tests that stop there. */
  public RepairRequest listener(StepListener heard) {
    listener = heard;
    return this;
  }

  StepListener listener() {
    return listener;
  }

  /**
   * Requires that every setting means something for this way to repair.
   *
   * @throws JobException USAGE otherwise, with the setting
   */
  void requireMeaningful() throws JobException {
    boolean inPlace = output().isEmpty();
    refuse(
        inPlace && linkUnchanged,
        "--link-unchanged makes shards of an output, so it needs --output");
    refuse(
        inPlace && restart,
        "--restart is for an unfinished --output; in place, 'rollback' undoes what was begun");
    refuse(
        inPlace && verify == Verify.FULL,
        "--verify full reads back what --output wrote; in place headers are read back always, and"
            + " data stays where it is: run 'verify --full' afterwards");
    refuse(
        !inPlace && allowHardLinks,
        "--allow-hard-links is for --in-place: an output has files of its own");
    refuse(!inPlace && adoptJournal, "--adopt-journal is for --in-place: an output has no journal");
    refuse(!inPlace && forget, "--forget is for --in-place: an output has no journal");
  }

  private static void refuse(boolean meaningless, String why) throws JobException {
    if (meaningless) {
      throw JobException.usage("option-without-meaning", why);
    }
  }

  PlanRequest plan() {
    return plan;
  }

  Optional<Location> output() {
    return Optional.ofNullable(output);
  }

  Optional<Strategy> strategy() {
    return Optional.ofNullable(strategy);
  }

  String digest() {
    return Optional.ofNullable(digest).orElse(DigestAlgorithm.XXH3_128.label());
  }

  /** Whether a repair in place is to read every tensor for its digest. */
  boolean digestsEveryTensor() {
    return digest != null && !digest.equals(NO_DIGEST);
  }

  Verify verify() {
    return verify;
  }

  Optional<Location> audit() {
    return Optional.ofNullable(audit);
  }

  Optional<CatalogName> auditTable() {
    return Optional.ofNullable(auditTable);
  }

  boolean linksUnchanged() {
    return linkUnchanged;
  }

  boolean hardLinksAllowed() {
    return allowHardLinks;
  }

  boolean forgets() {
    return forget;
  }

  boolean restarts() {
    return restart;
  }

  boolean adoptsJournal() {
    return adoptJournal;
  }

  boolean breaksLock() {
    return breakLock;
  }

  long maxBytesPerSecondPerProcess() {
    return maxBytesPerSecond;
  }
}
