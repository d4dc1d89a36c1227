/**
 * What runs on Spark and how: one application, stages of tasks with receipts, progress, failures in
 * words for people. The package decides how a stage is spread, tried again and stopped; it knows
 * nothing of checkpoints. Read {@link SparkJob} first.
 */
package org.shardmend.job.spark;
