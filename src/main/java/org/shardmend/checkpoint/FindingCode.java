package org.shardmend.checkpoint;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * What can be found about a checkpoint, with its severity. The codes are stable; the site's page
 * "Findings" says what each means and what to do.
 *
 * <p>An {@link Severity#ERROR} is a refusal: it reaches the user as one of the problems of a {@link
 * CheckpointException}, never among a checkpoint's findings.
 */
public enum FindingCode {
  /** A rank, or a whole pipeline stage, has no files. */
  MISSING_RANK(Severity.ERROR),
  /** A rank's part numbers have a gap. */
  MISSING_PART(Severity.ERROR),
  /** There are files of ranks that servekit.json does not know. */
  RANK_OUTSIDE(Severity.ERROR),
  /** A file that a loader would read as a shard, though no saver gives such a name. */
  STRAY_SHARD(Severity.ERROR),
  /** Files with and without pipeline stages in one directory. */
  MIXED_PATTERNS(Severity.ERROR),
  /** Pipeline stages that overwrote each other's files. */
  PIPELINE_LOST(Severity.ERROR),
  /** Some ranks finished saving, others did not. */
  UNFINISHED_SAVE(Severity.ERROR),
  /** A shard's name belongs to a pipe, a socket, a device, a directory or a dangling link. */
  NOT_A_REGULAR_FILE(Severity.ERROR),
  /** A shard is not valid safetensors. */
  MALFORMED_SHARD(Severity.ERROR),
  /** A Git LFS pointer lies in the place of a shard. */
  LFS_POINTER(Severity.ERROR),
  /** A side file that the layout depends on cannot be understood. */
  MALFORMED_SIDE_FILE(Severity.ERROR),
  /** A side file names a file outside the checkpoint. */
  UNSAFE_NAME(Severity.ERROR),
  /** A side file names a shard that is not there. */
  MISSING_SHARD(Severity.ERROR),
  /** The index names other files than those of the whole model that is there. */
  INDEX_OF_ANOTHER_SAVE(Severity.ERROR),
  /** A presharded dump without READY. */
  UNFINISHED_DUMP(Severity.ERROR),
  /** checksum.json contradicts itself. */
  INCONSISTENT_DUMP(Severity.ERROR),
  /** A rank's sum in checksum.json is not that of its names and keys. */
  RANK_CHECKSUM(Severity.ERROR),
  /** checksum.json uses a hash that is not known. */
  UNKNOWN_HASH(Severity.ERROR),
  /** Two presharded dumps that fit the same launch. */
  AMBIGUOUS_DUMPS(Severity.ERROR),
  /** The names that the rules give make no valid header. */
  UNWRITABLE_NAMES(Severity.ERROR),

