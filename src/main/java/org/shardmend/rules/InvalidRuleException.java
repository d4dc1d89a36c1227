package org.shardmend.rules;

/**
 * A rule or family that contradicts itself. Callers outside see an {@link
 * IllegalArgumentException}; {@link RuleReader} turns it into a {@link RuleException} by looking up
 * where {@code part} stands in the file.
 */
final class InvalidRuleException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final String part;
  private final String problem;
  private final String remedy;

  /**
   * A fault in one part.
   *
   * @param part the part at fault, relative to the rule or family: {@code from}, {@code
   *     examples[0][1]}
   * @param problem a sentence: what is wrong
   * @param remedy a sentence: what to do
   */
  InvalidRuleException(String part, String problem, String remedy) {
    super(part + ": " + problem + " " + remedy);
    this.part = part;
    this.problem = problem;
    this.remedy = remedy;
  }

  String part() {
    return part;
  }

  String problem() {
    return problem;
  }

  String remedy() {
    return remedy;
  }
}
