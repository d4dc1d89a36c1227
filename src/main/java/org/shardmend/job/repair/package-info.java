/**
 * Repairs, into another directory and in place, and their undoing. The package puts the steps of
 * {@code publish.md} and {@code journal.md} on executors and in order; how bytes move and what
 * becomes of a tensor is decided below. Read {@link RepairAction} first, then {@link OutputRepair}
 * or {@link InPlaceRepair}.
 */
package org.shardmend.job.repair;
