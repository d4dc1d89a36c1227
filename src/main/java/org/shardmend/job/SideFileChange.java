package org.shardmend.job;

/** A side file that must say something else after the repair. */
final class SideFileChange {
  private final String name;
  private final byte[] content;

  SideFileChange(String name, byte[] content) {
    this.name = name;
    this.content = content;
  }

  /** The file, relative to the checkpoint. */
  String name() {
    return name;
  }

  /** What it is going to hold; not to be changed. */
  byte[] content() {
    return content;
  }
}
