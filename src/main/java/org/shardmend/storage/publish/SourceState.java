package org.shardmend.storage.publish;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Set;
import org.shardmend.checkpoint.FileEntry;
import org.shardmend.checkpoint.FileStamp;
import org.shardmend.checkpoint.Shard;
import org.shardmend.checkpoint.SideFile;
import org.shardmend.storage.bytes.Sha256;

/**
 * What a checkpoint was when it was repaired, as one digest: the names, lengths and stamps of its
 * files. The plan's fingerprint says nothing of weights that were saved again under the same
 * headers; this does, as far as a stamp can tell.
 */
public final class SourceState {
  private SourceState() {}

  /**
   * The digest, in hexadecimal.
   *
   * @param linked names of shards of which the result has hard links: another link changes their
   *     stamps, and what is written into them is in the result, too
   */
  public static String digest(
      Collection<Shard> shards, Collection<SideFile> sideFiles, Set<String> linked) {
    MessageDigest digest = Sha256.start();
    shards.stream()
        .sorted(Comparator.comparing(Shard::name))
        .forEach(
            shard -> {
              FileStamp stamp =
                  linked.contains(shard.name()) ? shard.stamp().butForLinks() : shard.stamp();
              add(digest, shard.name(), shard.bytes(), stamp);
            });
    sideFiles.stream()
        .map(SideFile::entry)
        .filter(FileEntry::isReadable)
        .sorted(Comparator.comparing(FileEntry::name))
        .forEach(entry -> add(digest, entry.name(), entry.bytes(), entry.stamp()));
    return Sha256.end(digest);
  }

  private static void add(MessageDigest digest, String name, long bytes, FileStamp stamp) {
    digest.update(name.getBytes(StandardCharsets.UTF_8));
    digest.update(
        String.format(Locale.ROOT, "\0%d\0%s\0", bytes, stamp.toText())
            .getBytes(StandardCharsets.UTF_8));
  }
}
