package org.shardmend.checkpoint.layout;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.sidefile.HashKind;
import org.shardmend.checkpoint.sidefile.IndexJson;

/**
 * The layout of one checkpoint, as discovery found it: everything in which checkpoints of one
 * layout differ from those of another. The names of files are relative to the checkpoint.
 */
public sealed interface CheckpointLayout
    permits ShardedStateLayout, PreshardedLayout, HuggingFaceLayout {

  /** Which of the layouts it is. */
  Layout kind();

  /** Whose code reads the checkpoint, and what that does with names it does not expect. */
  Loader loader();

  /** The name of the directory within the checkpoint that holds the shards, if one does. */
  Optional<String> innerDirectory();

  /** Says where the names of a load unit's tensors stand. */
  <T> T names(UnitId unit, NamePlaces<T> places);

  /** What each rank reads of each shard, by rank; empty where names stand in the headers. */
  Map<String, List<RankRead>> reads();

  /**
   * SHA-256 of the side files in which only this layout keeps names, by their names. They were read
   * in discovery.
   */
  Map<String, String> digests();

  /**
   * The content of the same side files once tensors are called otherwise.
   *
   * @throws CheckpointException if a loader would not accept the content
   */
  Map<String, byte[]> renamed(NewNames names) throws CheckpointException;

  /** The name that the index has or would have; empty in layouts without an index. */
  Optional<String> indexFile();

  /** The index, if there is one that can be read. */
  Optional<IndexJson> index();

  /**
   * The index as it is made from the shards' headers; empty where no loader needs one.
   *
   * @param tensors the file of each tensor
   * @param shards how many files the model has
   */
  Optional<IndexJson> newIndex(SortedMap<String, String> tensors, int shards);

  /** What is wrong with the sums that a loader computes over names and keys. */
  List<Finding> wrongSums();

  /**
   * What is wrong with the total that a side file states.
   *
   * @param bytes length of all tensors' data together
   */
  Optional<Finding> wrongTotal(long bytes);

  /** The function by which each tensor's key in a header tells its bytes, if there is one. */
  Optional<HashKind> contentKeys();

  /** How a full check can compare the checkpoint with the model that it was made from. */
  OriginalModel originalModel();

  /** The ways to compare with an original model, which is in the Hugging Face layout. */
  enum OriginalModel {
    /** The names and shapes are the same, and so are the bytes. */
    ALIKE,
    /** Each rank's tensors are cut from it. */
    CUT,
    /** There is no need: the checkpoint says itself what its bytes are. */
    NOT_READ
  }

  /** One of the places in which names stand. */
  interface NamePlaces<T> {

    /**
     * In the shards' headers.
     *
     * @param newFormat what a repair sets {@code __metadata__.format} to; empty where it does not
     */
    T inHeaders(String newFormat);

    /** In a side file, by what the load unit reads and what is said of the files. */
    T inSideFile(SideFileNames names);
  }

  /** What tensors are called after a repair. */
  @FunctionalInterface
  interface NewNames {

    /**
     * The name that a load unit's tensor gets, which may be the old one; empty if it is dropped.
     */
    Optional<String> of(UnitId unit, String tensor);
  }
}
