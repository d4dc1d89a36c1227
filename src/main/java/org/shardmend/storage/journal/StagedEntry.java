package org.shardmend.storage.journal;

import java.io.Serializable;

/**
 * What a task staged for the journal: durable, but not part of it before the driver adopts it.
 *
 * @param attempt the attempt that did it; part of the staged file's name
 * @param bytesWritten into the journal
 * @param entry what it stages
 */
public record StagedEntry(long attempt, long bytesWritten, JournalEntry entry)
    implements Serializable {}
