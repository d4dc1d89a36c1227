package org.shardmend.trial;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.shardmend.safetensors.Shape;
import org.shardmend.trial.TrialTensor.Copies;

/**
 * The state dict of every rank, as a fresh model has it and as it was saved. The names, types and
 * their order are those of SGLang's hybrid models: MLA and linear attention, each followed by a
 * mixture of experts.
 */
final class Model {
  private static final String PREFIX = "language_model.";
  private static final String EMBEDDING = PREFIX + "model.embed_tokens.weight";
  private static final String HEAD = PREFIX + "lm_head.weight";
  private static final int SCALE_BLOCK = 128;
  private static final int CONVOLUTION_WIDTH = 4;

  private final TrialSettings settings;
  private final ModelShape shape;

  Model(TrialSettings settings, ModelShape shape) {
    this.settings = settings;
    this.shape = shape;
  }

  /** The model of about the size that the settings ask for. */
  static Model of(TrialSettings settings) {
    return new Model(settings, ModelShape.fitting(settings));
  }

  ModelShape shape() {
    return shape;
  }

  /**
   * What a fresh model of this stage has, in the order of its state dict; alike on all TP ranks.
   */
  List<TrialTensor> fresh(int stage) {
    List<TrialTensor> tensors = new ArrayList<>(first(stage));
    for (int layer : layersOf(stage)) {
      tensors.addAll(attention(layer));
      tensors.addAll(experts(layer));
    }
    tensors.addAll(last(stage));
    return tensors;
  }

  /**
   * What a rank saved, in order. Usually one section; a file never holds tensors of two.
   *
   * @return at least one section
   */
  List<List<TrialTensor>> saved(int stage, int tp) {
    List<TrialTensor> tensors = new ArrayList<>(first(stage));
    List<TrialTensor> aliases = new ArrayList<>();
    for (int layer : layersOf(stage)) {
      List<TrialTensor> attention = attention(layer);
      switch (settings.fault().namesFor(settings.attentionIndex(layer), tp)) {
        case CANONICAL -> tensors.addAll(attention);
        case ALIAS -> attention.forEach(t -> tensors.add(t.hasAlias() ? t.alias() : t));
        case BOTH_SAME -> {
          tensors.addAll(attention);
          aliasesOf(attention).map(TrialTensor::alias).forEach(aliasTarget(tensors, aliases)::add);
        }
        case BOTH_DIFFER -> {
          tensors.addAll(attention);
          aliasesOf(attention).map(TrialTensor::differingAlias).forEach(tensors::add);
        }
      }
      tensors.addAll(experts(layer));
    }
    tensors.addAll(last(stage));
    return aliases.isEmpty() ? List.of(tensors) : List.of(tensors, aliases);
  }

  private static Stream<TrialTensor> aliasesOf(List<TrialTensor> attention) {
    return attention.stream().filter(TrialTensor::hasAlias);
  }

  private List<TrialTensor> aliasTarget(List<TrialTensor> inPlace, List<TrialTensor> apart) {
    return switch (settings.fault()) {
      case OTHER_PART -> apart;
      case ALIAS_ONLY, BOTH_SAME, BOTH_DIFFER, MIXED, CLEAN -> inPlace;
    };
  }

  /**
   * What SGLang computes from {@code kv_b_proj} after loading and sets as plain attributes. A
   * presharded dump holds them; they are in no state dict.
   */
  List<TrialTensor> attributes(int stage) {
    List<TrialTensor> tensors = new ArrayList<>();
    for (int layer : layersOf(stage)) {
      if (settings.hasLatentAttention(layer)) {
        String name = layerName(layer) + "self_attn.";
        tensors.add(
            sharded(
                name + "w_kc",
                ElementType.BF16,
                shape.heads(),
                shape.headDim(),
                shape.keyValueRank()));
        tensors.add(
            sharded(
                name + "w_vc",
                ElementType.BF16,
                shape.heads(),
                shape.keyValueRank(),
                shape.headDim()));
      }
    }
    return tensors;
  }

  /** Data bytes of all files together. */
  long savedBytes() {
    return switch (settings.layout()) {
      case SHARDED_STATE, HUGGINGFACE -> bytesOfAllRanks();
      case PRESHARDED -> bytesOfDifferentContent();
    };
  }

