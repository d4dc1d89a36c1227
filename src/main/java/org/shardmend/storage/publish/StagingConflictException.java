package org.shardmend.storage.publish;

import java.io.IOException;
import java.util.List;
import org.shardmend.storage.Location;

/** An unfinished repair for the same target, with other arguments or of another source. */
public final class StagingConflictException extends IOException {
  private static final long serialVersionUID = 1L;

  private final List<Location> others;

  /**
   * @param target what both want to become
   * @param others the staging directories that are in the way; not empty
   * @param why what differs, as a sentence
   */
  StagingConflictException(Location target, List<Location> others, String why) {
    super(
        "An unfinished repair for %s is in %s. %s Run it again as it was to finish it, or add --restart to remove it and start anew."
            .formatted(
                target, String.join(", ", others.stream().map(Location::toString).toList()), why));
    this.others = List.copyOf(others);
  }

  private StagingConflictException(Location staging, String message) {
    super(message);
    this.others = List.of(staging);
  }

  /**
   * What is in the staging directory's place, or in it, is not what a run of this user made.
   *
   * @param staging the staging directory
   * @param what what is wrong with it, as the rest of a sentence
   */
  static StagingConflictException foreign(Location staging, String what) {
    return new StagingConflictException(
        staging,
        "%s is where this repair is built, and %s: nothing in it is believed, or removed. Look who put it there; then remove it, or choose another --output."
            .formatted(staging, what));
  }

  /** The staging directories that are in the way. */
  public List<Location> others() {
    return others;
  }
}
