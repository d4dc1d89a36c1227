package org.shardmend.trial;

import java.util.Arrays;
import java.util.Optional;

/** Which names the save holds for the tensors of {@code kv_b_proj} that have an alias. */
public enum Fault {
  /** The alias in place of the canonical name, everywhere: what a save after a forward holds. */
  ALIAS_ONLY("alias-only") {
    @Override
    SavedNames namesFor(int attention, int tp) {
      return SavedNames.ALIAS;
    }
  },
  /** Both names, with the same bytes. */
  BOTH_SAME("both-same") {
    @Override
    SavedNames namesFor(int attention, int tp) {
      return SavedNames.BOTH_SAME;
    }
  },
  /** Both names; in every other MLA layer, the first among them, with different bytes. */
  BOTH_DIFFER("both-differ") {
    @Override
    SavedNames namesFor(int attention, int tp) {
      return attention % 2 == 0 ? SavedNames.BOTH_DIFFER : SavedNames.BOTH_SAME;
    }
  },
  /**
   * By layer and rank in turn: alias only, both with the same bytes, canonical only. Repairable.
   */
  MIXED("mixed") {
    @Override
    SavedNames namesFor(int attention, int tp) {
      return switch ((attention + tp) % 3) {
        case 0 -> SavedNames.ALIAS;
        case 1 -> SavedNames.BOTH_SAME;
        default -> SavedNames.CANONICAL;
      };
    }
  },
  /** The canonical names: a healthy save. */
  CLEAN("clean") {
    @Override
    SavedNames namesFor(int attention, int tp) {
      return SavedNames.CANONICAL;
    }
  },
  /**
   * Both names with the same bytes, each alias in another file than its canonical twin. A
   * presharded dump stores equal bytes once, so there it is the same as {@link #BOTH_SAME}.
   */
  OTHER_PART("other-part") {
    @Override
    SavedNames namesFor(int attention, int tp) {
      return SavedNames.BOTH_SAME;
    }
  };

  private final String id;

  Fault(String id) {
    this.id = id;
  }

  /** The name on the command line. */
  public String id() {
    return id;
  }

  /** The fault of that name. */
  public static Optional<Fault> of(String id) {
    return Arrays.stream(values()).filter(fault -> fault.id.equals(id)).findFirst();
  }

  /**
   * What one rank saves of one layer.
   *
   * @param attention the layer's number among those with MLA, from 0
   * @param tp the tensor-parallel rank
   */
  abstract SavedNames namesFor(int attention, int tp);

  /** The names under which a tensor with an alias is saved. */
  enum SavedNames {
    CANONICAL,
    ALIAS,
    BOTH_SAME,
    BOTH_DIFFER
  }
}