  private long bytesOfAllRanks() {
    return ranks()
        .flatMap(rank -> saved(rank.stage(), rank.tp()).stream())
        .flatMap(List::stream)
        .mapToLong(TrialTensor::bytes)
        .sum();
  }

  private long bytesOfDifferentContent() {
    Set<String> seen = new HashSet<>();
    return ranks()
        .flatMap(
            rank ->
                Stream.concat(
                        saved(rank.stage(), rank.tp()).stream().flatMap(List::stream),
                        attributes(rank.stage()).stream())
                    .filter(
                        tensor -> seen.add(tensor.content() + tensor.copies().owner(rank.tp()))))
        .mapToLong(TrialTensor::bytes)
        .sum();
  }

  /** All ranks, by world rank. */
  Stream<Rank> ranks() {
    return IntStream.range(0, settings.worldSize())
        .mapToObj(world -> new Rank(world, world / settings.tp(), world % settings.tp()));
  }

  /**
   * One process.
   *
   * @param world tp size times stage, plus tp
   * @param stage its pipeline stage
   * @param tp its tensor-parallel rank
   */
  record Rank(int world, int stage, int tp) {}

  private int[] layersOf(int stage) {
    return IntStream.range(settings.firstLayer(stage), settings.firstLayer(stage + 1)).toArray();
  }

  private List<TrialTensor> first(int stage) {
    if (stage > 0) {
      return List.of();
    }
    if (!settings.tiedEmbeddings() || settings.pp() > 1) {
      return List.of(embedding(EMBEDDING));
    }
    return switch (settings.layout()) {
      // The saver keeps the lexicographically smaller name of a storage.
      case SHARDED_STATE -> List.of(embedding(HEAD));
      case HUGGINGFACE -> List.of(embedding(EMBEDDING));
      case PRESHARDED -> List.of(embedding(EMBEDDING), embedding(HEAD));
    };
  }

  private List<TrialTensor> last(int stage) {
    if (stage < settings.pp() - 1) {
      return List.of();
    }
    TrialTensor norm = norm(PREFIX + "model.norm.weight", shape.hidden());
    if (!settings.tiedEmbeddings()) {
      return List.of(norm, sharded(HEAD, ElementType.BF16, shape.vocabulary(), shape.hidden()));
    }
    return settings.pp() > 1 ? List.of(norm, embedding(HEAD)) : List.of(norm);
  }

  /** The embedding's bytes under one of the names that they can have. */
  private TrialTensor embedding(String name) {
    return new TrialTensor(
        name,
        ElementType.BF16,
        Shape.of(shape.vocabulary(), shape.hidden()),
        Copies.SHARDED,
        EMBEDDING);
  }

  private static String layerName(int layer) {
    return PREFIX + "model.layers." + layer + ".";
  }

  private List<TrialTensor> attention(int layer) {
    String name = layerName(layer) + "self_attn.";
    return settings.hasLatentAttention(layer) ? latentAttention(name) : linearAttention(name);
  }

  private List<TrialTensor> latentAttention(String name) {
    List<TrialTensor> tensors = new ArrayList<>();
    tensors.addAll(
        linear(
            name + "fused_qkv_a_proj_with_mqa",
            shape.queryRank() + shape.keyValueRank() + shape.ropeDim(),
            shape.hidden(),
            Copies.REPLICATED));
    tensors.add(norm(name + "q_a_layernorm.weight", shape.queryRank()));
    tensors.addAll(
        linear(
            name + "q_b_proj",
            shape.heads() * (shape.headDim() + shape.ropeDim()),
            shape.queryRank(),
            Copies.SHARDED));
    tensors.add(norm(name + "kv_a_layernorm.weight", shape.keyValueRank()));
    tensors.addAll(
        linear(name + "kv_b_proj", 2 * shape.headsWidth(), shape.keyValueRank(), Copies.SHARDED));
    tensors.addAll(linear(name + "o_proj", shape.hidden(), shape.headsWidth(), Copies.SHARDED));
    return tensors;
  }

