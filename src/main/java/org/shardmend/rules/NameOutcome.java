package org.shardmend.rules;

import java.io.Serializable;
import java.util.function.Function;
import java.util.function.Supplier;

/** What a {@link RuleSet} says about one tensor name. */
public sealed interface NameOutcome extends Serializable {

  /** Answers with the one function that is meant for this kind of outcome. */
  <T> T fold(
      Supplier<? extends T> unchanged,
      Function<? super Renamed, ? extends T> renamed,
      Function<? super Refused, ? extends T> refused);

  /** No rule matches the name: the tensor keeps it. */
  record Unchanged() implements NameOutcome {
    @Override
    public <T> T fold(
        Supplier<? extends T> unchanged,
        Function<? super Renamed, ? extends T> renamed,
        Function<? super Refused, ? extends T> refused) {
      return unchanged.get();
    }
  }

  /**
   * The rules agree on a new name, which no rule would change again.
   *
   * @param target the new name; never empty
   * @param rule the rule's id, its family's name and its place in the family counted from 1: {@code
   *     mla-kv-b-proj#1}; of families that were applied one after the other, the ids in that order,
   *     separated by {@code ", "}
   */
  record Renamed(String target, String rule) implements NameOutcome {
    @Override
    public <T> T fold(
        Supplier<? extends T> unchanged,
        Function<? super Renamed, ? extends T> renamed,
        Function<? super Refused, ? extends T> refused) {
      return renamed.apply(this);
    }
  }

  /**
   * The rules contradict themselves or each other on this name, or could not be applied to it. No
   * new name can be trusted, so the tensor must not be touched.
   *
   * @param reason a sentence for people: what is wrong, and what to do
   * @param rule the ids of the rules concerned, separated by {@code ", "}
   */
  record Refused(String reason, String rule) implements NameOutcome {
    @Override
    public <T> T fold(
        Supplier<? extends T> unchanged,
        Function<? super Renamed, ? extends T> renamed,
        Function<? super Refused, ? extends T> refused) {
      return refused.apply(this);
    }
  }
}
