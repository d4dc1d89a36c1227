package org.shardmend.storage.journal;

import org.shardmend.storage.FileStamp;

/**
 * A shard that is only read, and whose bytes decided what becomes of others.
 *
 * @param name relative to the checkpoint
 * @param fileKey as in {@link FileStamp}
 * @param bytes as in {@link FileStamp}
 * @param modified as in {@link FileStamp}
 * @param changed as in {@link FileStamp}
 */
record ComparedFile(String name, String fileKey, long bytes, long modified, long changed) {

  static ComparedFile of(String name, FileStamp stamp) {
    return new ComparedFile(
        name, stamp.fileKey(), stamp.bytes(), stamp.modified(), stamp.changed());
  }

  FileStamp stamp() {
    return new FileStamp(fileKey, bytes, modified, changed);
  }
}
