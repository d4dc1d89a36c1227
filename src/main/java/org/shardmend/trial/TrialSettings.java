package org.shardmend.trial;

import java.util.Locale;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.checkpoint.sidefile.HashKind;

/**
 * What to generate. Checked when built; immutable.
 *
 * @param tp tensor-parallel ranks
 * @param pp pipeline stages; with more stages than layers, some hold no tensor
 * @param ep expert-parallel ranks; divides {@code tp}
 * @param layers layers of the model
 * @param bytes about how many data bytes all files together hold; the smallest model of these
 *     settings may need more
 * @param maxShardBytes data bytes after which a rank's next file starts; {@link Long#MAX_VALUE} for
 *     no limit. A larger tensor has a file of its own. Presharded dumps have no limit.
 * @param fault the names that are saved
 * @param layout how it is saved; a Hugging Face directory has one rank only
 * @param fp8 weights of linear modules in FP8 with their scales, instead of BF16
 * @param sparse headers are written, data are left as holes that read as zeros
 * @param tiedEmbeddings the output head has the embedding's bytes
 * @param hybrid MLA in every fourth layer and linear attention in the others, instead of MLA in all
 * @param linearAttention names of the linear-attention parameters
 * @param hash the hash of a presharded dump
 * @param engine the engine that is said to have saved
 * @param seed other seeds give other bytes in the same tensors
 */
