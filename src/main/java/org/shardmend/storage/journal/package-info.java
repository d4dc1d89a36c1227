/**
 * How files are changed in place so that it can always be finished or undone; {@code journal.md} in
 * code. The package decides what a journal proves and whether it is believed, as it may be hostile;
 * it knows files and bytes, not tensors. Read {@link Journal} first.
 */
package org.shardmend.storage.journal;
