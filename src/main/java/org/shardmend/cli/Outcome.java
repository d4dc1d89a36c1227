package org.shardmend.cli;

/** The {@code outcome} member of every document. */
enum Outcome {
  DONE("done"),
  NOTHING_TO_DO("nothing-to-do"),
  FOUND("found"),
  REFUSED("refused"),
  FAILED("failed");

  private final String id;

  Outcome(String id) {
    this.id = id;
  }

  String id() {
    return id;
  }
}
