package org.shardmend.job.verify;

import java.util.ArrayList;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.UnitId;

/** What is wrong with one load unit, as far as it is told apart; the rest is counted. */
public final class UnitFaults {
  /** So many faults of one unit are told apart; a checkpoint with more is wrong as a whole. */
  public static final int MOST = 5000;

  private final UnitId unit;
  private final ArrayList<Finding> faults = new ArrayList<>();
  private long more;

  public UnitFaults(UnitId unit) {
    this.unit = unit;
  }

  public void add(Finding fault) {
    if (faults.size() < MOST) {
      faults.add(fault);
    } else {
      more++;
    }
  }

  /** The faults, and last how many more there are. */
  public ArrayList<Finding> told() {
    ArrayList<Finding> told = new ArrayList<>(faults);
    if (more > 0) {
      told.add(
          Finding.fault(
              "more-faults", "", "", "%s: %,d more faults".formatted(unit.label(), more)));
    }
    return told;
  }
}
