package org.shardmend.checkpoint;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The note {@code .sharded-state-done-pp{P}-tp{T}} that a saver leaves as one rank finishes, and
 * removes with all others at the end.
 *
 * @param pp the pipeline stage
 * @param tp the tensor-parallel rank
 */
public record SaveMarker(int pp, int tp) {
  private static final Pattern NAME =
      Pattern.compile("\\.sharded-state-done-pp(0|[1-9][0-9]{0,8})-tp(0|[1-9][0-9]{0,8})");

  /** The marker of that file name. */
  public static Optional<SaveMarker> of(String fileName) {
    Matcher matcher = NAME.matcher(fileName);
    return matcher.matches()
        ? Optional.of(
            new SaveMarker(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2))))
        : Optional.empty();
  }

  /** The file name of this marker. */
  public String fileName() {
    return ".sharded-state-done-pp" + pp + "-tp" + tp;
  }
}
