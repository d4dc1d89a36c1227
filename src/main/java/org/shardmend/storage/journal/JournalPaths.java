package org.shardmend.storage.journal;

import org.shardmend.checkpoint.Listing;

/** The names of the journal's files; see the table in {@code journal.md}. */
record JournalPaths(String checkpoint) {
  private static final String OURS = "/" + Listing.OWN_DIRECTORY;

  String ours() {
    return checkpoint + OURS;
  }

  String journal() {
    return ours() + "/journal";
  }

  String anchor() {
    return journal() + "/anchor";
  }

  String work() {
    return journal() + "/work";
  }

  String entries() {
    return journal() + "/entries";
  }

  String replacements() {
    return journal() + "/new";
  }

  String originals() {
    return journal() + "/old";
  }

  String spares() {
    return journal() + "/spare";
  }

  String ready() {
    return journal() + "/READY";
  }

  String seal() {
    return journal() + "/SEAL";
  }

  String seen() {
    return journal() + "/SEEN";
  }

  String applied() {
    return journal() + "/APPLIED";
  }

  String rollingBack() {
    return journal() + "/ROLLING_BACK";
  }

  String staged(int number, long attempt) {
    return work() + "/" + number + "-" + attempt;
  }

  String pair(int number) {
    return entries() + "/" + number;
  }

  String replacement(int number) {
    return replacements() + "/" + number;
  }

  String original(int number) {
    return originals() + "/" + number;
  }

  String spare(int number) {
    return spares() + "/" + number;
  }

  String file(String name) {
    return checkpoint + "/" + name;
  }
}
