/**
 * Many checkpoints in one application: found below roots, looked at together, repaired several at a
 * time. The package decides which are worked on and when; each repair is that of {@code
 * job.repair}. Read {@link SweepAction} first.
 */
package org.shardmend.job.sweep;
