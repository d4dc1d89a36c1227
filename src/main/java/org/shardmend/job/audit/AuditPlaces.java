package org.shardmend.job.audit;

import java.io.IOException;
import org.shardmend.checkpoint.Listing;
import org.shardmend.job.spark.JobException;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.protocol.JournalRefusedException;
import org.shardmend.storage.protocol.OwnDirectory;

/** Where the audit is that a user means. */
public final class AuditPlaces {
  /** Below a repaired checkpoint. */
  public static final String INSIDE = Listing.OWN_DIRECTORY + "/audit";

  private AuditPlaces() {}

  /**
   * The audit's root: {@code place} itself, or inside it when it is a repaired checkpoint, with
   * which it may have come.
   *
   * @throws JournalRefusedException when a link is inside
   */
  public static Location root(Store store, Location place) throws IOException {
    Location inside = place.child(INSIDE);
    if (store.stat(inside.path()).isEmpty()) {
      return place;
    }
    OwnDirectory.requirePlain(store, place.path());
    return inside;
  }

  /**
   * What is said of a place without an audit.
   *
   * @param which follows the word audit: empty, or such as {@code " of run ID"}
   */
  static JobException noAudit(Location place, String which) {
    return JobException.usage(
        "no-audit",
        "%s holds no audit%s; name an audit directory, or a repaired checkpoint"
            .formatted(place, which));
  }
}
