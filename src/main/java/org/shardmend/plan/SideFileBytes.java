package org.shardmend.plan;

/**
 * How large the side files are that a repair has to do with, in bytes.
 *
 * @param carried those that an output gets as they are
 * @param changedBefore those that must say something else after the repair, as they are
 * @param changedAfter the same, as they are going to be
 */
public record SideFileBytes(long carried, long changedBefore, long changedAfter) {

  /** No side files. */
  public static final SideFileBytes NONE = new SideFileBytes(0, 0, 0);

  /** With one more that stays as it is. */
  public SideFileBytes plusCarried(long bytes) {
    return new SideFileBytes(carried + bytes, changedBefore, changedAfter);
  }

  /** With one more that changes. */
  public SideFileBytes plusChanged(long before, long after) {
    return new SideFileBytes(carried, changedBefore + before, changedAfter + after);
  }
}
