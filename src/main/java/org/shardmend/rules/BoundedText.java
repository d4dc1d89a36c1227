package org.shardmend.rules;

/**
 * A name as the regular expression engine may read it: so many characters in all, and no more.
 *
 * <p>The JDK's engine backtracks, and some patterns take exponential time on some names. It reads
 * every character through this interface, so the number of reads measures its work. The bound is a
 * number of steps and not a time: the same rule on the same name then gives the same outcome on a
 * busy machine as on an idle one, and a plan stays a pure function of headers and rules.
 */
final class BoundedText implements CharSequence {
  /**
   * Steps that any name may cost. An honest pattern takes a few hundred on a name of 100
   * characters; at this bound a match ends after about a millisecond.
   */
  static final long STEPS = 200_000;

  /**
   * Steps that each character of the name adds, so that long names can be read a few times over.
   */
  static final long STEPS_PER_CHARACTER = 100;

  private final String text;
  private long stepsLeft;

  BoundedText(String text) {
    this.text = text;
    this.stepsLeft = STEPS + STEPS_PER_CHARACTER * text.length();
  }

  /** How many steps were taken. */
  long steps() {
    return STEPS + STEPS_PER_CHARACTER * text.length() - stepsLeft;
  }

  @Override
  public int length() {
    return text.length();
  }

  @Override
  public char charAt(int index) {
    if (--stepsLeft < 0) {
      throw new RuleLimitException(
          String.format(
              "its pattern backtracks too much: no answer after %,d steps on a name of %,d"
                  + " characters",
              STEPS + STEPS_PER_CHARACTER * text.length(), text.length()));
    }
    return text.charAt(index);
  }

  @Override
  public CharSequence subSequence(int start, int end) {
    return text.subSequence(start, end);
  }

  @Override
  public String toString() {
    return text;
  }
}
