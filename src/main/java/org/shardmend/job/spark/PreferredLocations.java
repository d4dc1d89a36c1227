package org.shardmend.job.spark;

import java.util.List;

/** A task that runs best where its bytes are. */
public interface PreferredLocations {
  /** The hosts that hold most of what the task reads, best first; empty when any will do. */
  List<String> hosts();
}