  private List<TrialTensor> linearAttention(String name) {
    NameStyle style = settings.linearAttention();
    List<TrialTensor> tensors = new ArrayList<>();
    tensors.addAll(
        linear(name + "qkvz_proj", 4 * shape.headsWidth(), shape.hidden(), Copies.SHARDED));
    tensors.add(sharded(name + "b_proj.weight", ElementType.BF16, shape.heads(), shape.hidden()));
    tensors.add(
        sharded(
            name + "conv1d.weight",
            ElementType.BF16,
            3 * shape.headsWidth(),
            1,
            CONVOLUTION_WIDTH));
    tensors.add(sharded(name + style.named("A_log"), ElementType.F32, shape.heads()));
    tensors.add(sharded(name + style.named("dt_bias"), ElementType.F32, shape.heads()));
    tensors.add(norm(name + "norm.weight", shape.headDim()));
    tensors.addAll(linear(name + "o_proj", shape.hidden(), shape.headsWidth(), Copies.SHARDED));
    return tensors;
  }

  private List<TrialTensor> experts(int layer) {
    String name = layerName(layer);
    List<TrialTensor> tensors = new ArrayList<>();
    tensors.add(
        replicated(name + "mlp.gate.weight", ElementType.BF16, shape.experts(), shape.hidden()));
    tensors.add(
        replicated(name + settings.engine().correctionBias(), ElementType.F32, shape.experts()));
    tensors.addAll(routedExperts(name + "mlp.experts."));
    tensors.addAll(
        linear(
            name + "mlp.shared_experts.gate_up_proj",
            2 * shape.sharedWidth(),
            shape.hidden(),
            Copies.SHARDED));
    tensors.addAll(
        linear(
            name + "mlp.shared_experts.down_proj",
            shape.hidden(),
            shape.sharedWidth(),
            Copies.SHARDED));
    tensors.add(norm(name + "input_layernorm.weight", shape.hidden()));
    tensors.add(norm(name + "post_attention_layernorm.weight", shape.hidden()));
    return tensors;
  }

  private List<TrialTensor> routedExperts(String name) {
    long count = shape.localExperts();
    long inner = shape.expertWidth();
    ElementType type = settings.fp8() ? ElementType.F8_E4M3 : ElementType.BF16;
    List<TrialTensor> tensors = new ArrayList<>();
    tensors.add(sharded(name + "w13_weight", type, count, 2 * inner, shape.hidden()));
    tensors.add(sharded(name + "w2_weight", type, count, shape.hidden(), inner));
    if (settings.fp8()) {
      tensors.add(
          sharded(
              name + "w13_weight_scale_inv",
              ElementType.F32,
              count,
              blocks(2 * inner),
              blocks(shape.hidden())));
      tensors.add(
          sharded(
              name + "w2_weight_scale_inv",
              ElementType.F32,
              count,
              blocks(shape.hidden()),
              blocks(inner)));
    }
    return tensors;
  }

  /** The tensors that a linear module has, with those that its quantization adds. */
  private List<TrialTensor> linear(String module, long rows, long columns, Copies copies) {
    if (!settings.fp8()) {
      return List.of(tensor(module + ".weight", ElementType.BF16, copies, Shape.of(rows, columns)));
    }
    return List.of(
        tensor(module + ".weight", ElementType.F8_E4M3, copies, Shape.of(rows, columns)),
        tensor(
            module + ".weight_scale_inv",
            ElementType.F32,
            copies,
            Shape.of(blocks(rows), blocks(columns))),
        replicated(module + ".input_scale", ElementType.F32));
  }

  private static long blocks(long length) {
    return (length + SCALE_BLOCK - 1) / SCALE_BLOCK;
  }

  private static TrialTensor norm(String name, long width) {
    return replicated(name, ElementType.BF16, width);
  }

  private static TrialTensor replicated(String name, ElementType type, long... dimensions) {
    return tensor(name, type, Copies.REPLICATED, Shape.of(dimensions));
  }

  private static TrialTensor sharded(String name, ElementType type, long... dimensions) {
    return tensor(name, type, Copies.SHARDED, Shape.of(dimensions));
  }

  private static TrialTensor tensor(String name, ElementType type, Copies copies, Shape shape) {
    return new TrialTensor(name, type, shape, copies, name);
  }
}
