package org.shardmend.checkpoint.layout;

import java.util.Arrays;
import java.util.Optional;
import org.shardmend.checkpoint.sidefile.ChecksumJson;

/**
 * The names of the ways in which a checkpoint's files are named and divided among the processes
 * that load them. {@link CheckpointLayout} says what follows from each.
 */
public enum Layout {
  /** One set of files a rank, as SGLang, vLLM and servekit save them. */
  SHARDED_STATE("sharded_state"),
  /** SGLang's dump of a loaded model: keys are content hashes, names live in checksum.json. */
  PRESHARDED("presharded"),
  /** One set of files that every rank reads, with or without an index. */
  HUGGINGFACE("huggingface");

  private final String id;

  Layout(String id) {
    this.id = id;
  }

  /** The name used in rules, documents and audit tables. */
  public String id() {
    return id;
  }

  /**
   * Whether a file tells by its name alone that its directory may be a checkpoint in this layout.
   *
   * @param file a name without a directory
   */
  public boolean isSignedBy(String file) {
    return switch (this) {
      case SHARDED_STATE, HUGGINGFACE -> file.endsWith(".safetensors");
      case PRESHARDED -> file.equals(ChecksumJson.FILE_NAME);
    };
  }

  /**
   * Whether a file tells by its name alone that its directory may be a checkpoint in some layout.
   */
  public static boolean isSign(String file) {
    return Arrays.stream(values()).anyMatch(layout -> layout.isSignedBy(file));
  }

  /**
   * The file that tells a directory within a checkpoint to be one in this layout, which may have
   * been repaired by itself; empty where that does not occur.
   */
  public Optional<String> innerSign() {
    return switch (this) {
      case SHARDED_STATE, HUGGINGFACE -> Optional.empty();
      case PRESHARDED -> Optional.of(ChecksumJson.FILE_NAME);
    };
  }

  /** The layout of that name. */
  public static Optional<Layout> of(String id) {
    return Arrays.stream(values()).filter(layout -> layout.id.equals(id)).findFirst();
  }
}
