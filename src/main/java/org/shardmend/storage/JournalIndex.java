package org.shardmend.storage;

import java.util.List;

/**
 * What READY says.
 *
 * @param format {@link #FORMAT}
 * @param runId the run that prepared the journal
 * @param since when it was ready, ISO 8601, UTC
 * @param anchor the identity of the journal's anchor file
 * @param entries all entries, by number
 */
record JournalIndex(
    String format, String runId, String since, String anchor, List<JournalEntry> entries) {
  static final String FORMAT = "shardmend/journal/1";
}
