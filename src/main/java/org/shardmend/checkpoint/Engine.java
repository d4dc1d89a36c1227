package org.shardmend.checkpoint;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** An engine that saves and loads models after it has sharded them. */
public enum Engine {
  /** SGLang. */
  SGLANG,
  /** vLLM. */
  VLLM;

  /** The engine as servekit.json and the command line name it. */
  public String id() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The engine of that id. */
  public static Optional<Engine> of(String id) {
    return Stream.of(values()).filter(engine -> engine.id().equals(id)).findFirst();
  }
}
