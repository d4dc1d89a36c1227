/**
 * Checkpoints made up for trials, tests and benchmarks: the tensors of a hybrid mixture-of-experts
 * model, saved in any layout with any form of the fault, and the state that a loader expects of
 * them. The same settings give the same bytes, everywhere; the package knows nothing of Spark or of
 * repairs. Read {@link CheckpointGenerator} first.
 */
package org.shardmend.trial;
