/**
 * What becomes of each tensor and of each shard: decisions, plans, their fingerprint, strategies
 * and what they cost. Pure functions of headers and rules; nothing here reads or writes, or knows
 * how bytes move. Read {@link UnitPlanner} first, then {@link Plan}.
 */
package org.shardmend.plan;
