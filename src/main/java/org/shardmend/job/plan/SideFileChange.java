package org.shardmend.job.plan;

/** A side file that must say something else after the repair. */
public final class SideFileChange {
  private final String name;
  private final byte[] content;

  SideFileChange(String name, byte[] content) {
    this.name = name;
    this.content = content;
  }

  /** The file, relative to the checkpoint. */
  public String name() {
    return name;
  }

  /** What it is going to hold. */
  public byte[] content() {
    return content.clone();
  }
}
