package org.shardmend.job.verify;

import java.util.ArrayList;
import org.shardmend.checkpoint.UnitId;

/** What is wrong with one load unit, as far as it is told apart; the rest is counted. */
public final class UnitFaults {
  /** So many faults of one unit are told apart; a checkpoint with more is wrong as a whole. */
  public static final int MOST = 5000;

  private final UnitId unit;
  private final ArrayList<Fault> faults = new ArrayList<>();
  private long more;

  public UnitFaults(UnitId unit) {
    this.unit = unit;
  }

  public void add(Fault fault) {
    if (faults.size() < MOST) {
      faults.add(fault);
    } else {
      more++;
    }
  }

  /** The faults, and last how many more there are. */
  public ArrayList<Fault> told() {
    ArrayList<Fault> told = new ArrayList<>(faults);
    if (more > 0) {
      told.add(
          new Fault("more-faults", "", "", "%s: %,d more faults".formatted(unit.label(), more)));
    }
    return told;
  }
}
