package org.shardmend.trial;

/** How the linear-attention parameters are named; the direction depends on the SGLang build. */
public enum NameStyle {
  /** {@code self_attn.dt_bias}, {@code self_attn.A_log}. */
  SHORT(""),
  /** {@code self_attn.attn.dt_bias}: since linear attention has a layer of its own. */
  LONG("attn.");

  private final String infix;

  NameStyle(String infix) {
    this.infix = infix;
  }

  String named(String parameter) {
    return infix + parameter;
  }
}
