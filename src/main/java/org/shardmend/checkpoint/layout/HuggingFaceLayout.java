package org.shardmend.checkpoint.layout;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.finding.IndexCheck;
import org.shardmend.checkpoint.sidefile.HashKind;
import org.shardmend.checkpoint.sidefile.IndexJson;

/**
 * One set of files that every rank reads. Names stand in the headers; an index repeats them, which
 * is read and rewritten as indexes of any layout are.
 */
public final class HuggingFaceLayout implements CheckpointLayout {
  private final String indexFile;
  private final IndexJson index;
  private final String newFormat;

  /**
   * A model in this layout.
   *
   * @param indexFile the name that its index has or would have
   * @param index empty where there is none, or it can't be read and is going to be written anew
   * @param newFormat what a repair sets {@code __metadata__.format} to; empty where it does not
   */
  public HuggingFaceLayout(String indexFile, Optional<IndexJson> index, String newFormat) {
    this.indexFile = indexFile;
    this.index = index.orElse(null);
    this.newFormat = newFormat;
  }

  @Override
  public Layout kind() {
    return Layout.HUGGINGFACE;
  }

  @Override
  public Loader loader() {
    return Loader.HUGGINGFACE;
  }

  @Override
  public Optional<String> innerDirectory() {
    return Optional.empty();
  }

  @Override
  public <T> T names(UnitId unit, NamePlaces<T> places) {
    return places.inHeaders(newFormat);
  }

  @Override
  public Map<String, List<RankRead>> reads() {
    return Map.of();
  }

  @Override
  public Map<String, String> digests() {
    return Map.of();
  }

  @Override
  public Map<String, byte[]> renamed(NewNames names) {
    return Map.of();
  }

  @Override
  public Optional<String> indexFile() {
    return Optional.of(indexFile);
  }

  @Override
  public Optional<IndexJson> index() {
    return Optional.ofNullable(index);
  }

  /** A model in a single file needs no index, but one that is there must be right. */
  @Override
  public Optional<IndexJson> newIndex(SortedMap<String, String> tensors, int shards) {
    return shards > 1 || index != null
        ? Optional.of(IndexJson.of(indexFile, index(), tensors))
        : Optional.empty();
  }

  @Override
  public List<Finding> wrongSums() {
    return List.of();
  }

  @Override
  public Optional<Finding> wrongTotal(long bytes) {
    return index().flatMap(stated -> IndexCheck.checkTotal(stated, bytes));
  }

  @Override
  public Optional<HashKind> contentKeys() {
    return Optional.empty();
  }

  @Override
  public OriginalModel originalModel() {
    return OriginalModel.ALIKE;
  }
}
