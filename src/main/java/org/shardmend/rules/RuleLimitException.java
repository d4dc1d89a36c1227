package org.shardmend.rules;

/**
 * A rule that could not be applied to a name within its limits: the match took too many steps or
 * too deep a recursion, or the result would be too long. It says nothing about whether the rule
 * matches.
 */
public final class RuleLimitException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RuleLimitException(String message) {
    super(message, null, false, false);
  }
}
