package org.shardmend.checkpoint;

import java.util.List;

/** How messages count things and name examples of them. */
public final class Wording {
  private static final int EXAMPLES = 5;

  private Wording() {}

  /** {@code 1 file} or {@code 3 files}. */
  public static String count(long number, String one, String many) {
    return number + " " + (number == 1 ? one : many);
  }

  /** The first few of {@code names}, and how many more there are. */
  public static String examples(List<String> names) {
    String first = String.join(", ", names.subList(0, Math.min(EXAMPLES, names.size())));
    return names.size() > EXAMPLES ? first + " and " + (names.size() - EXAMPLES) + " more" : first;
  }
}
