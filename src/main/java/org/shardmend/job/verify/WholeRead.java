package org.shardmend.job.verify;

import java.util.List;
import org.shardmend.checkpoint.Finding;
import org.shardmend.plan.alias.TensorSample;

/**
 * What reading every byte of a checkpoint has shown.
 *
 * @param faults bytes that are not what they should be
 * @param findings what its user should know
 * @param coverage how many tensors could be compared with what they should be
 * @param slices how many tensors were compared with slices of the original model's
 * @param samples tensors that can be compared with those of other ranks and checkpoints
 */
record WholeRead(
    List<Finding> faults,
    List<Finding> findings,
    DigestCoverage coverage,
    SliceCount slices,
    List<TensorSample> samples) {
  WholeRead {
    faults = List.copyOf(faults);
    findings = List.copyOf(findings);
    samples = List.copyOf(samples);
  }
}
