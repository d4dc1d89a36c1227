package org.shardmend.storage.lock;

/**
 * Who holds a lock: what the lock file says.
 *
 * @param host the host's name
 * @param bootId what changes with each boot of the host; empty where the system has none
 * @param pidNamespace what process numbers are relative to; empty where the system has none
 * @param pid the process
 * @param started when the process started, in the system's own terms: only good for comparing
 * @param user the name of the user who runs it, for people; empty where the system does not say
 * @param runId the run
 * @param since when the lock was taken, ISO 8601, UTC
 */
public record LockHolder(
    String host,
    String bootId,
    String pidNamespace,
    long pid,
    String started,
    String user,
    String runId,
    String since) {

  /** As said to people. */
  @Override
  public String toString() {
    return "run %s of user %s on host %s (process %d), since %s"
        .formatted(runId, user.isEmpty() ? "?" : user, host, pid, since);
  }
}
