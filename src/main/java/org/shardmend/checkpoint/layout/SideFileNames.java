package org.shardmend.checkpoint.layout;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.shardmend.checkpoint.sidefile.PreshardedFile;
import org.shardmend.checkpoint.sidefile.PreshardedRead;

/**
 * What one rank's loader reads, as checksum.json says it.
 *
 * @param reads in the loader's order, each with the file's name within the checkpoint
 * @param files what is said of each file, by the same name
 */
public record SideFileNames(
    ArrayList<PreshardedRead> reads, LinkedHashMap<String, PreshardedFile> files)
    implements Serializable {

  /**
   * The names of one rank.
   *
   * @param directory where the files are within the checkpoint: {@code ""} or {@code "TP-…/"}
   * @param described what checksum.json says of each file, by the name that it gives
   */
  static SideFileNames of(
      String directory, List<PreshardedRead> reads, Map<String, PreshardedFile> described) {
    ArrayList<PreshardedRead> located = new ArrayList<>(reads.size());
    LinkedHashMap<String, PreshardedFile> files = new LinkedHashMap<>();
    for (PreshardedRead read : reads) {
      String shard = directory + read.filename();
      located.add(new PreshardedRead(shard, read.storedKey(), read.name(), read.extra()));
      files.put(shard, described.get(read.filename()));
    }
    return new SideFileNames(located, files);
  }
}