public record TrialSettings(
    int tp,
    int pp,
    int ep,
    int layers,
    long bytes,
    long maxShardBytes,
    Fault fault,
    Layout layout,
    boolean fp8,
    boolean sparse,
    boolean tiedEmbeddings,
    boolean hybrid,
    NameStyle linearAttention,
    HashKind hash,
    Engine engine,
    long seed) {

  private static final int ATTENTION_EVERY = 4;

  /**
   * @throws IllegalArgumentException when the settings contradict each other; the message says
   *     which and what would do
   */
  public TrialSettings {
    requirePositive("tp", tp);
    requirePositive("pp", pp);
    requirePositive("ep", ep);
    requirePositive("layers", layers);
    requirePositive("bytes", bytes);
    requirePositive("max-shard-bytes", maxShardBytes);
    require(
        tp % ep == 0,
        "Expert-parallel ranks divide the tensor-parallel ones: ep %d does not divide tp %d.",
        ep,
        tp);
    require(
        layout != Layout.HUGGINGFACE || tp * pp == 1,
        "A huggingface checkpoint is not divided among ranks: tp and pp are 1 there, not %d and"
            + " %d.",
        tp,
        pp);
    require(
        layout != Layout.PRESHARDED || engine == Engine.SGLANG,
        "Only SGLang dumps presharded checkpoints, not %s.",
        engine.id());
    require(
        layout != Layout.PRESHARDED || !sparse,
        "A presharded dump can't be sparse: its keys are the hashes of the data.");
    require(
        fault != Fault.BOTH_DIFFER || !sparse,
        "The fault %s can't be sparse: without data, nothing differs.",
        fault.id());
    require(
        fault == Fault.CLEAN || !hybrid || layers >= ATTENTION_EVERY,
        "The fault %s needs a layer with MLA: of a hybrid model with %d layers, none has it. Take"
            + " at least %d.",
        fault.id(),
        layers,
        ATTENTION_EVERY);
  }

  private static void requirePositive(String what, long value) {
    require(value > 0, "%s must be positive, not %d.", what, value);
  }

  private static void require(boolean condition, String message, Object... values) {
    if (!condition) {
      throw new IllegalArgumentException(String.format(Locale.ROOT, message, values));
    }
  }

  /** Settings with every default: one rank, 8 hybrid layers, 1 MB, alias only, sharded_state. */
  public static Builder builder() {
    return new Builder();
  }

  /** How many ranks there are. */
  public int worldSize() {
    return tp * pp;
  }

  /** Whether the layer has MLA, and so the module with an alias. */
  boolean hasLatentAttention(int layer) {
    return !hybrid || layer % ATTENTION_EVERY == ATTENTION_EVERY - 1;
  }

  /** The layer's number among those with MLA, from 0. */
  int attentionIndex(int layer) {
    return hybrid ? layer / ATTENTION_EVERY : layer;
  }

  /** The first layer of a pipeline stage; that of stage {@code pp} is the number of layers. */
  int firstLayer(int stage) {
    return (int) ((long) layers * stage / pp);
  }

  /** Collects settings, one by one. */
  public static final class Builder {
    private int tp = 1;
    private int pp = 1;
    private int ep = 1;
    private int layers = 8;
    private long bytes = 1_000_000;
    private long maxShardBytes = Long.MAX_VALUE;
    private Fault fault = Fault.ALIAS_ONLY;
    private Layout layout = Layout.SHARDED_STATE;
    private boolean fp8;
    private boolean sparse;
    private boolean tiedEmbeddings;
    private boolean hybrid = true;
    private NameStyle linearAttention = NameStyle.SHORT;
    private HashKind hash = HashKind.XXH3_128;
    private Engine engine = Engine.SGLANG;
    private long seed;

    private Builder() {}

    /** Tensor-parallel ranks; 1 unless set. */
    public Builder tp(int ranks) {
      tp = ranks;
      return this;
    }

    /** Pipeline stages; 1 unless set. */
    public Builder pp(int stages) {
      pp = stages;
      return this;
    }

    /** Expert-parallel ranks; 1 unless set. */
    public Builder ep(int ranks) {
      ep = ranks;
      return this;
    }

    /** Layers; 8 unless set. */
    public Builder layers(int count) {
      layers = count;
      return this;
    }

    /** Data bytes of the whole, about; 1 MB unless set. */
    public Builder bytes(long total) {
      bytes = total;
      return this;
    }

    /** Data bytes of a file at most; no limit unless set. */
    public Builder maxShardBytes(long limit) {
      maxShardBytes = limit;
      return this;
    }

    /** The fault; alias only unless set. */
    public Builder fault(Fault kind) {
      fault = kind;
      return this;
    }

    /** The layout; sharded_state unless set. */
    public Builder layout(Layout kind) {
      layout = kind;
      return this;
    }

    /** Whether weights are FP8; BF16 unless set. */
    public Builder fp8(boolean quantized) {
      fp8 = quantized;
      return this;
    }

    /** Whether data are holes; not unless set. */
    public Builder sparse(boolean holes) {
      sparse = holes;
      return this;
    }

    /** Whether the head shares the embedding's bytes; not unless set. */
    public Builder tiedEmbeddings(boolean tied) {
      tiedEmbeddings = tied;
      return this;
    }

    /** Whether only every fourth layer has MLA; so unless set. */
    public Builder hybrid(boolean mixed) {
      hybrid = mixed;
      return this;
    }

    /** Names of the linear-attention parameters; short unless set. */
    public Builder linearAttention(NameStyle style) {
      linearAttention = style;
      return this;
    }

    /** The hash of a presharded dump; XXH3 unless set. */
    public Builder hash(HashKind kind) {
      hash = kind;
      return this;
    }

    /** The engine; SGLang unless set. */
    public Builder engine(Engine saver) {
      engine = saver;
      return this;
    }

    /** The seed; 0 unless set. */
    public Builder seed(long value) {
      seed = value;
      return this;
    }

    /**
     * The settings.
     *
     * @throws IllegalArgumentException when they contradict each other
     */
    public TrialSettings build() {
      return new TrialSettings(
          tp,
          pp,
          ep,
          layers,
          bytes,
          maxShardBytes,
          fault,
          layout,
          fp8,
          sparse,
          tiedEmbeddings,
          hybrid,
          linearAttention,
          hash,
          engine,
          seed);
    }
  }
}
