package org.shardmend.checkpoint.layout;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.sidefile.HashKind;
import org.shardmend.checkpoint.sidefile.IndexJson;

/**
 * One set of files a rank. Names stand in the headers alone; no side file is part of the layout.
 *
 * @param pattern how the shards are called
 */
public record ShardedStateLayout(ShardPattern pattern) implements CheckpointLayout {

  @Override
  public Layout kind() {
    return Layout.SHARDED_STATE;
  }

  @Override
  public Loader loader() {
    return Loader.SHARDED_STATE;
  }

  @Override
  public Optional<String> innerDirectory() {
    return Optional.empty();
  }

  @Override
  public <T> T names(UnitId unit, NamePlaces<T> places) {
    return places.inHeaders("");
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

  @Override
  public List<Finding> wrongSums() {
    return List.of();
  }

  @Override
  public Optional<Finding> wrongTotal(long bytes) {
    return Optional.empty();
  }

  @Override
  public Optional<HashKind> contentKeys() {
    return Optional.empty();
  }

  @Override
  public OriginalModel originalModel() {
    return OriginalModel.CUT;
  }
}
