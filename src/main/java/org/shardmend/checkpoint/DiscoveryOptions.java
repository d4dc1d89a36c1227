package org.shardmend.checkpoint;

import java.io.Serializable;
import java.util.Optional;

/** How to look at a directory. By default the layout and the pattern are told from the files. */
public final class DiscoveryOptions implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final DiscoveryOptions DEFAULTS = new DiscoveryOptions(null, null);

  private final Layout layout;
  private final String pattern;

  private DiscoveryOptions(Layout layout, String pattern) {
    this.layout = layout;
    this.pattern = pattern;
  }

  /** Everything told from the files. */
  public static DiscoveryOptions defaults() {
    return DEFAULTS;
  }

  /** The same, for this layout only. */
  public DiscoveryOptions withLayout(Layout value) {
    return new DiscoveryOptions(value, pattern);
  }

  /** The same, with this sharded_state pattern; see {@link ShardPattern}. */
  public DiscoveryOptions withPattern(String value) {
    return new DiscoveryOptions(layout, value);
  }

  /** The layout to look for. */
  public Optional<Layout> layout() {
    return Optional.ofNullable(layout);
  }

  /** The sharded_state pattern to look for. */
  public Optional<String> pattern() {
    return Optional.ofNullable(pattern);
  }
}
