/**
 * Where bytes lie: one interface, {@link Store}, over the JDK's channels for {@code file:} and
 * Hadoop's file systems for everything else. The package decides how a file is opened, written,
 * synced and renamed, and what a failure means; it knows nothing of shards, journals or runs. Read
 * {@link Store} first, then {@link LocalStore}.
 */
package org.shardmend.storage;
