package org.shardmend.storage.lock;

/** What is known of the holder of a lock; sentences L2 and L4 of {@code publish.md}. */
enum HolderState {
  /** It is proven that it no longer runs. */
  GONE("it no longer runs"),
  /** It runs, on this machine. */
  RUNNING("that process is running on this machine"),
  /** It runs on another machine, or did. */
  OTHER_HOST("that is another host, whose processes can't be seen from here"),
  /** The host has the same name, and is another machine or was started again since. */
  OTHER_BOOT(
      "this host was started again since, or is another machine of the same name, and which of the"
          + " two can't be told from here"),
  /** It runs in another container, or did. */
  OTHER_NAMESPACE("that process belongs to another container, into which can't be seen from here"),
  /** The system does not show it to this user. */
  HIDDEN("this system has a process of that number and does not show it to this user");

  private final String sentence;

  HolderState(String sentence) {
    this.sentence = sentence;
  }

  /** As said to people, as part of a sentence. */
  String sentence() {
    return sentence;
  }
}
