package org.shardmend.checkpoint.layout;

import java.io.Serializable;
import java.util.Optional;
import org.shardmend.checkpoint.Engine;

/** How to look at a directory. By default the layout and the pattern are told from the files. */
public final class DiscoveryOptions implements Serializable {
  private static final long serialVersionUID = 1L;

  /** What an index is to a Hugging Face model. */
  public enum Index {
    /** It names the model's files. */
    BELIEVED,
    /** The files are told from the directory, since the index is going to be written anew. */
    REPLACED
  }

  /** What becomes of what no saver leaves behind, but a loader may read past. */
  public enum Oddities {
    /** The checkpoint is refused. */
    REFUSED,
    /** They are listed, and the checkpoint is read as a loader would read it. */
    NOTED
  }

  private static final DiscoveryOptions DEFAULTS =
      new DiscoveryOptions(null, null, null, Index.BELIEVED, "", Oddities.REFUSED);

  private final Layout layout;
  private final String pattern;
  private final Engine engine;
  private final Index index;
  private final String format;
  private final Oddities oddities;

  private DiscoveryOptions(
      Layout layout, String pattern, Engine engine, Index index, String format, Oddities oddities) {
    this.layout = layout;
    this.pattern = pattern;
    this.engine = engine;
    this.index = index;
    this.format = format;
    this.oddities = oddities;
  }

  /** Everything told from the files. */
  public static DiscoveryOptions defaults() {
    return DEFAULTS;
  }

  /** The same, for this layout only. */
  public DiscoveryOptions withLayout(Layout value) {
    return new DiscoveryOptions(value, pattern, engine, index, format, oddities);
  }

  /** The same, with this sharded_state pattern; see {@link ShardPattern}. */
  public DiscoveryOptions withPattern(String value) {
    return new DiscoveryOptions(layout, value, engine, index, format, oddities);
  }

  /** The same, of what this engine has saved, whatever the files say. */
  public DiscoveryOptions withEngine(Engine value) {
    return new DiscoveryOptions(layout, pattern, value, index, format, oddities);
  }

  /** The same, for a caller that is going to write the index of a Hugging Face model anew. */
  public DiscoveryOptions withoutIndex() {
    return new DiscoveryOptions(layout, pattern, engine, Index.REPLACED, format, oddities);
  }

  /**
   * The same, for a caller that is going to set {@code __metadata__.format} of a Hugging Face
   * model.
   */
  public DiscoveryOptions settingFormat(String value) {
    return new DiscoveryOptions(layout, pattern, engine, index, value, oddities);
  }

  /** The same, for a caller that knows what the loaders expect, and judges by that. */
  public DiscoveryOptions notingOddities() {
    return new DiscoveryOptions(layout, pattern, engine, index, format, Oddities.NOTED);
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

  /** What an index is to a Hugging Face model. */
  public Index index() {
    return index;
  }

  /** What {@code __metadata__.format} is going to be; empty where it stays as it is. */
  public String format() {
    return format;
  }

  /** What becomes of gaps in the numbering, stray names and markers of a save. */
  public Oddities oddities() {
    return oddities;
  }
}
