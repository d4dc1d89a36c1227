/**
 * From a place to a plan: discover, scan, compare, and what the side files must become. Everything
 * that reads is a stage; what is decided is decided in {@code org.shardmend.plan}, and nothing is
 * written. Read {@link PlanAction} first, then {@link Planner}.
 */
package org.shardmend.job.plan;
