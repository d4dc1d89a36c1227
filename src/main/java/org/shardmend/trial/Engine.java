package org.shardmend.trial;

/** The engine that is said to have saved the checkpoint. */
public enum Engine {
  /** SGLang. */
  SGLANG("sglang", "0.5.16", "mlp.gate.e_score_correction_bias"),
  /** vLLM. */
  VLLM("vllm", "0.11.0", "mlp.experts.e_score_correction_bias");

  private final String id;
  private final String version;
  private final String correctionBias;

  Engine(String id, String version, String correctionBias) {
    this.id = id;
    this.version = version;
    this.correctionBias = correctionBias;
  }

  /** The name in servekit.json. */
  public String id() {
    return id;
  }

  String version() {
    return version;
  }

  /** What this engine calls the router's correction bias, below the layer. */
  String correctionBias() {
    return correctionBias;
  }
}
