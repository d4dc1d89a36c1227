/**
 * Who may change a target: the lock, its takeover from a run that is proven dead, and the proof
 * that executors see the driver's place. The package decides by what the host's kernel says of a
 * process and knows nothing of what is changed under the lock. Read {@link TargetLock} first,
 * beside {@code publish.md}.
 */
package org.shardmend.storage.lock;
