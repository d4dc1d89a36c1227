/**
 * JSON documents as they lie on a disk: read value by value with the place of each mistake, and
 * copied so that nothing differs but what was meant to. The package knows nothing of checkpoints,
 * only that a document may be hostile, huge, or a Git LFS pointer. Read {@link JsonCursor} first,
 * then {@link JsonRewrite}.
 */
package org.shardmend.checkpoint.json;
