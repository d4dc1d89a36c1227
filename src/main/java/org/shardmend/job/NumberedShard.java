package org.shardmend.job;

import java.io.Serializable;
import org.shardmend.plan.ShardPlan;

/**
 * A shard's plan with the number that its files in staging and journal carry.
 *
 * @param number unique in the plan, from 0
 * @param plan what becomes of it
 */
record NumberedShard(int number, ShardPlan plan) implements Serializable {}
