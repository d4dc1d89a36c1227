/**
 * The rules by which tensor names change, and the files that state them.
 *
 * <p>A {@linkplain org.shardmend.rules.Rule rule} turns one name into another, or does not concern
 * it. A {@linkplain org.shardmend.rules.RuleFamily family} is what one rule file holds: the rules
 * that cure one fault. A {@linkplain org.shardmend.rules.RuleSet rule set} is the families active
 * for one checkpoint, and the only thing the planner asks.
 *
 * <p>Everything here is a pure function of names. Nothing here knows files, shards or Spark, and
 * nothing here can remove a tensor: rules rename, and what to do with two tensors that want one
 * name is the planner's decision. Read {@link RuleSet} first.
 */
package org.shardmend.rules;
