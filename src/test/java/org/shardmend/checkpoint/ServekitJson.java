package org.shardmend.checkpoint;

/** The text of a servekit.json, for tests. */
public final class ServekitJson {
  private ServekitJson() {}

  public static String of(int tp, int pp) {
    return of(tp, pp, "bfloat16");
  }

  public static String of(int tp, int pp, String dtype) {
    return """
    {"format": "sharded_state", "engine": "sglang", "engine_version": "0.5.16", "tp_size": %d,
     "pp_size": %d, "dp_size": 1, "dtype": "%s", "quantization": null, "source": "/models/m"}
    """
        .formatted(tp, pp, dtype);
  }
}