  /** servekit.json is not there. */
  SERVEKIT_MISSING(Severity.WARNING),
  /** servekit.json cannot be understood. */
  SERVEKIT_MALFORMED(Severity.WARNING),
  /** servekit.json says something else than the shards. */
  SERVEKIT_CONTRADICTION(Severity.WARNING),
  /** config.json cannot be understood. */
  CONFIG_MALFORMED(Severity.WARNING),
  /** Every rank's save marker is still there. */
  SAVE_MARKERS(Severity.WARNING),
  /** Symbolic links that a stager does not follow. */
  SYMBOLIC_LINKS(Severity.WARNING),
  /** A pipe, a socket or a device among the side files. */
  SPECIAL_FILE(Severity.WARNING),
  /** A weight file that no loader of this layout reads. */
  UNREAD_WEIGHTS(Severity.WARNING),
  /** An index that does not tell where the tensors are. */
  STALE_INDEX(Severity.WARNING),
  /** Several numbered shards, but no index. */
  INDEX_MISSING(Severity.WARNING),
  /** A single file and an index that names others: two models, of which loaders choose. */
  SECOND_MODEL(Severity.WARNING),
  /** The index does not name a shard that is there. */
  SHARD_NOT_IN_INDEX(Severity.WARNING),
  /** The index places a tensor elsewhere, or does not name it. */
  INDEX_MISPLACED(Severity.WARNING),
  /** The index names a tensor that its shard does not hold. */
  INDEX_TENSOR_MISSING(Severity.WARNING),
  /** The index has no metadata. */
  INDEX_METADATA(Severity.WARNING),
  /** The index's total size is not that of the tensors. */
  INDEX_TOTAL_SIZE(Severity.WARNING),
  /** A Hugging Face shard does not say for which framework it was written. */
  METADATA_FORMAT(Severity.WARNING),
  /** A model whose embeddings are not tied has no head. */
  HEAD_MISSING(Severity.WARNING),
  /** A list of checksums that a repair makes untrue. */
  CHECKSUM_LIST(Severity.WARNING),
  /** A presharded dump beside another one that never finished. */
  OTHER_DUMP_UNFINISHED(Severity.WARNING),
  /** A dump's directory name is not the one that its shard_config gives. */
  DUMP_SIGNATURE(Severity.WARNING),
  /** A dump of a merged build that does not say for which launch it was made. */
  SHARD_CONFIG_MISSING(Severity.WARNING),
  /** The path holds a character that engines take for a wildcard. */
  WILDCARD_IN_PATH(Severity.WARNING),
  /** Names of a wrapper around a module, which no loader expects. */
  WRAPPER_NAMES(Severity.WARNING),
  /** An expected state says nothing of a rank. */
  NO_EXPECTATION(Severity.WARNING),
  /** A rank or a pipeline stage that no process reads. */
  RANK_NOT_READ(Severity.WARNING),
  /** Names that the loader leaves out, without harm. */
  SKIPPED_NAMES(Severity.WARNING),
  /** A quantization method that does not survive being saved after sharding. */
  QUANTIZATION(Severity.WARNING),
  /** Scales of the key-value cache that SGLang does not take from a saved state. */
  KV_SCALES(Severity.WARNING),
  /** config.json's quantization section names modules that a repair renames. */
  CONFIG_NAMES_MODULES(Severity.WARNING),
  /** A repair produces a name that the original model does not know. */
  UNKNOWN_TO_SOURCE(Severity.WARNING),
  /** The checkpoint has fewer or more bytes than the original model can have given it. */
  SOURCE_BYTES(Severity.WARNING),
  /** A weight that holds nothing but zeros. */
  ZERO_FILLED(Severity.WARNING),
  /** A tensor holds other bytes than in a healthy checkpoint. */
  OTHER_BYTES(Severity.WARNING),
  /** Ranks of one pipeline stage with different names. */
  SIBLING_NAMES(Severity.WARNING),
  /** Ranks of one pipeline stage with different types. */
  SIBLING_DTYPES(Severity.WARNING),
  /** Ranks of one pipeline stage with different shapes. */
  SIBLING_SHAPES(Severity.WARNING),
  /** Two pipeline stages hold the same layer. */
  STAGES_SHARE_LAYERS(Severity.WARNING),
  /** Layers between two pipeline stages are in neither. */
  STAGES_SKIP_LAYERS(Severity.WARNING),
  /** A later pipeline stage holds earlier layers. */
  STAGES_OUT_OF_ORDER(Severity.WARNING),
  /** The layers' numbers do not run from 0 without a gap, or end too early. */
  LAYER_GAP(Severity.WARNING);

  /** What {@code plan} warns of, since a repair can go on, and {@code verify} takes for a fault. */
  private static final Set<FindingCode> STOP_LOADERS =
      EnumSet.of(
          DUMP_SIGNATURE,
          SHARD_CONFIG_MISSING,
          WILDCARD_IN_PATH,
          WRAPPER_NAMES,
          INDEX_MISSING,
          SECOND_MODEL,
          INDEX_MISPLACED,
          INDEX_TENSOR_MISSING,
          INDEX_METADATA,
          METADATA_FORMAT,
          HEAD_MISSING);

  private final Severity severity;

  FindingCode(Severity severity) {
    this.severity = severity;
  }

  /** The code in documents: kebab case. */
  public String code() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** How much it matters. */
  public Severity severity() {
    return severity;
  }

  /** Whether a loader stops at what that finding says, or does not even find the checkpoint. */
  public static boolean stopsLoaders(Finding finding) {
    return STOP_LOADERS.stream().anyMatch(code -> code.isOf(finding));
  }

  /** Whether that finding is of this kind. */
  public boolean isOf(Finding finding) {
    return finding.code().equals(code());
  }

  /**
   * A finding of this kind. The message is put on one line, whatever the names in it hold.
   *
   * @param shard the file concerned, relative to the checkpoint; empty when it is no single file
   */
  public Finding finding(String shard, String message) {
    return new Finding(code(), severity, shard, OneLine.of(message));
  }
}
