package org.shardmend.storage.journal;

import java.util.List;

/**
 * What READY says.
 *
 * @param format {@link #FORMAT}; {@link #FIRST_FORMAT} where an earlier version wrote it
 * @param runId the run that prepared the journal
 * @param since when it was ready, ISO 8601, UTC
 * @param user who ran it, by name; empty in the first format
 * @param host where it ran; empty in the first format
 * @param anchor the identity of the journal's anchor file
 * @param entries all entries, by number
 * @param compared the shards whose bytes decided what is dropped elsewhere, without those that are
 *     exchanged themselves
 */
record JournalIndex(
    String format,
    String runId,
    String since,
    String user,
    String host,
    String anchor,
    List<JournalEntry> entries,
    List<ComparedFile> compared) {
  static final String FORMAT = "shardmend/journal/2";

  /** Without times, without proofs of content, without its maker. */
  static final String FIRST_FORMAT = "shardmend/journal/1";

  JournalIndex {
    entries = List.copyOf(entries);
    compared = List.copyOf(compared);
  }

  /** What it would do, for people. */
  String deeds() {
    long headers = count(JournalEntry.Kind.PATCH);
    List<String> others =
        entries.stream()
            .filter(entry -> entry.kind() != JournalEntry.Kind.PATCH)
            .map(JournalEntry::name)
            .toList();
    String named = String.join(", ", others.subList(0, Math.min(5, others.size())));
    String more = others.size() > 5 ? " and %d more".formatted(others.size() - 5) : "";
    return "it overwrites the headers of %d shards, and exchanges or adds %d files%s"
        .formatted(headers, others.size(), others.isEmpty() ? "" : " (" + named + more + ")");
  }

  private long count(JournalEntry.Kind kind) {
    return entries.stream().filter(entry -> entry.kind() == kind).count();
  }
}
