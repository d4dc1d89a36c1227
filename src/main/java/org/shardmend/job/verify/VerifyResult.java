package org.shardmend.job.verify;

import java.util.List;
import java.util.Optional;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.layout.Loader;
import org.shardmend.storage.Location;

/**
 * What {@code verify} found.
 *
 * @param checkpoint the directory
 * @param loader by whose contract it was judged; empty where it could not be read as a checkpoint
 * @param units how many load units there are
 * @param shards how many shards
 * @param tensors how many tensors
 * @param faults what is wrong
 * @param findings what its user should know
 * @param coverage for how many tensors anything said what their bytes should be
 * @param slices how many tensors were compared with slices of the original model's
 * @param cures what would turn unexpected names into missing ones
 * @param bytesRead what was read of it, and of what it was compared with, in bytes
 */
public record VerifyResult(
    Location checkpoint,
    Optional<Loader> loader,
    int units,
    int shards,
    long tensors,
    List<Finding> faults,
    List<Finding> findings,
    DigestCoverage coverage,
    SliceCount slices,
    NameCures cures,
    long bytesRead) {

  /** Copies the lists, so that the value can't change. */
  public VerifyResult {
    faults = List.copyOf(faults);
    findings = List.copyOf(findings);
  }

  /** True when nothing is wrong. */
  public boolean ok() {
    return faults.isEmpty();
  }
}
