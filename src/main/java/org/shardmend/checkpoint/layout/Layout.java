package org.shardmend.checkpoint.layout;

import java.util.Arrays;
import java.util.Optional;

/** How a checkpoint's files are named and divided among the processes that load them. */
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

  /** The layout of that name. */
  public static Optional<Layout> of(String id) {
    return Arrays.stream(values()).filter(layout -> layout.id.equals(id)).findFirst();
  }
}
