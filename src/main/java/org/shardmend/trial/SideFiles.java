package org.shardmend.trial;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Locale;
import org.shardmend.storage.Location;

/** The files around the weights: the model's configuration, servekit's note, a tokenizer. */
final class SideFiles {
  private static final int FP8_BLOCK = 128;

  private final TrialSettings settings;
  private final ModelShape shape;
  private final TrialFiles files;

  SideFiles(TrialSettings settings, ModelShape shape, TrialFiles files) {
    this.settings = settings;
    this.shape = shape;
    this.files = files;
  }

  /** Writes them into {@code directory}, and a directory that belongs to the checkpoint. */
  void write(Location directory) throws IOException {
    files.text(directory.child("config.json"), PythonJson.indented(config()) + "\n");
    files.text(directory.child("tokenizer_config.json"), "{\"model_max_length\": 4096}\n");
    switch (settings.layout()) {
      case SHARDED_STATE, PRESHARDED -> writeServekit(directory);
      case HUGGINGFACE -> writeReferenceCode(directory);
    }
  }

  private void writeServekit(Location directory) throws IOException {
    files.text(directory.child("servekit.json"), PythonJson.indented(servekit()) + "\n");
    Location caches = directory.child("servekit-caches/torch_compile");
    files.makeDirectory(caches);
    files.text(
        caches.child("cache_key"), String.format(Locale.ROOT, "trial-%d\n", settings.seed()));
  }

  private void writeReferenceCode(Location directory) throws IOException {
    Location inference = directory.child("inference");
    files.makeDirectory(inference);
    files.text(inference.child("config.json"), PythonJson.indented(textConfig()) + "\n");
  }

  private ObjectNode config() {
    ObjectNode config = PythonJson.object();
    config.putArray("architectures").add("KimiK3ForConditionalGeneration");
    config.put("model_type", "kimi_k3").put("torch_dtype", "bfloat16");
    config.set("text_config", textConfig());
    config.put("tie_word_embeddings", settings.tiedEmbeddings());
    if (settings.fp8()) {
      ObjectNode quantization = config.putObject("quantization_config");
      quantization.put("quant_method", "fp8").put("activation_scheme", "static");
      quantization.putArray("weight_block_size").add(FP8_BLOCK).add(FP8_BLOCK);
      quantization.putArray("ignored_layers").add("language_model.lm_head");
    }
    return config;
  }

  private ObjectNode textConfig() {
    return PythonJson.object()
        .put("hidden_size", shape.hidden())
        .put("num_hidden_layers", settings.layers())
        .put("num_attention_heads", shape.heads() * settings.tp())
        .put("q_lora_rank", shape.queryRank())
        .put("kv_lora_rank", shape.keyValueRank())
        .put("n_routed_experts", shape.experts())
        .put("vocab_size", shape.vocabulary() * settings.tp());
  }

  private ObjectNode servekit() {
    return PythonJson.object()
        .put("format", settings.layout().id())
        .put("engine", settings.engine().id())
        .put("engine_version", settings.engine().version())
        .put("tp_size", settings.tp())
        .put("pp_size", settings.pp())
        .put("dp_size", 1)
        .put("dtype", "bfloat16")
        .put("quantization", settings.fp8() ? "fp8" : null)
        .put("source", "/models/source");
  }
}
