package org.shardmend.job.verify;

/** What becomes of ranks of which an expected state says nothing, though it should. */
public enum PartialExpectation {
  /** Each is a fault: nobody knows whether it loads. */
  REFUSED,
  /** Each is a finding, and the others are judged. */
  ACCEPTED
}
