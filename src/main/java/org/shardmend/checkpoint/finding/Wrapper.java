package org.shardmend.checkpoint.finding;

import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.Wording;
import org.shardmend.safetensors.DisplayName;

/**
 * What wraps a module and puts a word of its own into its tensors' names. Models are wrapped after
 * they were loaded, so that no loader expects such names.
 */
public enum Wrapper {
  /** {@code torch.compile}. */
  COMPILED("_orig_mod", "compiled-modules"),
  /** vLLM's LoRA layers. */
  LORA("base_layer", "lora-base-layer");

  private final String word;
  private final String family;

  Wrapper(String word, String family) {
    this.word = word;
    this.family = family;
  }

  /** The family of rules that takes the word out again. */
  public String family() {
    return family;
  }

  /** Whether the word stands in that name, as a part of its own. */
  public boolean isIn(String name) {
    return ("." + name).contains("." + word + ".");
  }

  /**
   * What there is to say of a checkpoint with such names.
   *
   * @param names how many, at least 1
   * @param example one of them
   */
  public Finding finding(long names, String example) {
    return FindingCode.WRAPPER_NAMES.finding(
        "",
        "%s %s, which no loader expects: %s. Repair with --rules %s."
            .formatted(
                Wording.count(names, "name holds", "names hold"),
                word,
                DisplayName.of(example),
                family));
  }
}
