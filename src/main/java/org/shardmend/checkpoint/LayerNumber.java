package org.shardmend.checkpoint;

import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which of the model's own layers a tensor belongs to. Other stacks of layers (a vision tower, a
 * projector) are numbered in ways of their own, and need not be divided among pipeline stages.
 *
 * @param stack what the layers are numbered in: {@code language_model.model.layers}
 * @param number the layer's number
 */
public record LayerNumber(String stack, int number) {
  private static final Pattern NUMBERED =
      Pattern.compile(
          "(?<prefix>(?:[^.]+\\.)*?)(?<kind>layers|h|blocks)\\.(?<number>[0-9]{1,6})\\..*");
  private static final Set<String> WRAPPERS =
      Set.of(
          "model",
          "language_model",
          "text_model",
          "transformer",
          "backbone",
          "decoder",
          "base_model",
          "thinker",
          "module",
          "_orig_mod");

  /** The layer of the tensor of that name; empty when it belongs to none of the model's own. */
  public static Optional<LayerNumber> of(String tensor) {
    Matcher matcher = NUMBERED.matcher(tensor);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    String prefix = matcher.group("prefix");
    boolean own =
        prefix.isEmpty() || Arrays.stream(prefix.split("\\.", 0)).allMatch(WRAPPERS::contains);
    return own
        ? Optional.of(
            new LayerNumber(
                prefix + matcher.group("kind"), Integer.parseInt(matcher.group("number"))))
        : Optional.empty();
  }
}
