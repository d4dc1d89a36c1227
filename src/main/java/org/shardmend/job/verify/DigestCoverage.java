package org.shardmend.job.verify;

/**
 * For how many of the tensors that {@code verify --full} has read anything says what their bytes
 * should be: a digest that a repair has left, a dump's key, or the source.
 *
 * @param tensors how many were read
 * @param compared how many of them were compared
 */
public record DigestCoverage(long tensors, long compared) {

  /** No tensor was read. */
  public static final DigestCoverage NOTHING_READ = new DigestCoverage(0, 0);

  /** Every one of so many. */
  public static DigestCoverage all(long tensors) {
    return new DigestCoverage(tensors, tensors);
  }

  /** The same, if so many were compared with something else. */
  DigestCoverage orCompared(long number) {
    return new DigestCoverage(tensors, Math.min(tensors, Math.max(compared, number)));
  }

  /** How many were read without anything to compare them with. */
  public long missing() {
    return tensors - compared;
  }
}
