package org.shardmend.plan.contract;

import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.checkpoint.sidefile.HashKind;

/**
 * Who reads a checkpoint of one kind. Loaders differ in what they stop at and in what they let
 * pass. Each was read in its own source; the site's page "Findings" names files and revisions.
 */
public enum Loader {
  /** {@code ShardedStateLoader} of SGLang and vLLM. */
  SHARDED_STATE("sharded_state", "the sharded_state loaders of SGLang and vLLM"),
  /** {@code PreshardedModelLoader} as it was before it was merged: keys are SHA-1. */
  PRESHARDED_EARLY(
      "presharded-early", "SGLang's presharded loader of early builds (keys of 40 digits)"),
  /** {@code PreshardedModelLoader} as it was merged: keys are XXH3-128. */
  PRESHARDED_MERGED(
      "presharded-merged", "SGLang's presharded loader of merged builds (keys of 32 digits)"),
  /** The loaders of Hugging Face directories, which give their tensors to the model by name. */
  HUGGINGFACE("huggingface", "strict loaders of Hugging Face directories");

  private final String id;
  private final String about;

  Loader(String id, String about) {
    this.id = id;
    this.about = about;
  }

  /** The loader that reads {@code checkpoint}; of a dump, the length of its keys tells. */
  public static Loader of(Checkpoint checkpoint) {
    return switch (checkpoint.layout()) {
      case SHARDED_STATE -> SHARDED_STATE;
      case HUGGINGFACE -> HUGGINGFACE;
      case PRESHARDED ->
          checkpoint.checksums().orElseThrow().hash() == HashKind.SHA1
              ? PRESHARDED_EARLY
              : PRESHARDED_MERGED;
    };
  }

  /** The identifier in documents. */
  public String id() {
    return id;
  }

  /** For people: whose loaders they are. */
  public String about() {
    return about;
  }

  /** Whether it leaves a name out that the model does not know, and reads on. */
  public boolean skipsUnknownNames() {
    return this == PRESHARDED_MERGED;
  }
}
