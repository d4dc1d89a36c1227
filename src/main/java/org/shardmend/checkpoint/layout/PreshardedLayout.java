package org.shardmend.checkpoint.layout;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.sidefile.ChecksumJson;
import org.shardmend.checkpoint.sidefile.HashKind;
import org.shardmend.checkpoint.sidefile.IndexJson;
import org.shardmend.checkpoint.sidefile.KeyHash;
import org.shardmend.checkpoint.sidefile.PreshardedFile;
import org.shardmend.checkpoint.sidefile.PreshardedRead;

/**
 * SGLang's dump of a loaded model. The headers hold content keys; the names of each rank stand in
 * checksum.json, with a sum over them that the loader computes again.
 */
public final class PreshardedLayout implements CheckpointLayout {
  private final ChecksumJson checksums;
  private final String directory;
  private final List<UnitId> units;
  private final Map<String, PreshardedFile> files = new HashMap<>();

  /**
   * A dump.
   *
   * @param directory where the dump lies within the checkpoint: {@code ""} or {@code "TP-…/"}
   * @param units the load unit of each rank of {@code checksums}, in the order of ranks
   */
  public PreshardedLayout(ChecksumJson checksums, String directory, List<UnitId> units) {
    this.checksums = checksums;
    this.directory = directory;
    this.units = List.copyOf(units);
    checksums.files().forEach(file -> files.put(file.filename(), file));
  }

  /** What checksum.json says; its file names are relative to the dump's directory. */
  public ChecksumJson checksums() {
    return checksums;
  }

  @Override
  public Layout kind() {
    return Layout.PRESHARDED;
  }

  /** The length of the keys tells which generation of the loader reads the dump. */
  @Override
  public Loader loader() {
    return checksums.hash() == HashKind.SHA1 ? Loader.PRESHARDED_EARLY : Loader.PRESHARDED_MERGED;
  }

  @Override
  public Optional<String> innerDirectory() {
    return directory.isEmpty()
        ? Optional.empty()
        : Optional.of(directory.substring(0, directory.length() - 1));
  }

  @Override
  public <T> T names(UnitId unit, NamePlaces<T> places) {
    List<PreshardedRead> reads = checksums.reads().get(units.indexOf(unit));
    return places.inSideFile(SideFileNames.of(directory, reads, files));
  }

  @Override
  public Map<String, List<RankRead>> reads() {
    Map<String, List<RankRead>> byShard = new HashMap<>();
    checksums
        .reads()
        .forEach(
            (rank, reads) ->
                reads.forEach(
                    read ->
                        byShard
                            .computeIfAbsent(
                                directory + read.filename(), shard -> new ArrayList<>())
                            .add(new RankRead(units.get(rank), read))));
    return byShard;
  }

  @Override
  public Map<String, String> digests() {
    return Map.of(checksumJson(), checksums.digest());
  }

  @Override
  public Map<String, byte[]> renamed(NewNames names) throws CheckpointException {
    byte[] rewritten =
        checksums.rewritten(
            (rank, read) -> names.of(units.get(rank), read.name()),
            KeyHash.function(checksums.hash()));
    ChecksumJson.read(rewritten, checksumJson());
    return Map.of(checksumJson(), rewritten);
  }

  @Override
  public Optional<String> indexFile() {
    return Optional.empty();
  }

  @Override
  public Optional<IndexJson> index() {
    return Optional.empty();
  }

  @Override
  public Optional<IndexJson> newIndex(SortedMap<String, String> tensors, int shards) {
    return Optional.empty();
  }

  /** A problem for each rank whose sum is not that of its names and keys. */
  @Override
  public List<Finding> wrongSums() {
    return checksums.ranksWithWrongSums(KeyHash.function(checksums.hash())).stream()
        .map(this::wrongSum)
        .toList();
  }

  private Finding wrongSum(int rank) {
    return FindingCode.RANK_CHECKSUM.finding(
        checksumJson(),
        "%s: the sum of rank %d (%s) is not that of its names and keys, so its loader refuses them. Bring %s from where the dump was made, or dump the model again."
            .formatted(checksumJson(), rank, units.get(rank).label(), ChecksumJson.FILE_NAME));
  }

  @Override
  public Optional<Finding> wrongTotal(long bytes) {
    return Optional.empty();
  }

  @Override
  public Optional<HashKind> contentKeys() {
    return Optional.of(checksums.hash());
  }

  @Override
  public OriginalModel originalModel() {
    return OriginalModel.NOT_READ;
  }

  private String checksumJson() {
    return directory + ChecksumJson.FILE_NAME;
  }
}
