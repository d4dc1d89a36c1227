package org.shardmend.job;

import java.util.List;
import org.shardmend.checkpoint.Finding;

/**
 * What reading every byte of a checkpoint has shown.
 *
 * @param faults bytes that are not what they should be
 * @param findings what its user should know
 */
record WholeRead(List<Fault> faults, List<Finding> findings) {
  WholeRead {
    faults = List.copyOf(faults);
    findings = List.copyOf(findings);
  }
}
