package org.shardmend.checkpoint;

import java.io.Serializable;
import java.util.Optional;

/** How to look at a directory. By default the layout and the pattern are told from the files. */
public final class DiscoveryOptions implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final DiscoveryOptions DEFAULTS = new DiscoveryOptions(null, null, null);

  private final Layout layout;
  private final String pattern;
  private final Engine engine;

  private DiscoveryOptions(Layout layout, String pattern, Engine engine) {
    this.layout = layout;
    this.pattern = pattern;
    this.engine = engine;
  }

  /** Everything told from the files. */
  public static DiscoveryOptions defaults() {
    return DEFAULTS;
  }

  /** The same, for this layout only. */
  public DiscoveryOptions withLayout(Layout value) {
    return new DiscoveryOptions(value, pattern, engine);
  }

  /** The same, with this sharded_state pattern; see {@link ShardPattern}. */
  public DiscoveryOptions withPattern(String value) {
    return new DiscoveryOptions(layout, value, engine);
  }

  /** The same, of what this engine has saved, whatever the files say. */
  public DiscoveryOptions withEngine(Engine value) {
    return new DiscoveryOptions(layout, pattern, value);
  }

  /** The layout to look for. */
  public Optional<Layout> layout() {
    return Optional.ofNullable(layout);
  }

  /** The sharded_state pattern to look for. */
  public Optional<String> pattern() {
    return Optional.ofNullable(pattern);
  }

  /** The engine that saved what is there, where the user says so. */
  public Optional<Engine> engine() {
    return Optional.ofNullable(engine);
  }
}
